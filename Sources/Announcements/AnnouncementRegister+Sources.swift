package import Feeds
package import KonzaModel
package import Storage
internal import Synchronization

extension AnnouncementRegister {
    /// How a source was when it was last asked.
    package struct FeedState: Sendable, Equatable {
        package var title = ""
        package var entityTag: String?
        package var lastModified: String?
        /// When a whole valid answer last changed something.
        package var fetchedAt: UTCInstant?
        /// When it last said that it is as known; not kept through a restart, so that nothing is written where nothing changes.
        package var checkedAt: UTCInstant?
        /// Why the last question got no valid answer; nil after one that did.
        package var fault: String?
    }

    /// What a source has: its own id of each, and what it says.
    package typealias SourceItem = (external: String, announcement: Announcement, supersedes: [String])

    /// What a comparison changed.
    package struct SyncOutcome: Sendable, Equatable {
        package var added = 0
        package var changed = 0
        package var retired = 0

        package var isUnchanged: Bool { self == SyncOutcome() }
    }

    private struct Known: Sendable {
        let id: String
        let external: String
        let hash: String
        let textHash: String
        let isRetired: Bool
        let withdrawnHash: String?
    }

    /// Makes what is kept of a source what a complete valid answer of it says. What it no longer has is retired; what differs in
    /// one of the seven fields is unread again. Nothing is written where nothing differs.
    ///
    /// - Parameters:
    ///   - source: its name.
    ///   - items: all that it has.
    ///   - state: its title and validators; nil for a source that is no feed.
    ///   - keeping: its ids of what stays as it is although it is not among the items.
    /// - Returns: what changed.
    /// - Throws: if it cannot be written; nothing is changed then.
    package func synchronize(
        _ source: String, _ items: [SourceItem], state: FeedState? = nil, keeping: Set<String> = []
    ) throws(StorageError) -> SyncOutcome {
        let now = clock.utc()
        let hashes = items.map { (hash: $0.announcement.hash, text: $0.announcement.textHash) }
        let known = try known(of: source)
        let byExternal = Dictionary(known.map { ($0.external, $0) }, uniquingKeysWith: { first, _ in first })
        var outcome = SyncOutcome()
        var added: [Int] = []
        var changed: [(Int, Known)] = []
        for (index, item) in items.enumerated() {
            guard let old = byExternal[item.external] else {
                added.append(index)
                continue
            }
            let isWithdrawn = old.isRetired && old.withdrawnHash == hashes[index].hash
            if !isWithdrawn, old.hash != hashes[index].hash || old.isRetired { changed.append((index, old)) }
        }
        let present = Set(items.map(\.external)).union(keeping)
        let vanished = known.filter { !$0.isRetired && !present.contains($0.external) }
        outcome.added = added.count
        outcome.changed = changed.count
        outcome.retired = vanished.count
        let stored = try feedState(of: source)
        let isStateKept = state.map { state in
            stored?.title == state.title && stored?.entityTag == state.entityTag
                && stored?.lastModified == state.lastModified
        }
        guard !outcome.isUnchanged || isStateKept == false else {
            if state != nil { noteChecked(source, at: now) }
            return outcome
        }
        let newIDs = added.map { _ in newID() }
        try database.write { connection throws(DatabaseError) in
            for (index, id) in zip(added, newIDs) {
                let item = items[index]
                try Self.insert(id, source, item.external, item.announcement, source, now, &connection)
                // An alert that was issued again with the same words stays read.
                for old in item.supersedes.compactMap({ byExternal[$0] }) where old.textHash == hashes[index].text {
                    try connection.run(
                        """
                        INSERT OR IGNORE INTO announcement_readings (announcement, reader, hash, read_at)
                        SELECT ?, reader, ?, read_at FROM announcement_readings WHERE announcement = ? AND hash = ?
                        """, [.text(id), .text(hashes[index].hash), .text(old.id), .text(old.hash)])
                }
            }
            for (index, old) in changed { try Self.update(old.id, items[index].announcement, now, &connection) }
            for old in vanished {
                try connection.run(
                    "UPDATE announcements SET retired_at = ? WHERE id = ?", [.integer(now.nanoseconds), .text(old.id)])
            }
            if let state {
                try connection.run(
                    """
                    INSERT OR REPLACE INTO announcement_feeds (source, title, etag, modified, fetched_at) VALUES (?, ?, ?, ?, ?)
                    """,
                    [
                        .text(source), .text(state.title), SQLValue(state.entityTag), SQLValue(state.lastModified),
                        .integer(now.nanoseconds),
                    ])
            }
            try Self.purge(now, &connection)
        }
        if state != nil { noteChecked(source, at: now) }
        return outcome
    }

    /// Takes over what a feed says.
    ///
    /// - Parameters:
    ///   - feed: a complete valid answer.
    ///   - source: the feed's name.
    ///   - audience: whom its announcements are for.
    ///   - state: its validators.
    /// - Returns: what changed.
    /// - Throws: if it cannot be written; nothing is changed then.
    package func take(
        _ feed: Feed, from source: String, for audience: Announcement.Audience, state: FeedState
    ) throws(StorageError) -> SyncOutcome {
        let items: [SourceItem] = feed.items.prefix(FeedBounds.items).compactMap { $0.bounded() }.map { item in
            let announcement = Announcement(
                language: item.language.map { String($0.prefix { $0 != "-" }).lowercased() } ?? "en",
                words: .init(title: item.title, body: item.body, more: item.more), format: .plain,
                startDate: item.start, endDate: item.end, pubDate: item.published, isUrgent: item.isUrgent,
                audience: audience, isRequired: item.isRequired, rank: item.rank, link: item.link)
            return (item.id, announcement, item.supersedes)
        }
        return try synchronize(source, items, state: state)
    }

    /// How a feed is; nil for one that was never asked.
    package func feedState(of source: String) throws(StorageError) -> FeedState? { try feedStates()[source] }

    /// How the feeds are, by their names.
    package func feedStates() throws(StorageError) -> [String: FeedState] {
        let rows = try read { connection throws(DatabaseError) in
            try connection.rows("SELECT source, title, etag, modified, fetched_at FROM announcement_feeds LIMIT 64") {
                row in
                (
                    row.text(0),
                    FeedState(
                        title: row.text(1), entityTag: row.isNull(2) ? nil : row.text(2),
                        lastModified: row.isNull(3) ? nil : row.text(3),
                        fetchedAt: UTCInstant(nanoseconds: row.integer(4)))
                )
            }
        }
        var states = Dictionary(rows, uniquingKeysWith: { first, _ in first })
        for (source, noted) in feeds.withLock({ $0 }) {
            states[source, default: FeedState()].checkedAt = noted.checkedAt
            states[source]?.fault = noted.fault
        }
        return states
    }

    /// A feed said that it is as known.
    package func noteChecked(_ source: String, at now: UTCInstant) {
        feeds.withLock { feeds in
            if feeds.count < 64 || feeds[source] != nil { feeds[source] = FeedState(checkedAt: now) }
        }
    }

    /// A feed gave no valid answer: what it said before stays.
    package func noteFault(_ source: String, _ fault: String) {
        feeds.withLock { feeds in
            if feeds.count < 64 || feeds[source] != nil {
                feeds[source, default: FeedState()].fault = String(fault.prefix(500))
            }
        }
    }

    /// Retires what came from feeds that are configured no longer.
    package func keepOnly(_ sources: Set<String>) throws(StorageError) {
        let names = try feedStates().filter { $0.value.fetchedAt != nil && !sources.contains($0.key) }.map(\.key)
        for name in names {
            _ = try synchronize(name, [])
            try database.write { connection throws(DatabaseError) in
                try connection.run("DELETE FROM announcement_feeds WHERE source = ?", [.text(name)])
            }
        }
        feeds.withLock { feeds in feeds = feeds.filter { sources.contains($0.key) } }
    }

    private func known(of source: String) throws(StorageError) -> [Known] {
        try read { connection throws(DatabaseError) in
            try connection.rows(
                """
                SELECT id, external, hash, text_hash, retired_at IS NOT NULL, withdrawn_hash FROM announcements
                WHERE source = ? LIMIT 8000
                """, [.text(source)]
            ) { row in
                Known(
                    id: row.text(0), external: row.text(1), hash: row.text(2), textHash: row.text(3),
                    isRetired: row.integer(4) != 0, withdrawnHash: row.isNull(5) ? nil : row.text(5))
            }
        }
    }
}
