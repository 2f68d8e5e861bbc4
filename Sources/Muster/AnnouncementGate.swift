package import KonzaModel
package import Storage

/// An announcement that keeps somebody from mustering.
package struct UnreadAnnouncement: Sendable, Equatable {
    package let id: String
    package let title: String
    /// The same in other languages, by their tags.
    package let translations: [String: String]

    package init(id: String, title: String, translations: [String: String] = [:]) {
        self.id = id
        self.title = title
        self.translations = translations
    }
}

/// What of the announcements counts for a muster.
package struct AnnouncementReading: Sendable, Equatable {
    /// Active, and not read at the present hash.
    package var unread: [UnreadAnnouncement]
    /// The ids and hashes of all that are active and were read, for the record (``digest(of:)``); empty where there are none.
    package var digest: String

    package init(unread: [UnreadAnnouncement] = [], digest: String = "") {
        self.unread = unread
        self.digest = digest
    }

    /// Announcements that a record names one by one; of more it has one hash over all.
    package static let mostNamed = 40

    /// What a record says of the announcements that were read.
    ///
    /// - Parameter announcements: ids and hashes (SHA-256, hexadecimal), in any order.
    /// - Returns: `ID=HASH` in the order of the ids, with spaces between; of more than ``mostNamed`` `sha256=HASH` over that text and
    ///   `count=N`.
    package static func digest(of announcements: [(id: String, hash: String)]) -> String {
        let text = announcements.sorted { $0.id < $1.id }.map { "\($0.id)=\($0.hash)" }.joined(separator: " ")
        guard announcements.count > mostNamed else { return text }
        var hash = SHA256()
        hash.update(Array(text.utf8))
        return "sha256=\(hash.hexadecimal()) count=\(announcements.count)"
    }
}

/// Says what somebody has still to read. It is asked within the transaction that writes the muster down.
package protocol AnnouncementGate: Sendable {
    /// - Parameters:
    ///   - person: the number of the person.
    ///   - now: active are those with start <= now < end.
    ///   - connection: of the transaction; it may be read and written.
    /// - Returns: what is unread at its present hash.
    /// - Throws: what the database refuses.
    func reading(of person: Int64, at now: UTCInstant, _ connection: inout Connection) throws(DatabaseError)
        -> AnnouncementReading
}

/// For a station without announcements.
package struct NoAnnouncements: AnnouncementGate {
    package init() {}

    package func reading(
        of person: Int64, at now: UTCInstant, _ connection: inout Connection
    ) throws(DatabaseError) -> AnnouncementReading { AnnouncementReading() }
}
