internal import KonzaModel

/// A chain of hashes over the rows of a table to which rows are only added: each hash covers the row and the hash before it, so
/// that a row which was changed, left out or moved is found, and one that was cut off at the end against a head that was
/// written down elsewhere.
package enum AuditChain {
    /// What the first row follows.
    package static let start = String(repeating: "0", count: 64)

    /// - Parameters:
    ///   - fields: of the row, in an order that never changes. The length of each is hashed before it, so that no two rows
    ///     have the same bytes.
    ///   - previous: the hash of the row before, or ``start``.
    /// - Returns: SHA-256, 64 hexadecimal digits.
    package static func link(_ fields: [String], after previous: String) -> String {
        var bytes = Array(previous.utf8)
        for field in fields {
            let text = Array(field.utf8)
            // 64 bits, the highest byte first.
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: UInt64(text.count) >> UInt64(shift)))
            }
            bytes += text
        }
        var hash = SHA256()
        hash.update(bytes)
        return hash.hexadecimal()
    }

    /// SQL that lets rows be added to a table and nothing else.
    package static func insertOnly(_ table: String) -> String {
        """
        CREATE TRIGGER \(table)_update BEFORE UPDATE ON \(table) BEGIN
            SELECT RAISE(ABORT, 'rows of \(table) are never changed');
        END;
        CREATE TRIGGER \(table)_delete BEFORE DELETE ON \(table) BEGIN
            SELECT RAISE(ABORT, 'rows of \(table) are never removed');
        END;
        """
    }
}
