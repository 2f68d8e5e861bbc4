internal import Glibc
internal import KonzaSystem

/// One keep-alive connection over a Unix socket, as bare as it can be: the bench is to measure the server. Used by one
/// thread at a time.
final class UnixHTTPConnection {
    struct Reply {
        let status: Int
        /// Bytes of the body.
        let length: Int
    }

    private static let patienceSeconds = 15
    private let descriptor: FileDescriptor
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var bodyStart = 0
    private var bodyEnd = 0

    /// Connects to a socket; the path has at most 107 bytes.
    init(_ path: String) throws {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw SystemError("create a socket") }
        descriptor = FileDescriptor(owning: number)
        var patience = timeval(tv_sec: Self.patienceSeconds, tv_usec: 0)
        unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw BenchError("cannot connect to \(path): the path is too long")
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw SystemError("connect to \(path)") }
    }

    /// The bytes of a request, to be sent any number of times.
    static func request(_ method: String, _ target: String, body: String? = nil) -> [UInt8] {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
        if let body { head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
        return Array((head + "\r\n" + (body ?? "")).utf8)
    }

    /// Sends a request and reads the whole reply.
    ///
    /// - Throws: if the reply does not come in time, has no length, or is followed by bytes nobody asked for.
    func exchange(_ request: [UInt8]) throws -> Reply {
        try writeAll(request, to: descriptor.number)
        var filled = 0
        var head: HTTPHead?
        while head == nil {
            filled += try read(at: filled)
            head = try HTTPHead(buffer, filled: filled)
        }
        // An answer without content tells no length (RFC 9110 section 8.6).
        guard let head, let length = head.status == 204 ? 0 : head.contentLength else {
            throw BenchError("cannot read a reply: it tells no Content-Length")
        }
        let end = head.byteCount + length
        while filled < end { filled += try read(at: filled) }
        guard filled == end else { throw BenchError("cannot read a reply: more came than its Content-Length says") }
        (bodyStart, bodyEnd) = (head.byteCount, end)
        return Reply(status: head.status, length: length)
    }

    /// The body of the last reply.
    var body: ArraySlice<UInt8> { buffer[bodyStart..<bodyEnd] }

    /// Sends a request and reads what comes as long as the body wants more.
    func stream(_ request: [UInt8], _ body: (ArraySlice<UInt8>) -> Bool) throws {
        try writeAll(request, to: descriptor.number)
        repeat {} while try body(buffer[..<read(at: 0)])
    }

    private func read(at offset: Int) throws -> Int {
        if offset == buffer.count { buffer += [UInt8](repeating: 0, count: buffer.count) }
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe recv(descriptor.number, bytes.baseAddress?.advanced(by: offset), bytes.count - offset, 0)
            }
            if count > 0 { return count }
            if count < 0, errno == EINTR { continue }
            throw count == 0
                ? BenchError("cannot read a reply: the server has closed the connection")
                : BenchError("cannot read a reply: \(SystemError("read from the socket"))")
        }
    }
}
