internal import KonzaModel

/// The events that an ``EventHub`` can still send, oldest first, in a bounded number of bytes.
struct EventHistory {
    struct Event {
        let number: UInt64
        let name: String
        /// As it goes over the wire.
        let bytes: FrameData
    }

    /// Events in their order, of which the oldest are dropped.
    private struct Ring {
        let count: Int
        let limit: Int
        var events: [Event] = []
        var bytes = 0
        /// The number of the newest event that was dropped.
        var dropped: UInt64 = 0

        mutating func append(_ event: Event) {
            events.append(event)
            bytes += event.bytes.count
            var tooMany = max(0, events.count - count)
            var freed = events[..<tooMany].reduce(0) { $0 + $1.bytes.count }
            while bytes - freed > limit {
                freed += events[tooMany].bytes.count
                tooMany += 1
            }
            guard tooMany > 0 else { return }
            dropped = events[tooMany - 1].number
            events.removeFirst(tooMany)
            bytes -= freed
        }

        func first(after number: UInt64) -> Event? {
            var low = 0
            var high = events.count
            while low < high {
                let middle = (low + high) / 2
                if events[middle].number > number { high = middle } else { low = middle + 1 }
            }
            return low < events.count ? events[low] : nil
        }
    }

    private var kept: Ring
    /// Events that are worthless later: only for those who listened when they happened.
    private var passing: Ring
    /// The number of the newest event.
    private(set) var last: UInt64 = 0

    /// - Parameters:
    ///   - count: events for those who come back, at most so many.
    ///   - keptBytes: and at most so many bytes of them.
    ///   - passingBytes: bytes of events that are not for those who come back.
    init(kept count: Int, keptBytes: Int, passingBytes: Int) {
        kept = Ring(count: count, limit: keptBytes)
        passing = Ring(count: count, limit: passingBytes)
    }

    /// Bytes of all events.
    var bytes: Int { kept.bytes + passing.bytes }

    /// Events are missing between this number and the oldest one that is kept.
    func hasGap(after number: UInt64) -> Bool { number < kept.dropped }

    /// Adds an event that was made with the number ``last`` + 1.
    mutating func append(_ name: String, _ bytes: FrameData, isKept: Bool) {
        last += 1
        let event = Event(number: last, name: name, bytes: bytes)
        if isKept { kept.append(event) } else { passing.append(event) }
    }

    /// The next event.
    ///
    /// - Parameters:
    ///   - number: of the event before.
    ///   - joined: events that are not kept come only if they are newer.
    /// - Returns: nil if there is none yet.
    func first(after number: UInt64, joined: UInt64) -> Event? {
        let lasting = kept.first(after: number)
        let brief = passing.first(after: max(number, joined))
        guard let lasting, let brief else { return lasting ?? brief }
        return lasting.number < brief.number ? lasting : brief
    }

    /// Reads the `Last-Event-ID` of a client that comes back: `<epoch>-<number>`.
    ///
    /// - Returns: the number; nil if it is of another epoch, of the future, or no such id.
    func number(of id: String, epoch: String) -> UInt64? {
        let parts = id.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].elementsEqual(epoch.utf8), parts[1].count <= 20,
            parts[1].allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(String(parts[1]) ?? ""),
            number <= last
        else { return nil }
        return number
    }
}
