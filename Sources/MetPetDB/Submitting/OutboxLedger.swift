public import KonzaModel

/// Where submissions are kept. The submitter trusts it alone: what it has recorded is there after a power cut.
public protocol OutboxLedger {
    /// Keeps a submission. On return it is durable.
    ///
    /// - Parameter submission: as it is to be kept; its `version` is the one that it was read with.
    /// - Returns: what is kept, with its new version.
    /// - Throws: ``LedgerError``; it may be kept all the same.
    func record(_ submission: Submission) throws(LedgerError) -> Submission
    /// A file with the photograph's bytes, as many as its record says.
    func path(of photograph: Photograph, in specimen: Specimen) throws(LedgerError) -> String
    /// Bytes of a photograph that are on their way. It comes often, and nothing depends on it.
    func progress(_ photograph: PhotographID, of specimen: SpecimenID, sentBytes: Int, totalBytes: Int)
}

/// Why the ledger did not do what was asked.
public struct LedgerError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: String, Sendable {
        /// Somebody else has written the record since: read it again.
        case superseded
        case unavailable
    }

    public let reason: Reason
    public let description: String

    public init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
