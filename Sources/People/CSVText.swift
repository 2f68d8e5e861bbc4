internal import KonzaAPI

/// Comma-separated values (RFC 4180): UTF-8, CRLF.
package enum CSVText {
    /// What spreadsheets take for the beginning of a formula (OWASP, CSV Injection).
    private static let formulas: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r"]
    /// What a cell is quoted for: the separators of either kind, and all that some program takes for the end of a line (UAX 14, BK,
    /// CR, LF, NL).
    private static let separators: Set<Unicode.Scalar> = [
        ",", ";", "\"", "\n", "\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}",
    ]

    /// One line with its end. Text that a spreadsheet would compute gets an apostrophe before it; numbers never do. By scalars: a
    /// quotation mark with an accent over it is a quotation mark.
    package static func line(_ cells: [String]) -> String {
        cells.map { cell in
            var text = cell
            if let first = cell.unicodeScalars.first, formulas.contains(first), Double(cell) == nil {
                text = "'" + cell
            }
            guard text.unicodeScalars.contains(where: separators.contains) else { return text }
            var quoted = "\"".unicodeScalars
            for scalar in text.unicodeScalars {
                if scalar == "\"" { quoted.append(scalar) }
                quoted.append(scalar)
            }
            quoted.append("\"")
            return String(quoted)
        }.joined(separator: ",") + "\r\n"
    }

    /// The rows of a text, without those that are empty.
    ///
    /// - Parameters:
    ///   - text: with lines that end in CRLF or LF; a byte order mark is skipped.
    ///   - limit: the most rows.
    /// - Returns: the cells, without the apostrophe that ``line(_:)`` adds.
    /// - Throws: `PeopleError.invalid` with the number of the row.
    package static func rows(_ text: String, limit: Int) throws(PeopleError) -> [[String]] {
        let table = CSVRows(text, limit: limit)
        guard table.rows.count <= limit else { throw .invalid("more than \(limit) rows") }
        if let place = table.strayQuote { throw .invalid("row \(place.row): a quotation mark within a cell") }
        if let place = table.unclosedQuote { throw .invalid("row \(place.row): a quotation mark without its other") }
        return table.rows.map { $0.cells.map(plain) }
    }

    private static func plain(_ cell: String) -> String {
        let scalars = cell.unicodeScalars
        guard scalars.first == "'", let second = scalars.dropFirst().first, formulas.contains(second) else {
            return cell
        }
        return String(scalars.dropFirst())
    }
}
