public import KonzaModel

/// Why a form could not be written or read to its end. What was given to the sink until then is to be thrown away.
public struct InterchangeError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: Sendable, Equatable {
        /// The sink takes no more: its owner knows why.
        case stopped
        /// A photograph's file cannot be read.
        case photographUnreadable
        /// A photograph's bytes were others the second time they were read.
        case photographChanged
        /// The specimens do not fit one sheet of this form.
        case severalSheets
        /// No specimen can be written in this form.
        case nothingToWrite
        /// What was read is not what it should be.
        case notUnderstood
        /// A record cannot be written as JSON.
        case recordUnwritable
        /// The library that compresses failed.
        case compression
    }

    public let reason: Reason
    public let description: String

    public init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }

    /// For a sink whose taker is gone.
    public static let stopped = InterchangeError(.stopped, "cannot go on writing: nobody takes it any more")
}

/// Takes the bytes of a form, piece by piece, in order; throws ``InterchangeError/stopped`` to end it.
public typealias ByteSink = ([UInt8]) throws(InterchangeError) -> Void

/// Where the bytes of photographs come from.
public protocol PhotographReader: Sendable {
    /// Gives the file of a photograph to the sink, from its beginning.
    ///
    /// - Parameters:
    ///   - photograph: which.
    ///   - specimen: whose it is.
    ///   - rendition: the photograph as it was taken, or small.
    ///   - sink: takes the bytes in pieces; what it throws is thrown on.
    /// - Throws: ``InterchangeError/Reason/photographUnreadable`` if the file is not there or cannot be read.
    func read(
        _ photograph: Photograph, of specimen: Specimen, as rendition: PhotographRendition, into sink: ByteSink
    ) throws(InterchangeError)
}

/// The files of one photograph.
public enum PhotographRendition: Sendable, Hashable {
    case original
    /// A small JPEG.
    case thumbnail
}
