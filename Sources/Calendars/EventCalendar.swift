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

    private struct Found {
        let series: Int
        let local: Int
        let start: Int
        let end: Int
    }

    private let station: Zone
    private let series: [EventSeries]
    private let places: [String: Int]

    /// - Parameters:
    ///   - files: of two events that say they are the same, that of the earlier file counts.
    ///   - station: the zone of days and of times without a zone.
    public init(_ files: [CalendarFile], station: Zone) {
        self.station = station
        var series: [EventSeries] = []
        var places: [String: Int] = [:]
        for one in files.flatMap(\.series) where places[one.key] == nil {
            places[one.key] = series.count
            series.append(one)
        }
        self.series = series
        self.places = places
    }

    /// How many events there are, those that come again counted once.
    public var count: Int { series.count }

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
        for index in series.indices {
            guard found.count < Self.mostInstances else {
                isCut = true
                break
            }
            if take(index, bounds, &found, &steps) { isCut = true }
        }
        found.sort(by: isBefore)
        let page = found.dropFirst(offset).prefix(limit).compactMap(instance)
        return Answer(instances: page, total: found.count, steps: Self.mostSteps - steps, isCut: isCut)
    }

    /// The instance of an id; nil where there is none any more.
    public func instance(_ id: String) -> EventInstance? {
        let parts = id.split(separator: "-", maxSplits: 1)
        guard id.utf8.count <= 40, parts.count == 2, let index = places[String(parts[0])],
            let time = try? CalendarTime(String(parts[1]))
        else { return nil }
        let one = series[index]
        guard time.isDate == one.isAllDay, time.isDate || time.isUTC else { return nil }
        let start = time.isDate ? one.instant(time.local, station) : time.local
        var found: [Found] = []
        var steps = Recurrence.mostSteps
        _ = take(index, start..<(start + 1), &found, &steps)
        return found.first { $0.start == start }.flatMap(instance)
    }

    /// - Returns: whether a bound ended the search.
    private func take(_ index: Int, _ bounds: Range<Int>, _ found: inout [Found], _ steps: inout Int) -> Bool {
        let one = series[index]
        // No zone is farther than 26 hours from another, and none changes by more than a day.
        let local = (bounds.lowerBound - one.longest - 2 * Days.second)..<(bounds.upperBound + 2 * Days.second)
        var starts = one.added.filter(local.contains)
        var isCut = false
        if let rule = one.rule {
            let (more, cut) = rule.instances(in: local, steps: &steps) { one.instant($0, station) }
            starts = starts.isEmpty ? more : Array(Set(starts + more)).sorted()
            isCut = cut
        } else if local.contains(one.start), !starts.contains(one.start) {
            starts.append(one.start)
        }
        for local in starts {
            let start = one.instant(local, station)
            let end = one.end(ofStart: local, station)
            guard start < bounds.upperBound, end > bounds.lowerBound || start >= bounds.lowerBound,
                !one.removed.contains(start), !one.removedLocal.contains(local),
                !one.removedDays.contains(Days.split(local).day)
            else { continue }
            found.append(Found(series: index, local: local, start: start, end: end))
        }
        return isCut
    }

    private func isBefore(_ left: Found, _ right: Found) -> Bool {
        if left.start != right.start { return left.start < right.start }
        let (one, other) = (series[left.series], series[right.series])
        if one.isAllDay != other.isAllDay { return one.isAllDay }
        if one.words.title != other.words.title { return one.words.title < other.words.title }
        return (one.uid, one.key) < (other.uid, other.key)
    }

    private func instance(_ found: Found) -> EventInstance? {
        let one = series[found.series]
        let first = one.isAllDay ? Days.split(found.local).day : Days.split(station.local(found.start)).day
        let last =
            one.isAllDay
            ? first + max(1, days(of: one)) - 1
            : found.end > found.start ? Days.split(station.local(found.end - 1)).day : first
        guard let firstDay = CalendarDate(day: first), let lastDay = CalendarDate(day: last) else { return nil }
        return EventInstance(
            id: EventKey.instance(one.key, one.isAllDay ? found.local : found.start, isAllDay: one.isAllDay),
            words: one.words, start: UTCInstant(wholeSeconds: found.start), end: UTCInstant(wholeSeconds: found.end),
            isAllDay: one.isAllDay, firstDay: firstDay, lastDay: lastDay, isCancelled: one.isCancelled,
            recurs: one.rule != nil || !one.added.isEmpty, isZoneAssumed: one.isZoneAssumed)
    }

    private func days(of series: EventSeries) -> Int {
        if case .days(let days) = series.length { days } else { 1 }
    }
}
