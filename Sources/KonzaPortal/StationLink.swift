internal import HTTPServing
internal import HTTPTransfer
internal import JSONCoding
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// A request to konzad.
struct StationRequest: Sendable {
    let method: String
    /// The path, and the query if there is one.
    let target: String
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []

    init(_ method: String, _ target: String) {
        self.method = method
        self.target = target
    }

    /// The same of another target.
    func with(target: String) -> StationRequest {
        var request = StationRequest(method, target)
        (request.headers, request.body) = (headers, body)
        return request
    }
}

/// The way to konzad: connections to its socket that are kept for the next request. The calls block.
final class StationLink: Sendable {
    /// Requests at one time; each has a connection of its own.
    static let mostRequests = 48
    /// Streams at one time, each with a thread and a connection of its own.
    private static let mostStreams = 64
    /// Of one client.
    private static let mostStreamsOfClient = 16
    /// Connections that are kept while nobody uses them.
    private static let mostIdle = 8
    /// The longest answer that is no stream, bytes.
    private static let longestAnswer = 32 << 20
    /// A countdown, and what comes before and after it.
    static let longestSeconds = 120.0

    /// For what nobody waits for: it is asked again.
    static let lookSeconds = 5.0

    private struct State {
        var idle: [HTTPConnection] = []
        var streams: [ObjectIdentifier: (client: String, cancellation: TransferCancellation)] = [:]
        var isClosed = false
    }

    let socketPath: String
    private let state = Mutex(State())

    init(socketPath: String) {
        self.socketPath = socketPath
    }

    /// Has konzad answer.
    ///
    /// - Throws: a problem if no answer came.
    func answer(
        _ request: StationRequest, withinSeconds seconds: Double = longestSeconds
    ) throws(Problem) -> HTTPAnswer {
        do throws(TransferError) {
            let idle = state.withLock { $0.idle.popLast() }
            let connection = if let idle { idle } else { try HTTPConnection() }
            let answer = try connection.send(transfer(request, seconds: seconds))
            // One that failed is not used again.
            state.withLock { state in
                if !state.isClosed, state.idle.count < Self.mostIdle { state.idle.append(connection) }
            }
            return answer
        } catch {
            throw problem(error)
        }
    }

    /// What konzad answers to whoever was given a link.
    private func takeHome(_ path: String) throws(Problem) -> HTTPAnswer {
        var request = StationRequest("GET", path)
        request.headers = [("konza-on-behalf-of", "visitor take-home")]
        return try answer(request)
    }

    /// Whether konzad has a postcard still.
    ///
    /// - Throws: a problem if it does not answer.
    func has(postcard id: String) throws(Problem) -> Bool {
        try takeHome("/v1/postcards/\(id)").status < 400
    }

    /// Lets only a postcard pass that konzad has still.
    ///
    /// - Throws: a problem if it does not, or does not answer.
    func require(postcard id: String) throws(Problem) {
        guard try has(postcard: id) else {
            throw Problem(.notFound, "cannot find the postcard \(id): it was deleted, or there never was one")
        }
    }

    /// The picture of a postcard, for whoever was given a link to it.
    ///
    /// - Throws: a problem if there is none.
    func picture(of id: String) throws(Problem) -> [UInt8] {
        let answer = try takeHome("/v1/postcards/\(id)/image.jpg")
        guard answer.status == 200 else {
            throw Problem(.notFound, "cannot show the postcard: it was deleted")
        }
        return answer.body
    }

    /// A trail as GPX.
    ///
    /// - Throws: a problem if konzad has no trail of that name.
    func track(of trail: String) throws(Problem) -> [UInt8] {
        let answer = try takeHome("/v1/trails?format=gpx&trail=\(percentEncoded(trail))")
        guard answer.status == 200 else {
            throw Problem(.notFound, "cannot give the trail: none is called that; GET /v1/trails lists them")
        }
        return answer.body
    }

    /// The names of the trails of konzad's network; nil if it does not say.
    var trailNames: [String]? {
        guard let answer = try? answer(StationRequest("GET", "/v1/trails"), withinSeconds: 2), answer.status == 200
        else { return nil }
        return (try? JSONText.decode(TrailsReply.self, from: answer.body))?.trails.map(\.name)
    }

    /// The animated picture of a postcard, for whoever was given a link to it; empty if it has none.
    ///
    /// - Throws: a problem if konzad does not answer.
    func animation(of id: String) throws(Problem) -> [UInt8] {
        let answer = try takeHome("/v1/postcards/\(id)/animation")
        return answer.status == 200 ? answer.body : []
    }

    /// Has konzad answer for as long as somebody reads.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - client: the name of who reads.
    /// - Returns: the answer's head, and what comes after it if it is good.
    /// - Throws: a problem if no answer came.
    func stream(_ request: StationRequest, for client: String) async throws -> (HTTPAnswer, ResponseStream?) {
        let cancellation = TransferCancellation()
        let key = ObjectIdentifier(cancellation)
        let isTaken = state.withLock { state in
            guard !state.isClosed, state.streams.count < Self.mostStreams,
                state.streams.count(where: { $0.value.client == client }) < Self.mostStreamsOfClient
            else { return false }
            state.streams[key] = (client, cancellation)
            return true
        }
        guard isTaken else {
            throw Problem(
                .unavailable,
                "cannot open another stream: \(Self.mostStreams) are open, or \(Self.mostStreamsOfClient) of this device; close a "
                    + "page and try again")
        }
        let stream = ResponseStream()
        stream.onEnd { cancellation.cancel() }
        return try await withCheckedThrowingContinuation { continuation in
            let once = Once(continuation)
            do throws(SystemError) {
                try startThread(named: "portal-stream") { [self] in
                    defer { state.withLock { _ = $0.streams.removeValue(forKey: key) } }
                    do throws(TransferError) {
                        let answer = try HTTPConnection().stream(
                            transfer(request, seconds: nil), cancellation: cancellation,
                            onHead: { head in
                                if (200..<300).contains(head.status) { once.resume(.success((head, stream))) }
                            }, onChunk: { stream.push($0) })
                        once.resume(.success((answer, nil)))
                    } catch {
                        once.resume(.failure(problem(error)))
                    }
                    stream.finish()
                }
            } catch {
                state.withLock { _ = $0.streams.removeValue(forKey: key) }
                once.resume(.failure(error))
            }
        }
    }

    /// Ends all streams; no new one begins.
    func close() {
        let streams = state.withLock { state in
            state.isClosed = true
            state.idle = []
            return Array(state.streams.values)
        }
        for stream in streams { stream.cancellation.cancel() }
    }

    private func transfer(_ request: StationRequest, seconds: Double?) -> HTTPRequest {
        var transfer = HTTPRequest(request.method, url: "http://localhost\(request.target)", unixSocket: socketPath)
        // libcurl would name a form.
        let hasType = request.headers.contains { $0.name == "content-type" }
        transfer.headers = request.headers + (hasType ? [] : [("Content-Type", "")])
        transfer.body = request.method == "GET" || request.method == "HEAD" ? nil : request.body
        transfer.isRepeatable = request.method == "GET"
        transfer.totalSeconds = seconds
        transfer.maximumBytes = seconds == nil ? .max : Self.longestAnswer
        return transfer
    }

    private func problem(_ error: TransferError) -> Problem {
        Problem(
            .unavailable,
            "cannot reach konzad: it \(error.reason == .timedOut ? "takes too long to answer" : "does not answer"); it may be "
                + "starting: the page tries again by itself",
            status: 502)
    }

    /// Resumes a continuation the first time that it is asked to.
    private final class Once: Sendable {
        typealias Value = (HTTPAnswer, ResponseStream?)

        private let continuation: Mutex<CheckedContinuation<Value, any Error>?>

        init(_ continuation: CheckedContinuation<Value, any Error>) {
            self.continuation = Mutex(continuation)
        }

        func resume(_ result: Result<Value, any Error>) {
            let continuation = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            continuation?.resume(with: result)
        }
    }
}
