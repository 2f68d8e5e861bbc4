internal import KonzaModel

/// A text with variables in braces: `{name}` or `{name:format}`; `{{` and `}}` stand for the braces themselves.
struct Pattern: Equatable, Sendable {
    enum Part: Equatable, Sendable {
        case literal(String)
        case value(Variable)
    }

    enum Variable: Equatable, Sendable {
        case place
        case message
        case date(DateFormat)
        case latitude(AngleFormat)
        case longitude(AngleFormat)
        case elevation(feet: Bool)
        case sunrise(DateFormat)
        case sunset(DateFormat)
        case moon
        case trail

        /// The subject of the condition that guards it.
        var subject: Condition.Subject {
            switch self {
            case .place: .place
            case .message: .message
            case .date: .date
            case .latitude, .longitude: .position
            case .elevation: .elevation
            case .sunrise, .sunset: .sun
            case .moon: .moon
            case .trail: .trail
            }
        }
    }

    var parts: [Part]

    /// Whether it has no variables.
    var isLiteral: Bool {
        parts.allSatisfy {
            guard case .literal = $0 else { return false }
            return true
        }
    }

    struct SyntaxError: Error { var reason: String }

    /// A text as it stands, braces included.
    init(literal: String) {
        parts = [.literal(Self.isolated(literal))]
    }

    init(parsing text: String) throws(SyntaxError) {
        var parts: [Part] = []
        var literal = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            if character == "{" || character == "}", rest.first == character {
                literal.append(character)
                rest.removeFirst()
            } else if character == "{" {
                guard let end = rest.firstIndex(of: "}") else { throw SyntaxError(reason: "\"{\" is not closed") }
                if !literal.isEmpty { parts.append(.literal(literal)) }
                literal = ""
                parts.append(.value(try Self.variable(rest[..<end])))
                rest = rest[rest.index(after: end)...]
            } else if character == "}" {
                throw SyntaxError(reason: "\"}\" closes nothing; write \"}}\" for the brace itself")
            } else {
                literal.append(character)
            }
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        self.parts = parts
    }

    private static func variable(_ text: Substring) throws(SyntaxError) -> Variable {
        let pieces = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = pieces.first.map { String($0) } ?? ""
        let format = pieces.count > 1 ? String(pieces[1]) : nil
        switch (name, format) {
        case ("place", nil): return .place
        case ("message", nil): return .message
        case ("date", _): return .date(try DateFormat(parsing: format ?? "MMMM d, yyyy"))
        case ("time", _): return .date(try DateFormat(parsing: format ?? "HH:mm"))
        case ("latitude", _): return .latitude(try AngleFormat(parsing: format ?? "dms"))
        case ("longitude", _): return .longitude(try AngleFormat(parsing: format ?? "dms"))
        case ("elevation", nil), ("elevation", "m"): return .elevation(feet: false)
        case ("elevation", "ft"): return .elevation(feet: true)
        case ("sunrise", _): return .sunrise(try DateFormat(parsing: format ?? "HH:mm"))
        case ("sunset", _): return .sunset(try DateFormat(parsing: format ?? "HH:mm"))
        case ("moon", nil): return .moon
        case ("trail", nil): return .trail
        case ("place", _), ("message", _), ("moon", _), ("trail", _):
            throw SyntaxError(reason: "the variable {\(name)} takes no format")
        case ("elevation", let format?):
            throw SyntaxError(reason: "{elevation} has no format \"\(format)\"; the formats are m and ft")
        default:
            throw SyntaxError(
                reason: "there is no variable {\(name)}; the variables are place, date, time, latitude, longitude, "
                    + "elevation, sunrise, sunset, moon, trail and message")
        }
    }

    /// The text with every value put in; nil and the missing subject when one is not known.
    func filled(with facts: PostcardFacts) -> Result<String, MissingValue> {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += literal
            case .value(let variable):
                guard let value = Self.value(variable, facts) else {
                    return .failure(MissingValue(subject: variable.subject))
                }
                text += value
            }
        }
        return .success(text)
    }

    struct MissingValue: Error { var subject: Condition.Subject }

    private static func value(_ variable: Variable, _ facts: PostcardFacts) -> String? {
        switch variable {
        case .place: facts.place.isEmpty ? nil : isolated(facts.place)
        case .message: facts.message.isEmpty ? nil : isolated(facts.message)
        case .date(let format): facts.time.map { unbroken(format.text($0, zone: facts.zone, facts.language)) }
        case .latitude(let format): facts.coordinate.map { format.text($0.latitude, positive: "N", negative: "S") }
        case .longitude(let format):
            facts.coordinate.map {
                format.text($0.longitude, positive: "E", negative: facts.language == "es" ? "O" : "W")
            }
        case .elevation(let feet): facts.elevationMetres.flatMap { elevation($0, feet: feet) }
        case .sunrise(let format): facts.sunrise.map { unbroken(format.text($0, zone: facts.zone, facts.language)) }
        case .sunset(let format): facts.sunset.map { unbroken(format.text($0, zone: facts.zone, facts.language)) }
        case .moon: facts.moon.isEmpty ? nil : unbroken(facts.moon)
        case .trail: facts.trail.isEmpty ? nil : isolated(facts.trail)
        }
    }

    /// Keeps a right-to-left text from reordering what stands beside it (UAX 9, 2.4.2). Text without such letters is
    /// left as it is.
    private static func isolated(_ text: String) -> String {
        let hasRightToLeft = text.unicodeScalars.contains { scalar in
            (0x590...0x8FF).contains(scalar.value) || (0xFB1D...0xFDFF).contains(scalar.value)
                || (0xFE70...0xFEFF).contains(scalar.value) || (0x10800...0x10FFF).contains(scalar.value)
                || (0x1E800...0x1EFFF).contains(scalar.value)
        }
        return hasRightToLeft && !text.contains("\n") ? "\u{2068}\(text)\u{2069}" : text
    }

    /// Keeps a value on one line.
    private static func unbroken(_ text: String) -> String {
        String(text.map { $0 == " " ? "\u{00A0}" : $0 })
    }

    private static func elevation(_ metres: Double, feet: Bool) -> String? {
        // A foot is 0.3048 m exactly.
        let value = (feet ? metres / 0.3048 : metres).rounded()
        guard value.isFinite, abs(value) < 1e7 else { return nil }
        let digits = String(Int(abs(value)))
        let grouped = digits.count > 4 || (feet && digits.count > 3)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if grouped, index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return (value < 0 ? "\u{2212}" : "") + text + (feet ? "\u{00A0}ft" : "\u{00A0}m")
    }
}

/// How an angle is written.
enum AngleFormat: Equatable, Sendable {
    /// 39°06′20″ N
    case degreesMinutesSeconds
    /// 39°06.333′ N
    case degreesMinutes
    /// 39.10556° N
    case decimal(digits: Int)

    init(parsing text: String) throws(Pattern.SyntaxError) {
        switch text {
        case "dms": self = .degreesMinutesSeconds
        case "dm": self = .degreesMinutes
        case "decimal": self = .decimal(digits: 5)
        default:
            guard text.hasPrefix("decimal."), text.utf8.count == 9, let digits = Int(text.dropFirst(8)),
                (0...7).contains(digits)
            else {
                throw Pattern.SyntaxError(
                    reason: "an angle has no format \"\(text)\"; the formats are dms, dm, decimal and decimal.0 to "
                        + "decimal.7")
            }
            self = .decimal(digits: digits)
        }
    }

    func text(_ degrees: Double, positive: String, negative: String) -> String {
        let magnitude = abs(degrees)
        let body: String
        // Each form rounds once, in its smallest unit, so that 59.99999 seconds carry into the minute.
        switch self {
        case .degreesMinutesSeconds:
            let seconds = Int((magnitude * 3600).rounded())
            body = "\(seconds / 3600)°\(padded(seconds / 60 % 60, 2))′\(padded(seconds % 60, 2))″"
        case .degreesMinutes:
            let units = Int((magnitude * 60_000).rounded())
            body = "\(units / 60_000)°\(padded(units / 1000 % 60, 2)).\(padded(units % 1000, 3))′"
        case .decimal(let digits):
            let scale = (0..<digits).reduce(1) { value, _ in value * 10 }
            let units = Int((magnitude * Double(scale)).rounded())
            body = "\(units / scale)" + (digits > 0 ? ".\(padded(units % scale, digits))" : "") + "°"
        }
        return "\(body)\u{00A0}\(degrees < 0 ? negative : positive)"
    }

    private func padded(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}

/// How a date or time is written, in the letters of Unicode TR 35, part 4. Names are in the card's language, or English.
struct DateFormat: Equatable, Sendable {
    enum Field: Equatable, Sendable {
        case literal(String)
        case field(Character, Int)
    }

    var fields: [Field]

    private static let allowed: [Character: Set<Int>] = [
        "y": [2, 4], "M": [1, 2, 3, 4], "d": [1, 2], "E": [3, 4], "H": [1, 2], "h": [1, 2], "m": [2], "s": [2],
        "a": [1], "z": [3],
    ]

    init(parsing text: String) throws(Pattern.SyntaxError) {
        var fields: [Field] = []
        var rest = text[...]
        while let character = rest.first {
            if character == "'" {
                rest.removeFirst()
                guard let end = rest.firstIndex(of: "'") else {
                    throw Pattern.SyntaxError(reason: "a quote in the date format is not closed")
                }
                fields.append(.literal(rest.startIndex == end ? "'" : String(rest[..<end])))
                rest = rest[rest.index(after: end)...]
            } else if character.isASCII, character.isLetter {
                let run = rest.prefix { $0 == character }
                guard Self.allowed[character]?.contains(run.count) == true else {
                    throw Pattern.SyntaxError(
                        reason: "a date has no field \"\(run)\"; the fields are yyyy yy MMMM MMM MM M dd d EEEE EEE "
                            + "HH H hh h mm ss a zzz, and other words stand in single quotes")
                }
                fields.append(.field(character, run.count))
                rest = rest.dropFirst(run.count)
            } else {
                fields.append(.literal(String(character)))
                rest.removeFirst()
            }
        }
        guard !fields.isEmpty else { throw Pattern.SyntaxError(reason: "the date format is empty") }
        self.fields = fields
    }

    /// Names by their language: ``PostcardFacts/languages``.
    private static let names: [String: (months: [String], weekdays: [String])] = [
        "en": (
            [
                "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                "November", "December",
            ],
            ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        ),
        "es": (
            [
                "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
                "noviembre", "diciembre",
            ],
            ["domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"]
        ),
    ]

    func text(_ time: CivilTime, zone: String, _ language: String) -> String {
        let names = Self.names[language] ?? Self.names["en"] ?? ([], [])
        return fields.map { field in
            switch field {
            case .literal(let text): text
            case .field(let letter, let count): Self.text(letter, count, time, zone, names)
            }
        }.joined()
    }

    private static func text(
        _ letter: Character, _ count: Int, _ time: CivilTime, _ zone: String,
        _ names: (months: [String], weekdays: [String])
    ) -> String {
        func padded(_ value: Int) -> String { count == 2 && value < 10 ? "0\(value)" : "\(value)" }
        func name(_ names: [String], _ index: Int) -> String {
            let name = names.indices.contains(index) ? names[index] : ""
            return count == 3 ? String(name.prefix(3)) : name
        }
        switch letter {
        case "y": return count == 2 ? padded(time.year % 100) : "\(time.year)"
        case "M": return count > 2 ? name(names.months, time.month - 1) : padded(time.month)
        case "d": return padded(time.day)
        case "E": return name(names.weekdays, weekday(time))
        case "H": return padded(time.hour)
        case "h": return padded((time.hour + 11) % 12 + 1)
        case "m": return padded(time.minute)
        case "s": return padded(time.second)
        case "a": return time.hour < 12 ? "AM" : "PM"
        default: return zone
        }
    }

    /// 0 for Sunday (Sakamoto's congruence).
    private static func weekday(_ time: CivilTime) -> Int {
        let shifts = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]
        guard shifts.indices.contains(time.month - 1) else { return 0 }
        let year = time.month < 3 ? time.year - 1 : time.year
        return (year + year / 4 - year / 100 + year / 400 + shifts[time.month - 1] + time.day) % 7
    }
}
