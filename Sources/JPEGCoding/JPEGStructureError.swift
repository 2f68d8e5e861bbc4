/// What is wrong with the structure of a JPEG, and where.
public struct JPEGStructureError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Kinds that a camera counts apart: a short read, a stray picture, a lost packet look different.
    public enum Cause: String, Sendable, CaseIterable {
        case empty
        /// It does not begin with SOI.
        case noStart
        /// It ends within a segment or its entropy-coded data, or lacks EOI.
        case truncated
        /// Bytes that are not a marker stand where one must.
        case garbage
        /// A segment contradicts itself or the standard.
        case badSegment
        /// More segments or scans than any real picture has.
        case tooManySegments
        /// A second SOF, or one after the scans began.
        case secondFrame
        /// No SOF before the first scan.
        case noFrame
        case zeroDimension
        /// Sampling factors, identifiers or the number of components are out of range.
        case badComponents
        /// No scan.
        case noScan
        /// A scan refers to a quantisation table that is not there.
        case noQuantisationTable
        /// A quantisation value is 0.
        case zeroQuantisation
        case badHuffmanTable
        /// A restart marker is out of order.
        case restartOrder
        /// A scan has another number of restart intervals than its size asks for.
        case restartCount
    }

    public let cause: Cause
    /// Bytes from the start.
    public let offset: Int
    private let words: String

    init(_ cause: Cause, at offset: Int, _ words: String) {
        self.cause = cause
        self.offset = offset
        self.words = words
    }

    public var description: String { "cannot use the JPEG: \(words) at byte \(offset)" }
}
