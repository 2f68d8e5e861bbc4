internal import Foundation

/// What the environment says to tests that draw at random.
public enum RandomTest {
    /// The seed of a run, which is printed: `KONZA_SEED` repeats a run that failed.
    ///
    /// - Parameters:
    ///   - what: the test, for whoever reads the print.
    ///   - usual: the seed where the environment names none; a random one, if nil.
    /// - Returns: the seed.
    public static func seed(of what: String, usual: UInt64? = nil) -> UInt64 {
        let seed = number("KONZA_SEED") ?? usual ?? .random(in: 0...UInt64(UInt32.max))
        print("\(what): KONZA_SEED=\(seed)")
        return seed
    }

    /// How many cases a run has: `KONZA_TIMES` times as many as the suite has time for.
    public static func cases(_ usual: Int) -> Int { usual * Int(clamping: number("KONZA_TIMES") ?? 1) }

    private static func number(_ variable: String) -> UInt64? {
        guard let text = ProcessInfo.processInfo.environment[variable] else { return nil }
        // Ends the tests that were asked for and cannot be run: other numbers than those would prove nothing.
        guard let number = UInt64(text) else { fatalError("cannot test with \(variable)=\(text): give a whole number") }
        return number
    }
}
