internal import KonzaModel

/// Reads the grammar of systemd's configuration files (systemd.syntax(7)): sections, `Key=value`, comments on lines of
/// their own, continuation by a backslash at the end of a line.
struct ConfigurationText {
    /// One assignment, as written.
    struct Assignment: Equatable {
        let section: String
        let key: String
        /// Without the white space around it; continued lines are joined by a space.
        let value: String
        let file: String
        /// Where it begins, from 1.
        let line: Int
    }

    /// Nobody writes a larger file by hand, bytes.
    static let maximumSize = 1 << 20

    private(set) var assignments: [Assignment] = []
    private(set) var problems: [SettingsProblem] = []
    private let file: String
    private let sections: [String]
    private var section: String?
    /// A heading that was refused: what follows it is not refused again.
    private var skipsSection = false

    init(_ bytes: [UInt8], file: String, sections: [String] = SettingsTable.sections) {
        self.file = file
        self.sections = sections
        guard bytes.count <= Self.maximumSize else {
            problems = [SettingsProblem(file: file, reason: "the file is larger than 1 MB")]
            return
        }
        var continued: (text: String, line: Int)?
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, raw) in lines.enumerated() {
            let number = index + 1
            guard let text = line(raw, number) else {
                continued = nil
                continue
            }
            // A comment may stand between continued lines, and does not end them.
            if text.hasPrefix("#") || text.hasPrefix(";") { continue }
            var whole = continued.map { ($0.text + " " + text, $0.line) } ?? (text, number)
            continued = nil
            if whole.0.hasSuffix("\\") {
                whole.0 = Self.trimmed(whole.0.dropLast())
                continued = whole
            } else {
                take(whole.0, whole.1)
            }
        }
        if let continued { take(continued.text, continued.line) }
    }

    /// One line as text, without white space around it.
    private mutating func line(_ raw: ArraySlice<UInt8>, _ number: Int) -> String? {
        guard let text = String(validating: raw, as: UTF8.self) else {
            problems.append(SettingsProblem(file: file, line: number, reason: "the line is not UTF-8 text"))
            return nil
        }
        let line = Self.trimmed(text[...])
        if line.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F }) {
            problems.append(SettingsProblem(file: file, line: number, reason: "the line holds control characters"))
            return nil
        }
        return line
    }

    private mutating func take(_ text: String, _ line: Int) {
        if text.isEmpty { return }
        if text.hasPrefix("[") { return takeHeading(text, line) }
        guard let equals = text.firstIndex(of: "=") else {
            return refuse(line, "cannot read \"\(Self.short(text))\": expected Key=value, [Section] or a comment")
        }
        let key = Self.trimmed(text[..<equals])
        guard !key.isEmpty else { return refuse(line, "a value without a key: expected Key=value") }
        if skipsSection { return }
        guard let section else {
            return refuse(line, "\(Self.short(key))= stands before the first section: expected [General] or another")
        }
        assignments.append(
            Assignment(
                section: section, key: key, value: Self.trimmed(text[text.index(after: equals)...]), file: file,
                line: line))
    }

    private mutating func takeHeading(_ text: String, _ line: Int) {
        guard text.hasSuffix("]"), text.count > 2 else {
            skipsSection = true
            return refuse(line, "cannot read \"\(Self.short(text))\": expected [Section]")
        }
        let name = String(text.dropFirst().dropLast())
        skipsSection = !sections.contains(name)
        section = skipsSection ? nil : name
        if skipsSection {
            let near = Spelling.nearest(to: name, among: sections, always: 2).map {
                ": did you mean [\($0)]?"
            }
            let known = sections.map { "[\($0)]" }.joined(separator: ", ")
            refuse(line, "unknown section [\(Self.short(name))]\(near ?? "; there are \(known)")")
        }
    }

    private mutating func refuse(_ line: Int, _ reason: String) {
        problems.append(SettingsProblem(file: file, line: line, reason: reason))
    }

    static func trimmed(_ text: Substring) -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
        let start = text.drop(while: isSpace)
        guard let last = start.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(start[...last])
    }

    /// Enough of a text to know it by.
    static func short(_ text: String) -> String { text.count > 40 ? "\(text.prefix(40))..." : text }
}
