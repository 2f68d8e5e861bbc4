public import KonzaModel

/// All events of a station, and when they take place.
public struct EventCalendar: Sendable {
    /// What all rules together may be looked at for one question.
    public static let mostSteps = 2_000_000
    /// The most instances of one answer, before a page of it is taken.
    public static let mostInstances = 20_000

    /// The instances of a time.
    public struct Answer: Sendable {
        /// In the order of their starts; all-day events come first within their day, then by title and UID.
        public let instances: [EventInstance]
        /// How many there are, of which `instances` is a part.
        public let total: Int
        /// How many years, months, weeks and days of rules were looked at.
        public let steps: Int
        /// Whether a bound ended the search.
        public let isCut: Bool
    }

    /// An event of a file.
    private struct Place {
        let file: UInt32
        let row: UInt32
    }

    private struct Found {
        let place: Place
        let local: Int
        let start: Int
        let end: Int
    }

    private let station: Zone
    private let files: [PackedEvents]
    /// In the order of the files.
    private let places: [Place]
    /// The same, by their keys.
    private let placesByKey: [Place]

    /// - Parameters:
    ///   - files: of two events that say they are the same, that of the earlier file counts.
    ///   - station: the zone of days and of times without a zone.
    public init(_ files: [CalendarFile], station: Zone) {
        self.station = station
        let files = files.map(\.events)
        self.files = files
        func key(_ place: Place) -> EventKey { files[Int(place.file)].key(Int(place.row)) }
        func isBefore(_ left: Place, _ right: Place) -> Bool { (left.file, left.row) < (right.file, right.row) }
        var all = files.enumerated().flatMap { file, events in
            (0..<events.count).map { Place(file: UInt32(file), row: UInt32($0)) }
        }
        all.sort { key($0) == key($1) ? isBefore($0, $1) : key($0) < key($1) }
        var first: [Place] = []
        first.reserveCapacity(all.count)
        for place in all where first.last.map(key) != key(place) { first.append(place) }
        placesByKey = first
        places = first.sorted(by: isBefore)
    }

    /// How many events there are, those that come again counted once.
    public var count: Int { places.count }

    /// What takes place within a time: an event belongs to it until its end.
    ///
    /// - Parameters:
    ///   - window: begins with the first instant that counts.
    ///   - offset: how many are passed over.
    ///   - limit: how many are given.
    /// - Returns: a page of them, and how many there are.
    public func instances(in window: Range<UTCInstant>, offset: Int = 0, limit: Int = .max) -> Answer {
        let bounds =
            window.lowerBound
            .wholeSeconds..<max(
                window.lowerBound.wholeSeconds, window.upperBound.wholeSeconds)
        var found: [Found] = []
        var steps = Self.mostSteps
        var isCut = false
        for place in places {
            guard found.count < Self.mostInstances else {
                isCut = true
                break
            }
            if take(place, bounds, &found, &steps) { isCut = true }
        }
        found.sort(by: isBefore)
        let page = found.dropFirst(offset).prefix(limit).compactMap(instance)
        return Answer(instances: page, total: found.count, steps: Self.mostSteps - steps, isCut: isCut)
    }

    /// The instance of an id; nil where there is none any more.
    public func instance(_ id: String) -> EventInstance? {
        let parts = id.split(separator: "-", maxSplits: 1)
        guard id.utf8.count <= 40, parts.count == 2, let key = EventKey(parts[0]), let place = place(of: key),
            let time = try? CalendarTime(String(parts[1]))
        else { return nil }
        let times = times(place)
        guard time.isDate == times.isAllDay, time.isDate || time.isUTC else { return nil }
        let start = time.isDate ? times.instant(time.local, station) : time.local
        var found: [Found] = []
        var steps = Recurrence.mostSteps
        _ = take(place, start..<(start + 1), &found, &steps)
        return found.first { $0.start == start }.flatMap(instance)
    }

    private func times(_ place: Place) -> EventTimes { files[Int(place.file)].times(Int(place.row)) }

    private func place(of key: EventKey) -> Place? {
        func known(_ index: Int) -> EventKey { files[Int(placesByKey[index].file)].key(Int(placesByKey[index].row)) }
        var (low, high) = (0, placesByKey.count)
        while low < high {
            let middle = (low + high) / 2
            if known(middle) < key { low = middle + 1 } else { high = middle }
        }
        return low < placesByKey.count && known(low) == key ? placesByKey[low] : nil
    }

    /// - Returns: whether a bound ended the search.
    private func take(_ place: Place, _ bounds: Range<Int>, _ found: inout [Found], _ steps: inout Int) -> Bool {
        // No zone is farther than 26 hours from another, and none changes by more than a day.
        let wide = (bounds.lowerBound - 2 * Days.second)..<(bounds.upperBound + 2 * Days.second)
        guard files[Int(place.file)].mayTakePlace(Int(place.row), within: wide) else { return false }
        let times = times(place)
        let repetition = times.repetition
        let local = (wide.lowerBound - times.length.longest)..<wide.upperBound
        var starts = repetition.added.filter(local.contains)
        var isCut = false
        if let rule = repetition.rule {
            let (more, cut) = rule.instances(in: local, steps: &steps) { times.instant($0, station) }
            starts = starts.isEmpty ? more : Array(Set(starts + more)).sorted()
            isCut = cut
        } else if local.contains(times.start), !starts.contains(times.start) {
            starts.append(times.start)
        }
        for local in starts {
            let start = times.instant(local, station)
            let end = times.end(ofStart: local, station)
            guard start < bounds.upperBound, end > bounds.lowerBound || start >= bounds.lowerBound,
                !repetition.removed.contains(start), !repetition.removedLocal.contains(local),
                !repetition.removedDays.contains(Days.split(local).day)
            else { continue }
            found.append(Found(place: place, local: local, start: start, end: end))
        }
        return isCut
    }

    private func isBefore(_ left: Found, _ right: Found) -> Bool {
        if left.start != right.start { return left.start < right.start }
        let (one, other) = (files[Int(left.place.file)], files[Int(right.place.file)])
        let (row, otherRow) = (Int(left.place.row), Int(right.place.row))
        if one.isAllDay(row) != other.isAllDay(otherRow) { return one.isAllDay(row) }
        let (title, otherTitle) = (one.title(row), other.title(otherRow))
        if title != otherTitle { return title < otherTitle }
        return (one.uid(row), one.key(row)) < (other.uid(otherRow), other.key(otherRow))
    }

    private func instance(_ found: Found) -> EventInstance? {
        let events = files[Int(found.place.file)]
        let row = Int(found.place.row)
        let times = times(found.place)
        let first = times.isAllDay ? Days.split(found.local).day : Days.split(station.local(found.start)).day
        let last =
            times.isAllDay
            ? first + max(1, days(of: times)) - 1
            : found.end > found.start ? Days.split(station.local(found.end - 1)).day : first
        guard let firstDay = CalendarDate(day: first), let lastDay = CalendarDate(day: last) else { return nil }
        return EventInstance(
            id: events.key(row).instance(times.isAllDay ? found.local : found.start, isAllDay: times.isAllDay),
            words: events.words(row), start: UTCInstant(wholeSeconds: found.start),
            end: UTCInstant(wholeSeconds: found.end), isAllDay: times.isAllDay, firstDay: firstDay, lastDay: lastDay,
            isCancelled: events.isCancelled(row), recurs: times.repetition.recurs,
            isZoneAssumed: events.isZoneAssumed(row))
    }

    private func days(of times: EventTimes) -> Int {
        if case .days(let days) = times.length { days } else { 1 }
    }
}
