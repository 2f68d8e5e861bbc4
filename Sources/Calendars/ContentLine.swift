internal import KonzaModel

/// A content line of iCalendar or of a calendar's part (RFC 5545 section 3.1), unfolded.
struct ContentLine {
    /// In capitals.
    let name: String
    /// By their names in capitals; of several values the text as it stands.
    let parameters: [String: String]
    let value: String
    /// The line of the file where it begins, counted from 1.
    let line: Int

    /// The value as text: with its escapes undone (section 3.3.11), without characters that no text may have, and cut.
    func text(upTo limit: Int, hasLines: Bool = false) -> String? {
        var result = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in value.unicodeScalars {
            if isEscaped {
                isEscaped = false
                result.append(scalar == "n" || scalar == "N" ? "\n" : scalar)
            } else if scalar == "\\" {
                isEscaped = true
            } else {
                result.append(scalar)
            }
        }
        return CalendarText.clean(String(result), upTo: limit, hasLines: hasLines)
    }
}

/// Texts of events.
enum CalendarText {
    static let title = 200
    static let place = 300
    static let details = 8000

    /// - Returns: nil for text that shows nothing.
    static func clean(_ text: String, upTo limit: Int, hasLines: Bool = false) -> String? {
        var text = TextRule.cleaned(hasLines ? text : String(text.map { $0.isNewline ? " " : $0 }), hasLines: hasLines)
        if text.unicodeScalars.count > limit {
            text = String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit - 1))) + "…"
        }
        guard TextRule.isVisible(text) else { return nil }
        var trimmed = text[...]
        while trimmed.first?.isWhitespace == true { trimmed.removeFirst() }
        while trimmed.last?.isWhitespace == true { trimmed.removeLast() }
        return String(trimmed)
    }

    /// The description of an event (RFC 5545, 3.8.1.5); Google's calendar writes it as HTML, of which the words are taken.
    static func details(_ line: ContentLine) -> String? {
        guard let text = line.text(upTo: details, hasLines: true) else { return nil }
        return isMarkup(text) ? clean(PlainText.of(html: text), upTo: details, hasLines: true) : text
    }

    /// Whether a text has a tag that calendars write: a word in angle brackets, such as an address, is none.
    private static func isMarkup(_ text: String) -> Bool {
        let tags: Set<Substring> = [
            "a", "b", "br", "div", "em", "h1", "h2", "h3", "html", "html-blob", "i", "li", "ol", "p", "span", "strong",
            "u",
            "ul",
        ]
        return text.split(separator: "<", omittingEmptySubsequences: false).dropFirst().contains { part in
            let name = part.drop { $0 == "/" }.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            let rest = part.drop { $0 == "/" }.dropFirst(name.count)
            return tags.contains(Substring(name.lowercased())) && [" ", ">", "/"].contains(rest.first)
        }
    }

    /// An address that a person may follow; nil for any other.
    static func link(_ text: String) -> String? { TextRule.isWebAddress(text) ? text : nil }
}

/// Takes a file apart into content lines. Lines are joined as bytes: a fold may stand within a character of UTF-8.
struct ContentLines: Sequence, IteratorProtocol {
    /// The most bytes of one line, joined.
    static let longest = 64 << 10

    private let bytes: [UInt8]
    private var place = 0
    private var number = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    }

    /// The next line that is not empty; one that is none has an empty name.
    mutating func next() -> ContentLine? {
        while place < bytes.count {
            let line = number
            var joined: [UInt8] = []
            takePhysical(into: &joined)
            while place < bytes.count, bytes[place] == 0x20 || bytes[place] == 0x09 {
                place += 1
                takePhysical(into: &joined)
            }
            if !joined.isEmpty { return Self.split(joined, line) }
        }
        return nil
    }

    private mutating func takePhysical(into joined: inout [UInt8]) {
        let end = bytes[place...].firstIndex(of: 0x0A) ?? bytes.count
        var last = end
        if last > place, bytes[last - 1] == 0x0D { last -= 1 }
        let room = Self.longest - joined.count
        joined += bytes[place..<Swift.min(last, place + Swift.max(0, room))]
        place = end + 1
        number += 1
    }

    /// Whether a colon is one of a zone's name that Exchange writes without quotes: `TZID=tzone://Microsoft/Utc`.
    private static func isMicrosoft(_ bytes: [UInt8], _ colon: Int) -> Bool {
        bytes[..<colon].suffix(11).elementsEqual(";TZID=tzone".utf8) && bytes[colon...].starts(with: "://".utf8)
    }

    private static func split(_ bytes: [UInt8], _ line: Int) -> ContentLine {
        var isQuoted = false
        var cuts: [Int] = []
        var colon: Int?
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case 0x22: isQuoted.toggle()
            case 0x3B where !isQuoted: cuts.append(index)
            case 0x3A where !isQuoted && !isMicrosoft(bytes, index): colon = index
            default: break
            }
            if colon != nil { break }
        }
        guard let colon else { return ContentLine(name: "", parameters: [:], value: "", line: line) }
        var parameters: [String: String] = [:]
        for (index, cut) in cuts.prefix(50).enumerated() {
            let end = index + 1 < cuts.count ? cuts[index + 1] : colon
            let part = bytes[(cut + 1)..<end]
            guard let equals = part.firstIndex(of: 0x3D) else { continue }
            let value = part[(equals + 1)...].filter { $0 != 0x22 }
            parameters[String(decoding: part[..<equals], as: UTF8.self).uppercased()] =
                String(decoding: value, as: UTF8.self)
        }
        let name = String(decoding: bytes[..<(cuts.first ?? colon)], as: UTF8.self).uppercased()
        return ContentLine(
            name: name, parameters: parameters, value: String(decoding: bytes[(colon + 1)...], as: UTF8.self),
            line: line)
    }
}
