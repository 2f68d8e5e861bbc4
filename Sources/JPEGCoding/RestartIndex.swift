/// Where the restart markers of a scan stand: every marker's place, or every second's, fourth's ... where there are
/// many, so that memory stays bounded.
public struct RestartIndex: Sendable, Equatable {
    private static let limit = 1024

    /// Of the FF of the markers 0, `stride`, 2 `stride`, ...
    public private(set) var offsets: [Int] = []
    public private(set) var stride = 1
    private var count = 0

    mutating func append(_ offset: Int) {
        if count % stride == 0 {
            if offsets.count == Self.limit {
                offsets = Swift.stride(from: 0, to: offsets.count, by: 2).map { offsets[$0] }
                stride *= 2
            }
            if count % stride == 0 { offsets.append(offset) }
        }
        count += 1
    }

    /// The nearest known marker at or before one.
    public func nearest(_ marker: Int) -> (marker: Int, offset: Int)? {
        guard marker >= 0, !offsets.isEmpty else { return nil }
        let at = min(marker / stride, offsets.count - 1)
        return (at * stride, offsets[at])
    }
}
