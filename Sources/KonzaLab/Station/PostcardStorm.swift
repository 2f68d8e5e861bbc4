internal import Foundation

/// Clients that take one postcard after another, each on a connection of its own, whatever happens to konzad.
final class PostcardStorm: Sendable {
    /// What came of it.
    struct Outcome: Sendable {
        var acknowledged: [LabPostcard] = []
        /// Answers that refuse, in words.
        var refused: [String] = []
        /// Requests whose connection failed or ended early, in words.
        var unanswered: [String] = []
        /// Seconds of the slowest answer.
        var longest = 0.0
    }

    private let outcome = LockedValue(Outcome())
    private let isDone = LockedValue(false)
    private let ended = DispatchSemaphore(value: 0)
    private let clients: Int

    /// Begins.
    ///
    /// - Parameters:
    ///   - socket: where konzad listens.
    ///   - clients: how many at a time.
    ///   - seconds: the longest wait for an answer.
    ///   - acknowledge: called with each postcard, as soon as its answer is there.
    init(
        _ socket: String, clients: Int = 1, seconds: Double = 300,
        acknowledge: @escaping @Sendable (LabPostcard) -> Void = { _ in }
    ) {
        self.clients = clients
        for _ in 0..<clients {
            Thread.detachNewThread { [outcome, isDone, ended] in
                while !isDone.value {
                    let start = ContinuousClock.now
                    let result = Result { try Self.take(socket, seconds) }
                    let taken = start.duration(to: .now).inSeconds
                    if case .success(let reply) = result, let postcard = LabPostcard(reply, seconds: taken) {
                        acknowledge(postcard)
                        outcome.change { $0.acknowledged.append(postcard) }
                    } else {
                        outcome.change { $0.note(result) }
                        // Nobody asks a konzad that does not run a thousand times a second.
                        usleep(20_000)
                    }
                    outcome.change { $0.longest = max($0.longest, taken) }
                }
                ended.signal()
            }
        }
    }

    /// What was acknowledged so far.
    var acknowledged: [LabPostcard] { outcome.value.acknowledged }

    /// Ends it when the requests under way are answered.
    ///
    /// - Returns: what came of it.
    func end() -> Outcome {
        isDone.set(true)
        for _ in 0..<clients { ended.wait() }
        return outcome.value
    }

    /// One request for a postcard, on a connection of its own.
    static func take(_ socket: String, _ seconds: Double, message: String = "Storm") throws -> LabReply {
        let body = #"{"message":"\#(message)"}"#
        let connection = try UnixConnection(path: socket, seconds: seconds)
        try connection.send(
            Array(
                """
                POST /v1/postcards HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
                """.utf8))
        return try HTTPReplyParser.parse(try connection.readToEnd(), hasBody: true)
    }
}

extension PostcardStorm.Outcome {
    fileprivate mutating func note(_ result: Result<LabReply, any Error>) {
        switch result {
        case .success(let reply): refused.append("\(reply.status) \(reply["detail"]?.text ?? "")")
        case .failure(let error): unanswered.append("\(error)")
        }
    }
}
