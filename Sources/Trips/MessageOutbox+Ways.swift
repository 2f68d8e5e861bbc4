internal import KonzaModel
package import Storage

extension MessageOutbox.Way {
    /// Why nothing can go out by it, for people.
    var unset: String {
        switch self {
        case .mail: "no mail server is set: [Courier] MailServer= and MailFrom="
        case .webhook: "no webhook is set: [Courier] Webhook="
        }
    }
}

extension MessageOutbox {
    /// Gives up what waits for a way that the settings do not have, with that as its failure: nobody would ever fetch it. What was
    /// given up so, and is not older than a message is tried for, waits again once its way is set.
    ///
    /// - Parameter ways: those of the settings.
    /// - Returns: how many were given up, and how many wait again.
    /// - Throws: if it cannot be written; the next call does it.
    @discardableResult
    package func settle(_ ways: Set<Way>) throws(StorageError) -> (givenUp: Int, resumed: Int) {
        let now = clock.utc()
        let isSet = "way IN (\(ways.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")))"
        // What a sender has is its to finish.
        let stranded = """
            sent_at IS NULL AND given_up_at IS NULL AND NOT \(isSet)
                AND (leased_until IS NULL OR leased_until NOT BETWEEN \(now.nanoseconds)
                    AND \(now.advanced(bySeconds: Self.leaseSeconds).nanoseconds))
            """
        let resumable = """
            ending = 'unset' AND \(isSet) AND written_at > \(now.advanced(bySeconds: -Self.giveUpSeconds).nanoseconds)
            """
        // Most looks find nothing: they write nothing.
        let isNeeded = try storing { () throws(DatabaseError) in
            try database.read { connection throws(DatabaseError) in
                try connection.rows("SELECT 1 FROM messages WHERE (\(stranded)) OR (\(resumable)) LIMIT 1") { _ in true
                }
            }
        }
        guard !isNeeded.isEmpty else { return (0, 0) }
        return try database.write(storing: { connection throws(DatabaseError) in
            let givenUp = try connection.rows("SELECT id, way FROM messages WHERE \(stranded)") {
                (id: $0.text(0), way: Way(rawValue: $0.text(1)) ?? .mail)
            }
            for one in givenUp {
                try Self.giveUp(one.id, .unset, one.way.unset, at: now, &connection)
            }
            // No more than may wait; the newest.
            let resumed = try connection.rows(
                "SELECT id FROM messages WHERE \(resumable) ORDER BY written_at DESC LIMIT \(Self.mostWaiting)"
            ) { $0.text(0) }
            for id in resumed {
                try connection.run(
                    "UPDATE messages SET given_up_at = NULL, ending = NULL, failure = NULL, due_at = ? WHERE id = ?",
                    [.integer(now.nanoseconds), .text(id)])
            }
            return (givenUp.count, resumed.count)
        })
    }
}
