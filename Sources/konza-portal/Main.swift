import KonzaPortal

@main
enum Main {
    static func main() {
        PortalProgram.main(arguments: Array(CommandLine.arguments.dropFirst()))
    }
}
