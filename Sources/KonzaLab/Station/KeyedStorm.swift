internal import Foundation

/// Clients that take one postcard after another, each with an idempotency key that it repeats until it is answered.
final class KeyedStorm: Sendable {
    /// A postcard as its client knows it.
    struct Claim: Sendable {
        let key: String
        let id: String
        /// Bytes of the picture, as the reply claims.
        let bytes: Int
    }

    struct Outcome: Sendable {
        /// In the order of their answers.
        var claims: [Claim] = []
        /// Answers to a repeated request that told of the postcard which the first had made.
        var known = 0
        /// Requests whose connection failed or ended early.
        var cutOff = 0
        /// Answers that refuse, counted by status and kind.
        var refused: [String: Int] = [:]
        /// A key that was never answered, in words.
        var failure: String?
    }

    private static let body = #"{"message":"Storm"}"#
    private let socket: String
    private let outcome = LockedValue(Outcome())
    private let isDone = LockedValue(false)
    private let ended = DispatchSemaphore(value: 0)
    private let clients: Int

    /// Begins.
    ///
    /// - Parameters:
    ///   - socket: where konzad listens.
    ///   - clients: how many at a time.
    init(_ socket: String, clients: Int) {
        self.socket = socket
        self.clients = clients
        for client in 0..<clients {
            Thread.detachNewThread { [self] in
                var number = 0
                while !isDone.value {
                    number += 1
                    settle("storm-\(client)-\(number)")
                }
                ended.signal()
            }
        }
    }

    /// What came of it so far.
    var soFar: Outcome { outcome.value }

    /// Ends it when every key is answered.
    ///
    /// - Returns: what came of it.
    func end() -> Outcome {
        isDone.set(true)
        for _ in 0..<clients { ended.wait() }
        return outcome.value
    }

    /// Repeats a request until it is answered, and for 60 s after the storm's end at most.
    private func settle(_ key: String) {
        var limit: ContinuousClock.Instant?
        while true {
            switch Result(catching: { try Self.take(socket, key) }) {
            case .success(let reply) where reply.status == 201 || reply.status == 200:
                guard let id = reply["id"]?.text, let bytes = reply["bytes"]?.number else { break }
                outcome.change { outcome in
                    outcome.claims.append(Claim(key: key, id: id, bytes: Int(bytes)))
                    if reply.status == 200 { outcome.known += 1 }
                }
                return
            case .success(let reply):
                outcome.change { $0.refused["\(reply.status) \(reply["kind"]?.text ?? "")", default: 0] += 1 }
            case .failure: outcome.change { $0.cutOff += 1 }
            }
            if isDone.value {
                limit = limit ?? .now + .seconds(60)
                if let limit, limit < .now {
                    outcome.change { $0.failure = "the key \(key) was never answered" }
                    return
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
        let connection = try UnixConnection(path: socket, seconds: 60)
        try connection.send(
            Array(
                """
                POST /v1/postcards HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nIdempotency-Key: \(key)\r\n\
                Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
                """.utf8))
        return try HTTPReplyParser.parse(try connection.readToEnd(), hasBody: true)
    }
}
