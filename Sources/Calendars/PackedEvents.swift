/// The events of a file as few bytes: ten thousand of them are kept for as long as the station runs. Their words stand in one
/// text, a zone is kept once, and what only some events have takes no room of the others.
struct PackedEvents: Sendable {
    private struct Row: Sendable {
        let key: EventKey
        let start: Int
        let length: EventTimes.Length
        /// Where its words begin.
        let words: UInt32
        /// Of ``repetitions``; ``none`` for an event that takes place once.
        let repetition: UInt32
        /// Of ``zones``; ``none`` for the station's.
        let zone: UInt32
        let isAllDay: Bool
        let isCancelled: Bool
        let isZoneAssumed: Bool
    }

    private static let none = UInt32.max
    /// Of the bytes of a length, the lowest first.
    private static let shifts: [UInt32] = [0, 8, 16, 24]

    private var rows: [Row] = []
    private var zones: [Zone] = []
    private var repetitions: [EventTimes.Repetition] = []
    /// Of each event the UID, the title, the place, the details and the link, each with its length before it.
    private var words: [UInt8] = []

    init(_ series: [EventSeries]) {
        rows.reserveCapacity(series.count)
        words.reserveCapacity(series.reduce(0) { $0 + Self.texts($1).reduce(0) { $0 + 4 + ($1?.utf8.count ?? 0) } })
        repetitions.reserveCapacity(series.count { !$0.times.repetition.isEmpty })
        for one in series {
            rows.append(
                Row(
                    key: one.key, start: one.times.start, length: one.times.length, words: UInt32(words.count),
                    repetition: place(of: one.times.repetition), zone: place(of: one.times.zone),
                    isAllDay: one.times.isAllDay, isCancelled: one.isCancelled, isZoneAssumed: one.isZoneAssumed))
            for text in Self.texts(one) { append(text) }
        }
    }

    var count: Int { rows.count }

    func key(_ index: Int) -> EventKey { rows[index].key }
    func isAllDay(_ index: Int) -> Bool { rows[index].isAllDay }
    func isCancelled(_ index: Int) -> Bool { rows[index].isCancelled }
    func isZoneAssumed(_ index: Int) -> Bool { rows[index].isZoneAssumed }

    /// Whether the event may take place within a time, local seconds of any zone: wide enough for all. Looks at no rule.
    func mayTakePlace(_ index: Int, within local: Range<Int>) -> Bool {
        rows[index].repetition != Self.none
            || (local.lowerBound - rows[index].length.longest..<local.upperBound).contains(rows[index].start)
    }

    func times(_ index: Int) -> EventTimes {
        let row = rows[index]
        return EventTimes(
            start: row.start, isAllDay: row.isAllDay, length: row.length,
            zone: row.zone == Self.none ? nil : zones[Int(row.zone)],
            repetition: row.repetition == Self.none ? .init() : repetitions[Int(row.repetition)])
    }

    /// The event of a key and its UID; nil if there is none.
    func series(_ key: EventKey, uid: String) -> EventSeries? {
        guard let index = rows.firstIndex(where: { $0.key == key }), self.uid(index) == uid else { return nil }
        return EventSeries(
            key: key, uid: uid, words: words(index), isCancelled: isCancelled(index),
            isZoneAssumed: isZoneAssumed(index), times: times(index))
    }

    func uid(_ index: Int) -> String { texts(index, 1)[0] ?? "" }
    func title(_ index: Int) -> String { texts(index, 2)[1] ?? "" }

    func words(_ index: Int) -> EventWords {
        let texts = texts(index, 5)
        return EventWords(title: texts[1] ?? "", place: texts[2], details: texts[3], link: texts[4])
    }

    private static func texts(_ series: EventSeries) -> [String?] {
        [series.uid, series.words.title, series.words.place, series.words.details, series.words.link]
    }

    private mutating func append(_ text: String?) {
        let length = text.map { UInt32($0.utf8.count) } ?? Self.none
        for shift in Self.shifts { words.append(UInt8(truncatingIfNeeded: length >> shift)) }
        if let text { words.append(contentsOf: text.utf8) }
    }

    /// The first texts of an event.
    private func texts(_ index: Int, _ count: Int) -> [String?] {
        var place = Int(rows[index].words)
        return (0..<count).map { _ in
            var length: UInt32 = 0
            for shift in Self.shifts {
                length |= UInt32(words[place]) << shift
                place += 1
            }
            guard length != Self.none else { return nil }
            defer { place += Int(length) }
            return String(decoding: words[place..<place + Int(length)], as: UTF8.self)
        }
    }

    private mutating func place(of repetition: EventTimes.Repetition) -> UInt32 {
        guard !repetition.isEmpty else { return Self.none }
        repetitions.append(repetition)
        return UInt32(repetitions.count - 1)
    }

    /// Looks at the last few alone: events of one zone follow each other.
    private mutating func place(of zone: Zone?) -> UInt32 {
        guard let zone else { return Self.none }
        if let known = zones.indices.suffix(8).last(where: { zones[$0] == zone }) { return UInt32(known) }
        zones.append(zone)
        return UInt32(zones.count - 1)
    }
}
