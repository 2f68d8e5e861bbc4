import KonzaDaemon

@main
enum Main {
    static func main() async {
        await Daemon.run(arguments: Array(CommandLine.arguments.dropFirst()))
    }
}
