internal import KonzaAPI

/// Comma-separated values (RFC 4180): UTF-8, CRLF.
package enum CSVText {
    /// What spreadsheets take for the beginning of a formula (OWASP, CSV Injection).
    private static let formulas: Set<Character> = ["=", "+", "-", "@", "\t", "\r"]

    /// One line with its end. Text that a spreadsheet would compute gets an apostrophe before it; numbers never do.
    package static func line(_ cells: [String]) -> String {
        cells.map { cell in
            var text = cell
            if let first = cell.first, formulas.contains(first), Double(cell) == nil { text = "'" + cell }
            guard text.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return text }
            return "\"" + text.replacing("\"", with: "\"\"") + "\""
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
        guard cell.first == "'", let second = cell.dropFirst().first, formulas.contains(second) else { return cell }
        return String(cell.dropFirst())
    }
}
