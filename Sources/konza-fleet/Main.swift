import KonzaFleet

@main
enum Main {
    static func main() {
        FleetProgram.main(arguments: Array(CommandLine.arguments.dropFirst()))
    }
}
