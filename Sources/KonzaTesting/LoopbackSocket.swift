internal import Glibc
internal import KonzaSystem

/// TCP sockets on 127.0.0.1.
enum LoopbackSocket {
    /// Listens on a port, or on any free one.
    static func listen(port: UInt16 = 0) throws(SetUpError) -> FileDescriptor {
        let descriptor = try bound(port: port)
        guard Glibc.listen(descriptor.number, 16) == 0 else { throw SetUpError("listen on a loopback port") }
        return descriptor
    }

    /// Has a port, or any free one, and does not listen on it.
    static func bound(port: UInt16 = 0) throws(SetUpError) -> FileDescriptor {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let number = socket(AF_INET, type, 0)
        guard number >= 0 else { throw SetUpError("create a socket") }
        let descriptor = FileDescriptor(owning: number)
        var one: Int32 = 1
        unsafe setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        guard unsafe withAddress(port, { unsafe bind(number, $0, $1) }) == 0 else {
            throw SetUpError("have a loopback port")
        }
        return descriptor
    }

    static func port(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// A port that nobody listens on at this moment. It is none of those that the kernel hands out (ip(7),
    /// `ip_local_port_range`): a connection that somebody opens until it is listened on cannot have it.
    static func freePort() throws(SetUpError) -> UInt16 {
        let socket = try listenOutsideTheRange()
        return port(of: socket.number)
    }

    /// Four ports that nobody listens on at this moment. All are taken at one time, so that no two are the same.
    static func fourFreePorts() throws(SetUpError) -> [UInt16] {
        let first = try listenOutsideTheRange()
        let second = try listenOutsideTheRange()
        let third = try listenOutsideTheRange()
        let fourth = try listenOutsideTheRange()
        return [first.number, second.number, third.number, fourth.number].map { port(of: $0) }
    }

    private static func listenOutsideTheRange() throws(SetUpError) -> FileDescriptor {
        for _ in 0..<100 {
            if let socket = try? listen(port: .random(in: 10_000..<32_000)) { return socket }
        }
        return try listen()
    }

    /// Connects to a port; the descriptor is the caller's.
    static func connect(port: UInt16) throws(SetUpError) -> Int32 {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw SetUpError("create a socket") }
        guard unsafe withAddress(port, { unsafe Glibc.connect(number, $0, $1) }) == 0 else {
            close(number)
            throw SetUpError("connect to port \(port)")
        }
        return number
    }

    /// Whether somebody accepts connections on a port.
    static func accepts(port: UInt16) -> Bool {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return false }
        let descriptor = FileDescriptor(owning: number)
        return unsafe withAddress(port, { unsafe Glibc.connect(descriptor.number, $0, $1) }) == 0
    }

    private static func withAddress(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
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

/// A port of 127.0.0.1 that nobody listens on at this moment.
public func freeLoopbackPort() throws -> UInt16 { try LoopbackSocket.freePort() }

/// A port of 127.0.0.1 that nobody can listen on as long as this is kept: connections are refused.
public final class RefusingPort: Sendable {
    private let socket: FileDescriptor

    public init() throws { socket = try LoopbackSocket.bound() }

    public var port: UInt16 { LoopbackSocket.port(of: socket.number) }
}
