internal import Foundation

/// A connection to a Unix socket, as raw as a scenario wants it.
public final class UnixConnection: Sendable {
    /// Nothing came, or nothing was taken, within the time that was given; the connection is as it was.
    struct Silence: Error, CustomStringConvertible {
        let description: String
    }

    private let descriptor: Int32

    /// Connects.
    ///
    /// - Parameters:
    ///   - path: the socket's.
    ///   - seconds: the longest wait of a single read or write.
    /// - Throws: ``Complaint`` if nobody listens.
    public init(path: String, seconds: Double = 60) throws {
        descriptor = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Complaint("cannot make a socket: error \(errno)") }
        var wait = timeval(tv_sec: Int(seconds), tv_usec: Int((seconds - seconds.rounded(.down)) * 1e6))
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(descriptor, SOL_SOCKET, option, &wait, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8.prefix(107)) }
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // What is thrown here runs the deinit, which closes the socket.
        guard status == 0 else { throw Complaint("cannot connect to \(path): error \(errno)") }
    }

    deinit { close(descriptor) }

    /// Sends all of the bytes.
    ///
    /// - Parameter bytes: what is sent.
    /// - Throws: ``Complaint`` if the peer takes them not.
    public func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Complaint("cannot send a request: error \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Whether the peer has ended the connection and all that it sent was read.
    var hasEnded: Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }

    /// Ends the sending half of the connection.
    public func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads what is there.
    ///
    /// - Parameter limit: the most bytes.
    /// - Returns: the bytes; none if the peer has ended the connection.
    /// - Throws: ``Complaint`` if nothing comes in time.
    public func read(upTo limit: Int = 65_536) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count < 0, errno == EAGAIN { throw Silence(description: "cannot read the reply: nothing came in time") }
        guard count >= 0 else { throw Complaint("cannot read the reply: error \(errno)") }
        return Array(bytes.prefix(count))
    }

    /// Reads until the peer ends the connection.
    ///
    /// - Returns: all of it.
    /// - Throws: ``Complaint`` if nothing comes in time.
    public func readToEnd() throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let bytes = try read()
            if bytes.isEmpty { return all }
            all += bytes
        }
    }
}

/// Reads one HTTP/1.1 reply out of all that a connection gave.
enum HTTPReplyParser {
    static func parse(_ bytes: [UInt8], hasBody: Bool) throws -> LabReply {
        var rest = bytes[...]
        while true {
            guard let end = firstRange(of: Array("\r\n\r\n".utf8), in: rest) else {
                throw Complaint("cannot read a reply of \(bytes.count) bytes: its head does not end")
            }
            let lines = String(decoding: rest[..<end], as: UTF8.self).components(separatedBy: "\r\n")
            rest = rest[(end + 4)...]
            let status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
            // An interim reply is followed by the real one.
            if (100..<200).contains(status) { continue }
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                headers[line[..<colon].lowercased()] = value
            }
            let isChunked = headers["transfer-encoding"]?.lowercased() == "chunked"
            let body = isChunked ? try joined(rest) : Array(rest)
            if hasBody, let length = headers["content-length"].flatMap({ Int($0) }), length != body.count {
                throw Complaint("cannot read a reply: \(body.count) of \(length) bytes came")
            }
            return LabReply(status: status, headers: headers, body: body)
        }
    }

    private static func joined(_ chunks: ArraySlice<UInt8>) throws -> [UInt8] {
        var body: [UInt8] = []
        var rest = chunks
        while let end = firstRange(of: Array("\r\n".utf8), in: rest),
            let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16)
        {
            if size == 0 { return body }
            rest = rest[(end + 2)...]
            guard rest.count >= size + 2 else { break }
            body += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
        }
        throw Complaint("cannot read a reply: its last chunk is missing")
    }

    private static func firstRange(of pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= pattern.count else { return nil }
        return (bytes.startIndex...(bytes.endIndex - pattern.count)).first { bytes[$0...].starts(with: pattern) }
    }
}
