/// Counts the memory that work allocates in this process, whoever allocates it. It is given to the bench by the program,
/// since counting needs a malloc(3) of the program's own.
public struct MemoryMeter: Sendable {
    private let begin: @Sendable () -> Void
    private let end: @Sendable () -> Int64?

    /// - Parameters:
    ///   - begin: Begins to count from 0.
    ///   - end: Ends counting and gives the most bytes beyond those at the beginning; nil if they cannot be counted.
    public init(begin: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Int64?) {
        self.begin = begin
        self.end = end
    }

    /// Counts nothing.
    public static let none = MemoryMeter(begin: {}, end: { nil })

    /// The most memory that a body had allocated at one time, bytes, beyond what there was before; nil if that is not
    /// counted. What the body gives is counted too, but only while it runs.
    func peakBytes(of body: () throws -> Void) rethrows -> Int64? {
        begin()
        do {
            try body()
        } catch {
            _ = end()
            throw error
        }
        return end()
    }
}
