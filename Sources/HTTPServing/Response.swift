internal import JSONCoding
public import KonzaAPI
public import KonzaModel

/// What a handler answers.
public struct Response: Sendable {
    /// The bytes that follow the head.
    public enum Body: Sendable {
        case empty
        /// Few bytes, copied once.
        case bytes([UInt8])
        /// Any number of bytes, shared with their owner and never copied.
        case data(FrameData)
        /// Bytes that the daemon keeps for as long as it runs, and that cost nothing to send often.
        case kept(FrameData)
        /// A file, sent by the kernel.
        case file(OpenFile)
        /// Bytes that are still to come.
        case stream(ResponseStream)
    }

    public var status: Int
    public var headers: HeaderFields
    public var body: Body
    /// The strong entity tag without its quotes. With it `If-None-Match`, `Range` and `If-Range` are honoured.
    public var entityTag: String?
    /// With it `If-Modified-Since` is honoured and `Last-Modified` is sent.
    public var lastModified: UTCInstant?

    public init(status: Int = 200, headers: HeaderFields = [:], body: Body = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Bytes of a media type.
    public static func bytes(_ bytes: [UInt8], type: String, status: Int = 200) -> Response {
        Response(status: status, headers: ["content-type": type], body: .bytes(bytes))
    }

    /// Shared bytes of a media type.
    public static func data(_ data: FrameData, type: String, status: Int = 200) -> Response {
        Response(status: status, headers: ["content-type": type], body: .data(data))
    }

    /// Bytes of a media type that the daemon keeps for as long as it runs.
    public static func kept(_ data: FrameData, type: String) -> Response {
        Response(headers: ["content-type": type], body: .kept(data))
    }

    /// Text of a media type.
    public static func text(_ text: String, type: String = "text/plain; charset=utf-8", status: Int = 200) -> Response {
        bytes(Array(text.utf8), type: type, status: status)
    }

    /// A value as JSON, with sorted members.
    public static func json(
        _ value: some Encodable, type: String = "application/json", status: Int = 200
    ) throws(Problem) -> Response {
        bytes(try encode(value), type: type, status: status)
    }

    /// The JSON text of a value, with sorted members; for replies that are encoded once and sent often.
    public static func encode(_ value: some Encodable) throws(Problem) -> [UInt8] {
        do {
            return try JSONText.encode(value)
        } catch {
            throw Problem(.internalError, "cannot encode the reply: \(error)")
        }
    }

    /// Work that was taken on: 202 with the place where it can be followed.
    public static func accepted(_ value: some Encodable, location: String) throws(Problem) -> Response {
        var response = try json(value, status: 202)
        response.headers["location"] = location
        return response
    }

    /// A new resource: 201 with its place.
    public static func created(_ value: some Encodable, location: String) throws(Problem) -> Response {
        var response = try json(value, status: 201)
        response.headers["location"] = location
        return response
    }

    public static let noContent = Response(status: 204)

    /// A problem in the form of RFC 9457.
    public static func problem(_ problem: Problem, headers: HeaderFields = [:]) -> Response {
        var response = Response(status: problem.status, headers: headers)
        let fallback = Array(#"{"kind":"internal-error","status":500,"title":"Internal error"}"#.utf8)
        response.headers["content-type"] = "application/problem+json"
        // RFC 9110 section 10.2.3. What is unavailable is so for seconds, unless somebody said otherwise.
        if problem.kind == .unavailable, response.headers["retry-after"] == nil {
            response.headers["retry-after"] = "2"
        }
        if let seconds = problem.figures?[Problem.retryAfter] { response.headers["retry-after"] = "\(Int(seconds))" }
        response.body = .bytes((try? encode(problem)) ?? fallback)
        return response
    }

    /// A stream of bytes of a media type.
    public static func stream(_ stream: ResponseStream, type: String) -> Response {
        Response(headers: ["content-type": type], body: .stream(stream))
    }

    /// A file, tagged by what the file system knows of it unless a tag is given.
    public static func file(_ file: OpenFile, type: String, entityTag: String? = nil) -> Response {
        var response = Response(headers: ["content-type": type], body: .file(file))
        response.entityTag = entityTag ?? file.entityTag
        response.lastModified = file.modified
        return response
    }

    /// The number of bytes, where it is known before they are sent.
    var length: Int? {
        switch body {
        case .empty: 0
        case .bytes(let bytes): bytes.count
        case .data(let data), .kept(let data): data.count
        case .file(let file): file.size
        case .stream: nil
        }
    }
}
