import Glibc
import HTTPTransfer
import KonzaAPI
import KonzaModel
import KonzaTesting
import Synchronization
import Testing

@testable import KonzaPortal

/// One request to konzad for all who look at the camera.
@Suite struct FrameRelayTests {
    /// konzad, which answers when the test lets it.
    private final class Station: Sendable {
        private struct State {
            var asked: [String] = []
            var answers: [Result<HTTPAnswer, Problem>] = []
        }

        private let state = Mutex(State())
        let isHeld = Mutex(false)

        var asked: [String] { state.withLock { $0.asked } }

        func will(_ answer: Result<HTTPAnswer, Problem>) { state.withLock { $0.answers.append(answer) } }

        func answer(_ request: StationRequest) throws(Problem) -> HTTPAnswer {
            state.withLock { $0.asked.append(request.target) }
            while isHeld.withLock({ $0 }) { usleep(1000) }
            let next = state.withLock { $0.answers.isEmpty ? nil : $0.answers.removeFirst() }
            guard let next else { throw Problem(.internalError, "asked too often") }
            return try next.get()
        }
    }

    private let clock = ManualClock()
    private let station = Station()

    private var relay: FrameRelay {
        FrameRelay(clock: clock) { [station] request throws(Problem) in try station.answer(request) }
    }

    private func frame(_ number: Int) -> HTTPAnswer {
        HTTPAnswer(status: 200, headers: [("konza-frame", "\(number)")], body: Array("frame \(number)".utf8))
    }

    private func wish(_ query: String?) throws -> FrameRelay.Wish {
        try #require(FrameRelay.Wish(path: "/v1/camera/frame.jpg", query: query))
    }

    @Test(arguments: [
        (nil, ""), ("after=5", "?after=5"), ("width=481&after=0", "?after=0&width=640"), ("width=1", "?width=160"),
        ("width=1920", "?width=1920"), ("width=1921", ""), ("after=9007199254740991", "?after=9007199254740991"),
    ])
    func `widths are rounded up to a few`(query: String?, target: String) throws {
        #expect(try wish(query).target == "/v1/camera/frame.jpg\(target)")
    }

    @Test(arguments: [
        "after=-1", "after=+1", "after=", "after", "width=0", "width=65536", "after=1&after=2", "size=3", "after=%31",
        "after=9007199254740992", "after=99999999999999999999", "=1",
    ])
    func `what only konzad can judge is passed on as it is`(query: String) {
        #expect(FrameRelay.Wish(path: "/v1/camera/frame.jpg", query: query) == nil)
        #expect(FrameRelay.Wish(path: "/v1/camera/preview", query: nil) == nil)
    }

    /// The answers to some wishes that are made one after another, while konzad has not answered the first.
    private func answers(_ queries: [String?], from relay: FrameRelay) async throws -> [Result<HTTPAnswer, Problem>] {
        station.isHeld.withLock { $0 = true }
        var asking: [Task<Result<HTTPAnswer, Problem>, any Error>] = []
        for (index, query) in queries.enumerated() {
            let wish = try wish(query)
            asking.append(
                Task {
                    do {
                        return .success(try await relay.answer(wish))
                    } catch let problem as Problem {
                        return .failure(problem)
                    }
                })
            try await settle("the wish is known") {
                index == 0 ? !station.asked.isEmpty : relay.waiting == index
            }
        }
        station.isHeld.withLock { $0 = false }
        var results: [Result<HTTPAnswer, Problem>] = []
        for task in asking { results.append(try await task.value) }
        return results
    }

    private func settle(_ what: String, _ isDone: () -> Bool) async throws {
        for _ in 0..<5000 where !isDone() { try await Task.sleep(for: .milliseconds(2)) }
        try #require(isDone(), "\(what)")
    }

    @Test func `all who wait for a newer frame get the answer to one request`() async throws {
        station.will(.success(frame(6)))
        let queries: [String?] = ["after=5", nil, "after=4"] + Array(repeating: "after=5", count: 17)
        let results = try await answers(queries, from: relay)
        #expect(try results.map { try $0.get().body } == Array(repeating: frame(6).body, count: 20))
        #expect(station.asked == ["/v1/camera/frame.jpg?after=5"])
    }

    @Test func `a failure goes to all who wait, and is not kept`() async throws {
        let relay = relay
        station.will(.failure(Problem(.unavailable, "away")))
        let results = try await answers(["after=5", "after=5", nil], from: relay)
        for result in results { #expect(throws: Problem.self) { try result.get() } }
        station.will(.success(HTTPAnswer(status: 503)))
        #expect(try await relay.answer(wish(nil)).status == 503)
        station.will(.success(frame(7)))
        #expect(try await relay.answer(wish(nil)).body == frame(7).body)
    }

    @Test func `whoever has the frame that was answered, or one of another boot, asks alone`() async throws {
        station.will(.success(frame(6)))
        station.will(.success(frame(8)))
        let results = try await answers(["after=5", "after=9007199254740991"], from: relay)
        #expect(try results.map { try $0.get().body } == [frame(6).body, frame(8).body])
        #expect(station.asked.last == "/v1/camera/frame.jpg?after=9007199254740991")
    }

    @Test func `a frame serves those who have an older one for a tenth of a second, in its size alone`() async throws {
        let relay = relay
        for number in 6...9 { station.will(.success(frame(number))) }
        #expect(try await relay.answer(wish("after=5&width=480")).body == frame(6).body)
        #expect(try await relay.answer(wish("after=3&width=400")).body == frame(6).body)
        #expect(try await relay.answer(wish("width=480")).body == frame(6).body)
        #expect(station.asked.count == 1)
        // Whoever has it gets the next one; another size is another picture.
        #expect(try await relay.answer(wish("after=6&width=480")).body == frame(7).body)
        #expect(try await relay.answer(wish("after=3")).body == frame(8).body)
        clock.advance(bySeconds: FrameRelay.freshness + 0.01)
        #expect(try await relay.answer(wish("after=3&width=480")).body == frame(9).body)
        #expect(station.asked.count == 4)
    }
}
