internal import Foundation

/// Clients that take one postcard after another, and one that opens specimens, each request with an idempotency key
/// that is repeated until it is answered.
final class KeyedStorm: Sendable {
    /// A postcard as its client knows it.
    struct Claim: Sendable {
        let key: String
        let id: String
        /// Bytes of the picture, as the reply claims.
        let bytes: Int
    }

    /// A specimen as its client knows it.
    struct Specimen: Sendable {
        let id: String
        let number: String
    }

    struct Outcome: Sendable {
        /// In the order of their answers.
        var claims: [Claim] = []
        var specimens: [Specimen] = []
        /// Answers to a repeated request that reported what the first had made.
        var known = 0
        /// Requests whose connection failed or ended early.
        var cutOff = 0
        /// Answers that refuse, counted by status and kind.
        var refused: [String: Int] = [:]
        /// A key that was never answered, in words.
        var failure: String?
    }

    /// Between two specimens: that of a thousand lives each can be looked at.
    private static let specimenPause: UInt32 = 30_000
    private let socket: String
    private let outcome = LockedValue(Outcome())
    private let isDone = LockedValue(false)
    private let ended = DispatchSemaphore(value: 0)
    private let clients: Int

    /// Begins.
    ///
    /// - Parameters:
    ///   - socket: where konzad listens.
    ///   - clients: how many take postcards at a time. One more opens specimens.
    init(_ socket: String, clients: Int) {
        self.socket = socket
        self.clients = clients
        for client in 0..<clients {
            begin { [self] number in
                let key = "storm-\(client)-\(number)"
                guard let reply = settled(key, { try Self.take(socket, key) }) else { return }
                guard let id = reply["id"]?.text, let bytes = reply["bytes"]?.number else {
                    return outcome.change { $0.failure = "the answer to \(key) names no postcard" }
                }
                outcome.change { $0.claims.append(Claim(key: key, id: id, bytes: Int(bytes))) }
            }
        }
        begin { [self] number in
            let key = "specimen-\(number)"
            guard let reply = settled(key, { try Self.open(socket, key, number: "LAB-\(number)") }) else { return }
            guard let id = reply["id"]?.text else {
                return outcome.change { $0.failure = "the answer to \(key) names no specimen" }
            }
            outcome.change { $0.specimens.append(Specimen(id: id, number: "LAB-\(number)")) }
            usleep(Self.specimenPause)
        }
    }

    /// A thread that does one thing after another, which are numbered from 1.
    private func begin(_ body: @escaping @Sendable (Int) -> Void) {
        Thread.detachNewThread { [isDone, ended] in
            var number = 0
            while !isDone.value {
                number += 1
                body(number)
            }
            ended.signal()
        }
    }

    /// What came of it so far.
    var soFar: Outcome { outcome.value }

    /// Ends it when every key is answered.
    ///
    /// - Returns: what came of it.
    func end() -> Outcome {
        isDone.set(true)
        for _ in 0...clients { ended.wait() }
        return outcome.value
    }

    /// Repeats a request until it is answered, and for 60 s after the storm's end at most.
    ///
    /// - Returns: the answer, or nil if there was none, which the outcome tells.
    private func settled(_ key: String, _ request: () throws -> LabReply) -> LabReply? {
        var limit: ContinuousClock.Instant?
        while true {
            switch Result(catching: request) {
            case .success(let reply) where reply.status == 201 || reply.status == 200:
                if reply.status == 200 { outcome.change { $0.known += 1 } }
                return reply
            case .success(let reply):
                outcome.change { $0.refused["\(reply.status) \(reply["kind"]?.text ?? "")", default: 0] += 1 }
            case .failure: outcome.change { $0.cutOff += 1 }
            }
            if isDone.value {
                limit = limit ?? .now + .seconds(60)
                if let limit, limit < .now {
                    outcome.change { $0.failure = "the key \(key) was never answered" }
                    return nil
                }
            }
            usleep(5000)
        }
    }

    /// One request for a postcard.
    ///
    /// - Parameters:
    ///   - socket: where konzad listens.
    ///   - key: of the request.
    /// - Returns: the answer.
    /// - Throws: ``Complaint`` if there is none.
    static func take(_ socket: String, _ key: String) throws -> LabReply {
        try ask(socket, key, "/v1/postcards", #"{"message":"Storm"}"#)
    }

    /// One request for a new specimen.
    static func open(_ socket: String, _ key: String, number: String) throws -> LabReply {
        try ask(socket, key, "/v1/specimens", #"{"rockType":"Gneiss","number":"\#(number)"}"#)
    }

    /// One request with an idempotency key, on a connection of its own.
    static func ask(_ socket: String, _ key: String, _ target: String, _ body: String) throws -> LabReply {
        let connection = try UnixConnection(path: socket, seconds: 60)
        try connection.send(
            Array(
                """
                POST \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nIdempotency-Key: \(key)\r\n\
                Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
                """.utf8))
        return try HTTPReplyParser.parse(try connection.readToEnd(), hasBody: true)
    }
}
