internal import HTTPTransfer
internal import KonzaClient
internal import KonzaSystem
internal import Settings

/// The threads of `konza-fleet`: one has the broker, one takes records to it, one takes pictures to the object
/// store, one says how the station is, and one carries out commands.
final class FleetService {
    private let socket: String
    private let settings: @Sendable () -> StationSettings
    private let credentials: CredentialFolder
    private let folder: String
    private let log: Log
    private let cancellation: TransferCancellation

    init(
        socket: String, settings: @escaping @Sendable () -> StationSettings, credentials: CredentialFolder,
        folder: String,
        log: Log, cancellation: TransferCancellation
    ) {
        self.socket = socket
        self.settings = settings
        self.credentials = credentials
        self.folder = folder
        self.log = log
        self.cancellation = cancellation
    }

    /// Goes on until it is cancelled, and says goodbye to the broker.
    ///
    /// - Throws: if the system has no descriptor or thread left, or libcurl cannot start.
    func run() throws {
        let mailbox = try FleetMailbox()
        let (settings, log, cancellation) = (settings, log, cancellation)
        let name: @Sendable () -> FleetName = {
            let fleet = settings().fleet
            return FleetName(site: fleet.site, box: fleet.box)
        }
        let records = try StationClient(socketPath: socket, cancellation: cancellation)
        let figures = try StationClient(socketPath: socket, cancellation: cancellation)
        try startThread(named: "outbox") {
            OutboxPump(station: records, mailbox: mailbox, name: name, log: log, cancellation: cancellation).run()
        }
        let orders = try StationClient(socketPath: socket, cancellation: cancellation)
        let (credentials, folder) = (credentials, folder)
        try startThread(named: "commands") {
            CommandRunner(
                station: orders, mailbox: mailbox, name: name, credentials: credentials, folder: folder, log: log,
                cancellation: cancellation
            ).run()
        }
        let pictures = try StationClient(socketPath: socket, cancellation: cancellation)
        try startThread(named: "pictures") {
            PicturePump(
                station: pictures, mailbox: mailbox, settings: settings, credentials: credentials, folder: folder,
                log: log, cancellation: cancellation
            ).run()
        }
        let identity = BoxIdentity(state: folder)
        try startThread(named: "identity") {
            IdentityRenewal(identity: identity, name: name, log: log, cancellation: cancellation).run()
        }
        try startThread(named: "telemetry") {
            TelemetryReporter(
                station: figures, mailbox: mailbox, settings: settings, log: log, cancellation: cancellation
            ).run()
        }
        BrokerLink(
            settings: settings, credentials: credentials, identity: identity, mailbox: mailbox, log: log,
            cancellation: cancellation
        ).run()
    }
}
