internal import Glibc
internal import KonzaSystem
internal import Synchronization

/// Lines written to one descriptor and read from another (or the same one). Used by one thread at a time.
final class LineChannel: Sendable {
    private let reading: Int32
    private let writing: Int32
    /// What was read beyond the last line.
    private let pending = Mutex<[UInt8]>([])

    /// Takes over both descriptors, which may be one.
    init(reading: Int32, writing: Int32) {
        self.reading = reading
        self.writing = writing
    }

    deinit {
        close(reading)
        if writing != reading { close(writing) }
    }

    /// Connects to a port of this machine.
    convenience init(port: UInt16) throws(SystemError) {
        let number = try Loopback.connect(port: port)
        self.init(reading: number, writing: number)
    }

    func write(_ text: String) throws(SystemError) {
        try writeAll(Array(text.utf8), to: writing)
    }

    /// Reads up to the next line feed, which is left out.
    ///
    /// - Throws: after the time, and when the other end has closed.
    func readLine(seconds: Double) throws -> String {
        let deadline = steadySeconds() + seconds
        return try pending.withLock { pending in
            var sought = 0
            while true {
                if let end = pending[sought...].firstIndex(of: 10) {
                    let line = String(decoding: pending[..<end], as: UTF8.self)
                    pending.removeSubrange(...end)
                    return line
                }
                sought = pending.count
                let left = deadline - steadySeconds()
                guard left > 0 else { throw BenchError("cannot read a line: nothing came in \(seconds) s") }
                let events = try waitForEvents(
                    on: [(reading, .readable)], milliseconds: Int32(min(left * 1000 + 1, 60_000)))
                guard events.first?.isEmpty == false else { continue }
                var chunk = [UInt8](repeating: 0, count: 16_384)
                let count = unsafe read(reading, &chunk, chunk.count)
                guard count > 0 else { throw BenchError("cannot read a line: the other end has closed") }
                pending += chunk[..<count]
            }
        }
    }
}

/// TCP within this machine.
enum Loopback {
    /// A port that is free now.
    static func freePort() throws(SystemError) -> UInt16 { try Listener().port }

    static func connect(port: UInt16) throws(SystemError) -> Int32 {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw SystemError("create a socket") }
        let result = unsafe withAddress(port: port) { unsafe Glibc.connect(number, $0, $1) }
        guard result == 0 else {
            let error = SystemError("connect to port \(port)")
            close(number)
            throw error
        }
        var yes: Int32 = 1
        unsafe setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        return number
    }

    /// A socket that listens on a free port.
    struct Listener: ~Copyable {
        let descriptor: FileDescriptor
        let port: UInt16

        init() throws(SystemError) {
            let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard number >= 0 else { throw SystemError("create a socket") }
            let owner = FileDescriptor(owning: number)
            guard unsafe withAddress(port: 0, { unsafe bind(number, $0, $1) }) == 0, listen(number, 4) == 0 else {
                throw SystemError("listen on a free port")
            }
            var bound = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let named = unsafe withUnsafeMutablePointer(to: &bound) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe getsockname(number, $0, &length)
                }
            }
            guard named == 0 else { throw SystemError("read the number of a port") }
            port = UInt16(bigEndian: bound.sin_port)
            descriptor = owner
        }

        /// Waits for a client.
        func accept(seconds: Double) throws -> Int32 {
            let events = try waitForEvents(
                on: [(descriptor.number, .readable)], milliseconds: Int32(min(seconds, 600) * 1000))
            guard events.first?.isEmpty == false else { throw BenchError("cannot accept a client: none came") }
            let number = Glibc.accept(descriptor.number, nil, nil)
            guard number >= 0 else { throw SystemError("accept a client") }
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
            return number
        }
    }

    private static func withAddress<Result>(
        port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
