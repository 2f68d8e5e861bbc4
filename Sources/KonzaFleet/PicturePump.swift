internal import FleetMessaging
internal import HTTPTransfer
internal import KonzaAPI
internal import KonzaClient
internal import KonzaModel
internal import KonzaSystem
internal import MQTTTransfer
internal import ObjectStore
internal import Settings

/// Takes pictures from konzad to the object store, and what came of them back to konzad: small ones first. It keeps nothing:
/// until konzad has the receipt, the picture is sent again, and the store says that it has it. The broker need not be there.
final class PicturePump {
    /// How many steps konzad is asked for at a time: what is more urgent comes first again after so many.
    private static let portion = 4
    /// How long konzad holds the question open, seconds.
    private static let patience = 25
    /// How long to wait for a network, seconds.
    private static let networkPause = 5.0
    /// The first try after a failure comes at a random time within this, seconds.
    private static let spread = 5.0

    private let station: StationClient
    private let mailbox: FleetMailbox
    private let settings: () -> StationSettings
    private let credentials: CredentialFolder
    private let spool: PictureSpool
    private let log: Log
    private let cancellation: TransferCancellation
    private let clock = SystemClock()
    private var backOff = BackOff(spread: PicturePump.spread)
    private var complaint = ""
    /// Whether something was done in the last round: what comes next is asked for at once.
    private var isBusy = true
    /// The object whose store did not answer: it may be there.
    private var doubtful: String?
    private var told: (latest: FleetPicturesReply.Latest?, connection: Int)?
    private var clients: [(choice: Choice, client: ObjectClient)] = []

    /// What a client is made of.
    private struct Choice: Equatable {
        let address: ObjectStoreAddress
        let account: ObjectCredentials
        let interface: String?
        let rate: Int64?
    }

    /// Over which networks what goes.
    private struct Way: Equatable {
        /// Nil for whichever the system takes.
        let interface: String?
        let forOriginals: String?
        /// Whether originals wait for another network.
        let isMetered: Bool
    }

    private enum Failure: Error {
        case station(ClientError)
        case store(ObjectStoreError)
    }

    /// - Parameters:
    ///   - station: konzad.
    ///   - mailbox: where it says how the store is.
    ///   - settings: of the station.
    ///   - credentials: with the account, `fleet-store`.
    ///   - folder: for one picture on its way.
    ///   - log: for the keeper.
    ///   - cancellation: ends it.
    init(
        station: StationClient, mailbox: FleetMailbox, settings: @escaping () -> StationSettings,
        credentials: CredentialFolder, folder: String, log: Log, cancellation: TransferCancellation
    ) {
        self.station = station
        self.mailbox = mailbox
        self.settings = settings
        self.credentials = credentials
        spool = PictureSpool(folder: folder)
        self.log = log
        self.cancellation = cancellation
    }

    /// Goes on until it is cancelled.
    func run() {
        spool.empty()
        while !cancellation.isCancelled {
            let fleet = settings().fleet
            guard fleet.broker != nil, !fleet.box.isEmpty, let address = fleet.storeAddress else {
                mailbox.storeReport = nil
                rest(1)
                continue
            }
            do throws(Failure) {
                try turn(fleet, address)
            } catch {
                guard !cancellation.isCancelled else { return }
                take(error)
            }
        }
        spool.empty()
    }

    private func rest(_ seconds: Double) {
        let deadline = clock.monotonic().advanced(bySeconds: seconds)
        let before = settings().fleet
        while !cancellation.isCancelled, clock.monotonic() < deadline, settings().fleet == before { Pause.seconds(0.2) }
    }

    private func take(_ failure: Failure) {
        let words: String
        var pause = max(backOff.pause(random: .random(in: 0..<1)), 0.5)
        switch failure {
        case .station(let error):
            words = error.description
            pause = min(pause, 30)
        case .store(let error):
            words = error.description
            pause = max(pause, Double(error.retryAfter ?? 0))
            mailbox.storeReport = FleetStoreReport(
                .failed, kind: error.reason.rawValue.dashed, reason: String(words.prefix(480)),
                nextTryAt: clock.utc().advanced(bySeconds: pause), metered: mailbox.storeReport?.metered ?? false)
        }
        if words != complaint { log(.warning, words) }
        complaint = words
        isBusy = true
        rest(pause)
    }

    // MARK: - One round

    private func turn(_ fleet: StationSettings.Fleet, _ address: ObjectStoreAddress) throws(Failure) {
        guard let account = credentials.text("fleet-store").flatMap({ ObjectCredentials(file: $0) }) else {
            throw .store(
                ObjectStoreError(
                    .credentials,
                    "cannot store pictures in \(address): the credential fleet-store is not there, or has not the two lines "
                        + "aws_access_key_id=... and aws_secret_access_key=..."))
        }
        guard let way = Self.way(fleet, among: NetworkInterfaces.usable()) else {
            mailbox.storeReport = FleetStoreReport(.offline)
            rest(Self.networkPause)
            return
        }
        let state = mailbox.storeReport?.state ?? .idle
        if state != .failed {
            mailbox.storeReport = FleetStoreReport(state == .offline ? .idle : state, metered: way.isMetered)
        }
        let sendsAll = fleet.originals == .all && !way.isMetered
        let reply = try asking { () throws(ClientError) in
            try station.get(
                "/v1/fleet/pictures",
                query: [
                    ("limit", "\(Self.portion)"), ("wait", "\(isBusy ? 0 : Self.patience)"),
                    ("originals", sendsAll ? "all" : "wanted"),
                ], as: FleetPicturesReply.self)
        }
        tell(reply.latest)
        isBusy = !reply.steps.isEmpty
        for step in reply.steps {
            guard !cancellation.isCancelled, settings().fleet == fleet else { return }
            let interface = step.part == "original" && sendsAll ? way.forOriginals : way.interface
            let client = try client(
                Choice(address: address, account: account, interface: interface, rate: fleet.uploadRate))
            let receipt = try carryOut(step, client, box: fleet.box)
            _ = try asking { () throws(ClientError) in
                try station.send("POST", "/v1/fleet/pictures/receipts", FleetPictureReceipts(receipts: [receipt]))
            }
        }
    }

    private func asking<Value>(_ body: () throws(ClientError) -> Value) throws(Failure) -> Value {
        do throws(ClientError) { return try body() } catch { throw .station(error) }
    }

    /// - Returns: nil where no network is up that pictures may use.
    private static func way(_ fleet: StationSettings.Fleet, among usable: [String]) -> Way? {
        let gate = NetworkGate(allowed: fleet.interfaces)
        let interface: String?
        switch gate.choice(among: usable) {
        case .any: interface = nil
        case .only(let name): interface = name
        case .none: return nil
        }
        guard !fleet.meteredInterfaces.isEmpty else {
            return Way(interface: interface, forOriginals: interface, isMetered: false)
        }
        // What must not cost is bound to a network that does not: where the system would send it is not known.
        let metered = NetworkGate(allowed: fleet.meteredInterfaces)
        let free = usable.filter {
            metered.choice(among: [$0]) == .none && ($0 != "lo" || fleet.interfaces.contains("lo"))
        }
        switch gate.choice(among: free) {
        case .only(let name): return Way(interface: interface, forOriginals: name, isMetered: false)
        case .any where !free.isEmpty: return Way(interface: interface, forOriginals: free[0], isMetered: false)
        case .any, .none: return Way(interface: interface, forOriginals: nil, isMetered: true)
        }
    }

    private func client(_ choice: Choice) throws(Failure) -> ObjectClient {
        if let known = clients.first(where: { $0.choice == choice }) { return known.client }
        var transfer = ObjectTransferSettings()
        transfer.bytesPerSecond = choice.rate.map { Int(clamping: $0) }
        transfer.interface = choice.interface
        let clock = clock
        do throws(ObjectStoreError) {
            let client = try ObjectClient(
                choice.address, credentials: choice.account, settings: transfer, now: { clock.utc() })
            // One for small pictures and one for originals.
            clients = Array((clients + [(choice, client)]).suffix(2))
            return client
        } catch {
            throw .store(error)
        }
    }

    // MARK: - One step

    private func carryOut(
        _ step: FleetPicturesReply.Step, _ client: ObjectClient, box: String
    ) throws(Failure) -> FleetPictureReceipts.Receipt {
        func receipt(_ outcome: String, _ reason: String? = nil) -> FleetPictureReceipts.Receipt {
            .init(
                id: step.id, part: step.part, rev: step.rev, outcome: outcome,
                reason: reason.map { String($0.prefix(480)) })
        }
        guard let key = ObjectKey(step.key) else {
            return receipt("deferred", "cannot store \(step.key): it is no name of an object")
        }
        do throws(ObjectStoreError) {
            if step.remove {
                try client.delete(key, cancellation: cancellation)
                works()
                return receipt("removed")
            }
        } catch {
            throw .store(error)
        }
        defer { spool.empty() }
        let picture: PictureSpool.Picture
        do throws(ClientError) {
            guard let brought = try spool.fetch(step.path, from: station) else {
                return receipt("deferred", "cannot store \(key): it has more than \(PictureSpool.mostBytes) bytes")
            }
            picture = brought
        } catch {
            guard error.kind == .notFound else { throw .station(error) }
            return receipt("absent")
        }
        if let sha256 = step.sha256, sha256 != picture.sha256 {
            return complaining(
                receipt(
                    "deferred",
                    "cannot store \(key): the file's hash is not the one of its record; it is damaged on the disk"))
        }
        do throws(ObjectStoreError) {
            let outcome = try store(step, key, picture, client, box)
            works()
            switch outcome {
            case .stored, .wasThere: return receipt("stored")
            case .otherContent(let facts):
                return complaining(
                    receipt(
                        "deferred",
                        "cannot store \(key): another object of \(facts.byteCount ?? 0) bytes has the name in the store, and "
                            + "stays as it is; look whether two stations share a name"))
            }
        } catch {
            switch error.reason {
            // The store is well, and does not take this one.
            case .refused, .full: return complaining(receipt("deferred", error.description))
            default: throw .store(error)
            }
        }
    }

    private func store(
        _ step: FleetPicturesReply.Step, _ key: ObjectKey, _ picture: PictureSpool.Picture, _ client: ObjectClient,
        _ box: String
    ) throws(ObjectStoreError) -> ObjectPutOutcome {
        // What may be there is not sent a second time for nothing. Who may only write is not told, and sends it.
        if step.rev > 1 || step.tries > 0 || doubtful == step.key {
            var facts: ObjectFacts?
            do throws(ObjectStoreError) {
                facts = try client.head(key, cancellation: cancellation)
            } catch {
                guard error.reason == .forbidden else { throw error }
            }
            if let facts, facts.byteCount == picture.byteCount, facts.sha256 == picture.sha256 { return .wasThere }
        }
        doubtful = step.key
        let outcome = try client.put(
            ObjectUpload(
                .file(path: spool.path, byteCount: picture.byteCount), key: key, sha256: picture.sha256,
                contentType: step.mediaType,
                metadata: step.part.hasPrefix("public") ? [:] : ["box": box, "record": step.record]),
            cancellation: cancellation)
        doubtful = nil
        return outcome
    }

    private func works() {
        backOff.connected()
        complaint = ""
        mailbox.storeReport = FleetStoreReport(.working, metered: mailbox.storeReport?.metered ?? false)
    }

    private func complaining(_ receipt: FleetPictureReceipts.Receipt) -> FleetPictureReceipts.Receipt {
        if let reason = receipt.reason { log(.warning, reason) }
        return receipt
    }

    // MARK: - The latest

    /// Tells the fleet of the newest postcard whose small picture is stored; the broker keeps that. Without one it keeps
    /// nothing: an empty message takes away what is retained (MQTT 5 section 3.3.1.3).
    private func tell(_ latest: FleetPicturesReply.Latest?) {
        guard let connection = mailbox.connection else { return }
        if let told, told.latest == latest, told.connection == connection { return }
        let fleet = settings().fleet
        let name = FleetName(site: fleet.site, box: fleet.box)
        var publication = MQTTPublication(
            topic: name.topic(.latest).description, payload: [], quality: .atMostOnce, isRetained: true)
        if let latest {
            var body = "{\"id\":\"\(latest.id)\",\"thumbnail\":\"\(latest.thumbnail)\""
            if let picture = latest.picture { body += ",\"picture\":\"\(picture)\"" }
            publication = name.publication(
                .latest,
                FleetEnvelope(
                    .latest, id: latest.id, box: name.box, at: clock.utc().rfc3339, timeSource: "system",
                    body: Array((body + "}").utf8)))
        }
        if mailbox.send(publication) { told = (latest, connection) }
    }
}

extension String {
    /// `untrustedCertificate` as a kind's word: `untrusted-certificate`.
    fileprivate var dashed: String {
        reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : String($1) }
    }
}
