internal import KonzaModel

/// The events of one file, read once, whose time of day may be in any zone.
public struct CalendarFile: Sendable {
    /// The most bytes of a file.
    public static let mostBytes = 4 << 20
    /// What all rules of a file may be looked at while it is read.
    static let mostSteps = 500_000

    let events: PackedEvents
    /// What is left out, at most twenty.
    public let remarks: [CalendarRemark]
    /// Whether each of its events can be used as it is.
    public let isWhole: Bool

    /// How many events it has, those that come again counted once.
    public var count: Int { events.count }

    init(series: [EventSeries], remarks: [CalendarRemark]) {
        events = PackedEvents(series)
        self.remarks = remarks
        isWhole = remarks.isEmpty
    }

    /// Reads iCalendar.
    ///
    /// - Parameters:
    ///   - bytes: of the file.
    ///   - before: what was read of it before.
    ///   - zones: where its time zones are looked up. Blocks.
    /// - Throws: ``CalendarError`` for what is no iCalendar at all; an event that cannot be used has a remark, and is as it was before, or
    ///   left out.
    public init(
        iCalendar bytes: [UInt8], after before: CalendarFile? = nil, zones: ZoneLookup = .system
    ) throws(CalendarError) {
        guard bytes.count <= Self.mostBytes else {
            throw CalendarError("it has \(bytes.count) bytes, and \(Self.mostBytes) are the most; make two files of it")
        }
        let reader = try CalendarReader(bytes)
        var maker = SeriesMaker(reader, zones, before: before?.events)
        events = PackedEvents(maker.made())
        remarks = Array(maker.remarks.prefix(CalendarReader.mostRemarks))
        isWhole = !maker.hasRefused
    }
}

/// Makes series of the events of a file.
private struct SeriesMaker {
    private struct Made {
        var series: EventSeries
        let sequence: Int
        let line: Int
        /// The instance that it takes the place of, as the series' own key has it.
        let replaces: CalendarTime?
        let replacesZone: Zone?
    }

    private let reader: CalendarReader
    private let lookup: ZoneLookup
    private let before: PackedEvents?
    private var zones: [String: Zone?] = [:]
    private var steps = CalendarFile.mostSteps
    private(set) var remarks: [CalendarRemark]
    private(set) var hasRefused = false

    init(_ reader: CalendarReader, _ lookup: ZoneLookup, before: PackedEvents?) {
        self.reader = reader
        self.lookup = lookup
        self.before = before
        remarks = reader.remarks
    }

    mutating func made() -> [EventSeries] {
        var made: [EventKey: Made] = [:]
        var order: [EventKey] = []
        var refused: [(event: CalendarReader.RawEvent, refusal: CalendarRefusal)] = []
        var confidential = 0
        for event in reader.events {
            if let access = event["CLASS"]?.value.uppercased(), access == "PRIVATE" || access == "CONFIDENTIAL" {
                confidential += 1
                continue
            }
            do throws(CalendarRefusal) {
                let one = try self.made(event)
                let key = one.series.key
                if let before = made[key] {
                    // Of two that say they are the same, the newer one counts (section 3.8.7.4).
                    if one.sequence >= before.sequence { made[key] = one }
                } else {
                    made[key] = one
                    order.append(key)
                }
            } catch {
                refused.append((event, error))
            }
        }
        hasRefused = !refused.isEmpty
        for (event, refusal) in refused {
            let line = refusal.line ?? event.line
            guard let one = kept(event), made[one.series.key] == nil else {
                remark(line, "the event is left out: \(refusal.reason)", isOfEvent: true)
                continue
            }
            made[one.series.key] = one
            order.append(one.series.key)
            remark(
                line, "the event cannot be used: \(refusal.reason); what was read of it before is used on",
                isOfEvent: true)
        }
        if confidential > 0 {
            remark(nil, "\(counted(confidential, "event")) not for everyone (CLASS), left out")
        }
        // What takes the place of an instance removes it from its series.
        for key in order {
            guard let one = made[key], let time = one.replaces else { continue }
            let master = EventKey(uid: one.series.uid, replacing: nil)
            guard var whole = made[master] else { continue }
            if time.isDate || whole.series.times.isAllDay {
                whole.series.times.repetition.removedDays.insert(time.day)
            } else if time.isUTC {
                whole.series.times.repetition.removed.insert(time.local)
            } else if let zone = one.replacesZone {
                whole.series.times.repetition.removed.insert(zone.utc(local: time.local))
            } else {
                whole.series.times.repetition.removedLocal.insert(time.local)
            }
            made[master] = whole
        }
        return order.compactMap { made[$0]?.series }
    }

    /// What was read before of an event that cannot be used now: by its UID and the instance that it takes the place of.
    private mutating func kept(_ event: CalendarReader.RawEvent) -> Made? {
        guard let before, let uid = event["UID"].map({ String($0.value.prefix(500)) }) else { return nil }
        let line = event["RECURRENCE-ID"]
        let replaces = line.flatMap { try? CalendarTime($0.value) }
        guard (line == nil) == (replaces == nil),
            let series = before.series(EventKey(uid: uid, replacing: replaces?.local), uid: uid)
        else { return nil }
        return Made(
            series: series, sequence: 0, line: event.line, replaces: replaces,
            replacesZone: line.flatMap { line in replaces.flatMap { zone(of: line, $0, event).0 } })
    }

    private mutating func made(_ event: CalendarReader.RawEvent) throws(CalendarRefusal) -> Made {
        guard let startLine = event["DTSTART"] else { throw CalendarRefusal("it has no DTSTART") }
        let start = Self.whole(
            try named("DTSTART") { () throws(CalendarRefusal) in try CalendarTime(startLine.value) }, event)
        let (zone, isAssumed) = zone(of: startLine, start, event)
        if isAssumed {
            remark(
                startLine.line,
                "the time zone \"\(TextRule.cleaned(String(startLine.parameters["TZID", default: ""].prefix(60))))\" is not "
                    + "known, the station's is taken; name one such as America/Chicago")
        }
        let title = event["SUMMARY"]?.text(upTo: CalendarText.title)
        let uid = event["UID"].map { String($0.value.prefix(500)) } ?? "\(start.local)-\(title ?? "")"
        let replaces = try event["RECURRENCE-ID"].map { line throws(CalendarRefusal) in
            try named("RECURRENCE-ID") { () throws(CalendarRefusal) in try CalendarTime(line.value) }
        }
        if let line = event["RECURRENCE-ID"], line.parameters["RANGE"] != nil {
            remark(line.line, "RANGE is not used: one instance alone is changed")
        }
        var series = EventSeries(
            key: EventKey(uid: uid, replacing: replaces?.local), uid: uid,
            words: EventWords(
                title: title ?? "…", place: event["LOCATION"]?.text(upTo: CalendarText.place),
                details: event["DESCRIPTION"].flatMap(CalendarText.details),
                link: event["URL"].flatMap { CalendarText.link($0.value) }),
            isCancelled: event["STATUS"]?.value.uppercased() == "CANCELLED", isZoneAssumed: isAssumed,
            times: EventTimes(
                start: start.local, isAllDay: start.isDate, length: try length(event, start, zone), zone: zone))
        series.times.repetition.rule = try rule(event, start, zone, replaces)
        try takeDates(event, &series.times)
        return Made(
            series: series, sequence: event["SEQUENCE"].flatMap { Int($0.value.prefix(9)) } ?? 0, line: event.line,
            replaces: replaces,
            replacesZone: event["RECURRENCE-ID"].flatMap { line in replaces.flatMap { self.zone(of: line, $0, event).0 }
            })
    }

    private mutating func rule(
        _ event: CalendarReader.RawEvent, _ start: CalendarTime, _ zone: Zone?, _ replaces: CalendarTime?
    ) throws(CalendarRefusal) -> Recurrence? {
        guard let line = event["RRULE"], replaces == nil else { return nil }
        if event.properties.filter({ $0.name == "RRULE" }).count > 1 {
            remark(line.line, "the event has more than one RRULE, ignoring the others")
        }
        if let line = event["EXRULE"] { remark(line.line, "EXRULE is not used (RFC 5545 has none), ignoring") }
        do throws(CalendarRefusal) {
            var rule = try RecurrenceRule(line.value)
            if start.isDate, let until = rule.until, until.isUTC {
                let last = CalendarTime(local: until.seconds, isUTC: true).day
                rule.until = (last * Days.second + Days.second - 1, false)
            }
            let recurrence = Recurrence(rule, start: start.local)
            let counted = recurrence.withoutCount(steps: &steps) { [zone] in zone?.utc(local: $0) ?? $0 }
            if counted.isCut {
                remark(line.line, "RRULE: it has more instances than are counted, ignoring the later ones")
            }
            return counted.recurrence
        } catch {
            // Shown once it would say that it does not come again.
            throw CalendarRefusal("RRULE: \(error.reason)", line: line.line)
        }
    }

    private mutating func length(
        _ event: CalendarReader.RawEvent, _ start: CalendarTime, _ zone: Zone?
    ) throws(CalendarRefusal) -> EventTimes.Length {
        if let line = event["DTEND"] {
            let end = try named("DTEND") { () throws(CalendarRefusal) in try CalendarTime(line.value) }
            let (endZone, _) = self.zone(of: line, end, event)
            if start.isDate {
                let days = Days.split(end.local).day - Days.split(start.local).day
                // The end is not part of it; equal to the start it is one day (section 3.6.1).
                return .days(min(366, max(1, days)))
            }
            let last = endZone?.utc(local: end.local) ?? end.local
            let first = zone?.utc(local: start.local) ?? start.local
            let seconds = (endZone == nil) == (zone == nil) ? last - first : end.local - start.local
            guard seconds >= 0 else { throw CalendarRefusal("DTEND is before DTSTART") }
            return .seconds(min(366 * Days.second, seconds))
        }
        if let line = event["DURATION"] {
            let duration = try named("DURATION") { () throws(CalendarRefusal) in try CalendarDuration(line.value) }
            return start.isDate
                ? .days(max(1, duration.days)) : .nominal(days: duration.days, seconds: duration.seconds)
        }
        return start.isDate ? .days(1) : .seconds(0)
    }

    private mutating func takeDates(
        _ event: CalendarReader.RawEvent, _ times: inout EventTimes
    ) throws(CalendarRefusal) {
        for line in event.properties where line.name == "EXDATE" || line.name == "RDATE" {
            for part in line.value.split(separator: ",", maxSplits: Recurrence.mostInstances) {
                // Of a period its beginning.
                let text = String(part.prefix { $0 != "/" })
                let time = try named(line.name) { () throws(CalendarRefusal) in try CalendarTime(text) }
                let (zone, _) = zone(of: line, time, event)
                guard line.name == "EXDATE" else {
                    guard times.repetition.added.count < Recurrence.mostInstances else { break }
                    if times.isAllDay {
                        times.repetition.added.append(time.day * Days.second)
                        continue
                    }
                    // In the zone of the start.
                    let local =
                        zone.map { zone in times.zone.map { $0.local(zone.utc(local: time.local)) } ?? time.local }
                        ?? time.local
                    times.repetition.added.append(local)
                    continue
                }
                if time.isDate || times.isAllDay {
                    times.repetition.removedDays.insert(time.day)
                } else if let zone {
                    times.repetition.removed.insert(zone.utc(local: time.local))
                } else {
                    times.repetition.removedLocal.insert(time.local)
                }
            }
        }
        times.repetition.added.sort()
    }

    /// Exchange also writes an event of days as one from midnight to midnight, and says so.
    private static func whole(_ start: CalendarTime, _ event: CalendarReader.RawEvent) -> CalendarTime {
        let end = event["DTEND"].flatMap { try? CalendarTime($0.value) }
        let isMarked = event["X-MICROSOFT-CDO-ALLDAYEVENT"]?.value.uppercased() == "TRUE"
        guard isMarked, !start.isUTC, let end, !end.isUTC, Days.split(start.local).second == 0,
            Days.split(end.local).second == 0
        else { return start }
        return CalendarTime(local: start.local, isDate: true)
    }

    /// - Returns: nil for the station's zone, and whether that is an assumption.
    private mutating func zone(
        of line: ContentLine, _ time: CalendarTime, _ event: CalendarReader.RawEvent
    ) -> (Zone?, Bool) {
        if time.isUTC { return (.utc, false) }
        guard !time.isDate else { return (nil, false) }
        guard let name = line.parameters["TZID"] else {
            return (event.zoneName.flatMap { self.zone(named: $0) }, false)
        }
        let zone = self.zone(named: name)
        return (zone, zone == nil)
    }

    private mutating func zone(named name: String) -> Zone? {
        if let known = zones[name] { return known }
        var zone = lookup.zone(name)
        if zone == nil, let raw = reader.zones.first(where: { $0.name == name }) { zone = Zone(raw, steps: &steps) }
        zone = zone ?? lookup.described(name)
        if zones.count < 200 { zones[name] = .some(zone) }
        return zone
    }

    private func named<Value>(
        _ name: String, _ body: () throws(CalendarRefusal) -> Value
    ) throws(CalendarRefusal) -> Value {
        do throws(CalendarRefusal) { return try body() } catch { throw CalendarRefusal("\(name): \(error.reason)") }
    }

    private mutating func remark(_ line: Int?, _ detail: String, isOfEvent: Bool = false) {
        guard remarks.count < CalendarReader.mostRemarks else { return }
        remarks.append(CalendarRemark(line: line, detail: detail, isOfEvent: isOfEvent))
    }
}
