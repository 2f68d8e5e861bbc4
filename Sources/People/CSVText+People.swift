package import CSVWriting
internal import KonzaAPI

extension CSVText {
    /// One line with its end, CRLF. Text that a spreadsheet would compute is guarded; numbers never are.
    package static func line(_ cells: [String]) -> String {
        row(cells.map { Double($0) == nil ? guarded($0) : $0 }) + "\r\n"
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
        return table.rows.map { $0.cells.map(unguarded) }
    }
}
