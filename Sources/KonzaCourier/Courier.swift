internal import FoundationEssentials
internal import HTTPTransfer
internal import KonzaAPI
internal import KonzaClient
internal import KonzaModel
internal import KonzaSystem
internal import MetPetDB
internal import Settings
internal import Terminology

/// Asks konzad what there is to do out there, and does it, one errand after another. It keeps nothing: all that it knows
/// of an errand is in konzad's archive before and after each call over the network, so it may end at any instant.
final class Courier {
    /// What it works with; read anew for every errand.
    struct Surroundings {
        let settings: StationSettings
        let credentials: CredentialFolder
        /// For the tokens that change.
        let state: String
    }

    /// Seconds that konzad holds the question for an errand open.
    private static let patience = 25
    /// Seconds until an errand that lacks an account is tried again.
    private static let pauseWithoutAccount = 900.0
    /// The longest pause after konzad was not reached, seconds.
    private static let longestPause = 30.0

    let station: StationClient
    private let surroundings: () -> Surroundings
    private let folder: String
    let log: Log
    let cancellation: TransferCancellation
    private let clock = SystemClock()
    private var client: MetPetDBClient?
    private var clientKey = ""
    private var lastDone = ""

    /// - Parameters:
    ///   - socket: konzad's.
    ///   - folder: for the photograph that is being sent.
    ///   - log: for the keeper.
    ///   - cancellation: ends what is under way, and the courier.
    ///   - surroundings: settings and credentials as they are now.
    /// - Throws: ``ClientError`` if libcurl cannot start.
    init(
        socket: String, folder: String, log: Log, cancellation: TransferCancellation,
        surroundings: @escaping () -> Surroundings
    ) throws(ClientError) {
        station = try StationClient(socketPath: socket, cancellation: cancellation)
        self.folder = folder
        self.log = log
        self.cancellation = cancellation
        self.surroundings = surroundings
    }

    // MARK: - The round

    /// Goes on until it is cancelled.
    func run() {
        var pause = 1.0
        while !cancellation.isCancelled {
            do {
                let isAllowed = try turn(waitingSeconds: Self.patience) != .networkless
                pause = 1
                if !isAllowed { rest(15) }
            } catch {
                guard !cancellation.isCancelled else { return }
                log(.warning, "\(error)")
                rest(pause)
                pause = min(pause * 2, Self.longestPause)
            }
        }
    }

    /// Does what is due.
    ///
    /// - Returns: how many errands.
    /// - Throws: if konzad is not reached.
    func runOnce() throws -> Int {
        var count = 0
        while !cancellation.isCancelled, try turn(waitingSeconds: 0) == .done { count += 1 }
        return count
    }

    private enum Turn {
        case done
        case nothingDue
        case networkless
    }

    private func turn(waitingSeconds: Int) throws -> Turn {
        let surroundings = surroundings()
        let gate = NetworkGate(allowed: surroundings.settings.courier.interfaces).choice()
        var query: StationClient.Query = [("wait", String(waitingSeconds))]
        if gate == .none { query = [("wait", "0"), ("network", "none")] }
        let answer = try station.send("GET", target: StationClient.target("/v1/errands", query), json: nil)
        guard gate != .none else { return .networkless }
        guard answer.status == 200 else { return .nothingDue }
        let errand = try JSONDecoder().decode(Errand.self, from: Data(answer.body))
        try run(errand, surroundings, gate)
        return .done
    }

    private func run(_ errand: Errand, _ surroundings: Surroundings, _ gate: NetworkGate.Choice) throws {
        switch errand.kind {
        case "submission":
            guard let specimen = errand.specimen, let submission = errand.submission else { return }
            try submit(submission, specimen, surroundings, gate)
        case "vocabulary":
            do {
                try fetchVocabulary(metPetDB(surroundings, gate))
            } catch let problem as MetPetDBError {
                try report(errand, problem.description)
            }
        case "samples", "summary", "sample", "regions":
            try lookUp(errand, surroundings, gate)
        case "picture": try fetchPicture(errand, surroundings, gate)
        default:
            try report(errand, "konza-courier does not know errands of the kind \(errand.kind)")
        }
    }

    func report(_ errand: Errand, _ problem: String) throws {
        log(.notice, problem)
        _ = try station.send("POST", "/v1/errands/\(percentEncoded(errand.id))", ["problem": problem])
    }

    private func rest(_ seconds: Double) {
        let deadline = clock.monotonic().advanced(bySeconds: seconds)
        while !cancellation.isCancelled, clock.monotonic() < deadline { Pause.seconds(0.2) }
    }

    // MARK: - Submissions

    private func submit(
        _ submission: Submission, _ specimen: Specimen, _ surroundings: Surroundings, _ gate: NetworkGate.Choice
    ) throws {
        let ledger = StationLedger(station, target: submission.target, folder: folder)
        defer { ledger.forgetPhotograph() }
        do {
            let left =
                switch submission.target {
                case .metpetdb: try submitToMetPetDB(submission, specimen, surroundings, gate, ledger)
                case .sesar: try register(submission, specimen, surroundings, gate, ledger)
                }
            tell(left, specimen)
        } catch let problem as MetPetDBError {
            let isAccount = problem.reason == .login || problem.reason == .badAddress
            let attempts = RetryPolicy.attempts(after: submission.attempts)
            let pause = RetryPolicy().pause(attempts: attempts, random: Double.random(in: 0..<1))
            tell(
                try postpone(
                    submission, problem.description, seconds: isAccount ? Self.pauseWithoutAccount : pause, ledger),
                specimen)
        } catch let error as LedgerError where error.reason == .superseded {
            // Somebody changed the record meanwhile: it comes again as it is now.
            log(.debug, error.description)
        }
        // An errand that comes back as it was is one that cannot be done: not at full speed.
        let mark = "\(submission.specimen) \(submission.target.rawValue) \(submission.version)"
        if mark == lastDone { rest(5) }
        lastDone = mark
    }

    private func submitToMetPetDB(
        _ submission: Submission, _ specimen: Specimen, _ surroundings: Surroundings, _ gate: NetworkGate.Choice,
        _ ledger: StationLedger
    ) throws -> Submission {
        let client = try metPetDB(surroundings, gate)
        var vocabulary = try station.get("/v1/vocabulary", as: Vocabulary.self)
        if vocabulary.origin != client.address.text { vocabulary = try fetchVocabulary(client) }
        let submitter = Submitter(client: client, ledger: ledger, clock: clock)
        // konzad says that it is due, whatever the record says of a later time.
        let begun = try submitter.advance(submission, of: specimen, vocabulary: vocabulary)
        return try submitter.run(begun, of: specimen, vocabulary: vocabulary)
    }

    private func register(
        _ submission: Submission, _ specimen: Specimen, _ surroundings: Surroundings, _ gate: NetworkGate.Choice,
        _ ledger: StationLedger
    ) throws -> Submission {
        let tokens = SesarTokenFile(credentials: surroundings.credentials, folder: surroundings.state)
        guard tokens.isThere, !surroundings.settings.sesar.code.isEmpty else {
            return try postpone(
                submission,
                "cannot register: SESAR needs the setting [SESAR] Code= and the credential sesar-tokens; set both, "
                    + "restart konza-courier, and flush the outbox", ledger)
        }
        let address = try ServerAddress(surroundings.settings.sesar.url)
        try address.expectConfidential(setting: "[SESAR] URL=")
        let client = try SesarClient(
            address: address, store: tokens,
            options: options(surroundings, gate))
        return try SesarSubmitter(client: client, code: surroundings.settings.sesar.code, ledger: ledger, clock: clock)
            .advance(submission, of: specimen)
    }

    private func postpone(
        _ submission: Submission, _ words: String, seconds: Double = Courier.pauseWithoutAccount,
        _ ledger: StationLedger
    ) throws(LedgerError) -> Submission {
        var record = submission
        let now = clock.utc()
        record.attempts = RetryPolicy.attempts(after: record.attempts)
        record.nextAttemptAt = now.advanced(bySeconds: seconds)
        record.lastFailure = words
        record.changedAt = now
        return try ledger.record(record)
    }

    private func tell(_ submission: Submission, _ specimen: Specimen) {
        let name = "\(specimen.number) for \(submission.target.rawValue)"
        switch submission.state {
        case .submitted: log(.info, "\(name): submitted\(submission.remoteURL.map { " as \($0)" } ?? "")")
        case .refused:
            let words = submission.refusals.map { "\($0.field.map { "\($0): " } ?? "")\($0.words)" }
            log(.warning, "\(name): refused, \(words.joined(separator: "; "))")
        case .conflict: log(.warning, "\(name): in conflict, \(submission.conflict?.reason ?? "")")
        case .draft, .ready, .sending:
            if let failure = submission.lastFailure { log(.notice, "\(name): \(failure)") }
        }
    }

    // MARK: - MetPetDB

    @discardableResult
    private func fetchVocabulary(_ client: MetPetDBClient) throws -> Vocabulary {
        let vocabulary = try client.vocabulary(at: clock.utc())
        _ = try station.send("PUT", "/v1/vocabulary", vocabulary)
        log(.info, "the vocabulary of \(client.address) is fetched")
        return vocabulary
    }

    /// One client for as long as nothing about it changes: its login lasts.
    func metPetDB(_ surroundings: Surroundings, _ gate: NetworkGate.Choice) throws -> MetPetDBClient {
        let settings = surroundings.settings.metPetDB
        guard let account = surroundings.credentials.metPetDB(email: settings.email) else {
            throw MetPetDBError.noAccount
        }
        let options = options(surroundings, gate)
        let key = "\(settings.url) \(settings.email) \(options)"
        if let client, key == clientKey { return client }
        let address = try ServerAddress(settings.url)
        try address.expectConfidential(setting: "[MetPetDB] URL=")
        let new = try MetPetDBClient(
            address: address, credentials: account, options: options, cancellation: cancellation)
        client = new
        clientKey = key
        return new
    }

    func options(_ surroundings: Surroundings, _ gate: NetworkGate.Choice) -> MetPetDBClient.Options {
        var options = MetPetDBClient.Options()
        options.bytesPerSecond = surroundings.settings.courier.uploadRate.map { Int($0) }
        if case .only(let name) = gate { options.interface = name }
        return options
    }
}
