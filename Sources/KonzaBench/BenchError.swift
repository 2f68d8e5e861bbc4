/// Why something could not be measured.
struct BenchError: Error, Sendable, CustomStringConvertible {
    /// "cannot X: why; remedy".
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
