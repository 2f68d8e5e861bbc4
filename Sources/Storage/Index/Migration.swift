/// One step from an older schema to a newer one. Steps are appended and never edited: a box in the field has run them
/// as they were.
public struct Migration: Sendable {
    /// Recorded in the database once it has run; never reused.
    public let name: String
    let sql: String

    public init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }
}
