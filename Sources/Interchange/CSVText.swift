/// Rows of comma separated values (RFC 4180).
enum CSVText {
    /// A row without its line break. A cell is quoted if it has to be.
    static func row(_ cells: [String]) -> String {
        cells.map(cell).joined(separator: ",")
    }

    private static func cell(_ text: String) -> String {
        let needsQuotes = text.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
        let hasOuterSpace = text.utf8.first == 0x20 || text.utf8.last == 0x20
        guard needsQuotes || hasOuterSpace else { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.unicodeScalars.append("\"") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// Text that a spreadsheet takes for text. One that begins like a formula (`=`, `+`, `-`, `@`, tab or return, with
    /// or without apostrophes before) gets one more apostrophe before it, so that taking one away from each that begins
    /// so gives the text back.
    static func guarded(_ text: String) -> String {
        let first = text.unicodeScalars.first { $0 != "'" }
        switch first {
        case "=", "+", "-", "@", "\t", "\r", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}": return "'" + text
        default: return text
        }
    }
}
