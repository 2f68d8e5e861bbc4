internal import Glibc
internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// A TCP connection that never blocks.
struct TCPConnection: ~Copyable {
    private let socket: FileDescriptor

    var descriptor: Int32 { socket.number }

    enum ReadResult: Equatable {
        case bytes(Int)
        case nothingNow
        case ended
        case failed(Int32)
    }

    /// Begins to connect; the socket becomes writable when it is decided.
    init(to address: SocketAddress) throws(SystemError) {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let number = Glibc.socket(address.family, type, 0)
        guard number >= 0 else { throw SystemError("create a socket") }
        let socket = FileDescriptor(owning: number)
        Self.keepAlive(number)
        Self.limitBacklog(number)
        let code = unsafe address.withPointer { pointer, length in unsafe connect(number, pointer, length) }
        guard code == 0 || errno == EINPROGRESS || errno == EINTR else { throw SystemError("connect") }
        self.socket = socket
    }

    /// A dead peer is noticed by the kernel after half a minute, also where nothing is being sent.
    private static func keepAlive(_ number: Int32) {
        let options: [(Int32, Int32, Int32)] = [
            (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 15),
            (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 5), (Int32(IPPROTO_TCP), TCP_KEEPCNT, 3),
            (Int32(IPPROTO_TCP), TCP_NODELAY, 1),
        ]
        for (level, name, value) in options {
            var value = value
            // Without keep-alive the watchdog still finds a dead peer.
            _ = unsafe setsockopt(number, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    /// What waits in the kernel grows old: it is kept to a second's worth of what is read from a flood.
    private static func limitBacklog(_ number: Int32) {
        var size: Int32 = 128 * 1024
        _ = unsafe setsockopt(number, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The outcome of connecting, 0 or an `errno`.
    func connectError() -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
        return code
    }

    func read(into buffer: inout [UInt8]) -> ReadResult {
        let descriptor = self.descriptor
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count > 0 { return .bytes(count) }
        if count == 0 { return .ended }
        let code = errno
        return code == EAGAIN || code == EINTR ? .nothingNow : .failed(code)
    }

    /// Sends a short request whole.
    ///
    /// - Returns: false if the connection does not take it.
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let descriptor = self.descriptor
        let count = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        return count == bytes.count
    }
}

/// An address to connect to, as the resolver gives it.
struct SocketAddress: Sendable, Equatable {
    let family: Int32
    private let bytes: [UInt8]

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result? {
        unsafe bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return nil }
            return unsafe body(base.assumingMemoryBound(to: sockaddr.self), socklen_t(buffer.count))
        }
    }

    /// Looks a host up, which may block for as long as the network's name servers take.
    static func resolve(_ endpoint: GPSDEndpoint, numericOnly: Bool) -> Result<[SocketAddress], ResolveError> {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV | (numericOnly ? AI_NUMERICHOST : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(endpoint.host, String(endpoint.port), &hints, &list)
        guard code == 0 else { return .failure(ResolveError(cause: unsafe String(cString: gai_strerror(code)))) }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next, addresses.count < 8 {
            if let address = unsafe entry.pointee.ai_addr {
                let length = Int(unsafe entry.pointee.ai_addrlen)
                let bytes = unsafe Array(UnsafeRawBufferPointer(start: address, count: length))
                addresses.append(SocketAddress(family: unsafe entry.pointee.ai_family, bytes: bytes))
            }
            unsafe next = entry.pointee.ai_next
        }
        return .success(addresses)
    }
}

struct ResolveError: Error, Equatable {
    let cause: String
}

/// Looks a host up on a thread that may wait, so that a dead name server holds nobody up.
final class HostLookup: Sendable {
    private let result = Mutex<Result<[SocketAddress], ResolveError>?>(nil)
    private let done: Wakeup

    /// Starts looking; `done` is signalled when there is an answer.
    init(_ endpoint: GPSDEndpoint, done: Wakeup) {
        self.done = done
        Task.detached(executorPreference: BlockingThreads.shared) { [self] in
            let found = SocketAddress.resolve(endpoint, numericOnly: false)
            result.withLock { $0 = found }
            done.signal()
        }
    }

    var answer: Result<[SocketAddress], ResolveError>? { result.withLock { $0 } }
}
