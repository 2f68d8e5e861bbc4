internal import Foundation
internal import KonzaTesting

/// What clients do that mean ill, or cannot do better. Each call is one attempt on connections of its own.
struct HostileClients: Sendable {
    let socket: String

    /// The answer to bytes that may never be a request; sending ends as soon as konzad does not take any more.
    ///
    /// - Parameters:
    ///   - parts: what is sent, one part after another.
    ///   - isHalfClosed: whether the sending half is closed then.
    /// - Returns: everything that came until konzad ended the connection, or was silent for 3 s.
    /// - Throws: ``Complaint`` if it takes no connection.
    private func answer(to parts: [[UInt8]], isHalfClosed: Bool = false) throws -> [UInt8] {
        let connection = try UnixConnection(path: socket, seconds: 3)
        for part in parts {
            do { try connection.send(part) } catch { break }
        }
        if isHalfClosed { connection.endSending() }
        var all: [UInt8] = []
        while let bytes = try? connection.read(), !bytes.isEmpty { all += bytes }
        return all
    }

    private static func status(_ bytes: [UInt8]) -> Int {
        let line = String(decoding: bytes.prefix(12), as: UTF8.self)
        return line.hasPrefix("HTTP/1.1 ") ? Int(line.dropFirst(9)) ?? 0 : 0
    }

    /// A head of a megabyte, in one field or in many.
    ///
    /// - Parameter isOneField: which.
    /// - Returns: the status of the answer, 0 without one.
    /// - Throws: ``Complaint`` if konzad takes no connection.
    func headerBomb(isOneField: Bool) throws -> Int {
        let line = isOneField ? "X-Bomb: \(String(repeating: "b", count: 1 << 20))\r\n" : "X-Bomb: b\r\n"
        let bytes = Array(String(repeating: line, count: isOneField ? 1 : 100_000).utf8)
        return Self.status(
            try answer(to: [Array("GET /v1/position HTTP/1.1\r\nHost: localhost\r\n".utf8), bytes, Array("\r\n".utf8)]))
    }

    /// A target of 100 000 bytes.
    ///
    /// - Returns: the status of the answer, 0 without one.
    /// - Throws: ``Complaint`` if konzad takes no connection.
    func targetBomb() throws -> Int {
        let target = "/v1/" + String(repeating: "a", count: 100_000)
        return Self.status(try answer(to: [Array("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)]))
    }

    /// A body of 64 MB.
    ///
    /// - Parameter isChunked: whether its length is not told ahead.
    /// - Returns: the status of the answer, 0 without one.
    /// - Throws: ``Complaint`` if konzad takes no connection.
    func largeBody(isChunked: Bool) throws -> Int {
        let megabytes = 64
        let length = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(megabytes << 20)"
        let head =
            "POST /v1/postcards HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\(length)\r\n\r\n"
        var part = [UInt8](repeating: 0x20, count: 1 << 20)
        if isChunked { part = Array("100000\r\n".utf8) + part + Array("\r\n".utf8) }
        return Self.status(try answer(to: [Array(head.utf8)] + Array(repeating: part, count: megabytes)))
    }

    /// Requests in one go, the last of which asks for the connection's end.
    ///
    /// - Parameter count: how many.
    /// - Returns: how many answers came.
    /// - Throws: ``Complaint`` if konzad takes no connection.
    func pipelined(_ count: Int) throws -> Int {
        let one = "GET /v1/position HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let last = "GET /v1/position HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        let connection = try UnixConnection(path: socket, seconds: 20)
        // Who pipelines more than the buffers take must read meanwhile.
        let sent = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            try? connection.send(Array((String(repeating: one, count: count - 1) + last).utf8))
            sent.signal()
        }
        defer { sent.wait() }
        let bytes = try connection.readToEnd()
        return String(decoding: bytes, as: UTF8.self).components(separatedBy: "HTTP/1.1 200 ").count - 1
    }

    /// A request whose sender says at once that it sends no more; it still reads.
    ///
    /// - Returns: the status of the answer, 0 without one.
    /// - Throws: ``Complaint`` if konzad takes no connection.
    func halfClosed() throws -> Int {
        Self.status(
            try answer(to: [Array("GET /v1/position HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)], isHalfClosed: true))
    }

    /// A piece of a request whose sender says that it sends no more.
    ///
    /// - Returns: the status of the answer, 0 without one.
    /// - Throws: ``Complaint`` if konzad takes no connection.
    func halfClosedHalfRequest() throws -> Int {
        Self.status(try answer(to: [Array("GET /v1/position HTTP/1.1\r\nHost: loc".utf8)], isHalfClosed: true))
    }

    /// A request that a browser's page of elsewhere would cause.
    ///
    /// - Parameters:
    ///   - host: its `Host`.
    ///   - origin: its `Origin`, if it has one.
    /// - Returns: the status of the answer, 0 without one.
    /// - Throws: ``Complaint`` if konzad takes no connection.
    func foreign(host: String = "localhost", origin: String? = nil) throws -> Int {
        let line = origin.map { "Origin: \($0)\r\n" } ?? ""
        return Self.status(
            try answer(
                to: [Array("GET /v1/position HTTP/1.1\r\nHost: \(host)\r\n\(line)Connection: close\r\n\r\n".utf8)]))
    }

    /// A request of the user nobody, for which this process must be root.
    ///
    /// - Parameters:
    ///   - method: `GET`, `POST`...
    ///   - target: path and query.
    /// - Returns: the status of the answer.
    /// - Throws: ``Complaint`` if curl has none.
    func stranger(_ method: String, _ target: String) throws -> Int {
        let text = try Program(
            "setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "curl", "-sS", "-o", "/dev/null", "-w",
            "%{http_code}", "-X", method, "-H", "Content-Type: application/json", "-d", method == "GET" ? "" : "{}",
            "--unix-socket", socket, "http://localhost\(target)"
        ).succeed().text
        return Int(text) ?? 0
    }
}
