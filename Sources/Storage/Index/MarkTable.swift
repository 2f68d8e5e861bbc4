/// The SQL of the marks of one kind of record: where its files are being written to, so that a start finds what an end in
/// the middle of a write left without its row.
package struct MarkTable: Sendable {
    /// The table and its column.
    let name: String
    let column: String
    /// The mark of an index that was not compared with all files yet.
    package let everything: String

    package init(name: String, column: String, everything: String) {
        self.name = name
        self.column = column
        self.everything = everything
    }

    /// All marks, the largest first.
    package func all(in connection: inout Connection) throws(DatabaseError) -> [String] {
        try connection.rows("SELECT \(column) FROM \(name) ORDER BY \(column) DESC") { $0.text(0) }
    }

    /// - Returns: false if it is there already.
    package func set(_ mark: String, in connection: inout Connection) throws(DatabaseError) -> Bool {
        try connection.run("INSERT OR IGNORE INTO \(name) VALUES (?)", [.text(mark)])
        return connection.changes > 0
    }

    package func remove(_ mark: String, in connection: inout Connection) throws(DatabaseError) {
        try connection.run("DELETE FROM \(name) WHERE \(column) = ?", [.text(mark)])
    }
}

extension ComparisonScene {
    package func marks(_ table: MarkTable) throws(StorageError) -> [String] {
        try read { connection throws(DatabaseError) in try table.all(in: &connection) }
    }

    /// Takes marks away, in one transaction.
    package func forget(_ marks: [String], of table: MarkTable) throws(StorageError) {
        guard !marks.isEmpty else { return }
        try write { connection throws(DatabaseError) in
            for mark in marks { try table.remove(mark, in: &connection) }
        }
    }
}
