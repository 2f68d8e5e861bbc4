internal import Foundation

/// A reply of the API.
public struct LabReply: Sendable {
    /// The HTTP status.
    public let status: Int
    /// Names in lower case.
    public let headers: [String: String]
    public let body: [UInt8]

    /// A member of the JSON body: `reply["health", "kind"]`; nil if it is not there.
    public subscript(_ path: String...) -> JSON? { JSON(parsing: body)?.member(at: path) }
}

/// A value of a JSON reply.
public struct JSON: @unchecked Sendable {
    // Sendable: what JSONSerialization returns is never changed.
    private let value: Any

    init?(parsing bytes: [UInt8]) {
        guard let value = try? JSONSerialization.jsonObject(with: Data(bytes)) else { return nil }
        self.value = value
    }

    private init(_ value: Any) { self.value = value }

    func member(at path: [String]) -> JSON? {
        path.reduce(self) { $0?[$1] }
    }

    /// A member of an object, or nil.
    public subscript(_ name: String) -> JSON? { (value as? [String: Any])?[name].map(JSON.init) }

    public var text: String? { value as? String }
    public var number: Double? { (value as? NSNumber)?.doubleValue }
    public var truth: Bool? { (value as? NSNumber)?.boolValue }
    /// The elements of an array; empty for anything else.
    public var elements: [JSON] { (value as? [Any])?.map(JSON.init) ?? [] }
}

/// What a part says of itself in `/v1/status`.
public struct LabHealth: Sendable, Equatable {
    /// `ok`, `degraded` or `failed`.
    public let level: String
    /// The stable name of the reason.
    public let kind: String
    /// The sentence for people.
    public let reason: String
}

extension LabStation {
    /// One request on a connection of its own.
    ///
    /// - Parameters:
    ///   - method: `GET`, `POST`, ...
    ///   - target: path and query.
    ///   - json: the body, if there is one.
    ///   - headers: further header lines: `Idempotency-Key: 1`.
    ///   - seconds: the longest wait for anything.
    /// - Returns: the reply.
    /// - Throws: ``Complaint`` if there is none, or not a whole one.
    public func request(
        _ method: String, _ target: String, json: String? = nil, headers: [String] = [], seconds: Double = 300
    ) throws -> LabReply {
        var head = ["\(method) \(target) HTTP/1.1", "Host: localhost", "Connection: close"] + headers
        if let json { head += ["Content-Type: application/json", "Content-Length: \(json.utf8.count)"] }
        let connection = try UnixConnection(path: socket, seconds: seconds)
        try connection.send(Array((head.joined(separator: "\r\n") + "\r\n\r\n" + (json ?? "")).utf8))
        return try HTTPReplyParser.parse(try connection.readToEnd(), hasBody: method != "HEAD")
    }

    /// - Parameters:
    ///   - target: path and query.
    ///   - seconds: the longest wait for anything.
    /// - Returns: the reply.
    /// - Throws: ``Complaint`` if there is none.
    public func get(_ target: String, seconds: Double = 300) throws -> LabReply {
        try request("GET", target, seconds: seconds)
    }

    /// - Parameters:
    ///   - target: path and query.
    ///   - json: the body.
    ///   - headers: further header lines.
    ///   - seconds: the longest wait for anything.
    /// - Returns: the reply.
    /// - Throws: ``Complaint`` if there is none.
    public func post(
        _ target: String, _ json: String = "{}", headers: [String] = [], seconds: Double = 300
    ) throws -> LabReply {
        try request("POST", target, json: json, headers: headers, seconds: seconds)
    }

    /// What a part says of itself.
    ///
    /// - Parameter part: `position`, `camera`, `archive`, `clock`, `templates`.
    /// - Returns: level, kind and reason.
    /// - Throws: ``Complaint`` if there is no such part.
    public func health(_ part: String) throws -> LabHealth {
        let reply = try get("/v1/status")
        guard let health = reply[part, "health"], let level = health["level"]?.text, let kind = health["kind"]?.text
        else { throw Complaint("the status names no \(part)") }
        return LabHealth(level: level, kind: kind, reason: health["reason"]?.text ?? "")
    }

    /// One sample of `/metrics`.
    ///
    /// - Parameters:
    ///   - name: the metric: `konza_camera_events_total`.
    ///   - label: the value of one of its labels, or nil for a metric without labels.
    /// - Returns: the sample, 0 if it is not there.
    /// - Throws: ``Complaint`` if there is no reply.
    public func metric(_ name: String, _ label: String? = nil) throws -> Double {
        let page = String(decoding: try get("/metrics").body, as: UTF8.self)
        let line = page.split(separator: "\n").first { line in
            guard let label else { return line.hasPrefix("\(name) ") }
            return line.hasPrefix("\(name){") && line.contains("\"\(label)\"")
        }
        return line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
    }
}
