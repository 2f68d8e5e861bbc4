internal import Certificates
internal import FleetCommanding
internal import FleetMessaging
internal import HTTPTransfer
internal import KonzaModel
internal import KonzaSystem
internal import MQTTTransfer
internal import Settings

/// Keeps a connection to the broker, on a thread of its own: says that the box is there, sends what the mailbox has, and
/// puts what comes into it.
final class BrokerLink {
    /// The most messages of quality 1 that the broker has not acknowledged.
    private static let window = 20
    /// How long the broker may take to acknowledge one, seconds. Only a new connection may send it again (MQTT 5
    /// section 4.4).
    private static let patience = 60.0
    /// How long to leave an identity alone that somebody else uses, seconds.
    private static let identityPause = 900.0
    /// A connection that held so long was no failure, seconds.
    private static let steady = 60.0
    /// How often to look whether there is another certificate, seconds.
    private static let lookAround = 5.0
    /// How long the broker may take to accept the client and its subscriptions, seconds.
    private static let greeting = 30.0

    private let settings: () -> StationSettings
    private let credentials: CredentialFolder
    private let identity: BoxIdentity
    private let mailbox: FleetMailbox
    private let log: Log
    private let cancellation: TransferCancellation
    private let clock = SystemClock()
    private var speaksVersion5 = true
    private var takeovers = TakeoverSense()
    /// Whether the broker took the transport of the latest connection.
    private var isReached = false
    private var complaint = ""

    init(
        settings: @escaping () -> StationSettings, credentials: CredentialFolder, identity: BoxIdentity,
        mailbox: FleetMailbox, log: Log, cancellation: TransferCancellation
    ) {
        self.identity = identity
        self.settings = settings
        self.credentials = credentials
        self.mailbox = mailbox
        self.log = log
        self.cancellation = cancellation
    }

    /// Goes on until it is cancelled.
    func run() {
        var backOff = BackOff(spread: settings().fleet.reconnectSpread)
        while !cancellation.isCancelled {
            let begun = clock.monotonic()
            let name = FleetName(site: settings().fleet.site, box: settings().fleet.box)
            guard settings().fleet.broker != nil, !name.box.isEmpty else {
                mailbox.disconnected(nil)
                rest(1)
                continue
            }
            let before = mailbox.connection
            guard var error = connectOnce(name) else { continue }
            let lasted = clock.monotonic().seconds(since: begun)
            if !isReached { takeovers.brokerWentAway() }
            if takeovers.ended(wasUp: mailbox.connection != before, after: lasted) {
                error = MQTTError(
                    .identityInUse,
                    "the broker has ended \(TakeoverSense.most) connections soon after they began: another machine seems to "
                        + "be \(name.box) as well; give each its own name and key")
            }
            let trouble =
                error.reason == .identityInUse || !usesCertificate
                ? nil : IdentityTrouble(certificate, error, at: clock.utc())
            mailbox.disconnected(error, trouble)
            if lasted >= Self.steady { backOff.connected() }
            if error.reason == .version, speaksVersion5 {
                speaksVersion5 = false
                log(.info, "the broker does not speak MQTT 5: 3.1.1 it is")
                continue
            }
            if error.reason == .closed {
                // RabbitMQ 3.10 hangs up on MQTT 5 without a word; but a broker that is ending hangs up on both.
                speaksVersion5.toggle()
                if !speaksVersion5 { continue }
            }
            let words = trouble?.reason ?? error.description
            if words != complaint { log(.warning, words) }
            complaint = words
            let spread = backOff.pause(random: .random(in: 0..<1))
            let pause = error.reason == .identityInUse ? Self.identityPause : spread
            mailbox.rests(until: clock.utc().advanced(bySeconds: pause))
            rest(pause)
        }
    }

    private func rest(_ seconds: Double) {
        let deadline = clock.monotonic().advanced(bySeconds: seconds)
        let before = settings().fleet
        while !cancellation.isCancelled, clock.monotonic() < deadline, settings().fleet == before { Pause.seconds(0.2) }
    }

    // MARK: - One connection

    /// Connects, and stays until the connection is over.
    ///
    /// - Returns: why it is; nil if it was ended on purpose.
    private func connectOnce(_ name: FleetName) -> MQTTError? {
        let session = FleetName.newID(at: clock.utc())
        let files = usesCertificate ? identity.files : nil
        var error: MQTTError?
        isReached = false
        do throws(MQTTError) {
            let options = try options(name, session, files)
            let connection = try MQTTConnection(options, isVersion5: speaksVersion5, wakeup: mailbox.wakeup)
            isReached = true
            error = stay(connection, name, session, files)
        } catch let failure {
            error = failure
        }
        if let files, error != nil { identity.failed(files) }
        return error
    }

    private var usesCertificate: Bool { settings().fleet.broker?.hasTLS == true && settings().fleet.user.isEmpty }

    /// What the station shows to the broker: what it was enrolled with, else what its keeper put there.
    private var certificate: CertificatePair? {
        if let own = identity.certificate { return own }
        return credentials.file("fleet-certificate.pem").flatMap { SecretFile.bytes($0, limit: 64 << 10) }
            .map { CertificatePair(certificate: $0, key: []) }
    }

    private func options(
        _ name: FleetName, _ session: String, _ files: BoxIdentity.Files?
    ) throws(MQTTError) -> MQTTSettings {
        let fleet = settings().fleet
        guard let broker = fleet.broker else { throw MQTTError(.ended, "no broker is set") }
        var options = MQTTSettings(host: broker.host, port: Int(broker.port), clientID: name.box)
        if broker.hasTLS {
            // An authority that the keeper put there may be another than the one of the station's certificate.
            options.tls = MQTTSettings.TLS(
                authorities: credentials.file("fleet-ca.pem") ?? files?.authority,
                certificate: files?.certificate ?? credentials.file("fleet-certificate.pem"),
                key: files?.certificate ?? credentials.file("fleet-key.pem"))
        }
        if !fleet.user.isEmpty {
            options.user = fleet.user
            options.password = credentials.text("fleet-password")
        }
        options.mostPacketBytes = DesiredSettings.mostBytes + 4096
        options.will = name.status("offline", session: session, at: clock.utc())
        return options
    }

    private func stay(
        _ connection: MQTTConnection, _ name: FleetName, _ session: String, _ files: BoxIdentity.Files?
    ) -> MQTTError? {
        var underWay: [Int32: (kind: FleetKind?, at: MonotonicInstant)] = [:]
        var subscriptions: Set<Int32> = []
        var isUp = false
        let begun = clock.monotonic()
        let fleet = settings().fleet
        var files = files
        var lookedAt = begun
        var isReplaced = false
        while true {
            if clock.monotonic().seconds(since: lookedAt) >= Self.lookAround {
                lookedAt = clock.monotonic()
                // Another certificate is there, such as a renewed one: what is under way is sent again.
                isReplaced = usesCertificate && isUp && identity.files?.stamp != files?.stamp
            }
            if cancellation.isCancelled || settings().fleet != fleet || isReplaced {
                if isUp { farewell(connection, name, session) }
                connection.disconnect()
                mailbox.disconnected(nil)
                return nil
            }
            for event in connection.turn(seconds: 0.5) {
                switch event {
                case .connected:
                    // With 3.1.1 each connection begins a session.
                    if connection.version == 5, !connection.isResumed { takeovers.brokerWentAway() }
                    do throws(MQTTError) {
                        for kind in FleetKind.allCases where !kind.isFromBox {
                            // A command that is to be kept is refused, also where it comes at once.
                            subscriptions.insert(
                                try connection.subscribe(
                                    name.topic(kind).description, .atLeastOnce, asPublished: kind == .command))
                        }
                    } catch {
                        return error
                    }
                case .subscribed(let id, let isGranted):
                    guard isGranted else {
                        return MQTTError(
                            .refused,
                            "the broker does not let \(name.box) read its own topics: look at its list of who may do what"
                        )
                    }
                    guard subscriptions.remove(id) != nil, subscriptions.isEmpty, !isUp else { continue }
                    isUp = true
                    if let tried = files, tried.isNext {
                        identity.worked(tried)
                        files = identity.files
                        log(.notice, "the station's new certificate is in use")
                    }
                    complaint = ""
                    _ = try? connection.publish(name.status("online", session: session, at: clock.utc()))
                    if fleet.homeAssistant { introduce(connection, name) }
                    mailbox.connected()
                    log(.notice, "the fleet's broker \(fleet.broker?.description ?? "") is connected")
                case .acknowledged(let id, let reason):
                    if let kind = underWay.removeValue(forKey: id)?.kind { judge(reason, of: kind, name) }
                case .message(let message): take(message, name)
                case .disconnected(let error): return error
                }
            }
            let now = clock.monotonic()
            if !isUp, now.seconds(since: begun) > Self.greeting {
                return MQTTError(.unreachable, "the broker does not answer: it took the connection and says nothing")
            }
            if let oldest = underWay.values.map(\.at).min(), now.seconds(since: oldest) > Self.patience {
                return MQTTError(.unreachable, "the broker has not acknowledged a message for a minute")
            }
            guard isUp else { continue }
            for publication in mailbox.takeOutgoing(Self.window - underWay.count) {
                do throws(MQTTError) {
                    let id = try connection.publish(publication)
                    if publication.quality == .atLeastOnce {
                        underWay[id] = (FleetTopic(publication.topic)?.kind, now)
                    }
                } catch {
                    return error
                }
            }
        }
    }

    /// Tells Home Assistant what the station has. The broker keeps it: a Home Assistant that starts later finds it too.
    private func introduce(_ connection: MQTTConnection, _ name: FleetName) {
        let station = settings().general.station
        let fleet = settings().fleet
        let discovery = HomeAssistantDiscovery(
            site: name.site, box: name.box, name: "\(station) \(name.box)",
            pictures: fleet.store == nil ? nil : fleet.publicStore)
        _ = try? connection.publish(
            MQTTPublication(
                topic: discovery.topic, payload: discovery.payload, quality: .atLeastOnce, isRetained: true))
    }

    /// A connection that is closed in order has no will: the box says itself that it goes.
    private func farewell(_ connection: MQTTConnection, _ name: FleetName, _ session: String) {
        guard let id = try? connection.publish(name.status("offline", session: session, at: clock.utc())) else {
            return
        }
        let deadline = clock.monotonic().advanced(bySeconds: 1)
        while clock.monotonic() < deadline {
            for event in connection.turn(seconds: 0.1) {
                if case .acknowledged(id, _) = event { return }
                if case .disconnected = event { return }
            }
        }
    }

    /// What MQTT 5 says of a message that it took (section 3.4.2.1): the broker's list of rights may have one kind and lack another.
    private func judge(_ reason: Int32, of kind: FleetKind, _ name: FleetName) {
        switch reason {
        case 0: mailbox.complain(nil, about: kind)
        case 0x10:
            mailbox.complain(
                .init(
                    "unheard", "the fleet's broker is connected, and nobody has subscribed there: is konza-hub running?"
                ),
                about: kind)
        case 0x87:
            let owner =
                usesCertificate
                ? certificate.flatMap { try? CertificateFacts($0.certificate).name } : settings().fleet.user
            let another =
                owner.flatMap { $0 == name.box || $0.isEmpty ? nil : $0 }
                .map { "; it knows this station as \($0), and [Fleet] Box= says \(name.box)" }
            mailbox.complain(
                .init(
                    "not-allowed",
                    "the fleet's broker does not let this station write \(name.topic(kind)): look at its list of who may do what"
                        + (another ?? "")), about: kind)
        case 0x97:
            mailbox.complain(
                .init("full", "the fleet's broker has no room for \(name.topic(kind)): its quota is used up"),
                about: kind)
        default:
            mailbox.complain(
                .init("refused", "the fleet's broker refuses \(name.topic(kind)) with the reason \(reason)"),
                about: kind)
        }
    }

    private func take(_ message: MQTTMessage, _ name: FleetName) {
        guard let topic = FleetTopic(message.topic), topic.box == name.box else { return }
        switch topic.kind {
        case .receipt:
            do throws(FleetMessageError) {
                mailbox.put(try FleetReceipts(message.payload, on: topic))
            } catch {
                log(.warning, "cannot take a receipt: \(error)")
            }
        case .command:
            let isTaken = mailbox.put(
                FleetMailbox.Command(payload: message.payload, isRetained: message.isRetained))
            if !isTaken { log(.warning, "too many commands at once, ignoring one") }
        case .desired:
            if !mailbox.put(desired: message.payload) { log(.warning, "too many settings at once, ignoring some") }
        default: log(.debug, "a message on \(message.topic) is not for konza-fleet yet, ignoring")
        }
    }
}
