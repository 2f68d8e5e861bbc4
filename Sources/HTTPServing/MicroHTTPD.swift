internal import CMicroHTTPD
internal import Glibc
internal import KonzaSystem
internal import Synchronization

/// Owns a running libmicrohttpd daemon.
@safe struct MicroHTTPD: ~Copyable, @unchecked Sendable {
    // Sendable: libmicrohttpd's own functions on a daemon may be called from any thread.
    private let daemon: OpaquePointer
    private let core: Unmanaged<ServerCore>
    /// What libmicrohttpd reads of TLS, with the text in it; nil without TLS.
    private let https: UnsafeMutablePointer<konza_https>?

    /// Serves a listening socket, which stays the caller's and must outlive this.
    init(core: ServerCore, listening: Int32) throws(SystemError) {
        let context = unsafe Unmanaged.passRetained(core)
        let limits = core.limits
        let https = unsafe core.tls.withLock { $0 } == nil ? nil : Self.makeHTTPS(context.toOpaque())
        guard
            let daemon = unsafe konza_http_start(
                listening, context.toOpaque(), handleRequest, takeTarget, leaveEscaped, completeRequest,
                notifyConnection, UInt32(clamping: limits.acceptedConnections),
                UInt32(clamping: Int(limits.idleSeconds) + 5), limits.connectionMemory, https)
        else {
            unsafe context.release()
            unsafe Self.free(https)
            throw SystemError("start the HTTP server")
        }
        unsafe self.daemon = daemon
        unsafe self.core = context
        unsafe self.https = unsafe https
    }

    private static func makeHTTPS(_ context: UnsafeMutableRawPointer) -> UnsafeMutablePointer<konza_https> {
        let https = UnsafeMutablePointer<konza_https>.allocate(capacity: 1)
        unsafe https.initialize(
            to: konza_https(priorities: strdup(TLSListener.priorities), log: takeLogLine, context: context))
        return unsafe https
    }

    private static func free(_ https: UnsafeMutablePointer<konza_https>?) {
        guard let https = unsafe https else { return }
        unsafe Glibc.free(UnsafeMutableRawPointer(mutating: https.pointee.priorities))
        unsafe https.deallocate()
    }

    /// Takes no more connections; those that are open go on.
    func quiesce() {
        _ = unsafe MHD_quiesce_daemon(daemon)
    }

    /// Closes every connection. None may be suspended.
    deinit {
        unsafe MHD_stop_daemon(daemon)
        unsafe Self.free(https)
        unsafe core.release()
    }
}

/// A connection that libmicrohttpd has put to sleep.
@safe struct SuspendedConnection: @unchecked Sendable {
    // Sendable: MHD_resume_connection may be called from any thread, and a suspended connection stays allocated.
    private let connection: OpaquePointer

    /// Puts a connection to sleep; on libmicrohttpd's thread only.
    init(suspending connection: OpaquePointer) {
        unsafe self.connection = connection
        unsafe MHD_suspend_connection(connection)
    }

    /// Wakes it. At most once.
    func resume() { unsafe MHD_resume_connection(connection) }
}

/// What the callbacks find in libmicrohttpd's pointers.
private func core(_ context: UnsafeMutableRawPointer?) -> ServerCore? {
    unsafe context.map { unsafe Unmanaged<ServerCore>.fromOpaque($0).takeUnretainedValue() }
}

private func connection(of pointer: OpaquePointer?) -> Connection? {
    unsafe konza_http_socket_context(pointer).map {
        unsafe Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue()
    }
}

private func exchange(_ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> Exchange? {
    unsafe context?.pointee.map { unsafe Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
}

private func takeLogLine(_ context: UnsafeMutableRawPointer?, _ line: UnsafePointer<CChar>?) {
    guard let core = unsafe core(context), let line = unsafe line else { return }
    core.noteTransportError("libmicrohttpd: \(unsafe String(cString: line))")
}

/// The request line is there. The target is kept as it was sent: it is decoded once, by ``RequestTarget``.
private func takeTarget(
    _ context: UnsafeMutableRawPointer?, _ uri: UnsafePointer<CChar>?, _ pointer: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let core = unsafe core(context), let uri = unsafe uri else { return nil }
    let connection = unsafe connection(of: pointer)
    connection?.enter(.head, until: core.deadline(core.limits.headSeconds))
    connection?.noteRequest()
    let count = unsafe strlen(uri)
    let target = unsafe uri.withMemoryRebound(to: UInt8.self, capacity: count) { bytes in
        unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    }
    core.began()
    return unsafe Unmanaged.passRetained(Exchange(target: target)).toOpaque()
}

/// libmicrohttpd is not to decode anything.
private func leaveEscaped(
    _ context: UnsafeMutableRawPointer?, _ pointer: OpaquePointer?, _ text: UnsafeMutablePointer<CChar>?
) -> Int {
    unsafe text.map { unsafe Int(strlen($0)) } ?? 0
}

private func notifyConnection(
    _ context: UnsafeMutableRawPointer?, _ pointer: OpaquePointer?,
    _ socketContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ event: MHD_ConnectionNotificationCode
) {
    guard let core = unsafe core(context), let socketContext = unsafe socketContext else { return }
    switch event {
    case .CONNECTION_NOTIFY_STARTED:
        let connection = unsafe core.open(socket: konza_http_socket(pointer))
        if let tls = connection.tls, let session = unsafe konza_http_tls_session(pointer) {
            let failure = unsafe tls.credentials.prepare(
                OpaquePointer(session), ticketKey: tls.ticketKey, asking: tls.asksForCertificate, for: connection)
            if let failure {
                core.noteTransportError("cannot begin with TLS: \(failure)")
                core.table.cut(connection.id)
            }
        }
        unsafe socketContext.pointee = unsafe Unmanaged.passRetained(connection).toOpaque()
    default:
        guard let kept = unsafe socketContext.pointee else { return }
        core.close(unsafe Unmanaged<Connection>.fromOpaque(kept).takeRetainedValue())
        unsafe socketContext.pointee = nil
    }
}

private func completeRequest(
    _ context: UnsafeMutableRawPointer?, _ pointer: OpaquePointer?,
    _ requestContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
    guard let core = unsafe core(context), let kept = unsafe requestContext?.pointee else { return }
    unsafe requestContext?.pointee = nil
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(kept).takeRetainedValue()
    exchange.hangUp()
    // A thread that has just written a piece wakes the connection under the spool's lock, and is done with it after this:
    // libmicrohttpd frees the connection now, and soon the daemon perhaps.
    exchange.waitingSpool.withLock { $0 }?.giveUp()
    core.giveBackMemory(of: exchange)
    // libmicrohttpd refuses such a head itself (431, 400), with a page of its own, as it does a chunk whose size it cannot
    // read (400, or 500 for one that fills its buffer): it asks nobody before, and has no hook for the answer.
    if exchange.state.stage == .target { core.count { $0.unreadHeads += 1 } }
    if let connection = unsafe connection(of: pointer) {
        core.unfollow(connection: connection)
        connection.enter(.idle, until: core.deadline(core.limits.idleSeconds))
    }
    if exchange.state.stream == nil { core.ended() }
}

/// libmicrohttpd calls this when the head is there, for each part of the body, at the end of it, and again when a
/// suspended connection was resumed.
private func handleRequest(
    _ context: UnsafeMutableRawPointer?, _ pointer: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ data: UnsafePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?, _ requestContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let core = unsafe core(context), let pointer = unsafe pointer, let size = unsafe size,
        let connection = unsafe connection(of: pointer), let exchange = unsafe exchange(requestContext)
    else { return .NO }
    let step = unsafe RequestStep(core: core, pointer: pointer, connection: connection, exchange: exchange)
    switch exchange.state.stage {
    case .target:
        unsafe readHead(of: pointer, method: method, version: version, into: exchange)
        return step.takeHead()
    case .body:
        if unsafe size.pointee > 0 {
            let part = unsafe UnsafeRawBufferPointer(start: data, count: size.pointee)
            unsafe size.pointee = 0
            return unsafe step.takeBody(part)
        }
        return step.answer()
    case .handling:
        guard let response = exchange.takeResponse() else { return .YES }
        return step.send(response)
    case .answered:
        return .YES
    }
}

private func readHead(
    of pointer: OpaquePointer, method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, into exchange: Exchange
) {
    exchange.state.method = unsafe method.flatMap { unsafe HTTPMethod(rawValue: String(cString: $0)) }
    exchange.state.isVersion10 = unsafe version.map { unsafe String(cString: $0) } != "HTTP/1.1"
    unsafe withUnsafeMutablePointer(to: &exchange.state.headers) { headers in
        _ = unsafe MHD_get_connection_values_n(pointer, .HEADER_KIND, takeHeader, headers)
    }
    exchange.state.headBytes = unsafe konza_http_head_size(pointer)
    exchange.state.headFault = unsafe fault(method, version, exchange.state)
}

/// The head lies in one piece, from the method's first byte on.
private func fault(
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ state: Exchange.State
) -> RawHead.Fault? {
    guard let method = unsafe method, let version = unsafe version else { return .lineEnd }
    let start = unsafe version - method + strlen(version)
    guard start >= 0, start <= state.headBytes else { return .lineEnd }
    let lines = unsafe UnsafeRawBufferPointer(start: method + start, count: state.headBytes - start)
    let bytes = unsafe lines.bindMemory(to: UInt8.self)
    do throws(RawHead.Fault) {
        try RawHead.check(unsafe bytes.span, fields: state.headers.fields.count)
        return nil
    } catch {
        return error
    }
}

private func takeHeader(
    _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?, _ nameSize: Int,
    _ value: UnsafePointer<CChar>?, _ valueSize: Int
) -> MHD_Result {
    guard let headers = unsafe context?.assumingMemoryBound(to: HeaderFields.self) else { return .NO }
    let name = unsafe String(decoding: UnsafeRawBufferPointer(start: name, count: nameSize), as: UTF8.self)
    let value = unsafe String(decoding: UnsafeRawBufferPointer(start: value, count: valueSize), as: UTF8.self)
    unsafe headers.pointee.append(name, value)
    return .YES
}
