import KonzaHub

@main
enum Main {
    static func main() {
        HubProgram.main(arguments: Array(CommandLine.arguments.dropFirst()))
    }
}
