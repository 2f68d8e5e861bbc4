import KonzaCourier

@main
enum Main {
    static func main() {
        CourierProgram.main(arguments: Array(CommandLine.arguments.dropFirst()))
    }
}
