import AllocationCounting
import KonzaBench

@main
enum Main {
    static func main() { Bench.main(arguments: Array(CommandLine.arguments.dropFirst()), memory: .allocations) }
}
