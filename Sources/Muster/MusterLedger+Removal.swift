internal import People
package import Storage

extension MusterLedger {
    /// What stands for the name of a removed account: no account can be called so.
    static func removedName(_ number: Int64) -> String { "#\(number)" }

    /// Takes the name of an account that is removed out of what other boxes gave.
    ///
    /// - Parameters:
    ///   - number: of the account.
    ///   - name: of the account.
    ///   - connection: of the transaction that removes it.
    /// - Throws: where it cannot be written.
    package static func forget(
        _ number: Int64, _ name: String, _ connection: inout Connection
    ) throws(DatabaseError) {
        guard let key = PeopleRegister.key(name) else { return }
        let written = try connection.rows("SELECT DISTINCT name FROM muster_foreign") { $0.text(0) }
        for one in written where PeopleRegister.key(one) == key {
            try connection.run(
                "UPDATE muster_foreign SET name = ? WHERE name = ?",
                [.text(removedName(number)), .text(one)])
        }
    }

    /// People of another box whose accounts were removed here, by their numbers there: what stands for their names. Who has an account
    /// again is known by the name.
    static func removed(
        of box: String, _ connection: inout Connection
    ) throws(DatabaseError) -> [Int64: String] {
        let rows = try connection.rows(
            "SELECT DISTINCT json_extract(line, '$.person'), name FROM muster_foreign WHERE box = ? AND name GLOB '#[0-9]*'",
            [.text(box)]
        ) { ($0.integer(0), $0.text(1)) }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }
}
