package import KonzaModel

/// A place in the list: after one of its records. It stays good when records come and go, that one included.
public struct RecordCursor<Kind>: Sendable, Equatable, LosslessStringConvertible {
    package let createdNanoseconds: Int64
    package let id: RecordID<Kind>

    package init(createdNanoseconds: Int64, id: RecordID<Kind>) {
        self.createdNanoseconds = createdNanoseconds
        self.id = id
    }

    /// - Returns: nil unless the text is a cursor that a page gave.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count <= 14, let bits = UInt64(parts[0], radix: 32),
            let id = RecordID<Kind>(String(parts[1]))
        else { return nil }
        self.init(createdNanoseconds: Int64(bitPattern: bits), id: id)
    }

    /// Safe in URLs; what is in it is the archive's own affair.
    public var description: String { "\(String(UInt64(bitPattern: createdNanoseconds), radix: 32)).\(id)" }
}
