internal import KonzaModel

/// A form of text that the API takes: as a regular expression in the contract, and as the check that the server makes.
/// A test compares the two.
public struct TextForm: Sendable {
    /// Anchored, in the dialect that JSON Schema 2020-12 recommends (section 6.4): ECMA-262 with the flag `u`.
    public let pattern: String
    /// The JSON Schema format, such as `date`.
    public let format: String?
    /// Texts of this form.
    public let examples: [String]
    /// What in a text is not of this form, to follow its name; nil if nothing is.
    public let complaint: @Sendable (String) -> String?
    /// What is wrong with a text of this form all the same: what no short expression can say. Its status is 422.
    public let objection: @Sendable (String) -> String?

    public init(
        _ pattern: String, format: String? = nil, examples: [String],
        objection: @escaping @Sendable (String) -> String? = { _ in nil },
        complaint: @escaping @Sendable (String) -> String?
    ) {
        self.pattern = "^\(pattern)$"
        self.format = format
        self.examples = examples
        self.complaint = complaint
        self.objection = objection
    }

    /// A form decided by what `accepts` says; where it says no, `expected` is what is expected.
    public init(
        _ pattern: String, format: String? = nil, examples: [String], expected: String,
        accepts: @escaping @Sendable (String) -> Bool
    ) {
        self.init(pattern, format: format, examples: examples) { accepts($0) ? nil : "expected \(expected)" }
    }
}

extension TextForm {
    // TextRule as a regular expression. The literals are the ends of the planes 1 to 16, without their noncharacters.
    private static let planes: String = (1...16).reduce(into: "") { text, plane in
        for end in [0x0000, 0xFFFD] {
            guard let scalar = Unicode.Scalar(plane << 16 | end) else { continue }
            if end > 0 { text += "-" }
            text.unicodeScalars.append(scalar)
        }
    }
    private static let beyondASCII = #"\u00A0-\u2027\u202F-\u2065\u206A-\uD7FF\uE000-\uFDCF\uFDF0-\uFFFD"# + planes
    private static let idPattern = "[0-7][0-9a-hjkmnp-tv-z]{25}"

    private static func forbidden(_ text: String, hasLines: Bool) -> String? {
        guard let bad = text.unicodeScalars.first(where: { TextRule.forbids($0, hasLines: hasLines) }) else {
            return nil
        }
        return TextRule.complaint(String(bad), hasLines: hasLines)
    }

    private static func blank(_ text: String) -> String? {
        text.isEmpty || TextRule.isVisible(text) ? nil : TextRule.blankComplaint
    }

    /// One line that shows something, or nothing at all (`TextRule`).
    public static let text = TextForm(
        "[ -~\(beyondASCII)]*", examples: ["Kings Creek"], objection: blank,
        complaint: { forbidden($0, hasLines: false) })

    /// Text of several lines that shows something, or nothing at all.
    public static let longText = TextForm(
        "[\\t\\n\\r -~\(beyondASCII)]*", examples: ["Fresh, from the lee side of the ridge."], objection: blank,
        complaint: { forbidden($0, hasLines: true) })

    /// Text of several lines, blank or not: what the courier brings.
    public static let anyLines = TextForm(
        "[\\t\\n\\r -~\(beyondASCII)]*", examples: ["Gneiss"], complaint: { forbidden($0, hasLines: true) })

    /// The id of a postcard, a specimen or a photograph (`RecordID`).
    public static let id = TextForm(
        idPattern, examples: ["01k2b3c4d5e6f7g8h9j0kmnpqr"], expected: "an id of 26 characters",
        accepts: { PostcardID($0) != nil })

    /// A day of the years 1 to 9999.
    public static let day = TextForm(
        #"(?!0000)[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"#, format: "date", examples: ["2026-05-30"],
        expected: "a day YYYY-MM-DD", accepts: { CalendarDate($0) != nil })

    /// An instant of the years 1678 to 2261.
    public static let instant = TextForm(
        #"(?:16(?:7[89]|[89][0-9])|1[7-9][0-9]{2}|2[01][0-9]{2}|22(?:[0-5][0-9]|6[01]))-(?:0[1-9]|1[0-2])-"#
            + #"(?:0[1-9]|[12][0-9]|3[01])[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?"#
            + #"(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"#, format: "date-time", examples: ["2026-05-30T14:03:07Z"],
        expected: "an RFC 3339 date-time of the years 1678 to 2261", accepts: { UTCInstant(rfc3339: $0) != nil })

    /// An address that a person may follow.
    public static let webAddress = TextForm(
        #"https?://[\x21-\x7E]*"#, examples: ["https://metpetdb.com"], expected: "an http or https address",
        accepts: TextRule.isWebAddress)

    /// What is written on the bag (`SpecimenNumber`).
    public static let specimenNumber: TextForm = {
        let inner = #"[ -+\--~"# + beyondASCII + "]"
        let outer =
            #"[!-+\--~\u00A1-\u167F\u1681-\u1FFF\u200B-\u2027\u2030-\u205E\u2060-\u2065\u206A-\u2FFF\u3001-\uD7FF"#
            + #"\uE000-\uFDCF\uFDF0-\uFFFD"# + planes + "]"
        return TextForm(
            "\(outer)(?:\(inner)*\(outer))?", examples: ["KP-7"], objection: { SpecimenNumber.complaint($0) }
        ) { text in
            if text.isEmpty { return "expected 1 to \(NumberTemplate.longestNumber) characters" }
            if text.contains(",") { return "no comma" }
            let ends = [text.unicodeScalars.first, text.unicodeScalars.last]
            if ends.contains(where: { $0?.properties.isWhitespace == true }) { return "no spaces at its ends" }
            return forbidden(text, hasLines: false)
        }
    }()

    /// A modal percentage or a word.
    public static let amount = TextForm(
        text.pattern.dropFirst().dropLast().description, examples: ["x", "12.5"],
        objection: { blank($0) ?? RequestText.amountComplaint($0) }, complaint: text.complaint)

    /// Degrees of latitude and of longitude, as decimal numbers.
    public static let latitude = #"[+-]?0*(?:90(?:\.0+)?|[0-8]?[0-9](?:\.[0-9]+)?)(?:[eE]-[0-9]{1,3})?"#
    public static let longitude =
        #"[+-]?0*(?:180(?:\.0+)?|(?:1[0-7][0-9]|[0-9]?[0-9])(?:\.[0-9]+)?)(?:[eE]-[0-9]{1,3})?"#

    /// Where something is: latitude and longitude, or here.
    public static let place = TextForm(
        "(?:here|\(latitude),\(longitude))", examples: ["here", "39.1,-96.6"],
        expected: "latitude,longitude in degrees, or here",
        accepts: { text in
            if text == "here" { return true }
            guard let numbers = decimals(text), numbers.count == 2 else { return false }
            return Coordinate(latitude: numbers[0], longitude: numbers[1]) != nil
        })

    /// A box of degrees; that south is not above north, no expression can say.
    public static let box = TextForm(
        "\(longitude),\(latitude),\(longitude),\(latitude)", examples: ["-97,39,-96,40"],
        expected: "west,south,east,north in degrees",
        accepts: { text in
            guard let numbers = decimals(text), numbers.count == 4 else { return false }
            return Coordinate(latitude: numbers[1], longitude: numbers[0]) != nil
                && Coordinate(latitude: numbers[3], longitude: numbers[2]) != nil
        })

    /// The cursor of a page of records (`RecordCursor`).
    public static let recordCursor = TextForm(
        #"(?:[0-9a-v]{1,12}|[0-9a-f][0-9a-v]{12})\."# + idPattern, examples: ["1gq4.01k2b3c4d5e6f7g8h9j0kmnpqr"],
        expected: "the member next of a page",
        accepts: { text in
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            let digits = parts[0].utf8
            let isNumber = digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x76).contains($0) }
            return parts.count == 2 && isNumber && (1...13).contains(digits.count) && UInt64(parts[0], radix: 32) != nil
                && PostcardID(String(parts[1])) != nil
        })

    /// A key of a header: printable ASCII, none of it blank at its ends.
    public static let key = TextForm(
        #"[!-~](?:[ -~]*[!-~])?"#, examples: ["4f1c"], expected: "printable ASCII",
        accepts: { text in
            let ends = [text.utf8.first, text.utf8.last]
            return text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !ends.contains(nil) && !ends.contains(0x20)
        })

    /// Numbers with commas between; nil where one is none, or not written plainly.
    public static func decimals(_ text: String) -> [Double]? {
        var numbers: [Double] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard isDecimal(part), let number = Double(part) else { return nil }
            numbers.append(number)
        }
        return numbers
    }

    /// Digits with a sign, decimals, or a negative exponent, as the expressions above have them.
    private static func isDecimal(_ text: Substring) -> Bool {
        var rest = text.utf8[...]
        func digits() -> Int {
            let count = rest.prefix { (0x30...0x39).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        guard digits() > 0 else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() > 0 else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            guard rest.first == UInt8(ascii: "-") else { return false }
            rest = rest.dropFirst()
            guard (1...3).contains(digits()) else { return false }
        }
        return rest.isEmpty
    }
}
