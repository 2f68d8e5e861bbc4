internal import FoundationEssentials
internal import Glibc
public import HTTPTransfer
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

/// Talks to konzad over its Unix socket. The calls block; one client does one thing at a time.
public final class StationClient: Sendable {
    /// A name and value of a query.
    public typealias Query = [(name: String, value: String)]

    public let socketPath: String
    private let connection: HTTPConnection
    private let cancellation: TransferCancellation?

    /// - Parameters:
    ///   - socketPath: where konzad listens, usually `/run/konza.sock`.
    ///   - cancellation: ends from elsewhere every call that has none of its own.
    /// - Throws: ``ClientError`` if libcurl cannot start.
    public init(socketPath: String, cancellation: TransferCancellation? = nil) throws(ClientError) {
        self.socketPath = socketPath
        self.cancellation = cancellation
        do {
            connection = try HTTPConnection()
        } catch {
            throw .transfer(error)
        }
    }

    // MARK: whole answers

    /// Asks for a resource.
    public func get<Value: Decodable>(_ path: String, query: Query = [], as type: Value.Type = Value.self)
        throws(ClientError) -> Value
    {
        try decode(answer(request("GET", path, query)))
    }

    /// Asks for a resource in the media type wanted.
    public func bytes(_ path: String, query: Query = [], accept: String = "*/*") throws(ClientError) -> HTTPAnswer {
        var request = request("GET", path, query)
        request.headers = [("Accept", accept)]
        return try answer(request)
    }

    /// Sends a value and reads the answer.
    ///
    /// - Parameters:
    ///   - path: of the route.
    ///   - body: sent as JSON.
    ///   - query: of the request.
    ///   - idempotencyKey: makes a repetition of the request harmless.
    ///   - seconds: how long it may take.
    ///   - type: what to read.
    /// - Returns: the answer's resource.
    /// - Throws: ``ClientError``.
    public func post<Value: Decodable>(
        _ path: String, _ body: some Encodable, query: Query = [], idempotencyKey: String? = nil,
        seconds: Double = 60, as type: Value.Type = Value.self
    ) throws(ClientError) -> Value {
        var request = try request("POST", path, query, body: body)
        if let idempotencyKey { request.headers.append(("Idempotency-Key", idempotencyKey)) }
        request.totalSeconds = seconds
        return try decode(answer(request))
    }

    /// Sends a value and gives the answer as it is.
    public func send(
        _ method: String, _ path: String, _ body: some Encodable, query: Query = [], accept: String = "*/*"
    ) throws(ClientError) -> HTTPAnswer {
        var request = try request(method, path, query, body: body)
        request.headers.append(("Accept", accept))
        return try answer(request)
    }

    /// Sends JSON that is encoded already, or nothing, and gives the answer as it is. The target is the path with its
    /// query, percent-encoded.
    public func send(_ method: String, target: String, json: [UInt8]?) throws(ClientError) -> HTTPAnswer {
        var request = request(method, target, [])
        if let json {
            request.headers = [("Content-Type", "application/json")]
            request.body = json
        }
        request.totalSeconds = 120
        return try answer(request)
    }

    /// Sends a body that is read meanwhile, of a media type, and gives the answer as it is. The target is the path with
    /// its query, percent-encoded.
    public func send(
        _ method: String, target: String, _ body: UploadBody, type: String
    ) throws(ClientError) -> HTTPAnswer {
        var request = request(method, target, [])
        request.headers = [("Content-Type", type)]
        request.upload = body
        request.totalSeconds = nil
        request.silenceSeconds = 60
        return try answer(request)
    }

    /// Changes a resource.
    public func patch<Value: Decodable>(
        _ path: String, _ body: some Encodable, as type: Value.Type = Value.self
    ) throws(ClientError) -> Value {
        try decode(answer(request("PATCH", path, [], body: body)))
    }

    /// Replaces a resource.
    public func put<Value: Decodable>(
        _ path: String, _ body: some Encodable, as type: Value.Type = Value.self
    ) throws(ClientError) -> Value {
        try decode(answer(request("PUT", path, [], body: body)))
    }

    /// Removes a resource.
    public func delete(_ path: String) throws(ClientError) {
        _ = try answer(request("DELETE", path, []))
    }

    // MARK: streams

    /// Writes a resource to a file, which appears under its name only when it is whole.
    ///
    /// - Returns: the number of bytes.
    @discardableResult
    public func download(_ path: String, query: Query = [], toFile file: String) throws(ClientError) -> Int {
        let place = folderAndName(of: file)
        var count = 0
        do {
            // Read back soon and fetched anew if lost: its bytes need not be on the disk yet.
            var delivered: DeliveredFile? = try DeliveredFile(place.name, in: place.folder, replacing: true)
            var failure: (any Error)?
            var request = request("GET", path, query)
            request.totalSeconds = nil
            request.silenceSeconds = 30
            try stream(request) { chunk in
                count += chunk.count
                do { try delivered?.write(chunk) } catch { failure = error }
                return failure == nil
            }
            if let failure { throw failure }
            try delivered.take()?.finishWithoutFlush()
        } catch let error as ClientError {
            throw error
        } catch {
            throw .file("\(error)")
        }
        return count
    }

    /// Hands on the bytes of a resource as they come, until the body returns false.
    ///
    /// - Parameters:
    ///   - target: the path with its query, percent-encoded.
    ///   - body: gets the bytes, on the calling thread.
    /// - Returns: the answer without the bytes.
    /// - Throws: ``ClientError``.
    public func fetch(target: String, _ body: @escaping ([UInt8]) -> Bool) throws(ClientError) -> HTTPAnswer {
        var request = request("GET", target, [])
        request.totalSeconds = nil
        request.silenceSeconds = 120
        request.maximumBytes = .max
        return try stream(request, body)
    }

    /// Follows the events until the body returns false, the cancellation comes or konzad ends them.
    ///
    /// - Parameters:
    ///   - path: of the route.
    ///   - query: which events, and how many of them.
    ///   - lastEventID: the id of the last event seen: what was missed since comes first.
    ///   - cancellation: ends it from elsewhere.
    ///   - body: gets each event, on the calling thread.
    /// - Throws: ``ClientError``.
    public func events(
        _ path: String = "/v1/events", query: Query = [], lastEventID: String? = nil,
        cancellation: TransferCancellation? = nil, _ body: @escaping (EventStreamParser.Event) -> Bool
    ) throws(ClientError) {
        var request = request("GET", path, query)
        request.headers = [("Accept", "text/event-stream")]
        if let lastEventID { request.headers.append(("Last-Event-ID", lastEventID)) }
        var parser = EventStreamParser()
        try endless(request, cancellation: cancellation) { chunk in
            for event in parser.feed(chunk) where !body(event) { return false }
            return true
        }
    }

    /// Hands on the bytes of a stream without an end, such as the preview, until the body returns false.
    public func follow(
        _ path: String, query: Query = [], cancellation: TransferCancellation? = nil,
        onHead: @escaping (HTTPAnswer) -> Void = { _ in }, _ body: @escaping ([UInt8]) -> Bool
    ) throws(ClientError) {
        try endless(request("GET", path, query), cancellation: cancellation, onHead: onHead, body)
    }

    // MARK: the parts

    private func endless(
        _ request: HTTPRequest, cancellation: TransferCancellation?,
        onHead: @escaping (HTTPAnswer) -> Void = { _ in }, _ onChunk: @escaping ([UInt8]) -> Bool
    ) throws(ClientError) {
        var request = request
        request.totalSeconds = nil
        request.maximumBytes = .max
        // konzad sends a comment every 15 s: so much silence means that it is gone.
        request.silenceSeconds = 60
        try stream(request, cancellation: cancellation, onHead: onHead, onChunk)
    }

    @discardableResult
    private func stream(
        _ request: HTTPRequest, cancellation: TransferCancellation? = nil,
        onHead: @escaping (HTTPAnswer) -> Void = { _ in }, _ onChunk: @escaping ([UInt8]) -> Bool
    ) throws(ClientError) -> HTTPAnswer {
        do {
            let answer = try connection.stream(
                request, cancellation: cancellation ?? self.cancellation, onHead: onHead, onChunk: onChunk)
            return try Self.checked(answer)
        } catch let error as TransferError {
            throw .transfer(error)
        } catch let error as ClientError {
            throw error
        } catch {
            throw .unexpected("\(error)")
        }
    }

    private func answer(_ request: HTTPRequest) throws(ClientError) -> HTTPAnswer {
        let answer: HTTPAnswer
        do {
            answer = try connection.send(request, cancellation: cancellation)
        } catch {
            throw .transfer(error)
        }
        return try Self.checked(answer)
    }

    /// A path with its query, percent-encoded.
    public static func target(_ path: String, _ query: Query) -> String {
        guard !query.isEmpty else { return path }
        return path + "?"
            + query.map { "\(percentEncoded($0.name))=\(percentEncoded($0.value))" }.joined(separator: "&")
    }

    private func request(_ method: String, _ path: String, _ query: Query) -> HTTPRequest {
        HTTPRequest(method, url: "http://konza" + Self.target(path, query), unixSocket: socketPath)
    }

    private func request(
        _ method: String, _ path: String, _ query: Query, body: some Encodable
    ) throws(ClientError) -> HTTPRequest {
        var request = request(method, path, query)
        request.headers = [("Content-Type", "application/json")]
        do {
            request.body = Array(try JSONEncoder().encode(body))
        } catch {
            throw .unexpected("cannot encode the request: \(error)")
        }
        return request
    }

    private static func checked(_ answer: HTTPAnswer) throws(ClientError) -> HTTPAnswer {
        guard !(200...299).contains(answer.status) else { return answer }
        if let problem = try? JSONDecoder().decode(Problem.self, from: Data(answer.body)) { throw .problem(problem) }
        throw .unexpected("cannot understand the answer: status \(answer.status) without a problem; is it konzad?")
    }

    private func decode<Value: Decodable>(_ answer: HTTPAnswer) throws(ClientError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(answer.body))
        } catch {
            throw .unexpected("cannot understand the answer: \(error); konza and konzad may differ in version")
        }
    }
}
