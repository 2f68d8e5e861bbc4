internal import KonzaModel
package import Storage

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
            append(count: field.utf8.count, to: &bytes)
            bytes += field.utf8
        }
        return hash(bytes)
    }

    /// The same of a row as it is on the disk, whatever its values mean.
    ///
    /// - Parameters:
    ///   - row: whose first columns are the fields.
    ///   - count: of the fields.
    ///   - previous: the hash of the row before, or ``start``.
    /// - Returns: SHA-256, 64 hexadecimal digits.
    package static func link(_ row: borrowing Row, fields count: Int32, after previous: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1024)
        bytes += previous.utf8
        for column in 0..<count {
            append(count: row.textCount(column), to: &bytes)
            row.appendText(column, to: &bytes)
        }
        return hash(bytes)
    }

    /// 64 bits, the highest byte first.
    private static func append(count: Int, to bytes: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: UInt64(count) >> UInt64(shift)))
        }
    }

    private static func hash(_ bytes: [UInt8]) -> String {
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
