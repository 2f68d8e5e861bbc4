import HTTPTransfer
import KonzaAPI
import KonzaModel
import KonzaTesting
import Storage
import Synchronization
import Testing

@testable import KonzaPortal

@Suite("Cards that nobody has seen")
struct UnseenCardsTests {
    /// konzad, with what it knows.
    private final class Station: Sendable {
        struct State {
            /// The postcards by the keys of their requests, and how far each is.
            var cards: [String: String] = [:]
            var standing: [String: String] = [:]
            var isSilent = false
            var asked: [String] = []
        }

        let state = Mutex(State())

        var asked: [String] { state.withLock { $0.asked } }
        var cards: Set<String> { state.withLock { Set($0.standing.keys) } }

        func make(_ id: String, key: String, _ standing: String = "kept") {
            state.withLock { state in
                state.cards["unseen-\(key)"] = id
                state.standing[id] = standing
            }
        }

        func answer(_ request: StationRequest) throws(Problem) -> HTTPAnswer {
            try state.withLock { state throws(Problem) in
                state.asked.append("\(request.method) \(request.target)")
                if state.isSilent { throw Problem(.unavailable, "cannot reach konzad", status: 502) }
                if let key = request.target.split(separator: "=").dropFirst().first.map(String.init) {
                    // What UnseenCards reads of a postcard is its id.
                    guard let id = state.cards[key] else {
                        return HTTPAnswer(status: 200, body: Array(#"{"postcards":[]}"#.utf8))
                    }
                    return state.standing[id] == "counting"
                        ? HTTPAnswer(status: 409) : HTTPAnswer(status: 200, body: Self.page(id))
                }
                let id = String(request.target.split(separator: "/").last ?? "")
                guard let standing = state.standing[id] else { return HTTPAnswer(status: 404) }
                if request.method == "DELETE" {
                    state.standing[id] = nil
                    return HTTPAnswer(status: 204)
                }
                return HTTPAnswer(status: 200, body: Array(#"{"state":"\#(standing)"}"#.utf8))
            }
        }

        private static func page(_ id: String) -> [UInt8] { Array(#"{"postcards":[{"id":"\#(id)"}]}"#.utf8) }
    }

    private let folder: TemporaryFolder
    private let station = Station()
    private let clock = ManualClock()

    init() throws { folder = try TemporaryFolder() }

    /// What a start of the portal finds; a card is waited for through three looks.
    private func open() throws -> UnseenCards {
        let opened = try Database.open(
            in: folder.path, name: "portal.db", migrations: UnseenCards.migrations, at: clock.utc())
        return UnseenCards(
            opened.database, clock: clock, afterSeconds: 3,
            ask: { [station] request throws(Problem) in try station.answer(request) }, deleted: { _ in })
    }

    private func made(_ id: String) -> HTTPAnswer {
        HTTPAnswer(status: 201, headers: [("location", "/v1/postcards/\(id)")])
    }

    private func look(_ cards: UnseenCards, _ times: Int) { for _ in 0..<times { cards.look() } }

    @Test("are waited for, and then deleted; a portal that starts anew waits anew")
    func waits() throws {
        let cards = try open()
        station.make("1", key: "a")
        #expect(try cards.expect("a"))
        cards.note(made("1"), to: "a", isNew: true)
        look(cards, 3)
        #expect(station.asked.isEmpty)
        // The machine was off, or the portal stopped: however long, no look was taken meanwhile.
        clock.advance(bySeconds: 86_400)
        let again = try open()
        look(again, 3)
        #expect(station.asked.isEmpty)
        look(again, 1)
        #expect(station.cards.isEmpty)
        look(again, 9)
        look(try open(), 9)
        #expect(station.asked == ["GET /v1/postcards/1", "DELETE /v1/postcards/1"], "it is asked about no more")
    }

    @Test("are found by the key where no answer came, however late konzad has them")
    func byKey() throws {
        let cards = try open()
        #expect(try cards.expect("a"))
        look(cards, 4)
        #expect(station.asked == ["GET /v1/postcards?key=unseen-a"])
        station.state.withLock { $0.isSilent = true }
        // However long konzad is silent, that is no answer.
        look(cards, 5000)
        station.state.withLock { $0.isSilent = false }
        look(cards, 60)
        station.make("1", key: "a", "counting")
        look(cards, 200)
        #expect(station.cards == ["1"], "one that is being made is waited for")
        station.make("1", key: "a")
        look(cards, 60)
        #expect(station.cards.isEmpty)
    }

    @Test("are asked about for a quarter of an hour where konzad knows nothing of them, with longer and longer pauses")
    func unknown() throws {
        let cards = try open()
        #expect(try cards.expect("a"))
        look(cards, 3 + 1200)
        // After 2, 4, 8, 16 and 32 looks, then after each minute.
        #expect(station.asked.count == 20)
    }

    @Test("are kept once they were seen, and refused once they were given up")
    func fates() throws {
        let cards = try open()
        for key in ["a", "b"] {
            station.make(key, key: key)
            #expect(try cards.expect(key))
            cards.note(made(key), to: key, isNew: true)
        }
        try cards.see("a")
        cards.giveUp("b")
        cards.giveUp("a")
        look(cards, 9)
        #expect(station.cards == ["a"])
        // A repetition, which konzad knows: its card was seen.
        #expect(try cards.expect("a"))
        cards.note(HTTPAnswer(status: 200, headers: [("location", "/v1/postcards/a")]), to: "a", isNew: true)
        look(cards, 9)
        #expect(station.cards == ["a"])
        cards.giveUp("c")
        #expect(throws: Problem.self) { try cards.expect("c") }
    }

    @Test("are no longer noted where konzad refused to make one")
    func refusals() throws {
        let cards = try open()
        #expect(try cards.expect("a"))
        cards.note(HTTPAnswer(status: 422), to: "a", isNew: true)
        look(cards, 9)
        #expect(station.asked.isEmpty)
    }

    @Test("are bounded: the oldest are forgotten, and kept")
    func bounded() throws {
        let cards = try open()
        for number in 0...UnseenCards.mostNotes {
            station.make("\(number)", key: "k\(number)")
            #expect(try cards.expect("k\(number)"))
        }
        look(try open(), 4)
        #expect(station.cards == ["0"])
    }
}
