internal import FleetCommanding
internal import FleetMessaging
internal import FoundationEssentials
internal import HTTPTransfer
internal import KonzaAPI
internal import KonzaClient
internal import KonzaModel
internal import KonzaSystem
internal import Storage

/// Carries out what operators signed, each command once or never: it is in the ledger, durably, before it acts. Who may
/// have what done stands in the credential `fleet-operators`; without it nobody may.
final class CommandRunner {
    /// How long to wait for the receipt of an answer before it is sent again, seconds.
    private static let patience = 60.0
    /// Seconds between two looks at what operators asked for.
    private static let lookAround = 2.0

    private let station: StationClient
    private let mailbox: FleetMailbox
    private let name: () -> FleetName
    private let credentials: CredentialFolder
    private let folder: String
    private let log: Log
    private let cancellation: TransferCancellation
    private let clock = SystemClock()
    private let wishes: SettingsRunner
    private var ledger: CommandLedger?
    /// Whether the ledger has begun, and when that was tried last.
    private var isBegun = false
    private var triedAt: MonotonicInstant?
    private var complaint = ""
    /// When it was last looked whether the store has what operators asked for.
    private var lookedAt: MonotonicInstant?
    /// Whether the last look at the operators' keys failed.
    private var isKeyless = false
    /// The log that answers are numbered in, one for each run of the program.
    private var answers: (log: String, seq: Int64)?
    private var sent: [String: (rev: Int64, seq: Int64, at: MonotonicInstant)] = [:]

    /// - Parameters:
    ///   - station: konzad.
    ///   - mailbox: where commands come and answers go.
    ///   - name: of the station in its fleet.
    ///   - credentials: with the operators' public keys.
    ///   - folder: of the ledger.
    ///   - log: for the keeper.
    ///   - cancellation: ends it.
    init(
        station: StationClient, mailbox: FleetMailbox, name: @escaping () -> FleetName, credentials: CredentialFolder,
        folder: String, log: Log, cancellation: TransferCancellation
    ) {
        self.station = station
        self.mailbox = mailbox
        self.name = name
        self.credentials = credentials
        self.folder = folder
        self.log = log
        self.cancellation = cancellation
        wishes = SettingsRunner(station: station, mailbox: mailbox, name: name, log: log)
    }

    /// Goes on until it is cancelled.
    func run() {
        while !cancellation.isCancelled {
            do throws(StorageError) {
                let ledger = try opened()
                try begin(ledger)
                for order in mailbox.takeCommands() { try judge(order, ledger) }
                try lookAtOriginals(ledger)
                try answer(ledger)
                try wishes.turn(ledger) { operators }
                if !isKeyless { complaint = "" }
            } catch {
                // What cannot be written down does not act.
                complain("cannot carry out commands: \(error)")
            }
            Pause.seconds(0.5)
        }
    }

    private func complain(_ words: String) {
        if words != complaint { log(.warning, words) }
        complaint = words
    }

    /// The ledger begins as soon as somebody vouches for the time, not with the first command, which would be older than it.
    private func begin(_ ledger: CommandLedger) throws(StorageError) {
        let now = clock.monotonic()
        if isBegun || credentials.file("fleet-operators") == nil { return }
        if let triedAt, now.seconds(since: triedAt) < 1 { return }
        triedAt = now
        isBegun = try ledger.begin(time)
    }

    private func opened() throws(StorageError) -> CommandLedger {
        if let ledger { return ledger }
        let made = try CommandLedger(folder: folder, at: clock.utc())
        if let words = made.complaint { log(.error, "the ledger of commands was damaged and begins anew: \(words)") }
        ledger = made
        return made
    }

    // MARK: - Commands

    /// Whom the station listens to; nil for a file of them that cannot be used.
    private var operators: OperatorKeys? {
        do throws(FleetCommandError) {
            isKeyless = false
            return try credentials.file("fleet-operators").map { path throws(FleetCommandError) in
                try OperatorKeys.load(path)
            } ?? OperatorKeys.none
        } catch {
            isKeyless = true
            complain("\(error)")
            return nil
        }
    }

    private func judge(_ order: FleetMailbox.Command, _ ledger: CommandLedger) throws(StorageError) {
        guard let operators else { return }
        let gate = CommandGate(box: name().box, operators: operators, ledger: ledger)
        switch try gate.judge(order.payload, isRetained: order.isRetained, time) {
        case .act(let action, let id):
            log(.notice, "the command \(id) is carried out")
            if case .original(let record) = action, let isStored = wantOriginal(record) {
                guard isStored else { return try ledger.keepWaiting(id, for: record) }
                return try ledger.finish(id, .done, reason: "the store has the picture")
            }
            let (state, reason) = act(action, id.description)
            try ledger.finish(id, state, reason: reason)
        case .declined(let answer):
            log(.notice, "the command \(answer.id) is \(answer.state.rawValue): \(answer.reason ?? "")")
        case .known: break
        case .rejected(let id, let reason): log(.notice, "a command \(id ?? "without an id") is not taken: \(reason)")
        }
    }

    /// The time that postcards have, and whether anybody vouches for it.
    private var time: CommandTime {
        guard let status = try? station.get("/v1/status", as: StatusReply.self) else {
            return CommandTime(now: clock.utc(), isVouched: false)
        }
        return CommandTime(now: status.clock.time, isVouched: status.clock.health.level == .ok)
    }

    private func act(_ action: CommandAction, _ id: String) -> (CommandAnswer.State, String?) {
        do throws(ClientError) {
            switch action {
            case .postcard(let message, let template):
                struct Order: Encodable { let message: String?, template: String? }
                let card = try station.post(
                    "/v1/postcards", Order(message: message, template: template), idempotencyKey: id,
                    as: PostcardReply.self)
                return (.done, "the postcard \(card.id) is kept")
            case .whoAmI:
                let status = try station.get("/v1/status", as: StatusReply.self)
                return (.done, String("konza \(status.version), \(status.health.reason)".prefix(400)))
            case .original(let record):
                let original = try station.get("/v1/fleet/pictures/\(record)", as: FleetOriginalReply.self)
                return (.refused, "the picture \(original.id) cannot be sent now")
            }
        } catch {
            return (.refused, String(error.description.prefix(400)))
        }
    }

    // MARK: - Originals

    /// Asks konzad for an original to be sent.
    ///
    /// - Returns: whether the store has it already; nil if konzad does not take it, which it says again when it is asked.
    private func wantOriginal(_ record: String) -> Bool? {
        guard let answer = try? station.send("PUT", target: "/v1/fleet/pictures/\(record)", json: nil) else {
            return nil
        }
        return try? JSONDecoder().decode(FleetOriginalReply.self, from: Data(answer.body)).stored
    }

    /// Answers what the store has meanwhile, and what is no longer there.
    private func lookAtOriginals(_ ledger: CommandLedger) throws(StorageError) {
        let now = clock.monotonic()
        if let lookedAt, now.seconds(since: lookedAt) < Self.lookAround { return }
        lookedAt = now
        for (id, record) in try ledger.waiting() {
            do throws(ClientError) {
                let original = try station.get("/v1/fleet/pictures/\(record)", as: FleetOriginalReply.self)
                if original.stored { noteOriginal(id, .done, "the store has the picture", ledger) }
            } catch {
                switch error.kind {
                case .notFound: noteOriginal(id, .refused, "the picture was deleted meanwhile", ledger)
                case .targetDisabled: noteOriginal(id, .refused, "the station has no store any more", ledger)
                // It is asked again.
                default: return
                }
            }
        }
    }

    private func noteOriginal(
        _ id: RecordID<FleetCommand>, _ state: CommandAnswer.State, _ reason: String, _ ledger: CommandLedger
    ) {
        do throws(StorageError) {
            try ledger.finish(id, state, reason: reason)
        } catch {
            complain("cannot note what became of a command: \(error)")
        }
    }

    // MARK: - Answers

    private func answer(_ ledger: CommandLedger) throws(StorageError) {
        guard mailbox.connection != nil else { return }
        let confirmed = mailbox.takeAnswerReceipts()
        let now = clock.monotonic()
        for answer in try ledger.answersToSend() {
            if let rev = confirmed[answer.id], rev >= answer.revision {
                try ledger.noteSent(answer)
                sent[answer.id] = nil
                continue
            }
            let before = sent[answer.id]
            if let before, before.rev == answer.revision, now.seconds(since: before.at) < Self.patience { continue }
            let log = answers?.log ?? FleetName.newID(at: clock.utc())
            // An answer that has changed before its receipt came keeps its number.
            let seq = before?.seq ?? (answers?.seq ?? 0) + 1
            let envelope = FleetEnvelope(
                .answer, id: answer.id, box: name().box, log: log, seq: seq, rev: answer.revision,
                at: clock.utc().rfc3339, timeSource: "system", body: answer.body)
            guard mailbox.send(name().publication(.answer, envelope)) else { return }
            answers = (log, max(seq, answers?.seq ?? 0))
            sent[answer.id] = (answer.revision, seq, now)
        }
    }
}
