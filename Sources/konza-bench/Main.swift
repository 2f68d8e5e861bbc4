internal import KonzaBench

@main
enum Main {
    static func main() async { await Bench.run(Array(CommandLine.arguments.dropFirst())) }
}
