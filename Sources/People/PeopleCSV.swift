internal import CSVWriting
internal import KonzaModel

/// Accounts as comma-separated values, without what opens them.
enum PeopleCSV {
    private static let head = ["number", "name", "role", "arrives", "departs"]

    static func text(_ people: [Person]) -> String {
        CSVText.line(head)
            + people.map { person in
                CSVText.line([
                    "\(person.number)", person.name, person.role.rawValue, person.arrives?.description ?? "",
                    person.departs?.description ?? "",
                ])
            }.joined()
    }

    /// The people of a file.
    ///
    /// - Throws: `PeopleError.invalid` with the line or the row.
    static func details(_ bytes: [UInt8]) throws(PeopleError) -> [PersonDetails] {
        if let text = String(validating: bytes, as: UTF8.self) { return try details(text) }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let line = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
        throw .invalid("line \(line + 1) is not UTF-8: save it as UTF-8")
    }

    /// The people of a text whose first row names its columns: `name`, and `role`, `arrives` and `departs` where wished;
    /// `number` is passed over.
    ///
    /// - Throws: `PeopleError.invalid` with the row.
    static func details(_ text: String) throws(PeopleError) -> [PersonDetails] {
        let rows = try CSVText.rows(text, limit: PeopleRegister.mostPeople + 1)
        guard let columns = rows.first?.map({ $0.lowercased() }), let name = columns.firstIndex(of: "name") else {
            throw .invalid("the first row names the columns, such as name,role,arrives,departs")
        }
        if let other = columns.first(where: { !head.contains($0) }) {
            throw .invalid("there is no column \(other.prefix(40)); there are \(head.joined(separator: ", "))")
        }
        var people: [PersonDetails] = []
        for (index, row) in rows.enumerated().dropFirst() {
            func cell(_ column: String) -> String? {
                columns.firstIndex(of: column).flatMap { $0 < row.count && !row[$0].isEmpty ? row[$0] : nil }
            }
            func date(_ column: String) throws(PeopleError) -> CalendarDate? {
                guard let text = cell(column) else { return nil }
                guard let date = CalendarDate(text) else {
                    throw .invalid("row \(index + 1): \(column) is no date such as 2026-06-01")
                }
                return date
            }
            guard row.count <= columns.count, name < row.count else {
                throw .invalid("row \(index + 1): it has \(row.count) cells, the first row \(columns.count)")
            }
            guard let role = PersonRole(rawValue: cell("role") ?? "crew") else {
                throw .invalid("row \(index + 1): the role is \(PersonRole.rule)")
            }
            let details = PersonDetails(
                name: row[name], role: role, arrives: try date("arrives"), departs: try date("departs"))
            do throws(PeopleError) {
                try details.check()
            } catch {
                guard case .invalid(let words) = error else { throw error }
                throw .invalid("row \(index + 1): \(words)")
            }
            people.append(details)
        }
        return people
    }
}
