/// A part of a disk, by size or by percentage.
public enum SpaceShare: Sendable, Equatable {
    case bytes(Int64)
    /// 0 to 90.
    case percent(Double)

    /// The bytes that the share is of a disk.
    public func bytes(ofCapacity capacity: Int64) -> Int64 {
        switch self {
        case .bytes(let bytes): bytes
        case .percent(let percent): Int64((Double(max(0, capacity)) * min(90, max(0, percent)) / 100).rounded())
        }
    }
}
