import KonzaLab

@main
enum Main {
    static func main() async { await LabCommand.main(arguments: Array(CommandLine.arguments.dropFirst())) }
}
