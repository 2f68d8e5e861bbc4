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
        var rows: [[String]] = []
        var cells: [String] = []
        var cell = String.UnicodeScalarView()
        var isQuoted = false
        var wasQuoted = false
        func plain(_ cell: String.UnicodeScalarView) -> String {
            let text = String(cell)
            guard text.first == "'", let second = text.dropFirst().first, formulas.contains(second) else { return text }
            return String(text.dropFirst())
        }
        let scalars = Array(text.unicodeScalars)
        var at = scalars.first == "\u{FEFF}" ? 1 : 0
        func finishCell() {
            cells.append(plain(cell))
            cell = String.UnicodeScalarView()
            wasQuoted = false
        }
        while at < scalars.count {
            let scalar = scalars[at]
            at += 1
            if isQuoted {
                if scalar != "\"" {
                    cell.append(scalar)
                } else if at < scalars.count, scalars[at] == "\"" {
                    cell.append(scalar)
                    at += 1
                } else {
                    isQuoted = false
                }
                continue
            }
            switch scalar {
            case "\"":
                guard cell.isEmpty, !wasQuoted else {
                    throw .invalid("row \(rows.count + 1): a quotation mark within a cell")
                }
                isQuoted = true
                wasQuoted = true
            case ",": finishCell()
            case "\r" where at < scalars.count && scalars[at] == "\n": continue
            case "\n", "\r":
                finishCell()
                if cells != [""] { rows.append(cells) }
                cells = []
                guard rows.count <= limit else { throw .invalid("more than \(limit) rows") }
            default: cell.append(scalar)
            }
        }
        guard !isQuoted else { throw .invalid("row \(rows.count + 1): a quotation mark without its other") }
        if !cell.isEmpty || !cells.isEmpty || wasQuoted {
            finishCell()
            rows.append(cells)
        }
        guard rows.count <= limit else { throw .invalid("more than \(limit) rows") }
        return rows
    }
}
