/// Which characters text from outside may have: of requests, of servers, of the courier. There is no other rule.
///
/// Not in any text:
/// - control characters (general category Cc: U+0000 to U+001F, U+007F to U+009F), of which text of several lines may
///   have tab, line feed and carriage return;
/// - the line and the paragraph separator (U+2028, U+2029);
/// - embeddings, overrides and isolates of the bidirectional algorithm (U+202A to U+202E, U+2066 to U+2069), which can
///   make text read as something else (Unicode Technical Report 36, section 2.5);
/// - noncharacters (U+FDD0 to U+FDEF, and the last two of each plane), some of which XML cannot hold.
///
/// The marks U+200E and U+200F stay allowed: text of right-to-left scripts needs them, and they reach one place only.
/// Text that is not empty must show something: a character that is no white space, no mark without a base, and not
/// ignorable by default (as zero-width spaces are).
public enum TextRule {
    /// Whether no text may have the character.
    ///
    /// - Parameters:
    ///   - scalar: the character.
    ///   - hasLines: whether the text may have tabs and line ends.
    /// - Returns: true for what is listed above.
    public static func forbids(_ scalar: Unicode.Scalar, hasLines: Bool = false) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: !hasLines
        case 0x20...0x7E, 0xA0...0x2027: false
        case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0xFDD0...0xFDEF: true
        default: scalar.value & 0xFFFE == 0xFFFE
        }
    }

    /// Whether the text shows anything.
    public static func isVisible(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            if (0x21...0x7E).contains(scalar.value) { return true }
            let properties = scalar.properties
            // The empty Braille pattern shows nothing and is no white space.
            guard !properties.isWhitespace, !properties.isDefaultIgnorableCodePoint, scalar.value != 0x2800 else {
                return false
            }
            switch properties.generalCategory {
            case .control, .format, .surrogate, .unassigned, .nonspacingMark, .enclosingMark, .spacingMark: return false
            default: return true
            }
        }
    }

    /// What is wrong with a text.
    ///
    /// - Parameters:
    ///   - text: may be empty.
    ///   - limit: the most Unicode scalars, as servers count them.
    ///   - hasLines: whether it may have tabs and line ends.
    /// - Returns: words to follow the name of its place; nil if nothing is wrong.
    public static func complaint(_ text: String, upTo limit: Int = .max, hasLines: Bool = false) -> String? {
        let scalars = text.unicodeScalars
        if limit < .max {
            let count = scalars.count
            if count > limit { return "at most \(limit) characters, these are \(count)" }
        }
        if let bad = scalars.first(where: { forbids($0, hasLines: hasLines) }) {
            return "no control characters and none that turn the reading direction, this has \(name(of: bad))"
        }
        return text.isEmpty || isVisible(text) ? nil : blankComplaint
    }

    /// What is wrong with text that shows nothing.
    public static let blankComplaint = "cannot be blank: it shows no character"

    /// Makes a text one that may be kept and shown.
    ///
    /// - Parameters:
    ///   - text: a server's, or a program's.
    ///   - hasLines: whether tabs and line ends stay.
    /// - Returns: the text with spaces for controls and separators, and without all else that no text may have.
    public static func cleaned(_ text: String, hasLines: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: { forbids($0, hasLines: hasLines) }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard forbids(scalar, hasLines: hasLines) else {
                result.append(scalar)
                continue
            }
            switch scalar.value {
            case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029: result.append(" ")
            default: break
            }
        }
        return String(result)
    }

    /// The whole characters of a text's beginning that have no more Unicode scalars together: one character may have any number of
    /// combining marks.
    public static func beginning(of text: some StringProtocol, scalars limit: Int) -> String {
        var count = 0
        return String(
            text.prefix { character in
                count += character.unicodeScalars.count
                return count <= limit
            })
    }

    /// Whether the text is an address that a person may follow: `http` or `https`, visible ASCII, 2000 bytes at most.
    public static func isWebAddress(_ text: String) -> Bool {
        let hasScheme = text.hasPrefix("https://") || text.hasPrefix("http://")
        return hasScheme && text.utf8.count <= 2000 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// Such as `U+202E`.
    public static func name(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
