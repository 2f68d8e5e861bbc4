package import KonzaModel

/// Makes ids that sort as they were made, also within one millisecond.
package struct RecordIDSource<Kind>: Sendable {
    /// nil before the first: a clock before 1970 counts as 0, and the first id of each run is to be random too.
    private var lastMilliseconds: UInt64?
    private var high: UInt16 = 0
    private var low: UInt64 = 0

    package init() {}

    package mutating func next(at instant: UTCInstant) -> RecordID<Kind> {
        let milliseconds = UInt64(max(0, instant.nanoseconds)) / 1_000_000
        if milliseconds == lastMilliseconds, low < .max {
            low += 1
        } else {
            // A clock that was set back needs no care: 80 random bits do not meet twice.
            lastMilliseconds = milliseconds
            high = .random(in: 0 ... .max)
            // The top bit stays clear, so that counting on never runs over.
            low = .random(in: 0 ... .max >> 1)
        }
        return RecordID(milliseconds: milliseconds, high: high, low: low)
    }
}
