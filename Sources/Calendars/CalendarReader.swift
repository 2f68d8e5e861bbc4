internal import KonzaModel

/// Reads iCalendar (RFC 5545): the VEVENTs, with the VTIMEZONEs that they name. All else is passed over.
struct CalendarReader {
    /// The most components within one another.
    static let deepest = 8
    /// The most events of a file.
    static let mostEvents = 5000
    /// The most properties of an event, and the most exceptions among them.
    static let mostProperties = 2000
    static let mostRemarks = 20

    struct RawEvent {
        let line: Int
        /// The zone of times without one: the calendar's X-WR-TIMEZONE.
        let zoneName: String?
        var properties: [ContentLine] = []
        /// Of properties that come once.
        subscript(name: String) -> ContentLine? { properties.first { $0.name == name } }
    }

    struct Observance {
        var properties: [ContentLine] = []
        subscript(name: String) -> ContentLine? { properties.first { $0.name == name } }
    }

    struct RawZone {
        var name = ""
        var observances: [Observance] = []
    }

    private(set) var events: [RawEvent] = []
    private(set) var zones: [RawZone] = []
    private(set) var remarks: [CalendarRemark] = []
    private var stack: [String] = []
    private var isCalendar = false
    private var zoneName: String?

    static let wanted: Set<String> = [
        "UID", "SUMMARY", "DESCRIPTION", "LOCATION", "URL", "DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE",
        "EXRULE", "RECURRENCE-ID", "STATUS", "SEQUENCE", "CLASS", "X-MICROSOFT-CDO-ALLDAYEVENT",
    ]

    init(_ bytes: [UInt8]) throws(CalendarError) {
        var last = 1
        for line in ContentLines(bytes) {
            last = line.line
            try take(line)
        }
        guard isCalendar else {
            throw CalendarError(line: 1, "it does not begin with BEGIN:VCALENDAR; export it as iCalendar (.ics)")
        }
        guard stack.isEmpty else {
            throw CalendarError(
                line: last, "it ends within \(stack[stack.count - 1]); it was cut off: export or copy it once more")
        }
    }

    private mutating func take(_ line: ContentLine) throws(CalendarError) {
        switch line.name {
        case "BEGIN": try begin(line)
        case "END":
            let name = Self.component(line)
            guard stack.last == name else {
                throw CalendarError(
                    line: line.line,
                    "END:\(name) where \(stack.last.map { "END:\($0)" } ?? "nothing") belongs; if the file was cut off, "
                        + "export or copy it once more")
            }
            stack.removeLast()
        default:
            guard !stack.isEmpty else {
                throw CalendarError(
                    line: line.line, "it does not begin with BEGIN:VCALENDAR; export it as iCalendar (.ics)")
            }
            guard !line.name.isEmpty else { return remark(line.line, "is no NAME:VALUE, ignoring") }
            keep(line)
        }
    }

    private mutating func begin(_ line: ContentLine) throws(CalendarError) {
        let name = Self.component(line)
        guard stack.count < Self.deepest else {
            throw CalendarError(line: line.line, "more than \(Self.deepest) components stand within one another")
        }
        guard stack.isEmpty == (name == "VCALENDAR") else {
            throw CalendarError(
                line: line.line,
                stack.isEmpty ? "it does not begin with BEGIN:VCALENDAR" : "a VCALENDAR stands within another")
        }
        stack.append(name)
        switch stack.count {
        case 1:
            isCalendar = true
            zoneName = nil
        case 2 where name == "VEVENT":
            guard events.count < Self.mostEvents else {
                throw CalendarError(
                    line: line.line, "it has more than \(Self.mostEvents) events; make two files of it")
            }
            events.append(RawEvent(line: line.line, zoneName: zoneName))
        case 2 where name == "VTIMEZONE":
            guard zones.count < 100 else { throw CalendarError(line: line.line, "it has more than 100 time zones") }
            zones.append(RawZone())
        case 3 where stack[1] == "VTIMEZONE":
            let last = zones.count - 1
            guard zones[last].observances.count < 200 else {
                throw CalendarError(line: line.line, "a time zone has more than 200 parts")
            }
            zones[last].observances.append(Observance())
        default: break
        }
    }

    private mutating func keep(_ line: ContentLine) {
        guard stack.count >= 2 else {
            if line.name == "X-WR-TIMEZONE" { zoneName = line.value }
            return
        }
        switch (stack[1], stack.count) {
        case ("VEVENT", 2):
            let last = events.count - 1
            guard Self.wanted.contains(line.name) else { return }
            guard events[last].properties.count < Self.mostProperties else {
                return remark(
                    line.line, "the event has more than \(Self.mostProperties) properties, ignoring the others")
            }
            events[last].properties.append(line)
        case ("VTIMEZONE", 2) where line.name == "TZID": zones[zones.count - 1].name = line.value
        case ("VTIMEZONE", 3):
            let zone = zones.count - 1
            let last = zones[zone].observances.count - 1
            guard last >= 0, zones[zone].observances[last].properties.count < 100 else { return }
            zones[zone].observances[last].properties.append(line)
        default: break
        }
    }

    private mutating func remark(_ line: Int, _ detail: String) {
        if remarks.count < Self.mostRemarks { remarks.append(CalendarRemark(line: line, detail: detail)) }
    }

    private static func component(_ line: ContentLine) -> String {
        TextRule.cleaned(String(line.value.uppercased().filter { !$0.isWhitespace }.prefix(40)))
    }
}

extension Zone {
    /// The zone of a calendar's VTIMEZONE (RFC 5545 section 3.6.5); nil for one that cannot be read.
    ///
    /// - Parameters:
    ///   - raw: of the file.
    ///   - steps: what rules may be looked at yet.
    init?(_ raw: CalendarReader.RawZone, steps: inout Int) {
        var changes: [(at: Int, offset: Int)] = []
        var first: (at: Int, before: Int)?
        for observance in raw.observances {
            guard let start = observance["DTSTART"].flatMap({ try? CalendarTime($0.value) }),
                let from = observance["TZOFFSETFROM"].flatMap({ Self.offset($0.value) }),
                let to = observance["TZOFFSETTO"].flatMap({ Self.offset($0.value) })
            else { return nil }
            var onsets = [start.local]
            if let text = observance["RRULE"]?.value {
                guard let rule = try? RecurrenceRule(text) else { return nil }
                // As far as events are counted.
                let end = Days.number(year: 2201, month: 1, day: 1) * Days.second
                onsets +=
                    Recurrence(rule, start: start.local)
                    .instances(in: start.local..<end, steps: &steps) { $0 - from }.starts
            }
            for line in observance.properties where line.name == "RDATE" {
                onsets += line.value.split(separator: ",", maxSplits: 500).compactMap {
                    (try? CalendarTime(String($0.prefix { $0 != "/" })))?.local
                }
            }
            for onset in Set(onsets) {
                let at = onset - from
                changes.append((at, to))
                if first.map({ at < $0.at }) ?? true { first = (at, from) }
            }
        }
        guard let first, changes.count <= 5000 else { return nil }
        changes.sort { ($0.at, $0.offset) < ($1.at, $1.offset) }
        self.init(name: raw.name, changes: changes.map(\.at), offsets: changes.map(\.offset), first: first.before)
    }

    /// `-0600` or `+053015`.
    private static func offset(_ text: String) -> Int? {
        let digits = text.utf8.dropFirst()
        guard let sign = text.utf8.first, sign == 0x2B || sign == 0x2D, digits.count == 4 || digits.count == 6,
            digits.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text.dropFirst())
        else { return nil }
        let whole = digits.count == 4 ? number * 100 : number
        let seconds = whole / 10_000 * 3600 + whole / 100 % 100 * 60 + whole % 100
        guard seconds < 93_600 else { return nil }
        return sign == 0x2D ? -seconds : seconds
    }
}
