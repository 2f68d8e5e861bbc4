import KonzaDaemon

@main
enum Main {
    static func main() {
        Daemon.main(arguments: Array(CommandLine.arguments.dropFirst()))
    }
}
