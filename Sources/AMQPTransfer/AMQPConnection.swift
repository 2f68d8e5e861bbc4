internal import CRabbitMQ
internal import Glibc
public import KonzaSystem

/// One connection to a broker over librabbitmq with one channel, for one thread: it has none of its own, does not reconnect, and
/// takes no more than its owner acknowledges. A call that failed ends it.
@safe public final class AMQPConnection {
    /// The most messages and bytes that one turn takes.
    private static let mostMessages = 500
    private static let mostBytes = 4 << 20

    private let state: amqp_connection_state_t
    private let settings: AMQPSettings
    private let wakeup: Wakeup

    /// Connects and logs in. Waits for the name's address and for the broker.
    ///
    /// - Parameters:
    ///   - settings: the broker and the client.
    ///   - wakeup: ends a wait from another thread.
    /// - Throws: ``AMQPError`` if the broker cannot be reached, or does not let this client in.
    public init(_ settings: AMQPSettings, wakeup: Wakeup) throws(AMQPError) {
        guard let state = unsafe amqp_new_connection() else {
            throw AMQPError(.badRequest, "cannot start librabbitmq: out of memory")
        }
        unsafe self.state = state
        self.settings = settings
        self.wakeup = wakeup
        try connect()
    }

    deinit { unsafe amqp_destroy_connection(state) }

    private func connect() throws(AMQPError) {
        var patience = timeval(tv_sec: settings.patienceSeconds, tv_usec: 0)
        unsafe amqp_set_handshake_timeout(state, &patience)
        unsafe amqp_set_rpc_timeout(state, &patience)
        guard let socket = unsafe settings.tls == nil ? amqp_tcp_socket_new(state) : amqp_ssl_socket_new(state) else {
            throw AMQPError(.badRequest, "cannot make a socket: out of memory")
        }
        if let tls = settings.tls {
            unsafe amqp_ssl_socket_set_verify_peer(socket, 1)
            unsafe amqp_ssl_socket_set_verify_hostname(socket, 1)
            unsafe amqp_ssl_socket_set_ssl_versions(socket, AMQP_TLSv1_2, AMQP_TLSvLATEST)
            let authorities = tls.authorities ?? "/etc/ssl/certs/ca-certificates.crt"
            guard unsafe amqp_ssl_socket_set_cacert(socket, authorities) == 0 else {
                throw AMQPError(
                    .untrusted, "cannot use the certificates \(authorities): check that the file can be read")
            }
            if let certificate = tls.certificate, let key = tls.key {
                guard unsafe amqp_ssl_socket_set_key(socket, certificate, key) == 0 else {
                    throw AMQPError(
                        .untrusted, "cannot use \(certificate) and \(key): a file cannot be read, or they do not fit")
                }
            }
        }
        let code = unsafe amqp_socket_open_noblock(socket, settings.host, Int32(clamping: settings.port), &patience)
        guard code == 0 else { throw error(library: code, "connect") }
        try check(
            unsafe konza_amqp_login(
                state, settings.virtualHost, Int32(clamping: settings.heartbeatSeconds), settings.user,
                settings.password),
            "log in as \(settings.user)")
    }

    // MARK: - What is there

    /// Makes a durable exchange of the type topic, unless it is there.
    ///
    /// - Throws: ``AMQPError``.
    public func declareTopicExchange(_ name: String) throws(AMQPError) {
        try check(unsafe konza_amqp_declare_topic_exchange(state, name), "declare the exchange \(name)")
    }

    /// Makes a queue, unless it is there.
    ///
    /// - Throws: ``AMQPError``; also if it is there and is another.
    public func declare(_ queue: AMQPQueue) throws(AMQPError) {
        try check(
            unsafe konza_amqp_declare_queue(
                state, queue.name, Int32(clamping: queue.mostMessages),
                Int32(clamping: (queue.messageSeconds ?? 0) * 1000),
                queue.isSingleActive ? 1 : 0), "declare the queue \(queue.name)")
    }

    /// Has an exchange put messages into a queue.
    ///
    /// - Parameters:
    ///   - queue: its name.
    ///   - exchange: its name.
    ///   - key: which messages, words separated by dots; `*` is any word, `#` any number of words.
    /// - Throws: ``AMQPError``.
    public func bind(_ queue: String, to exchange: String, _ key: String) throws(AMQPError) {
        try check(unsafe konza_amqp_bind(state, queue, exchange, key), "bind the queue \(queue) to \(exchange)")
    }

    /// Asks for the messages of a queue.
    ///
    /// - Parameters:
    ///   - queue: its name.
    ///   - most: how many may be delivered and not acknowledged.
    /// - Throws: ``AMQPError``.
    public func consume(_ queue: String, most: Int) throws(AMQPError) {
        try check(unsafe konza_amqp_consume(state, queue, UInt16(clamping: most)), "read the queue \(queue)")
    }

    // MARK: - Messages

    /// Waits for what comes, up to so many seconds or until it is woken. To be called more often than the heartbeat.
    ///
    /// - Parameter seconds: the longest wait.
    /// - Returns: what came, in order.
    /// - Throws: ``AMQPError`` if the connection is over.
    public func turn(seconds: Double) throws(AMQPError) -> [AMQPDelivery] {
        unsafe amqp_maybe_release_buffers(state)
        if unsafe amqp_frames_enqueued(state) == 0 && amqp_data_in_buffer(state) == 0 {
            let wait = Int32(min(max(seconds, 0), Double(settings.heartbeatSeconds) / 3) * 1000)
            let found = try? waitForEvents(
                on: [(unsafe amqp_get_sockfd(state), .readable), (wakeup.descriptor, .readable)], milliseconds: wait)
            if let found, !found[1].isEmpty { wakeup.clear() }
        }
        var deliveries: [AMQPDelivery] = []
        var bytes = 0
        while deliveries.count < Self.mostMessages, bytes < Self.mostBytes {
            var envelope = unsafe amqp_envelope_t()
            var outcome = konza_amqp_outcome()
            let result = unsafe konza_amqp_next(state, &envelope, &outcome)
            guard result >= 0 else {
                try check(outcome, "take messages")
                throw AMQPError(.unreachable, "cannot take messages: the connection to \(address) is gone")
            }
            guard result > 0 else { break }
            let delivery = unsafe AMQPDelivery(
                tag: envelope.delivery_tag,
                routingKey: String(decoding: Self.array(envelope.routing_key), as: UTF8.self),
                payload: Self.array(envelope.message.body))
            unsafe amqp_destroy_envelope(&envelope)
            deliveries.append(delivery)
            bytes += delivery.payload.count
        }
        return deliveries
    }

    /// The broker forgets all messages up to a delivery: they are kept.
    ///
    /// - Throws: ``AMQPError`` if it cannot be told.
    public func acknowledge(through tag: UInt64) throws(AMQPError) {
        let code = unsafe amqp_basic_ack(state, 1, tag, 1)
        guard code == 0 else { throw error(library: code, "acknowledge messages") }
    }

    /// Publishes, and does not wait.
    ///
    /// - Parameters:
    ///   - payload: the message.
    ///   - exchange: its name.
    ///   - key: the routing key.
    ///   - seconds: after which the broker lets go of it; nil for never.
    /// - Throws: ``AMQPError`` if it cannot be sent.
    public func publish(
        _ payload: [UInt8], to exchange: String, key: String, expiresAfter seconds: Int? = nil
    ) throws(AMQPError) {
        let milliseconds = UInt32(clamping: (seconds ?? 0) * 1000)
        let code = unsafe payload.withUnsafeBytes { bytes in
            unsafe konza_amqp_publish(state, exchange, key, bytes.baseAddress, bytes.count, milliseconds)
        }
        guard code == 0 else { throw error(library: code, "publish to \(exchange)") }
    }

    /// Says goodbye; what is not acknowledged is delivered to somebody else.
    public func close() { _ = unsafe amqp_connection_close(state, AMQP_REPLY_SUCCESS) }

    private static func array(_ bytes: amqp_bytes_t) -> [UInt8] {
        unsafe Array(UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len))
    }

    // MARK: - Errors

    private var address: String { "\(settings.host):\(settings.port)" }

    private func check(_ outcome: konza_amqp_outcome, _ action: String) throws(AMQPError) {
        if outcome.library != 0 { throw error(library: outcome.library, action) }
        guard outcome.broker != 0 else { return }
        let words = unsafe withUnsafeBytes(of: outcome.words) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        let (reason, remedy): (AMQPError.Reason, String) =
            switch outcome.broker {
            case AMQP_ACCESS_REFUSED:
                (.refused, "check user and password, and the user's permissions in the virtual host")
            case AMQP_NOT_ALLOWED: (.refused, "check the virtual host \(settings.virtualHost), and who may use it")
            case AMQP_PRECONDITION_FAILED: (.mismatch, "delete it, or rename it, so that it can be made anew")
            case AMQP_NOT_FOUND: (.mismatch, "it is made anew with the next connection")
            case AMQP_CONNECTION_FORCED: (.unreachable, "the broker is stopping; it is tried again")
            default: (.badRequest, "see the broker's log")
            }
        throw AMQPError(reason, "cannot \(action) at the broker \(address) (\(words)): \(remedy)")
    }

    private func error(library code: Int32, _ action: String) -> AMQPError {
        let words = unsafe String(cString: amqp_error_string2(code))
        switch code {
        case AMQP_STATUS_SSL_ERROR.rawValue, AMQP_STATUS_SSL_PEER_VERIFY_FAILED.rawValue,
            AMQP_STATUS_SSL_HOSTNAME_VERIFY_FAILED.rawValue, AMQP_STATUS_SSL_CONNECTION_FAILED.rawValue:
            return AMQPError(
                .untrusted,
                "cannot \(action): TLS with \(address) failed (\(words)); check the certificates, the broker's name and "
                    + "the clock")
        case AMQP_STATUS_HOSTNAME_RESOLUTION_FAILED.rawValue:
            return AMQPError(.unreachable, "cannot \(action): there is no address for \(settings.host)")
        default:
            return AMQPError(
                .unreachable, "cannot \(action): the connection to \(address) failed (\(words)); it is tried again")
        }
    }
}
