internal import HTTPTransfer
internal import JSONCoding
internal import KonzaAPI
internal import Storage

/// Which postcards a collector's device is shown: those that it took itself, and those whose visitors agreed to show them. Its work is
/// specimens; on the others are strangers, who were promised that the station's rangers alone see them.
final class CollectorRights: Sendable {
    /// Steps of the schema, oldest first.
    static let migrations = [
        Migration(
            name: "collectors-1",
            sql: "CREATE TABLE collector_postcards (id TEXT PRIMARY KEY, client TEXT NOT NULL) STRICT;")
    ]

    /// Postcards that are remembered, of all devices; the oldest are forgotten first.
    private static let mostPostcards = 2000
    /// Pages of konzad's that are looked through for one of a collector's.
    private static let mostPages = 40
    /// Postcards of a page for whoever names no number, as konzad's.
    private static let usualLimit = 50

    private let database: Database
    private let isShown: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - database: with the migrations.
    ///   - isShown: whether a postcard's visitor agreed to show it, and no ranger has hidden it.
    init(_ database: Database, isShown: @escaping @Sendable (String) -> Bool) {
        self.database = database
        self.isShown = isShown
    }

    /// Notes a postcard that a device took. Where that cannot be written down, the device does not see it again.
    ///
    /// - Parameters:
    ///   - location: what konzad answered.
    ///   - client: the device.
    func note(location: String?, by client: String) {
        guard let id = location?.split(separator: "/").last.map(String.init) else { return }
        try? database.write(
            { connection throws(DatabaseError) in
                try connection.run(
                    "INSERT OR IGNORE INTO collector_postcards VALUES (?, ?)", [.text(id), .text(client)])
                try connection.run(
                    """
                    DELETE FROM collector_postcards WHERE id IN (
                        SELECT id FROM collector_postcards ORDER BY rowid DESC LIMIT -1 OFFSET \(Self.mostPostcards))
                    """)
            }, failing: { $0 })
    }

    /// Forgets a postcard that was deleted.
    func forget(_ postcard: String) {
        try? database.write(
            { connection throws(DatabaseError) in
                try connection.run("DELETE FROM collector_postcards WHERE id = ?", [.text(postcard)])
            }, failing: { $0 })
    }

    /// Lets a request pass that is about no postcard, or about one that the device is shown.
    ///
    /// - Throws: a problem for any other postcard.
    func check(_ path: String, by client: String) throws(Problem) {
        let parts = path.split(separator: "/")
        guard parts.count > 2, parts[..<2] == ["v1", "postcards"], parts[2] != "preview" else { return }
        let id = String(parts[2])
        guard isShown(id) || own(of: client).contains(id) else {
            throw Problem(
                .forbidden,
                "cannot show the postcard \(id.prefix(40)) to a collector: it was taken by somebody else, who did not agree "
                    + "to show it; ask a ranger")
        }
    }

    /// The part of konzad's events that a collector hears: what becomes of others' postcards is left out.
    ///
    /// - Parameter query: of the request, as it came.
    /// - Returns: the names of the same events without those of postcards, separated by commas.
    /// - Throws: a problem where nothing is left, or a name is none.
    static func events(_ query: String?) throws(Problem) -> String {
        let wished = value("types", in: query)?.split(separator: ",").map { EventName(rawValue: String($0)) }
        let names = wished ?? EventName.allCases
        let left = names.compactMap(\.self).filter { $0 != .postcard }
        guard !names.contains(nil), !left.isEmpty else {
            throw Problem(
                .forbidden,
                "cannot tell a collector of these events: those of postcards are others', too; name in types what else is wanted, "
                    + "of " + EventName.allCases.filter { $0 != .postcard }.map(\.rawValue).joined(separator: ", "))
        }
        return left.map(\.rawValue).joined(separator: ",")
    }

    /// The value of an item of a query as it came; what is written in another way than plainly is no such item.
    private static func value(_ name: String, in query: String?) -> String? {
        (query ?? "").split(separator: "&").first { $0.hasPrefix("\(name)=") }.map {
            String($0.dropFirst(name.count + 1))
        }
    }

    /// A page of konzad's list with what the device is shown, and with as many as are wished if there are.
    ///
    /// - Parameters:
    ///   - query: of the request, as it came.
    ///   - client: the device.
    ///   - ask: has konzad answer a query. Blocks.
    /// - Returns: the page, or konzad's refusal.
    /// - Throws: a problem if konzad does not answer.
    func list(
        _ query: String?, by client: String, ask: (String) throws(Problem) -> HTTPAnswer
    ) throws(Problem) -> HTTPAnswer {
        let own = own(of: client)
        let wished = (query ?? "").split(separator: "&").filter {
            !$0.hasPrefix("cursor=") && !$0.hasPrefix("limit=")
        }
        let most = Self.value("limit", in: query).flatMap { Int($0) } ?? Self.usualLimit
        let first = try ask(query ?? "")
        guard first.status == 200 else { return first }
        var page = try decoded(first)
        var found = page.postcards.filter { own.contains($0.id) || isShown($0.id) }
        for _ in 1..<Self.mostPages {
            guard let next = page.next, found.count < most else { break }
            // As many as are left of the page: the next one begins where konzad's does.
            let more = wished + ["limit=\(most - found.count)", "cursor=\(next)"]
            let rest = try ask(more.joined(separator: "&"))
            guard rest.status == 200 else { break }
            page = try decoded(rest)
            found += page.postcards.filter { own.contains($0.id) || isShown($0.id) }
        }
        let told = PostcardPageReply(postcards: found, next: page.next)
        guard let body = try? JSONText.encode(told) else { throw Self.unreadable }
        return HTTPAnswer(status: 200, headers: first.headers, body: body)
    }

    private static var unreadable: Problem { Problem(.internalError, "cannot read konzad's list of postcards") }

    private func decoded(_ answer: HTTPAnswer) throws(Problem) -> PostcardPageReply {
        guard let page = try? JSONText.decode(PostcardPageReply.self, from: answer.body) else { throw Self.unreadable }
        return page
    }

    private func own(of client: String) -> Set<String> {
        let ids = try? database.read { connection throws(DatabaseError) in
            try connection.rows("SELECT id FROM collector_postcards WHERE client = ?", [.text(client)]) { $0.text(0) }
        }
        return Set(ids ?? [])
    }
}
