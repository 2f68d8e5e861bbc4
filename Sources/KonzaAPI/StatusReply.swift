public import KonzaModel

/// The reply of `GET /v1/status`.
public struct StatusReply: Codable, Sendable {
    public struct Archive: Codable, Sendable {
        public var health: PartHealth
        public var folder: String
        public var postcards: Int
        public var bytes: Int64
        public var freeBytes: Int64?
        public var reserveBytes: Int64
        /// When the oldest postcard was taken; nil without one.
        public var oldestAt: UTCInstant?
        /// While the index is compared with the files.
        public var comparison: Comparison?

        public init(
            health: PartHealth, folder: String, postcards: Int, bytes: Int64, freeBytes: Int64?, reserveBytes: Int64
        ) {
            self.health = health
            self.folder = folder
            self.postcards = postcards
            self.bytes = bytes
            self.freeBytes = freeBytes
            self.reserveBytes = reserveBytes
        }
    }

    /// How far the comparison of the index with the files is.
    public struct Comparison: Codable, Sendable {
        /// Folders that are done, and all that are known so far.
        public var folders: Int
        public var allFolders: Int
        /// Records that were added to the index.
        public var added: Int

        public init(folders: Int, allFolders: Int, added: Int) {
            self.folders = folders
            self.allFolders = allFolders
            self.added = added
        }
    }

    public struct Part: Codable, Sendable {
        public var health: PartHealth
        public var source: SourceKind?

        public init(health: PartHealth, source: SourceKind? = nil) {
            self.health = health
            self.source = source
        }
    }

    public struct Clock: Codable, Sendable {
        public var health: PartHealth
        public var time: UTCInstant
        public var timeSource: String
        public var synchronized: Bool

        public init(health: PartHealth, time: UTCInstant, timeSource: String, synchronized: Bool) {
            self.health = health
            self.time = time
            self.timeSource = timeSource
            self.synchronized = synchronized
        }
    }

    public struct Process: Codable, Sendable {
        public var id: Int
        public var residentBytes: Int64
        public var openDescriptors: Int
        public var cpuSeconds: Double

        public init(id: Int, residentBytes: Int64, openDescriptors: Int, cpuSeconds: Double) {
            self.id = id
            self.residentBytes = residentBytes
            self.openDescriptors = openDescriptors
            self.cpuSeconds = cpuSeconds
        }
    }

    public struct Outbox: Codable, Sendable {
        public var health: PartHealth
        /// Without deleted ones.
        public var specimens: Int
        /// Submissions that are to be sent or under way.
        public var waiting: Int
        /// Submissions by their state.
        public var submissions: [String: Int]

        public init(health: PartHealth, specimens: Int, waiting: Int, submissions: [String: Int]) {
            self.health = health
            self.specimens = specimens
            self.waiting = waiting
            self.submissions = submissions
        }
    }

    public var name: String
    public var version: String
    public var startedAt: UTCInstant
    public var uptimeSeconds: Int
    public var health: PartHealth
    public var position: Part
    public var camera: Part
    public var templates: Part
    public var archive: Archive
    /// Nil from a daemon that knows no specimens.
    public var outbox: Outbox?
    public var clock: Clock
    /// Nil from a daemon that does not tell.
    public var configuration: Part?
    public var terrain: Part?
    /// The trails and closures that are kept.
    public var trails: Part?
    /// The way to the fleet's broker, of a station that belongs to one.
    public var fleet: Part?
    public var process: Process

    public init(
        version: String, startedAt: UTCInstant, uptimeSeconds: Int, health: PartHealth, position: Part, camera: Part,
        templates: Part, archive: Archive, clock: Clock, process: Process
    ) {
        self.name = "konzad"
        self.version = version
        self.startedAt = startedAt
        self.uptimeSeconds = uptimeSeconds
        self.health = health
        self.position = position
        self.camera = camera
        self.templates = templates
        self.archive = archive
        self.clock = clock
        self.process = process
    }

    static let schemas: [Schema] = [
        Schema(
            "Status",
            "The station, one reason per part. Visitors and the kiosk are told what is not well, and not why.",
            [
                .always("name", .string, "konzad."),
                .always("version", .string, "The version of the daemon."),
                .always("startedAt", .dateTime, "When it started."),
                .always("uptimeSeconds", .integer, "Since then."),
                .always("health", .reference("Health"), "The worst of the parts."),
                .always("position", .reference("StatusPart"), "The receiver."),
                .always("camera", .reference("StatusPart"), "The camera."),
                .always("templates", .reference("StatusPart"), "The templates and their fonts."),
                .always("archive", .reference("StatusArchive"), "Where postcards are kept."),
                .known("outbox", .reference("StatusOutbox"), "Specimens, and what is to be sent of them."),
                .always("clock", .reference("StatusClock"), "The time."),
                .known("terrain", .reference("StatusPart"), "The files of the ground around."),
                .known("trails", .reference("StatusPart"), "The trails and closures that are kept."),
                .known(
                    "fleet", .reference("StatusPart"),
                    "The way to the fleet's broker, of a station that belongs to one."),
                .known("configuration", .reference("StatusPart"), "Whether the last reload was taken."),
                .always("process", .reference("StatusProcess"), "What the daemon itself uses."),
            ]),
        Schema(
            "StatusPart", "One part of the station.",
            [
                .always("health", .reference("Health"), "How it is."),
                .known("source", .choice(PositionReply.sourceWords), "Live or recorded."),
            ]),
        Schema(
            "StatusArchive", "Where postcards are kept.",
            [
                .always("health", .reference("Health"), "How it is."),
                .always("folder", .string, "The folder; empty for visitors and the kiosk."),
                .always("postcards", .integer, "How many are kept."),
                .always("bytes", .integer, "What they take."),
                .known("freeBytes", .integer, "What is free on the disk."),
                .always("reserveBytes", .integer, "What is left free on purpose."),
                .known("oldestAt", .dateTime, "When the oldest postcard was taken; looked up every ten seconds."),
                .known("comparison", .reference("StatusComparison"), "While the index is compared with the files."),
            ]),
        Schema(
            "StatusComparison",
            "How far the comparison of the index with the files is; others read and write meanwhile.",
            [
                .always("folders", .integer, "Folders that are done."),
                .always("allFolders", .integer, "All folders that are known so far."),
                .always("added", .integer, "Records that were added to the index."),
            ]),
        Schema(
            "StatusOutbox", "Specimens, and what is to be sent of them.",
            [
                .always("health", .reference("Health"), "Whether a person is needed."),
                .always("specimens", .integer, "How many there are, without deleted ones."),
                .always("waiting", .integer, "How many submissions are to be sent or under way."),
                .always("submissions", .map(.integer), "How many submissions are in each state."),
            ]),
        Schema(
            "StatusClock", "The time, and by whose clock.",
            [
                .always("health", .reference("Health"), "How it is."),
                .always("time", .dateTime, "The time that stamps use."),
                .always("timeSource", .choice(["system", "gps"]), "Whose clock that is."),
                .always("synchronized", .boolean, "Whether the kernel calls its clock synchronised."),
            ]),
        Schema(
            "StatusProcess", "What the daemon itself uses.",
            [
                .always("id", .integer, "The process id."),
                .always("residentBytes", .integer, "Resident memory."),
                .always("openDescriptors", .integer, "Open file descriptors."),
                .always("cpuSeconds", .number, "CPU time since the start."),
            ]),
    ]
}
