/// How a station numbers its specimens: text with fields in braces, such as `KNZ-{yyyy}-{seq:04}`. `{yyyy}`, `{yy}`,
/// `{mm}` and `{dd}` are the day's, `{seq}` counts from 1 within what the other fields say, and `{seq:04}` does so
/// with at least four digits.
public struct NumberTemplate: Sendable, Hashable, LosslessStringConvertible {
    /// The longest number that MetPetDB keeps, in Unicode scalars.
    public static let longestNumber = 35

    private enum Piece: Sendable, Hashable {
        case text(String)
        case year
        case shortYear
        case month
        case day
        case sequence(width: Int)
    }

    public let description: String
    private let pieces: [Piece]

    /// The template of a station that names none: `KNZ-{yyyy}-{seq:04}`.
    public static let standard = NumberTemplate(
        description: "KNZ-{yyyy}-{seq:04}", pieces: [.text("KNZ-"), .year, .text("-"), .sequence(width: 4)])

    private init(description: String, pieces: [Piece]) {
        self.description = description
        self.pieces = pieces
    }

    /// - Returns: nil unless the text has exactly one `{seq}`, only known fields, nothing that a number must not hold,
    ///   and leaves room for a count of nine digits.
    public init?(_ text: String) {
        guard let pieces = Self.pieces(text) else { return nil }
        let counters = pieces.count { if case .sequence = $0 { true } else { false } }
        self.init(description: text, pieces: pieces)
        let longest = number(CivilTime(year: 9999, month: 12, day: 31), count: 999_999_999)
        guard counters == 1, SpecimenNumber.complaint(longest) == nil else { return nil }
    }

    private static func pieces(_ text: String) -> [Piece]? {
        var pieces: [Piece] = []
        var rest = text[...]
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}"),
                let field = field(rest[rest.index(after: open)..<close])
            else { return nil }
            if open > rest.startIndex { pieces.append(.text(String(rest[..<open]))) }
            pieces.append(field)
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        return pieces
    }

    private static func field(_ name: Substring) -> Piece? {
        switch name {
        case "yyyy": return .year
        case "yy": return .shortYear
        case "mm": return .month
        case "dd": return .day
        case "seq": return .sequence(width: 1)
        default:
            guard name.hasPrefix("seq:0"), let width = Int(name.dropFirst(5)), (1...9).contains(width) else {
                return nil
            }
            return .sequence(width: width)
        }
    }

    /// The number with a count on a day.
    public func number(_ day: CivilTime, count: Int) -> String {
        text(day) { Self.padded(count, $0) }
    }

    /// What stays the same while the count goes on: the template with the day's fields filled in.
    public func series(_ day: CivilTime) -> String { text(day) { _ in "{seq}" } }

    private func text(_ day: CivilTime, _ sequence: (Int) -> String) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .year: Self.padded(day.year, 4)
            case .shortYear: Self.padded(day.year % 100, 2)
            case .month: Self.padded(day.month, 2)
            case .day: Self.padded(day.day, 2)
            case .sequence(let width): sequence(width)
            }
        }.joined()
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

/// What a specimen's number must be to be written on a bag, kept here and taken by MetPetDB.
public enum SpecimenNumber {
    /// What is wrong with a number, in words; nil if it can be used.
    public static func complaint(_ number: String) -> String? {
        let scalars = number.unicodeScalars
        if scalars.isEmpty || scalars.count > NumberTemplate.longestNumber {
            return "expected 1 to \(NumberTemplate.longestNumber) characters"
        }
        if scalars.first?.properties.isWhitespace == true || scalars.last?.properties.isWhitespace == true {
            return "no spaces at its ends"
        }
        // MetPetDB's search takes a list of numbers, parted by commas.
        if scalars.contains(",") { return "no comma" }
        // Two ways of writing one accented letter would look like one number and count as two.
        if scalars.contains(where: { !Self.isPlain($0) }) { return "no control characters and no combining marks" }
        if !TextRule.isVisible(number) { return "cannot be blank: it shows no character" }
        return nil
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .nonspacingMark, .spacingMark, .enclosingMark,
            .surrogate, .unassigned, .privateUse:
            false
        default: true
        }
    }

    /// What two numbers have in common that differ by letter case alone.
    public static func key(_ number: String) -> String { number.lowercased() }
}
