internal import FoundationEssentials
internal import HTTPTransfer
internal import KonzaAPI
internal import KonzaClient
internal import KonzaModel
internal import KonzaSystem
internal import Settings

/// What the courier does for the portal: it brings what feeds say, and sends messages. It keeps nothing: what is known of a feed and
/// of a message is in the portal's database before and after each call over the network, so it may end at any instant.
final class PortalWork {
    /// Seconds between two looks at the portal.
    private static let lookSeconds = 5.0
    /// Seconds until a feed that gave no answer is asked again.
    static let pauseAfterFailure = 120.0

    private struct Ways: Encodable { let ways: [String] }

    private struct MessageReport: Encodable {
        let lease: String
        let outcome: String
        let problem: String?
    }

    /// A feed of announcements, or a calendar.
    struct Source: Equatable {
        let address: String
        /// Whom a feed's announcements are for.
        let audience: String?
    }

    private let surroundings: () -> Courier.Surroundings
    let stationSocket: String
    let log: Log
    let cancellation: TransferCancellation
    let clock: any StationClock
    var dueAt: [String: MonotonicInstant] = [:]
    var chosen: [Source]?
    var chosenCalendars: [Source]?
    private var complaint = ""

    /// - Parameters:
    ///   - stationSocket: konzad's, which is asked where the station is.
    ///   - log: for the keeper.
    ///   - cancellation: ends what is under way.
    ///   - clock: the time.
    ///   - surroundings: settings and credentials as they are now.
    init(
        stationSocket: String, log: Log, cancellation: TransferCancellation, clock: any StationClock = SystemClock(),
        surroundings: @escaping () -> Courier.Surroundings
    ) {
        self.stationSocket = stationSocket
        self.log = log
        self.cancellation = cancellation
        self.clock = clock
        self.surroundings = surroundings
    }

    /// Goes on until it is cancelled.
    func run() {
        while !cancellation.isCancelled {
            turn()
            let deadline = clock.monotonic().advanced(bySeconds: Self.lookSeconds)
            while !cancellation.isCancelled, clock.monotonic() < deadline { Pause.seconds(0.2) }
        }
    }

    /// Does what is due. A portal that does not answer has nothing to be done.
    func turn() {
        let surroundings = surroundings()
        let settings = surroundings.settings
        let gate = NetworkGate(allowed: settings.courier.interfaces).choice()
        guard gate != .none else { return }
        var interface: String?
        if case .only(let name) = gate { interface = name }
        do {
            let portal = try StationClient(socketPath: settings.portal.socket, cancellation: cancellation)
            try sendMessages(portal, surroundings, interface)
            try askFeeds(portal, settings, interface)
            try askCalendars(portal, settings, interface)
            complaint = ""
        } catch {
            let words = "\(error)"
            // A station without a portal has none to complain about.
            if words != complaint { log(.debug, "the portal: \(words)") }
            complaint = words
        }
    }

    // MARK: - Messages

    private func sendMessages(
        _ portal: StationClient, _ surroundings: Courier.Surroundings, _ interface: String?
    ) throws {
        let settings = surroundings.settings.courier
        var ways: [String] = []
        if !settings.mailServer.isEmpty, !settings.mailFrom.isEmpty { ways.append("mail") }
        if !settings.webhook.isEmpty { ways.append("webhook") }
        guard !ways.isEmpty else { return }
        // As many at a time as a full outbox has; then feeds have their turn.
        for _ in 0..<100 where !cancellation.isCancelled {
            let answer = try portal.send("POST", "/v1/messages/next", Ways(ways: ways))
            guard answer.status == 200 else { return }
            let message = try JSONDecoder().decode(StationMessage.self, from: Data(answer.body))
            let report = send(message, surroundings, interface)
            _ = try portal.send("POST", "/v1/messages/\(percentEncoded(message.id))", report)
            if let problem = report.problem {
                log(.warning, "message \(message.id): \(problem)")
            } else {
                log(.info, "message \(message.id) is sent")
            }
        }
    }

    private func send(
        _ message: StationMessage, _ surroundings: Courier.Surroundings, _ interface: String?
    ) -> MessageReport {
        do {
            if message.way == "webhook" {
                try post(message, surroundings, interface)
            } else {
                try mail(message, surroundings, interface)
            }
            return MessageReport(lease: message.lease, outcome: "sent", problem: nil)
        } catch let error as MailError {
            return MessageReport(
                lease: message.lease, outcome: error.isLasting ? "refused" : "postponed", problem: error.description)
        } catch let error as MessageRefusal {
            return MessageReport(
                lease: message.lease, outcome: error.isLasting ? "refused" : "postponed", problem: error.words)
        } catch {
            return MessageReport(lease: message.lease, outcome: "postponed", problem: "\(error)")
        }
    }

    private struct MessageRefusal: Error {
        let words: String
        var isLasting = false
    }

    private func mail(
        _ message: StationMessage, _ surroundings: Courier.Surroundings, _ interface: String?
    ) throws {
        let settings = surroundings.settings.courier
        var mail = MailSubmission(
            server: settings.mailServer, from: settings.mailFrom, recipient: message.recipient,
            message: MailText.message(message, from: settings.mailFrom, at: clock.utc()))
        mail.isLocal = ["smtp://127.0.0.1", "smtp://localhost", "smtp://[::1]"].contains { prefix in
            settings.mailServer.hasPrefix(prefix)
                && ["", ":", "/"].contains(settings.mailServer.dropFirst(prefix.count).prefix(1))
        }
        mail.interface = interface
        mail.certificateAuthorities = settings.mailAuthorities
        if !settings.mailUser.isEmpty {
            guard let password = surroundings.credentials.text("mail-password") else {
                throw MessageRefusal(
                    words:
                        "cannot send mail: there is no credential mail-password; put it into /etc/konza/credentials and restart konza-courier"
                )
            }
            mail.user = settings.mailUser
            mail.password = password
        }
        try mail.send(cancellation: cancellation)
    }

    private struct Posted: Encodable {
        let id: String
        let subject: String
        let body: String
        let about: String
        let writtenAt: String
    }

    private func post(
        _ message: StationMessage, _ surroundings: Courier.Surroundings, _ interface: String?
    ) throws {
        guard let key = surroundings.credentials.text("webhook-key") else {
            throw MessageRefusal(
                words:
                    "cannot post messages: there is no credential webhook-key; put it into /etc/konza/credentials and restart konza-courier"
            )
        }
        let body = Array(
            try JSONEncoder().encode(
                Posted(
                    id: message.id, subject: message.subject, body: message.body, about: message.about,
                    writtenAt: message.writtenAt)))
        let second = clock.utc().nanoseconds / 1_000_000_000
        let signature = MessageSignature.hexadecimal(Array("\(second).".utf8) + body, key: Array(key.utf8))
        var request = HTTPRequest("POST", url: surroundings.settings.courier.webhook)
        request.headers = [
            ("Content-Type", "application/json"), ("Idempotency-Key", message.id),
            ("Konza-Signature", "t=\(second),v1=\(signature)"),
        ]
        request.body = body
        request.isRepeatable = false
        request.interface = interface
        request.maximumBytes = 64 << 10
        let answer = try HTTPConnection().send(request, cancellation: cancellation)
        guard !(200...299).contains(answer.status) else { return }
        throw MessageRefusal(
            words: "cannot post the message: the server answers with status \(answer.status)",
            isLasting: (400...499).contains(answer.status)
                && ![401, 403, 404, 408, 409, 425, 429].contains(answer.status))
    }
}
