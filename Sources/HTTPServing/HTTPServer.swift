internal import Glibc
public import KonzaSystem
internal import Synchronization

/// Serves a router on a Unix socket or a TCP port, there with TLS if it is to (HTTP/1.1, RFC 9112). One thread serves all
/// connections: immediate handlers run on it, asynchronous ones as tasks, and no client is ever waited for.
public final class HTTPServer: Sendable {
    private struct Running: ~Copyable {
        // In this order: the daemon ends before its listening socket is closed.
        var daemon: MicroHTTPD?
        var socket: ListeningSocket?
    }

    private let core: ServerCore
    private let watchStackBytes: Int
    private let running = Mutex<Running>(Running(daemon: nil, socket: nil))

    /// - Parameters:
    ///   - router: who answers what.
    ///   - limits: what clients may take.
    ///   - memory: where the memory of bodies and answers is reserved.
    ///   - uploads: where large bodies go, of the routes that have them spooled; nil for memory.
    ///   - origins: whose pages and host names are ours.
    ///   - access: who may use the routes that write.
    ///   - authentication: tells who a client is, where the channel alone does not; nil for what `access` says.
    ///   - answerFields: what every answer has in its head that does not say otherwise itself.
    ///   - onInternalError: called for handler errors that are not a `Problem`. It must return at once.
    ///   - onTransportError: called for what goes wrong beneath HTTP on a port with TLS, such as a handshake that
    ///     fails, a few times a minute at the most. It must return at once.
    /// - Throws: `SystemError` if there are no descriptors left.
    public init(
        router: Router, limits: ServerLimits = ServerLimits(), memory: MemoryBudget = MemoryBudget(),
        uploads: (any UploadStore)? = nil, origins: OriginPolicy = OriginPolicy(),
        access: AccessPolicy = AccessPolicy(), authentication: (any Authentication)? = nil,
        answerFields: HeaderFields = [:],
        onInternalError: @escaping @Sendable (String) -> Void = { _ in },
        onTransportError: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(SystemError) {
        watchStackBytes = 512 * 1024
        core = try ServerCore(
            router: router, limits: limits, memory: memory, uploads: uploads, origins: origins, access: access,
            authentication: authentication, answerFields: answerFields, onInternalError: onInternalError,
            onTransportError: onTransportError)
    }

    /// A server that is given the identity of its clients.
    ///
    /// - Parameters:
    ///   - router: who answers what.
    ///   - limits: what clients may take.
    ///   - memory: where the memory of bodies and answers is reserved.
    ///   - uploads: where large bodies go.
    ///   - access: who may use the routes that write.
    ///   - watchStackBytes: of the thread that keeps the time limits.
    ///   - peerOf: who is at the other end of a connected socket.
    /// - Throws: `SystemError` if there are no descriptors left.
    init(
        router: Router, limits: ServerLimits, memory: MemoryBudget, uploads: (any UploadStore)?, access: AccessPolicy,
        watchStackBytes: Int = 512 * 1024, peerOf: @escaping @Sendable (Int32) -> PeerCredentials?
    ) throws(SystemError) {
        self.watchStackBytes = watchStackBytes
        core = try ServerCore(
            router: router, limits: limits, memory: memory, uploads: uploads, origins: OriginPolicy(), access: access,
            onInternalError: { _ in }, onTransportError: { _ in }, peerOf: peerOf)
    }

    deinit { stopNow(graceSeconds: 0) }

    /// What the server has done so far.
    public var statistics: ServerStatistics { core.snapshot }

    /// Makes the socket and serves it. A stale socket at the path is replaced.
    ///
    /// - Parameters:
    ///   - path: of the socket, at most 107 bytes.
    ///   - mode: the permissions; whoever may write to the socket reaches the API.
    ///   - group: the group to give the socket to, by number.
    /// - Throws: ``ListenError`` if another server answers there or the socket cannot be made.
    public func listen(onUnixSocket path: String, mode: UInt32 = 0o666, group: UInt32? = nil) throws {
        try start(ListeningSocket(path: path, mode: mode, group: group))
    }

    /// Serves a TCP port. Its clients are nobody to the system: the ``AccessPolicy`` calls them visitors, whoever they are,
    /// and each address has its share.
    ///
    /// - Parameters:
    ///   - address: of the machine's own, in numbers, such as `127.0.0.1` or `::1`.
    ///   - port: 0 for any that is free.
    ///   - identity: the certificate to serve, with TLS 1.2 and 1.3; nil for plain HTTP.
    ///   - asksForCertificate: whether clients are asked for theirs (``Request/certificate``); none need have one.
    /// - Returns: the port.
    /// - Throws: ``ListenError`` if it cannot be had.
    @discardableResult
    public func listen(
        onAddress address: String, port: UInt16, tls identity: TLSIdentity? = nil, asksForCertificate: Bool = false
    ) throws -> UInt16 {
        let socket = try ListeningSocket(address: address, port: port)
        let number = socket.port ?? port
        try start(socket, identity, asksForCertificate: asksForCertificate)
        return number
    }

    /// Serves another certificate from the next connection on; those that are open go on. Does nothing without TLS.
    public func replaceIdentity(_ identity: TLSIdentity) {
        core.tls.withLock { $0 }?.replace(identity, at: core.clock.monotonic())
    }

    /// Serves a socket that already listens, as a service manager passes it. It is closed at the end and not
    /// shut down, so that the manager goes on listening.
    ///
    /// - Parameters:
    ///   - descriptor: of the socket.
    ///   - identity: the certificate to serve on a TCP socket; nil for plain HTTP.
    /// - Throws: ``ListenError`` if it does not listen.
    public func listen(onDescriptor descriptor: Int32, tls identity: TLSIdentity? = nil) throws {
        try start(ListeningSocket(adopting: descriptor), identity)
    }

    private func start(
        _ socket: ListeningSocket, _ identity: TLSIdentity? = nil, asksForCertificate: Bool = false
    ) throws {
        raiseDescriptorLimit()
        let core = self.core
        try running.withLock { running in
            guard running.daemon == nil else {
                throw ListenError(description: "cannot listen: the server already does")
            }
            if let identity {
                let listener = try TLSListener(
                    identity, asksForCertificate: asksForCertificate, at: core.clock.monotonic())
                core.tls.withLock { $0 = listener }
            }
            running.daemon = try MicroHTTPD(core: core, listening: socket.number)
            do throws(SystemError) {
                try startThread(named: "konza-watch", stackBytes: watchStackBytes) { core.runWatch() }
            } catch {
                running.daemon = nil
                // Without it no time limit would be kept, and no hang-up noticed.
                throw ListenError(
                    description:
                        "cannot listen: the thread that keeps the time limits does not start: \(error); raise TasksMax="
                )
            }
            running.socket = socket
        }
    }

    /// Every connection needs a descriptor, one that is sent a file needs two, and the usual soft limit is 1024.
    private func raiseDescriptorLimit() {
        var limit = rlimit()
        let wanted = rlim_t(core.limits.descriptors)
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < wanted else {
            return
        }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Takes no more connections, lets the requests under way finish, then closes everything. Streams end at once.
    ///
    /// - Parameter graceSeconds: how long requests may take; then their handlers are cancelled and answered for.
    public func stop(graceSeconds: Double = 1.5) async {
        await onBlockingThread { stopNow(graceSeconds: graceSeconds) }
    }

    private func stopNow(graceSeconds: Double) {
        let isRunning = running.withLock { running in
            running.daemon?.quiesce()
            return running.daemon != nil
        }
        guard isRunning else { return }
        core.beginStop()
        core.drain(seconds: graceSeconds)
        core.drainStreams(seconds: min(graceSeconds, 0.25))
        core.abandonAll()
        core.drain(seconds: 0.2)
        running.withLock { running in
            running.daemon = nil
            running.socket = nil
        }
        core.endWatch()
    }
}
