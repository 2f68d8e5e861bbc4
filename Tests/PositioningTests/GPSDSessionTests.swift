import KonzaModel
import KonzaTesting
import Testing

@testable import Positioning

@Suite struct GPSDSessionTests {
    private let start = MonotonicInstant(nanoseconds: 0)
    private let version = GPSDReport.version(release: "3.22", major: 3, minor: 14)

    private func session() -> GPSDSession { GPSDSession(endpoint: "a:1", silentAfter: 3, at: start) }

    private func at(_ seconds: Double) -> MonotonicInstant { start.advanced(bySeconds: seconds) }

    @Test("after VERSION it asks for reports")
    func introduction() {
        var session = session()
        #expect(
            session.receive(.success(version), at: at(0.1)) == [
                .link(.connected(endpoint: "a:1", release: "3.22")), .send("?WATCH={\"enable\":true,\"json\":true};\n"),
            ])
        #expect(session.isEstablished)
        // gpsd requests are at most 80 characters.
        #expect(GPSDSession.watch.utf8.count <= 80)
    }

    @Test("a quiet gpsd is asked before it is called silent, within three seconds, and left after nine")
    func silence() {
        var session = session()
        _ = session.receive(.success(version), at: at(0))
        #expect(session.tick(at: at(0.9)).isEmpty)
        #expect(session.tick(at: at(1.1)) == [.send("?VERSION;\n")])
        #expect(session.tick(at: at(1.2)).isEmpty)
        #expect(session.tick(at: at(2.8)) == [.link(.down(.silent(endpoint: "a:1")))])
        #expect(session.tick(at: at(5)).isEmpty)
        #expect(session.tick(at: at(9.1)) == [.end(.silent(endpoint: "a:1"))])
    }

    @Test("an answer in time is no silence, a late one ends it")
    func answers() {
        var session = session()
        _ = session.receive(.success(version), at: at(0))
        _ = session.tick(at: at(1.1))
        #expect(session.receive(.success(version), at: at(1.2)).isEmpty)
        #expect(session.tick(at: at(2.1)).isEmpty)
        _ = session.tick(at: at(2.3))
        _ = session.tick(at: at(4))
        #expect(
            session.receive(.success(version), at: at(5)) == [.recovered(.connected(endpoint: "a:1", release: "3.22"))])
    }

    @Test("a gpsd that takes a while for its first word is silent meanwhile, and then connected")
    func slowStart() {
        var session = session()
        #expect(session.tick(at: at(1.5)).isEmpty)
        #expect(session.tick(at: at(2.8)) == [.link(.down(.silent(endpoint: "a:1")))])
        #expect(
            session.receive(.success(version), at: at(3.1)).first == .link(.connected(endpoint: "a:1", release: "3.22"))
        )
    }

    @Test("pauses double up to the cap and start anew after a success")
    func backoff() {
        var backoff = Backoff(first: 0.25, cap: 5)
        var generator = SeededGenerator(seed: RandomTest.seed(of: "pauses between connections"))
        let pauses = (0..<8).map { _ in backoff.pause(using: &generator) }
        for (pause, limit) in zip(pauses, [0.25, 0.5, 1, 2, 4, 5, 5, 5]) {
            #expect((limit * 0.75...limit).contains(pause))
        }
        backoff.reset()
        #expect(backoff.pause(using: &generator) <= 0.25)
    }

    @Test(
        "an endpoint is a host with or without a port",
        arguments: [
            ("localhost", "localhost:2947"), ("10.0.0.7:3000", "10.0.0.7:3000"), ("::1", "[::1]:2947"),
            ("[::1]:2948", "[::1]:2948"), ("[fe80::1]", "[fe80::1]:2947"), ("gps.field", "gps.field:2947"),
        ])
    func endpoints(_ text: String, _ meaning: String) {
        #expect(GPSDEndpoint(text)?.description == meaning)
    }

    @Test("what is no endpoint is refused", arguments: ["", ":2947", "a:0", "a:65536", "a:x", "[::1", "[]:1", "a b"])
    func badEndpoints(_ text: String) { #expect(GPSDEndpoint(text) == nil) }
}
