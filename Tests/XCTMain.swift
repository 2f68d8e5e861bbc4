// The tests' entry point. SwiftPM would write one itself, but looks for XCTest's tests in the index of an editor first,
// which debug builds do not make (DEBUG_FLAGS in the Makefile). Every test here is one of Swift Testing, found without it.
import Testing

@main
struct EveryTest {
    static func main() async {
        // `swift test` asks for the names of XCTest's tests.
        if CommandLine.arguments.contains("--dump-tests-json") {
            print("[]")
            return
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
