internal import CMosquitto
internal import Glibc
public import KonzaSystem

/// Initialises libmosquitto once.
private let isMosquittoReady: Bool = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

/// One connection to a broker over libmosquitto, for one thread: it has none of its own, does not reconnect, and queues
/// no more than its owner publishes.
///
/// libmosquitto's own loops end for good on some errors, wait without jitter, and use select(2), which knows no descriptor above
/// 1023; so the owner calls ``turn(seconds:)`` again and again, and makes a new connection when one is over.
@safe public final class MQTTConnection {
    private let client: OpaquePointer
    private let settings: MQTTSettings
    /// 5 or 4 (for 3.1.1).
    public let version: Int
    /// Whether the broker had the client's session from before (MQTT 5 section 3.2.2.1.1); false until it took the client.
    public private(set) var isResumed = false
    /// Whether the broker has said whether it takes the client.
    private var isAnswered = false
    private var events: [MQTTEvent] = []
    private var isOver = false
    private let wakeup: Wakeup

    /// Connects; the broker's word comes as an event. Waits for the name's address and for the transport.
    ///
    /// - Parameters:
    ///   - settings: the broker and the client.
    ///   - isVersion5: whether to speak MQTT 5 rather than 3.1.1.
    ///   - wakeup: ends a wait from another thread.
    ///   - waitsForTransport: false for an owner of many connections, who waits for all of them at once: the transport comes
    ///     about in ``handle(_:)``. Without TLS alone.
    /// - Throws: ``MQTTError`` if the broker cannot be reached.
    public init(
        _ settings: MQTTSettings, isVersion5: Bool = true, wakeup: Wakeup, waitsForTransport: Bool = true
    ) throws(MQTTError) {
        guard isMosquittoReady, let client = unsafe mosquitto_new(settings.clientID, !isVersion5, nil) else {
            throw MQTTError(.badRequest, "cannot start libmosquitto: out of memory, or the client id is not usable")
        }
        unsafe self.client = client
        self.settings = settings
        self.wakeup = wakeup
        version = isVersion5 ? 5 : 4
        unsafe mosquitto_user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
        do throws(MQTTError) {
            try configure()
            try connect(waitsForTransport || settings.tls != nil)
        } catch {
            throw error
        }
    }

    deinit { unsafe mosquitto_destroy(client) }

    private func configure() throws(MQTTError) {
        let protocolVersion = version == 5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        try check(unsafe mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, protocolVersion), "choose the version")
        // The window is the owner's; the broker's may be smaller (section 3.2.2.3.3), which libmosquitto honours.
        try check(unsafe mosquitto_int_option(client, MOSQ_OPT_RECEIVE_MAXIMUM, 20), "set the window")
        // Small packets one after another would wait for one another's acknowledgement (Nagle's algorithm), 40 ms each.
        try check(unsafe mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1), "set the transport")
        unsafe mosquitto_connect_v5_callback_set(client, handConnect)
        unsafe mosquitto_disconnect_v5_callback_set(client, handDisconnect)
        unsafe mosquitto_publish_v5_callback_set(client, handAcknowledgement)
        unsafe mosquitto_subscribe_v5_callback_set(client, handSubscription)
        unsafe mosquitto_message_v5_callback_set(client, handMessage)
        if let user = settings.user {
            try check(unsafe mosquitto_username_pw_set(client, user, settings.password), "set the user")
        }
        if let tls = settings.tls {
            let folder = tls.authorities == nil ? "/etc/ssl/certs" : nil
            let code = unsafe mosquitto_tls_set(client, tls.authorities, folder, tls.certificate, tls.key, nil)
            guard code == MOSQ_ERR_SUCCESS.rawValue else {
                let files = [tls.authorities, tls.certificate, tls.key].compactMap { $0 }.joined(separator: ", ")
                throw MQTTError(.untrusted, "cannot use the certificates \(files): a file is missing or cannot be read")
            }
            // SSL_VERIFY_PEER; without the version TLS 1.1 is allowed.
            try check(unsafe mosquitto_tls_opts_set(client, 1, "tlsv1.2", nil), "set TLS")
        }
        if let will = settings.will { try setWill(will) }
    }

    private func setWill(_ will: MQTTPublication) throws(MQTTError) {
        var properties = Properties()
        if version == 5, settings.willDelaySeconds > 0 {
            properties.add(MQTT_PROP_WILL_DELAY_INTERVAL, UInt32(clamping: settings.willDelaySeconds))
        }
        let list = unsafe properties.release()
        let code = unsafe will.payload.withUnsafeBytes { bytes in
            unsafe mosquitto_will_set_v5(
                client, will.topic, Int32(bytes.count), bytes.baseAddress, will.quality.rawValue, will.isRetained, list)
        }
        try check(code, "set the will")
    }

    private func connect(_ waitsForTransport: Bool) throws(MQTTError) {
        var properties = Properties()
        if version == 5 {
            properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, UInt32(clamping: settings.sessionExpirySeconds))
            if let most = settings.mostPacketBytes {
                properties.add(MQTT_PROP_MAXIMUM_PACKET_SIZE, UInt32(clamping: most))
            }
        }
        guard waitsForTransport else {
            // It has no properties; who asks for it has a clean session.
            return try check(
                unsafe mosquitto_connect_async(
                    client, settings.host, Int32(clamping: settings.port), Int32(clamping: settings.keepAliveSeconds)),
                "connect")
        }
        let code = unsafe properties.lend { list in
            unsafe mosquitto_connect_bind_v5(
                client, settings.host, Int32(clamping: settings.port), Int32(clamping: settings.keepAliveSeconds), nil,
                list)
        }
        try check(code, "connect")
    }

    // MARK: - Life

    /// Waits for what happens, up to so many seconds or until it is woken, and does what is due.
    ///
    /// - Parameter seconds: the longest wait.
    /// - Returns: what happened, in order; after `disconnected` nothing more.
    public func turn(seconds: Double) -> [MQTTEvent] {
        guard !isOver else { return [] }
        let socket = descriptor
        guard socket >= 0 else { return handle([]) }
        let wait = events.isEmpty ? Int32(min(max(seconds, 0), 3600) * 1000) : 0
        let found =
            (try? waitForEvents(on: [(socket, wanted), (wakeup.descriptor, .readable)], milliseconds: wait)) ?? [
                [], [],
            ]
        if !found[1].isEmpty { wakeup.clear() }
        return handle(found[0])
    }

    /// What an owner of many connections waits on; negative when the connection is gone.
    public var descriptor: Int32 { isOver ? -1 : unsafe mosquitto_socket(client) }

    /// What to wait for on ``descriptor``.
    public var wanted: PollEvents { unsafe mosquitto_want_write(client) ? [.readable, .writable] : .readable }

    /// Does what is due, without a wait: for an owner of many connections, who waits for all of them at once. To be called now
    /// and then without events too, for what time alone makes due.
    ///
    /// - Parameter found: what ``descriptor`` has.
    /// - Returns: what happened, in order; after `disconnected` nothing more.
    public func handle(_ found: PollEvents) -> [MQTTEvent] {
        guard !isOver else { return [] }
        guard descriptor >= 0 else {
            return end(MQTTError(isAnswered ? .unreachable : .closed, "\(address) closed the connection"))
        }
        var code = MOSQ_ERR_SUCCESS.rawValue
        if !found.isDisjoint(with: [.readable, .hangup, .error]) { code = unsafe mosquitto_loop_read(client, 1) }
        if code == 0, found.contains(.writable) { code = unsafe mosquitto_loop_write(client, 1) }
        if code == 0 { code = unsafe mosquitto_loop_misc(client) }
        if code != 0, !isOver { return end(error(code, "use")) }
        return take()
    }

    private func take() -> [MQTTEvent] {
        defer { events.removeAll() }
        return events
    }

    private func end(_ error: MQTTError) -> [MQTTEvent] {
        isOver = true
        events.append(.disconnected(error))
        return take()
    }

    /// Says goodbye: the broker publishes no will then.
    public func disconnect() {
        guard !isOver else { return }
        unsafe mosquitto_disconnect_v5(client, 0, nil)
        isOver = true
    }

    /// Publishes.
    ///
    /// - Returns: the number that the acknowledgement names.
    /// - Throws: ``MQTTError`` if it cannot be sent.
    @discardableResult
    public func publish(_ publication: MQTTPublication) throws(MQTTError) -> Int32 {
        var properties = Properties()
        if version == 5, let seconds = publication.expirySeconds {
            properties.add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, UInt32(clamping: seconds))
        }
        var id: Int32 = 0
        let code = unsafe properties.lend { list in
            unsafe publication.payload.withUnsafeBytes { bytes in
                unsafe mosquitto_publish_v5(
                    client, &id, publication.topic, Int32(bytes.count), bytes.baseAddress, publication.quality.rawValue,
                    publication.isRetained, list)
            }
        }
        try check(code, "publish on \(publication.topic)")
        return id
    }

    /// Asks for the messages of a topic filter (section 4.7).
    ///
    /// - Parameters:
    ///   - filter: of the topics.
    ///   - quality: the highest that messages come with.
    ///   - asPublished: whether a message that its publisher wanted to be kept says so even where it comes at once; else only those
    ///     say so that were kept before (section 3.8.3.1, Retain As Published). MQTT 3.1.1 has no such choice.
    /// - Returns: the number that the broker's answer names.
    /// - Throws: ``MQTTError`` if it cannot be sent.
    @discardableResult
    public func subscribe(
        _ filter: String, _ quality: MQTTQuality, asPublished: Bool = false
    ) throws(MQTTError) -> Int32 {
        var id: Int32 = 0
        let options = asPublished && version == 5 ? Int32(MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue) : 0
        try check(
            unsafe mosquitto_subscribe_v5(client, &id, filter, quality.rawValue, options, nil),
            "subscribe to \(filter)")
        return id
    }

    // MARK: - What libmosquitto says

    fileprivate func takes(_ bytes: Int) -> Bool { bytes <= settings.mostPacketBytes ?? .max }

    fileprivate func took(_ event: MQTTEvent) { events.append(event) }

    fileprivate func tookConnect(_ code: Int32, _ flags: Int32) {
        isAnswered = true
        guard code != 0 else {
            isResumed = flags & 1 != 0
            return events.append(.connected)
        }
        isOver = true
        events.append(.disconnected(refusal(code)))
    }

    fileprivate func tookDisconnect(_ code: Int32) {
        guard !isOver else { return }
        isOver = true
        events.append(.disconnected(version == 5 && code >= 0x80 ? refusal(code) : error(code, "use")))
    }

    private var address: String { "\(settings.host):\(settings.port)" }

    /// What the broker's reason means: of CONNACK and DISCONNECT in MQTT 5 (section 2.4), of CONNACK in 3.1.1 (section
    /// 3.2.2.3).
    private func refusal(_ code: Int32) -> MQTTError {
        let words = unsafe String(
            cString: version == 5 ? mosquitto_reason_string(code) : mosquitto_connack_string(code))
        let (reason, remedy): (MQTTError.Reason, String) =
            switch (version, code) {
            case (4, 1), (5, 0x84): (.version, "it does not speak this version of MQTT")
            case (4, 2), (5, 0x85): (.refused, "it does not take the client id \(settings.clientID)")
            case (4, 4), (4, 5), (5, 0x86), (5, 0x87), (5, 0x8C):
                (.refused, "check the certificate, or user and password, and the broker's list of who may do what")
            case (4, 3), (5, 0x88), (5, 0x89): (.unreachable, "it is busy or not ready; it is tried again")
            case (5, 0x8E): (.identityInUse, "another client says that it is \(settings.clientID)")
            case (5, 0x97): (.full, "its quota is used up")
            default: (.refused, "see the broker's log")
            }
        return MQTTError(reason, "the broker \(address) ended the connection (\(words)): \(remedy)")
    }

    private func check(_ code: Int32, _ action: String) throws(MQTTError) {
        guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
        throw error(code, action)
    }

    private func error(_ code: Int32, _ action: String) -> MQTTError {
        let number = errno
        switch code {
        case MOSQ_ERR_TLS.rawValue, MOSQ_ERR_TLS_HANDSHAKE.rawValue:
            return MQTTError(
                .untrusted,
                "cannot \(action): TLS with \(address) failed; check the certificates, the broker's name and the clock")
        case MOSQ_ERR_EAI.rawValue:
            return MQTTError(.unreachable, "cannot \(action): there is no address for \(settings.host)")
        case MOSQ_ERR_ERRNO.rawValue where number == EPROTO && settings.tls != nil:
            // What libmosquitto makes of an alert of TLS's.
            return MQTTError(.closed, "cannot \(action): \(address) ended TLS")
        case MOSQ_ERR_CONN_LOST.rawValue where !isAnswered,
            MOSQ_ERR_ERRNO.rawValue where !isAnswered && [0, ECONNRESET].contains(number):
            return MQTTError(.closed, "cannot \(action): \(address) ended the connection before it answered")
        case MOSQ_ERR_ERRNO.rawValue where number != 0:
            return MQTTError(
                .unreachable, "cannot \(action): \(SystemError(code: number, action: "reach \(address)"))")
        case MOSQ_ERR_NO_CONN.rawValue, MOSQ_ERR_CONN_LOST.rawValue, MOSQ_ERR_KEEPALIVE.rawValue,
            MOSQ_ERR_ERRNO.rawValue, MOSQ_ERR_CONN_REFUSED.rawValue:
            return MQTTError(.unreachable, "cannot \(action): the connection to \(address) broke")
        case MOSQ_ERR_PROTOCOL.rawValue, MOSQ_ERR_MALFORMED_PACKET.rawValue:
            return MQTTError(.unreachable, "cannot \(action): \(address) does not speak MQTT as it should")
        default:
            return MQTTError(.badRequest, "cannot \(action): \(unsafe String(cString: mosquitto_strerror(code)))")
        }
    }
}

/// A list of properties of a packet (MQTT 5 section 2.2.2).
@safe private struct Properties: ~Copyable {
    private var list: OpaquePointer?

    init() {}

    deinit {
        var list = unsafe list
        unsafe mosquitto_property_free_all(&list)
    }

    mutating func add(_ name: mqtt5_property, _ value: UInt32) {
        _ = unsafe mosquitto_property_add_int32(&list, Int32(name.rawValue), value)
    }

    borrowing func lend<Value>(_ body: (OpaquePointer?) -> Value) -> Value { unsafe body(list) }

    /// Hands the list to libmosquitto, which frees it.
    consuming func release() -> OpaquePointer? {
        let list = unsafe list
        discard self
        return unsafe list
    }
}

private func connection(_ context: UnsafeMutableRawPointer?) -> MQTTConnection? {
    unsafe context.map { unsafe Unmanaged<MQTTConnection>.fromOpaque($0).takeUnretainedValue() }
}

private func handConnect(
    _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ code: Int32, _ flags: Int32,
    _ properties: OpaquePointer?
) {
    unsafe connection(context)?.tookConnect(code, flags)
}

private func handDisconnect(
    _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ code: Int32, _ properties: OpaquePointer?
) {
    unsafe connection(context)?.tookDisconnect(code)
}

private func handAcknowledgement(
    _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ id: Int32, _ reason: Int32,
    _ properties: OpaquePointer?
) {
    unsafe connection(context)?.took(.acknowledged(id, reason: reason))
}

private func handSubscription(
    _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ id: Int32, _ count: Int32,
    _ granted: UnsafePointer<Int32>?, _ properties: OpaquePointer?
) {
    let granted = unsafe Array(UnsafeBufferPointer(start: granted, count: Int(count)))
    unsafe connection(context)?.took(.subscribed(id, isGranted: granted.allSatisfy { $0 < 0x80 }))
}

private func handMessage(
    _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ message: UnsafePointer<mosquitto_message>?,
    _ properties: OpaquePointer?
) {
    guard let message = unsafe message?.pointee, let topic = unsafe message.topic else { return }
    // A broker that does not keep to the bound, as with MQTT 3.1.1: what is too large is passed over, and not copied.
    guard unsafe connection(context)?.takes(Int(message.payloadlen)) == true else { return }
    let payload = unsafe Array(UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen)))
    unsafe connection(context)?.took(
        .message(MQTTMessage(topic: unsafe String(cString: topic), payload: payload, isRetained: unsafe message.retain))
    )
}
