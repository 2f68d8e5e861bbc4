public import KonzaModel

/// How many specimens there are, and how far their submissions are.
public struct SpecimenUsage: Sendable, Equatable {
    /// Without tombstones.
    public var count = 0
    /// Tombstones.
    public var deletedCount = 0
    /// Bytes of all, tombstones included.
    public var storedBytes: Int64 = 0
    /// Submissions of specimens that are not deleted.
    public var outbox: [Submission.State: Int] = [:]
}
