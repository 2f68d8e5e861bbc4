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

    /// Puts what a specimen is now in the place of what it was.
    mutating func replace(_ old: SpecimenUsage, by new: SpecimenUsage) {
        count += new.count - old.count
        deletedCount += new.deletedCount - old.deletedCount
        storedBytes = storedBytes.addingClamped(-old.storedBytes).addingClamped(new.storedBytes)
        for state in Set(old.outbox.keys).union(new.outbox.keys) {
            let sum = (outbox[state] ?? 0) - (old.outbox[state] ?? 0) + (new.outbox[state] ?? 0)
            outbox[state] = sum > 0 ? sum : nil
        }
    }
}
