import Calendars
import Foundation
import KonzaModel
import KonzaTesting
import Testing

/// Recurrences beside those of python-dateutil and libical, which are older than this program.
@Suite("Recurrences")
struct RecurrenceTests {
    @Test("random rules have the instances that python-dateutil finds")
    func random() throws {
        let count = RandomTest.cases(60)
        let seed = RandomTest.seed(of: "recurrences")
        var generator = SeededGenerator(seed: seed)
        let cases = (0..<count).map { _ in Case(using: &generator) }
        let expected = try Self.dateutil(cases)
        for (one, days) in zip(cases, expected) {
            let found = try one.instances()
            #expect(found == days, "seed \(seed): \(one.start) \(one.rule)")
        }
    }

    /// The rules that people's calendars make. libical looks for instances of rarer ones for ever, and counts every second Sunday of
    /// some years from another week than the standard and python-dateutil do: such weeks are left out.
    @Test("the rules of everyday calendars have the instances that libical finds")
    func everyday() throws {
        let count = RandomTest.cases(60)
        let seed = RandomTest.seed(of: "recurrences")
        var generator = SeededGenerator(seed: seed)
        let cases = (0..<count).map { _ in Case(everydayUsing: &generator) }
        let expected = try Self.libical(cases)
        for (one, days) in zip(cases, expected) {
            let found = try one.instances()
            #expect(found == days, "seed \(seed): \(one.start) \(one.rule)")
        }
    }

    struct Case {
        let start: String
        let rule: String

        init(start: String, rule: String) {
            self.start = start
            self.rule = rule
        }

        init(using generator: inout SeededGenerator) {
            func one<T>(_ of: [T]) -> T { of[Int.random(in: 0..<of.count, using: &generator)] }
            func numbers(_ range: ClosedRange<Int>, _ signed: Bool) -> String {
                (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                    let number = Int.random(in: range, using: &generator)
                    return "\(signed && Bool.random(using: &generator) ? -number : number)"
                }.joined(separator: ",")
            }
            func maybe() -> Bool { Int.random(in: 0..<3, using: &generator) == 0 }
            let frequency = one(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"])
            var parts = ["FREQ=\(frequency)"]
            if maybe() { parts.append("INTERVAL=\(Int.random(in: 1...5, using: &generator))") }
            if maybe() { parts.append("BYMONTH=\(numbers(1...12, false))") }
            if maybe(), frequency != "WEEKLY" { parts.append("BYMONTHDAY=\(numbers(1...31, true))") }
            if maybe(), frequency == "YEARLY" { parts.append("BYYEARDAY=\(numbers(1...366, true))") }
            if maybe(), frequency == "YEARLY" { parts.append("BYWEEKNO=\(numbers(1...51, false))") }
            let hasWeeks = parts.contains { $0.hasPrefix("BYWEEKNO") }
            if maybe() {
                // Of days with and without a number dateutil takes those that are both; the standard, either.
                let isNumbered = Bool.random(using: &generator)
                let days = (0..<Int.random(in: 1...3, using: &generator)).map { _ -> String in
                    let day = one(["MO", "TU", "WE", "TH", "FR", "SA", "SU"])
                    guard frequency == "MONTHLY" || frequency == "YEARLY", !hasWeeks, isNumbered else {
                        return day
                    }
                    return one(["1", "2", "-1", "5", "-2"]) + day
                }
                parts.append("BYDAY=\(days.joined(separator: ","))")
            }
            if maybe(), parts.contains(where: { $0.hasPrefix("BY") }), frequency != "DAILY" {
                parts.append("BYSETPOS=\(one(["1", "-1", "2", "1,-1", "3", "-2"]))")
            }
            if maybe() { parts.append("WKST=\(one(["SU", "MO", "WE"]))") }
            if maybe() {
                parts.append("COUNT=\(Int.random(in: 1...60, using: &generator))")
            } else if maybe() {
                parts.append("UNTIL=\(Int.random(in: 2020...2027, using: &generator))0615T120000")
            }
            func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            let (year, month) = (
                Int.random(in: 2015...2026, using: &generator), Int.random(in: 1...12, using: &generator)
            )
            start = "\(year)\(two(month))\(two(Int.random(in: 1...28, using: &generator)))T093000"
            rule = parts.joined(separator: ";")
        }

        init(everydayUsing generator: inout SeededGenerator) {
            func one<T>(_ of: [T]) -> T { of[Int.random(in: 0..<of.count, using: &generator)] }
            func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
            let workdays = ["MO", "TU", "WE", "TH", "FR", "SA"]
            let week = workdays + ["SU"]
            func some(_ of: [String]) -> String {
                of.shuffled(using: &generator).prefix(Int.random(in: 1...4, using: &generator)).joined(separator: ",")
            }
            let month = "BYMONTH=\(Int.random(in: 1...12, using: &generator))"
            var parts: [String] =
                switch Int.random(in: 0..<8, using: &generator) {
                case 0: ["FREQ=DAILY"]
                case 1: ["FREQ=WEEKLY", "BYDAY=\(some(workdays))"]
                case 2: ["FREQ=MONTHLY", "BYMONTHDAY=\(one([1, 2, 15, 28, 29, 30, 31, -1, -2]))"]
                case 3: ["FREQ=MONTHLY", "BYDAY=\(one(["1", "2", "3", "4", "5", "-1", "-2"]))\(one(week))"]
                case 4: ["FREQ=MONTHLY", "BYDAY=\(some(week))", "BYSETPOS=\(one(["1", "-1", "2"]))"]
                case 5: ["FREQ=YEARLY", month, "BYMONTHDAY=\(Int.random(in: 1...28, using: &generator))"]
                case 6: ["FREQ=YEARLY", month, "BYDAY=\(one(["1", "2", "3", "4", "-1"]))\(one(week))"]
                default:
                    ["FREQ=YEARLY", "BYWEEKNO=\(Int.random(in: 2...51, using: &generator))", "BYDAY=\(one(workdays))"]
                }
            if chance(40) { parts.append("INTERVAL=\(Int.random(in: 2...4, using: &generator))") }
            if chance(30) {
                parts.append("COUNT=\(Int.random(in: 1...60, using: &generator))")
            } else if chance(40) {
                parts.append("UNTIL=\(Int.random(in: 2020...2027, using: &generator))0615T120000")
            }
            func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            let (year, startMonth) = (
                Int.random(in: 2015...2026, using: &generator), Int.random(in: 1...12, using: &generator)
            )
            start = "\(year)\(two(startMonth))\(two(Int.random(in: 1...28, using: &generator)))T093000"
            rule = parts.joined(separator: ";")
        }

        /// Of the year 2026, as `YYYYMMDD`, at most 400.
        func instances() throws -> [String] {
            let text = """
                BEGIN:VCALENDAR
                BEGIN:VEVENT
                UID:x
                SUMMARY:x
                DTSTART:\(start)
                RRULE:\(rule)
                END:VEVENT
                END:VCALENDAR
                """
            let file = try CalendarFile(iCalendar: Array(text.utf8))
            // A rule that hardly ever matches is not looked for to its end.
            #expect(file.remarks.allSatisfy { $0.detail.contains("than are counted") }, "\(rule): \(file.remarks)")
            let calendar = EventCalendar([file], station: .utc)
            let begin = try #require(UTCInstant(rfc3339: "2026-01-01T00:00:00Z"))
            let end = try #require(UTCInstant(rfc3339: "2027-01-01T00:00:00Z"))
            return calendar.instances(in: begin..<end).instances.map { $0.firstDay.description.filter { $0 != "-" } }
        }
    }

    private static func dateutil(_ cases: [Case]) throws -> [[String]] {
        let program = """
            import sys, json, datetime
            from dateutil.rrule import rrulestr
            a, b = datetime.datetime(2026, 1, 1), datetime.datetime(2026, 12, 31, 23, 59, 59)
            out = []
            for start, rule in json.load(sys.stdin):
                r = rrulestr(rule, dtstart=datetime.datetime.strptime(start, "%Y%m%dT%H%M%S"))
                out.append([d.strftime("%Y%m%d") for d in r.between(a, b, inc=True)])
            print(json.dumps(out))
            """
        return try answers(of: program, to: cases)
    }

    private static func libical(_ cases: [Case]) throws -> [[String]] {
        let program = """
            import calendar, ctypes, json, sys, time
            expand = ctypes.CDLL("libical.so.3").icalrecur_expand_recurrence
            most = 6000
            expand.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_int, ctypes.POINTER(ctypes.c_long)]
            out = []
            for start, rule in json.load(sys.stdin):
                found = (ctypes.c_long * most)()
                expand(rule.encode(), calendar.timegm(time.strptime(start, "%Y%m%dT%H%M%S")), most, found)
                days = [time.strftime("%Y%m%d", time.gmtime(one)) for one in found if one]
                out.append([day for day in days if day.startswith("2026")])
            print(json.dumps(out))
            """
        return try answers(of: program, to: cases)
    }

    private static func answers(of program: String, to cases: [Case]) throws -> [[String]] {
        let asked = try JSONEncoder().encode(cases.map { [$0.start, $0.rule] })
        let run = try ProgramRun("/usr/bin/python3", ["-c", program], input: asked)
        return try JSONDecoder().decode([[String]].self, from: run.output)
    }
}
