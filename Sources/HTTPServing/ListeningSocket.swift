internal import Glibc
internal import KonzaSystem

/// Why the server cannot listen.
public struct ListenError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String
}

/// A socket that connections come in on. A Unix socket that it made itself it also takes away again.
final class ListeningSocket: Sendable {
    let number: Int32
    /// The path with the device and inode of the socket there, if it is ours to remove.
    private let place: (path: String, device: UInt64, inode: UInt64)?

    /// Takes over a socket that already listens.
    init(adopting number: Int32) throws(ListenError) {
        var kind: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(number, SOL_SOCKET, SO_ACCEPTCONN, &kind, &length) == 0, kind == 1 else {
            throw ListenError(
                description: "cannot listen on descriptor \(number): not a listening socket; check konzad.socket")
        }
        self.number = number
        place = nil
        Self.makeNonBlocking(number)
    }

    /// Makes a socket at a path. What lies there is removed only if it is a socket that nobody answers on.
    ///
    /// - Parameters:
    ///   - path: at most 107 bytes.
    ///   - mode: the permissions; connecting needs the write bit.
    ///   - group: the number of the group to give it to.
    /// - Throws: ``ListenError`` with the remedy.
    init(path: String, mode: UInt32, group: UInt32?) throws(ListenError) {
        guard !path.utf8.contains(0), !path.isEmpty, path.utf8.count < 108 else {
            throw ListenError(
                description: "cannot listen on \(path): a socket's path has 1 to 107 bytes; choose a shorter one")
        }
        let number = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw Self.failure(path, "make a socket") }
        let owned = FileDescriptor(owning: number)
        if !Self.bind(number, to: path) {
            guard errno == EADDRINUSE else {
                throw Self.failure(path, "bind; does its folder exist, and may this user write there?")
            }
            try Self.removeStale(path)
            guard Self.bind(number, to: path) else { throw Self.failure(path, "bind") }
        }
        // Who may not give it away keeps it: the mode decides who connects, the peer's credentials who writes.
        if let group, unsafe chown(path, uid_t.max, group) != 0, errno != EPERM {
            throw Self.failure(path, "give it to group \(group)")
        }
        guard unsafe chmod(path, mode) == 0 else { throw Self.failure(path, "set its mode") }
        guard listen(number, SOMAXCONN) == 0 else { throw Self.failure(path, "listen") }
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0 else { throw Self.failure(path, "examine it") }
        Self.makeNonBlocking(number)
        place = (path, UInt64(facts.st_dev), UInt64(facts.st_ino))
        self.number = owned.release()
    }

    /// Makes a TCP socket (tcp(7), ip(7)).
    ///
    /// - Parameters:
    ///   - address: of the machine's own, as IPv4 in dotted form or IPv6, without a name look-up.
    ///   - port: 0 for any that is free.
    /// - Throws: ``ListenError`` with the remedy.
    init(address: String, port: UInt16) throws(ListenError) {
        let name = "\(address), port \(port)"
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(address, String(port), &hints, &found) == 0, let entry = unsafe found else {
            throw ListenError(
                description: "cannot listen on \(name): not a numeric address; write one such as 127.0.0.1")
        }
        defer { unsafe freeaddrinfo(entry) }
        let number = unsafe Glibc.socket(
            entry.pointee.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw Self.failure(name, "make a socket") }
        let owned = FileDescriptor(owning: number)
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        // A restart does not wait for connections of the one before to be forgotten.
        unsafe setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &yes, size)
        unsafe setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, size)
        guard unsafe Glibc.bind(number, entry.pointee.ai_addr, entry.pointee.ai_addrlen) == 0 else {
            throw Self.failure(name, "bind; is the address this machine's, and does nobody else listen there?")
        }
        guard listen(number, SOMAXCONN) == 0 else { throw Self.failure(name, "listen") }
        Self.makeNonBlocking(number)
        place = nil
        self.number = owned.release()
    }

    /// The port of a TCP socket; nil of any other.
    var port: UInt16? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe getsockname(number, pointer, &length) == 0
            }
        }
        guard isKnown, [sa_family_t(AF_INET), sa_family_t(AF_INET6)].contains(address.ss_family) else { return nil }
        // The port is at the same place in both forms, in network order.
        return unsafe withUnsafeBytes(of: &address) { unsafe UInt16($0[2]) << 8 | UInt16($0[3]) }
    }

    deinit {
        if let place {
            var facts = stat()
            let isOurs =
                unsafe lstat(place.path, &facts) == 0 && UInt64(facts.st_dev) == place.device
                && UInt64(facts.st_ino) == place.inode
            if isOurs { unsafe unlink(place.path) }
        }
        close(number)
    }

    private static func failure(_ path: String, _ what: String) -> ListenError {
        ListenError(description: "cannot listen on \(path): \(what): \(SystemError.text(errno))")
    }

    private static func makeNonBlocking(_ number: Int32) {
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    }

    private static func bind(_ number: Int32, to path: String) -> Bool {
        unsafe withAddress(path) { address, length in unsafe Glibc.bind(number, address, length) == 0 }
    }

    private static func removeStale(_ path: String) throws(ListenError) {
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0 else { return }
        guard facts.st_mode & S_IFMT == S_IFSOCK else {
            throw ListenError(
                description: "cannot listen on \(path): something else lies there; remove it or set another Socket=")
        }
        let probe = FileDescriptor(
            owning: Glibc.socket(
                AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0))
        let isRefused = unsafe withAddress(path) { address, length in
            unsafe connect(probe.number, address, length) != 0 && errno == ECONNREFUSED
        }
        guard isRefused else {
            throw ListenError(
                description: "cannot listen on \(path): another konzad answers there; stop it or set another Socket=")
        }
        unsafe unlink(path)
    }

    /// Lends the path as a socket address (unix(7)). The path is shorter than 108 bytes.
    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
            unsafe place.copyBytes(from: path.utf8.prefix(place.count - 1))
        }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe body(pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
