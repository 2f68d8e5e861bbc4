internal import FleetMessaging
internal import FoundationEssentials
internal import Glibc
internal import KonzaAPI
internal import KonzaSystem
internal import Synchronization

/// People at whole stations, on a thread of their own: now and then one of them takes a postcard or opens a specimen, and what
/// the station answers with 201 is remembered.
final class Visitors: Sendable {
    /// What came of it.
    struct Outcome: Sendable {
        /// Kinds by id of what was acknowledged, for each station.
        var acknowledged: [[String: FleetKind]]
        /// Refused for now (429, 503): the camera has no picture in time.
        var refused = 0
        /// Nobody knows: the station was killed meanwhile, or is not there.
        var unanswered = 0
        /// Answers that must not be.
        var strange: [String] = []

        var count: Int { acknowledged.reduce(0) { $0 + $1.count } }
    }

    private struct State: Sendable {
        var outcome: Outcome
        /// The station that is asked at this moment.
        var current: Int?
        var isPaused = false
        var isOver = false
        var hasEnded = false
    }

    private let state: Mutex<State>
    private let sockets: [String]

    /// - Parameters:
    ///   - sockets: of the stations.
    ///   - pause: the longest between two visitors, seconds.
    /// - Throws: if the system has no thread left.
    init(_ sockets: [String], pause: Double) throws {
        self.sockets = sockets
        state = Mutex(State(outcome: Outcome(acknowledged: sockets.map { _ in [:] })))
        try startThread(named: "visitors") { [self] in
            while !state.withLock({ $0.isOver }) {
                if !state.withLock({ $0.isPaused }) { visit(Int.random(in: sockets.indices)) }
                usleep(UInt32(Double.random(in: 0...pause) * 1e6))
            }
            state.withLock { $0.hasEnded = true }
        }
    }

    deinit { state.withLock { $0.isOver = true } }

    var outcome: Outcome { state.withLock { $0.outcome } }

    /// The station that a visitor waits for at this moment.
    var current: Int? { state.withLock { $0.current } }

    /// Sends them away for a while, or has them back; one who waits for an answer gets it.
    func pause(_ isPaused: Bool) { state.withLock { $0.isPaused = isPaused } }

    /// Sends them away for good, and waits until the last has his answer.
    func end() -> Outcome {
        state.withLock { $0.isOver = true }
        while !state.withLock({ $0.hasEnded }) { usleep(10_000) }
        return outcome
    }

    private func visit(_ station: Int) {
        let kind: FleetKind = Int.random(in: 0..<4) == 0 ? .specimen : .postcard
        let body =
            kind == .postcard
            ? #"{"message":"Greetings from the Konza Prairie"}"#
            : #"{"rockType":"gneiss","position":{"latitude":39.1,"longitude":-96.6,"accuracy":4}}"#
        state.withLock { $0.current = station }
        let answer = Result { try ask(sockets[station], "/v1/\(kind.rawValue)s", body) }
        state.withLock { state in
            state.current = nil
            switch answer {
            case .success((201, let id?)): state.outcome.acknowledged[station][id] = kind
            case .success((429, _)), .success((503, _)): state.outcome.refused += 1
            case .success((let status, _)):
                if state.outcome.strange.count < 10 {
                    state.outcome.strange.append("a station answers a new \(kind.rawValue) with \(status)")
                }
            case .failure: state.outcome.unanswered += 1
            }
        }
    }

    private func ask(_ socket: String, _ target: String, _ body: String) throws -> (status: Int, id: String?) {
        let connection = try UnixHTTPConnection(socket)
        let reply = try connection.exchange(UnixHTTPConnection.request("POST", target, body: body))
        guard reply.status == 201 else { return (reply.status, nil) }
        guard case .object(let members) = try JSONDecoder().decode(JSONValue.self, from: Data(connection.body)),
            case .string(let id)? = members["id"]
        else { return (reply.status, nil) }
        return (reply.status, id)
    }
}
