internal import KonzaModel
internal import Storage

/// What stands before a page's text between two lines of three hyphens: lines of `key: value`.
struct FrontMatter {
    private static let mostLines = 20

    private(set) var title: String?
    private(set) var language: String?
    private(set) var order: Int?
    private(set) var summary: String?
    private(set) var isHidden = false
    /// The lines before the text.
    private(set) var lines = 0
    private(set) var body: String
    private var places: [String: Int] = [:]

    init(_ text: String) throws(ContentError) {
        body = text
        var rest = text[...]
        if rest.unicodeScalars.first == "\u{FEFF}" { rest = rest.dropFirst() }
        guard Self.takeLine(&rest) == "---" else { return }
        var line = 1
        while true {
            line += 1
            guard !rest.isEmpty, line <= Self.mostLines + 2 else {
                throw ContentError(
                    line: 1, "what begins with --- does not end within \(Self.mostLines) lines; end it with a line ---")
            }
            let text = Self.takeLine(&rest)
            if text == "---" { break }
            if text.allSatisfy(\.isWhitespace) || text.hasPrefix("#") { continue }
            try take(text, line)
        }
        lines = line
        body = String(rest)
    }

    func line(of key: String) -> Int? { places[key] }

    private mutating func take(_ text: Substring, _ line: Int) throws(ContentError) {
        guard let colon = text.firstIndex(of: ":") else {
            throw ContentError(line: line, "it is no key: value, such as title: About Konza")
        }
        let key = Self.trimmed(text[..<colon]).lowercased()
        let value = Self.unquoted(Self.trimmed(text[text.index(after: colon)...]))
        guard places.updateValue(line, forKey: key) == nil else {
            throw ContentError(line: line, "\(Self.short(key)) comes twice; keep one")
        }
        switch key {
        case "title": title = try Self.words(value, 120, key, line)
        case "summary": summary = try Self.words(value, 300, key, line)
        case "language":
            guard StationPage.isLanguage(value) else {
                throw ContentError(line: line, "language is not two or three lower-case letters, such as en")
            }
            language = value
        case "order":
            guard value.utf8.count <= 6, let number = Int(value), (0...10_000).contains(number) else {
                throw ContentError(line: line, "order is no number from 0 to 10000")
            }
            order = number
        case "hidden":
            guard value == "true" || value == "false" else {
                throw ContentError(line: line, "hidden is neither true nor false")
            }
            isHidden = value == "true"
        default:
            throw ContentError(
                line: line, "\(Self.short(key)) is not known; known are title, summary, language, order, hidden")
        }
    }

    private static func words(_ text: String, _ limit: Int, _ key: String, _ line: Int) throws(ContentError) -> String {
        if let complaint = TextRule.complaint(text, upTo: limit) {
            throw ContentError(line: line, "\(key): \(complaint)")
        }
        guard !text.isEmpty else { throw ContentError(line: line, "\(key) is empty") }
        return text
    }

    /// The next line, without its end.
    private static func takeLine(_ rest: inout Substring) -> Substring {
        // A carriage return and a line feed are one character.
        let end = rest.firstIndex(where: \.isNewline) ?? rest.endIndex
        let line = rest[..<end]
        rest = end < rest.endIndex ? rest[rest.index(after: end)...] : ""
        return line
    }

    private static func trimmed(_ text: Substring) -> String {
        var rest = text
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }

    private static func unquoted(_ text: String) -> String {
        guard text.count >= 2, let mark = text.first, mark == "\"" || mark == "'", text.last == mark else {
            return text
        }
        return String(text.dropFirst().dropLast())
    }

    private static func short(_ text: String) -> String { "\"\(TextRule.cleaned(String(text.prefix(40))))\"" }
}
