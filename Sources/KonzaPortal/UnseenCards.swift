internal import HTTPServing
internal import HTTPTransfer
internal import JSONCoding
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Storage
internal import Synchronization

/// Cards that a page has asked for and that no visitor has seen yet: whichever nobody sees is deleted.
///
/// A card is noted, durably, before konzad hears of it, and until the page says that it has shown it. So it does not matter who
/// of the two is killed, and when. Only what a page asks for in this way is ever deleted: konzad knows these requests by keys
/// of their own.
final class UnseenCards: Sendable {
    /// Steps of the schema, oldest first.
    static let migrations = [
        Migration(
            name: "unseen-1",
            sql: """
                -- By the key of the request; the postcard as soon as konzad has named it.
                CREATE TABLE unseen_cards (
                    key TEXT PRIMARY KEY, postcard TEXT, is_given_up INTEGER NOT NULL DEFAULT 0
                ) STRICT;
                """)
    ]

    /// Has konzad answer; blocks.
    typealias Ask = @Sendable (StationRequest) throws(Problem) -> HTTPAnswer

    /// Cards that are noted at one time; the oldest are forgotten first, and so are kept.
    static let mostNotes = 256
    /// The longest key that a page may choose, characters.
    static let longestKey = 64
    /// On whose behalf konzad is asked.
    private static let client = "kiosk unseen"
    private static let lookSeconds = 1.0
    /// How often konzad says that it knows no such card before that is believed: a request may wait in the socket of a konzad
    /// that hangs, and the disk may be away. With the pauses between, a quarter of an hour.
    private static let mostUnknown = 20
    /// The longest pause between two of these questions, looks.
    private static let longestPause = 60

    private enum State: Sendable {
        case waiting
        case seen
        /// The page shows it to nobody any more.
        case givenUp
        /// The page gave up what was not asked for: its request comes later, or never. konzad is not asked about it, as its card
        /// may have been seen before.
        case refused
    }

    private struct Note: Sendable {
        let key: String
        var postcard: String?
        var state = State.waiting
        /// Whether the disk knows the postcard.
        var isNamed = false
        /// How often it was looked at since it was noted, or since the portal's start. These are counted, and no clock is read:
        /// while the portal stands still no page can tell it what was seen.
        var looks = 0
        var unknown = 0
        var nextLook = 0
    }

    private let database: Database
    private let clock: any StationClock
    /// Looks until a card is taken for one that nobody sees.
    private let patience: Int
    private let ask: Ask
    private let deleted: @Sendable (String) -> Void
    /// The oldest first.
    private let notes: Mutex<[Note]>
    /// Wakes whoever looks: nobody does while there is nothing to look at.
    private let (arrivals, arrival) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// - Parameters:
    ///   - database: with the migrations. What an earlier run of the portal left in it is waited for anew: a page that goes on may
    ///     still say that it was seen.
    ///   - clock: the time.
    ///   - seconds: until a card is taken for one that nobody sees.
    ///   - ask: has konzad answer.
    ///   - deleted: told the id of each postcard that was deleted.
    init(
        _ database: Database, clock: any StationClock, afterSeconds seconds: Double, ask: @escaping Ask,
        deleted: @escaping @Sendable (String) -> Void
    ) {
        self.database = database
        self.clock = clock
        patience = Int((seconds / Self.lookSeconds).rounded(.up))
        self.ask = ask
        self.deleted = deleted
        let kept = try? database.read { connection throws(DatabaseError) in
            try connection.rows("SELECT key, postcard, is_given_up FROM unseen_cards ORDER BY rowid") { row in
                Note(
                    key: row.text(0), postcard: row.isNull(1) ? nil : row.text(1),
                    state: row.integer(2) == 0 ? .waiting : .givenUp, isNamed: !row.isNull(1))
            }
        }
        notes = Mutex(kept ?? [])
        arrival.yield()
    }

    /// The key by which konzad knows the request: no request that was not made here has one like it.
    static func stationKey(_ key: String) -> String { "unseen-\(key)" }

    /// The key of a client's request, apart from the same one of others: nobody says of another's card that it was seen, or was not.
    static func key(_ key: String, of principal: Principal) -> String {
        let client = principal.client ?? KioskRights.unpaired
        var hash = SHA256()
        hash.update(Array(client.utf8))
        return "\(hash.hexadecimal().prefix(16))-\(key)"
    }

    static func isKey(_ text: String) -> Bool {
        (1...longestKey).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            }
    }

    // MARK: - What the page says

    /// A page asks for a card; on return that is on the disk. Where it cannot be written down, the portal remembers it until it ends.
    ///
    /// - Returns: whether the request is a new one.
    /// - Throws: a problem if the page has given it up before.
    func expect(_ key: String) throws(Problem) -> Bool {
        let known: State? = notes.withLock { notes in
            if let note = notes.first(where: { $0.key == key }) { return note.state }
            Self.add(Note(key: key), to: &notes)
            return nil
        }
        guard known == nil else {
            guard known == .waiting || known == .seen else {
                throw Problem(
                    .conflict, "cannot take the postcard: whoever asked for it has left; ask with another key")
            }
            return false
        }
        write { connection throws(DatabaseError) in
            try connection.run(
                """
                DELETE FROM unseen_cards WHERE key IN (
                    SELECT key FROM unseen_cards ORDER BY rowid DESC LIMIT -1 OFFSET \(Self.mostNotes - 1))
                """)
            try connection.run("INSERT OR IGNORE INTO unseen_cards (key) VALUES (?)", [.text(key)])
        }
        arrival.yield()
        return true
    }

    /// Notes what konzad answered to the request.
    ///
    /// - Parameters:
    ///   - answer: konzad's.
    ///   - key: of the request.
    ///   - isNew: what ``expect(_:)`` returned.
    func note(_ answer: HTTPAnswer, to key: String, isNew: Bool) {
        switch answer.status {
        case 201, 202:
            name(key, answer)
        case 200:
            // A repetition. Without a note its card was seen before.
            if isNew { drop(key) } else { name(key, answer) }
        case 400..<500:
            // Nothing was made, unless it was by an earlier one.
            if isNew { drop(key) }
        default: break
        }
    }

    private func name(_ key: String, _ answer: HTTPAnswer) {
        let id = answer.header("location")?.split(separator: "/").last.map(String.init)
        change(key) { $0.postcard = id }
    }

    /// The visitor has seen the card: from now on it is like any other.
    ///
    /// - Throws: a problem if that could not be written down; the page says it again.
    func see(_ key: String) throws(Problem) {
        guard change(key, { $0.state = .seen }) else { return }
        guard drop(key) else {
            throw Problem(
                .archiveUnavailable, "cannot note that the postcard was seen: the disk refuses; free or mend it")
        }
    }

    /// The page shows the card to nobody any more. A request for it that comes later is refused.
    func giveUp(_ key: String) {
        notes.withLock { notes in
            if let index = notes.firstIndex(where: { $0.key == key }) {
                if notes[index].state == .waiting { notes[index].state = .givenUp }
            } else {
                Self.add(Note(key: key, state: .refused), to: &notes)
            }
        }
        write { connection throws(DatabaseError) in
            try connection.run("UPDATE unseen_cards SET is_given_up = 1 WHERE key = ?", [.text(key)])
        }
        arrival.yield()
    }

    // MARK: - Looking

    /// Looks for what nobody sees until the task is cancelled.
    func tend() async {
        for await _ in arrivals {
            await onTicks(
                named: "unseen", of: clock, everySeconds: Self.lookSeconds,
                while: { self.notes.withLock { !$0.isEmpty } }
            ) { self.look() }
        }
    }

    /// Deletes what nobody sees. Blocks. Only one thread at a time may call it.
    func look() {
        let all = notes.withLock { notes in
            for index in notes.indices { notes[index].looks += 1 }
            return notes
        }
        for note in all {
            switch note.state {
            case .seen: drop(note.key)
            case .refused: if note.looks > patience { drop(note.key) }
            case .waiting where note.looks <= patience: keepName(of: note)
            case .waiting, .givenUp:
                guard note.looks >= note.nextLook else { continue }
                do throws(Problem) {
                    try end(note)
                } catch {
                    // konzad does not answer: it is not asked about the others either.
                    return
                }
            }
        }
    }

    /// konzad forgets keys after a day; the postcard is found all the same.
    private func keepName(of note: Note) {
        guard let id = note.postcard, !note.isNamed else { return }
        let isWritten = write { connection throws(DatabaseError) in
            try connection.run("UPDATE unseen_cards SET postcard = ? WHERE key = ?", [.text(id), .text(note.key)])
        }
        if isWritten { change(note.key) { $0.isNamed = true } }
    }

    private func end(_ note: Note) throws(Problem) {
        let named = if let postcard = note.postcard { postcard } else { try find(note) }
        guard let id = named else { return }
        change(note.key) { $0.postcard = id }
        let found = try station("GET", "/v1/postcards/\(id)")
        guard found.status == 200 else { return postpone(note, isUnknown: found.status == 404) }
        let state = (try? JSONText.decode(Standing.self, from: found.body))?.state
        if state == "failed" { drop(note.key) }
        // One that is under way is waited for.
        guard state == "kept", !isSeen(note.key) else { return }
        let answer = try station("DELETE", "/v1/postcards/\(id)")
        guard answer.status == 204 else { return postpone(note, isUnknown: answer.status == 404) }
        deleted(id)
        drop(note.key)
    }

    /// - Returns: the postcard that the request made; nil if there is none, or none yet.
    private func find(_ note: Note) throws(Problem) -> String? {
        let answer = try station("GET", "/v1/postcards?key=\(Self.stationKey(note.key))")
        // It is under way.
        guard answer.status != 409 else { return nil }
        let page = answer.status == 200 ? try? JSONText.decode(Page.self, from: answer.body) : nil
        if let card = page?.postcards.first { return card.id }
        postpone(note, isUnknown: page != nil)
        return nil
    }

    /// Looks again later; a card that konzad knows nothing of, not for ever.
    private func postpone(_ note: Note, isUnknown: Bool) {
        let unknown = note.unknown + (isUnknown ? 1 : 0)
        guard unknown < Self.mostUnknown else {
            drop(note.key)
            return
        }
        change(note.key) { changed in
            changed.unknown = unknown
            changed.nextLook = note.looks + min(1 << min(unknown, 8), Self.longestPause)
        }
    }

    private struct Standing: Decodable { let state: String? }

    private struct Page: Decodable {
        struct Card: Decodable { let id: String }
        let postcards: [Card]
    }

    private func station(_ method: String, _ target: String) throws(Problem) -> HTTPAnswer {
        var request = StationRequest(method, target)
        request.headers.append(("konza-on-behalf-of", Self.client))
        return try ask(request)
    }

    // MARK: - Notes

    private static func add(_ note: Note, to notes: inout [Note]) {
        if notes.count >= mostNotes { notes.removeFirst(notes.count - mostNotes + 1) }
        notes.append(note)
    }

    private func isSeen(_ key: String) -> Bool {
        notes.withLock { $0.first { $0.key == key }?.state == .seen }
    }

    /// - Returns: false where there is no such note.
    @discardableResult
    private func change(_ key: String, _ body: (inout Note) -> Void) -> Bool {
        notes.withLock { notes in
            guard let index = notes.firstIndex(where: { $0.key == key }) else { return false }
            body(&notes[index])
            return true
        }
    }

    /// - Returns: false if the disk refuses: the note stays, and it is tried again.
    @discardableResult
    private func drop(_ key: String) -> Bool {
        let isDropped = write { connection throws(DatabaseError) in
            try connection.run("DELETE FROM unseen_cards WHERE key = ?", [.text(key)])
        }
        if isDropped { notes.withLock { $0.removeAll { $0.key == key } } }
        return isDropped
    }

    @discardableResult
    private func write(_ body: (inout Connection) throws(DatabaseError) -> Void) -> Bool {
        do throws(DatabaseError) {
            try database.write(body, failing: { $0 })
            return true
        } catch {
            return false
        }
    }
}
