internal import JSONCoding
internal import KonzaModel
package import Storage

extension AnnouncementRegister {
    /// Why something cannot be written.
    package enum WritingError: Error {
        case unknown
        /// It comes from a feed or a file, which says what it is.
        case notWrittenHere(source: String)
        case tooMany
        case storage(StorageError)
    }

    /// Keeps an announcement that was written at the station.
    ///
    /// - Returns: it, unread by everyone.
    package func write(_ announcement: Announcement, by author: String) throws(WritingError) -> Entry {
        let id = newID()
        let now = clock.utc()
        try writing { connection throws(DatabaseError) in
            let count = try connection.rows(
                "SELECT count(*) FROM announcements WHERE source = '' AND retired_at IS NULL"
            ) {
                Int($0.integer(0))
            }
            guard (count.first ?? 0) < Self.mostWritten else { return .failure(.tooMany) }
            try Self.insert(id, "", id, announcement, author, now, &connection)
            try Self.purge(now, &connection)
            return .success(())
        }
        return try found(id)
    }

    /// Changes an announcement that was written at the station: unread again if one of the seven fields differs.
    package func change(_ id: String, to announcement: Announcement) throws(WritingError) -> Entry {
        let now = clock.utc()
        try writing { connection throws(DatabaseError) in
            let source = try connection.rows(
                "SELECT source FROM announcements WHERE id = ? AND retired_at IS NULL", [.text(id)]
            ) { $0.text(0) }
            guard let source = source.first else { return .failure(.unknown) }
            guard source.isEmpty else { return .failure(.notWrittenHere(source: source)) }
            try Self.update(id, announcement, now, &connection)
            return .success(())
        }
        return try found(id)
    }

    /// Takes an announcement away, at once. One of a feed stays away until the feed changes it.
    package func retire(_ id: String) throws(WritingError) {
        let now = clock.utc()
        try writing { connection throws(DatabaseError) in
            try connection.run(
                "UPDATE announcements SET retired_at = ?, withdrawn_hash = hash WHERE id = ? AND retired_at IS NULL",
                [.integer(now.nanoseconds), .text(id)])
            return connection.changes > 0 ? .success(()) : .failure(.unknown)
        }
    }

    private func found(_ id: String) throws(WritingError) -> Entry {
        do throws(StorageError) {
            if let entry = try find(id, for: nil, isCrew: true) { return entry }
        } catch {
            throw .storage(error)
        }
        throw .unknown
    }

    private func writing(
        _ body: (inout Connection) throws(DatabaseError) -> Result<Void, WritingError>
    ) throws(WritingError) {
        let outcome: Result<Void, WritingError>
        do throws(StorageError) {
            outcome = try database.write(storing: body)
        } catch {
            throw .storage(error)
        }
        try outcome.get()
    }

    // MARK: - Rows

    private static func values(_ announcement: Announcement) -> [SQLValue] {
        var texts = announcement.translations
        texts[announcement.language] = announcement.words
        let json = (try? JSONText.encode(texts)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        return [
            .text(announcement.language), .text(json), .text(announcement.format.rawValue),
            SQLValue(announcement.startDate?.nanoseconds), SQLValue(announcement.endDate?.nanoseconds),
            SQLValue(announcement.pubDate?.nanoseconds), .integer(announcement.isUrgent ? 1 : 0),
            .text(announcement.audience.rawValue), .integer(announcement.isRequired ? 1 : 0),
            .integer(Int64(announcement.rank)), SQLValue(announcement.link), .text(announcement.hash),
            .text(announcement.textHash),
        ]
    }

    static func insert(
        _ id: String, _ source: String, _ external: String, _ announcement: Announcement, _ author: String,
        _ now: UTCInstant, _ connection: inout Connection
    ) throws(DatabaseError) {
        try connection.run(
            """
            INSERT INTO announcements (
                id, source, external, author, made_at, changed_at, language, texts, format, start_at, end_at, published_at,
                urgent, audience, required, rank, link, hash, text_hash)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(id), .text(source), .text(external), .text(author), .integer(now.nanoseconds),
                .integer(now.nanoseconds),
            ] + values(announcement))
    }

    static func update(
        _ id: String, _ announcement: Announcement, _ now: UTCInstant, _ connection: inout Connection
    ) throws(DatabaseError) {
        try connection.run(
            """
            UPDATE announcements SET language = ?, texts = ?, format = ?, start_at = ?, end_at = ?, published_at = ?,
                urgent = ?, audience = ?, required = ?, rank = ?, link = ?, hash = ?, text_hash = ?, changed_at = ?,
                retired_at = NULL, withdrawn_hash = NULL
            WHERE id = ?
            """, values(announcement) + [.integer(now.nanoseconds), .text(id)])
    }

    /// Deletes what was retired long ago, and keeps the number of the rest bounded.
    static func purge(_ now: UTCInstant, _ connection: inout Connection) throws(DatabaseError) {
        try connection.run(
            """
            DELETE FROM announcements WHERE id IN (
                SELECT id FROM announcements WHERE retired_at IS NOT NULL ORDER BY retired_at DESC LIMIT -1 OFFSET \(mostListed))
            """)
        guard now >= .believedFrom else { return }
        let oldest = now.advanced(bySeconds: -keptRetired)
        try connection.run(
            "DELETE FROM announcements WHERE retired_at BETWEEN ? AND ?",
            [.integer(UTCInstant.believedFrom.nanoseconds), .integer(oldest.nanoseconds)])
    }
}
