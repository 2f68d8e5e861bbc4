internal import KonzaModel

/// A deck as a table: comma-separated values (RFC 4180) whose first line names the columns.
enum DeckTable {
    private static let columns: Set<String> = Set(
        ["id", "name", "nameEs", "group", "groupEs", "picture", "credit"]
            + (1...Deck.mostFacts).flatMap { ["fact\($0)", "fact\($0)Es"] })

    /// Reads a table; its title is the file's name.
    ///
    /// - Throws: a problem that names each fault by its line and column.
    static func read(_ bytes: [UInt8], name: String) throws(Problem) -> Deck {
        let text: String
        do throws(Unicode.UTF8.ValidationError) {
            text = String(copying: try UTF8Span(validating: bytes.span))
        } catch {
            throw Problem(
                .malformedRequest, "cannot take the deck: it is not UTF-8 at byte \(error.byteOffsets.lowerBound)")
        }
        let table = CSVRows(text)
        if let place = table.unclosedQuote {
            throw Problem(
                .malformedRequest, "cannot take the deck: a quotation mark of line \(place.line) is not closed")
        }
        let rows = table.rows
        guard let head = rows.first else { throw Problem(.malformedRequest, "cannot take the deck: it is empty") }
        var faults: [Problem.Fault] = []
        for column in head.cells where !columns.contains(column) {
            faults.append(.init(path: "line 1", detail: "no column is called \(column.prefix(40))"))
        }
        for column in ["id", "name"] where !head.cells.contains(column) {
            faults.append(.init(path: "line 1", detail: "the column \(column) is missing"))
        }
        guard faults.isEmpty else { throw Deck.refused(faults) }
        guard rows.count <= Deck.mostItems + 1 else {
            throw Deck.refused([
                .init(path: "file", detail: "at most \(Deck.mostItems) cards, these are \(rows.count - 1)")
            ])
        }
        var items: [Deck.Item] = []
        for row in rows.dropFirst() { items.append(item(row, head.cells, &faults)) }
        for fault in Deck.faults(items) {
            let parts = fault.path.split(separator: "/")
            let place = parts.count == 3 ? Int(parts[1]).map { "line \(rows[$0 + 1].line), \(parts[2])" } : nil
            faults.append(.init(path: place ?? fault.path, detail: fault.detail))
        }
        guard faults.isEmpty else { throw Deck.refused(faults) }
        let title = name.split(separator: ".").first.map(String.init) ?? name
        return Deck(title: Deck.Text(en: title.replacing("-", with: " "), es: nil), items: items)
    }

    private static func item(_ row: CSVRows.Row, _ head: [String], _ faults: inout [Problem.Fault]) -> Deck.Item {
        if row.cells.count != head.count {
            faults.append(
                .init(path: "line \(row.line)", detail: "expected \(head.count) fields, these are \(row.cells.count)"))
        }
        var values: [String: String] = [:]
        for (column, value) in zip(head, row.cells) where !value.isEmpty {
            let limit = column.hasPrefix("fact") || column == "credit" ? Deck.longestFact : Deck.longestName
            if let complaint = TextRule.complaint(value, upTo: limit, hasLines: false) {
                faults.append(.init(path: "line \(row.line), \(column)", detail: complaint))
            }
            values[column] = value
        }
        if values["name"] == nil {
            faults.append(.init(path: "line \(row.line), name", detail: "missing"))
        }
        func text(_ column: String) -> Deck.Text? {
            values[column].map { Deck.Text(en: $0, es: values["\(column)Es"]) }
        }
        return Deck.Item(
            id: values["id"] ?? "", name: text("name") ?? Deck.Text(en: "", es: nil), group: text("group"),
            picture: values["picture"], facts: (1...Deck.mostFacts).compactMap { text("fact\($0)") },
            credit: values["credit"])
    }
}
