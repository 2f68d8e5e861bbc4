/// Rows of comma-separated values (RFC 4180), for spreadsheets and for programs.
public enum CSVText {
    /// What spreadsheets take for the beginning of a formula (OWASP, CSV Injection), in full width too.
    private static let formulas: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\t", "\r", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]
    /// What a cell is quoted for: the separators of either kind, and all that some program takes for the end of a line (UAX 14, BK,
    /// CR, LF, NL).
    private static let separators: Set<Unicode.Scalar> = [
        ",", ";", "\"", "\n", "\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}",
    ]

    /// A row without its line break. A cell is quoted if it has to be: for a space at either end, too, which some programs
    /// leave out. By scalars: a quotation mark with an accent over it is a quotation mark.
    public static func row(_ cells: [String]) -> String {
        cells.map(cell).joined(separator: ",")
    }

    private static func cell(_ text: String) -> String {
        let hasOuterSpace = text.utf8.first == 0x20 || text.utf8.last == 0x20
        guard hasOuterSpace || text.unicodeScalars.contains(where: separators.contains) else { return text }
        var quoted = "\"".unicodeScalars
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.append(scalar) }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }

    /// Text that a spreadsheet takes for text. One that begins like a formula, with or without apostrophes before, gets one
    /// more apostrophe before it: ``unguarded(_:)`` gives the text back.
    public static func guarded(_ text: String) -> String {
        beginsLikeFormula(text.unicodeScalars[...]) ? "'" + text : text
    }

    /// The text that was guarded.
    public static func unguarded(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard scalars.first == "'", beginsLikeFormula(scalars.dropFirst()) else { return text }
        return String(scalars.dropFirst())
    }

    private static func beginsLikeFormula(_ scalars: String.UnicodeScalarView.SubSequence) -> Bool {
        scalars.first { $0 != "'" }.map(formulas.contains) ?? false
    }
}
