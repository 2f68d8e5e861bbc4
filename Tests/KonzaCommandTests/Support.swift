import Foundation
import KonzaAPI
import KonzaModel
import KonzaSystem
import Synchronization

@testable import KonzaCommand

/// A console that keeps what is written.
final class RecordingConsole: Console {
    private struct State {
        var output: [UInt8] = []
        var errors = ""
        var writesUntilClosed: Int?
        var looksUntilInterrupted: Int?
        var holdsInterrupts = false
    }

    let isTerminal: Bool
    let canAsk: Bool
    let size: (columns: Int, rows: Int)?
    private let answer: String?
    private let state: Mutex<State>

    /// An interrupt comes, while they are held, after so many questions for one.
    init(
        terminal: (columns: Int, rows: Int)? = nil, answer: String? = nil, writesUntilClosed: Int? = nil,
        looksUntilInterrupted: Int? = nil
    ) {
        isTerminal = terminal != nil
        size = terminal
        canAsk = answer != nil
        self.answer = answer
        state = Mutex(State(writesUntilClosed: writesUntilClosed, looksUntilInterrupted: looksUntilInterrupted))
    }

    var output: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }
    var bytes: [UInt8] { state.withLock { $0.output } }
    var errors: String { state.withLock { $0.errors } }

    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        let isClosed = state.withLock { state in
            if state.writesUntilClosed == 0 { return true }
            state.writesUntilClosed = state.writesUntilClosed.map { $0 - 1 }
            state.output += bytes
            return false
        }
        if isClosed { throw .outputClosed }
    }

    func writeError(_ text: String) { state.withLock { $0.errors += text } }
    func readAnswer() -> String? { answer }
    func enterFullScreen() {}
    func leaveFullScreen() {}
    func holdInterrupts() { state.withLock { $0.holdsInterrupts = true } }
    func releaseInterrupts() { state.withLock { $0.holdsInterrupts = false } }

    var wasInterrupted: Bool {
        state.withLock { state in
            guard state.holdsInterrupts, let looks = state.looksUntilInterrupted else { return false }
            state.looksUntilInterrupted = max(looks - 1, 0)
            return looks == 0
        }
    }
}

/// A station that answers from a list and keeps what it was asked.
final class ScriptedConnection: StationConnection {
    let socketPath = "/run/konza.sock"
    let reconnects = false
    private let replies: Mutex<[String: [Result<StationReply, CommandFailure>]]>
    private let asked = Mutex<[StationRequest]>([])
    private let stream: [StationEvent]

    /// Takes the replies by method and path without query; the last one of a list is repeated.
    init(_ replies: [String: [Result<StationReply, CommandFailure>]], events: [StationEvent] = []) {
        self.replies = Mutex(replies)
        stream = events
    }

    convenience init(_ replies: [String: String], events: [StationEvent] = []) {
        self.init(
            replies.mapValues { [.success(StationReply(status: 200, body: Array($0.utf8)))] }, events: events)
    }

    var requests: [StationRequest] { asked.withLock { $0 } }

    func send(_ request: StationRequest) async throws(CommandFailure) -> StationReply {
        asked.withLock { $0.append(request) }
        let reply = replies.withLock { replies -> Result<StationReply, CommandFailure>? in
            let key = "\(request.method.rawValue) \(request.path)"
            guard var list = replies[key], let first = list.first else { return nil }
            if list.count > 1 { list.removeFirst() }
            replies[key] = list
            return first
        }
        return try (reply ?? .failure(CommandFailure("cannot reach the station: not in the script", .unavailable)))
            .get()
    }

    func fetch(
        _ request: StationRequest, _ take: @escaping ([UInt8]) -> Bool
    ) async throws(CommandFailure) -> StationReply {
        var reply = try await send(request)
        // In pieces, as a socket gives them.
        while !reply.body.isEmpty, take(Array(reply.body.prefix(1000))) {
            reply.body.removeFirst(min(1000, reply.body.count))
        }
        return StationReply(status: reply.status, headers: reply.headers, body: [])
    }

    func events(_ query: [(name: String, value: String)]) -> AsyncThrowingStream<StationEvent, any Error> {
        asked.withLock { $0.append(StationRequest(path: "/v1/events", query: query)) }
        return AsyncThrowingStream { continuation in
            for event in stream { continuation.yield(event) }
            continuation.finish()
        }
    }
}

/// A clock that never makes anybody wait.
struct HurryingClock: StationClock {
    func utc() -> UTCInstant { UTCInstant(rfc3339: "2026-05-30T14:03:07Z") ?? UTCInstant(nanoseconds: 0) }
    func monotonic() -> MonotonicInstant { MonotonicInstant(nanoseconds: 1_000_000_000) }
    func sleep(until deadline: MonotonicInstant) async throws { await Task.yield() }
}

/// Kansas in summer.
let prairieDates = LocalDates { _ in -5 * 3600 }

struct Run {
    let code: Int32
    let output: String
    let errors: String
}

func run(
    _ line: [String], _ station: ScriptedConnection, console: RecordingConsole = RecordingConsole(),
    environment: [String: String] = ["LANG": "C.UTF-8"]
) async -> Run {
    let code = await CommandLineTool.run(
        line, environment: environment, console: console, clock: HurryingClock(), dates: prairieDates
    ) { _ in station }
    return Run(code: code, output: console.output, errors: console.errors)
}

func decoded<Value: Decodable>(_ text: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(text.utf8))
}

func plain(_ lines: [Line]) -> String { lines.map(\.text).joined(separator: "\n") }
