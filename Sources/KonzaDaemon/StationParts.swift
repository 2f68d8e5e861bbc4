internal import Capture
internal import Drawing
internal import Forwarding
internal import JPEGCoding
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Postcards
internal import Settings
internal import Specimens
internal import Stamping
internal import Storage

/// Everything the routes and services work with.
struct StationParts: Sendable {
    let clock: any StationClock
    let startedAt: MonotonicInstant
    let settings: SettingsBox
    /// What was set from afar, as it was at the start.
    let remoteSettings: RemoteSettingsFile.Content
    let log: Log
    let time: TimeKeeper
    let board: PositionBoard
    let standing: StandingKeeper
    let hub: FrameHub
    let library: TemplateLibrary
    let artist: PostcardArtist
    let engine: any StampingEngine
    let store: Store
    let archive: PostcardArchive
    let specimens: SpecimenArchive
    /// What the fleet is to know of them.
    let forwarding: ForwardingArchive
    let events: StationEvents
    /// Everything that clients can make konzad hold.
    let memory: MemoryBudget
    /// The ground around.
    let ground: Ground
    let tally = StationTally()
    let surroundings = Surroundings()

    /// What pictures take of it, on nobody's account: few are worked on at once, and none for long.
    var pictureMemory: PictureMemory { PictureMemory(memory, account: nil) }
}

extension StationParts {
    /// Puts the parts together. Nothing is opened that could be missing, but the archive, which says what is wrong
    /// with it.
    static func make(
        _ settings: StationSettings, data: String, clock: any StationClock, log: Log,
        isSynchronized: @escaping @Sendable () -> Bool? = { SystemClock.isSynchronized }
    ) throws -> StationParts {
        let board = PositionBoard(clock: clock, settings: PositionSettings(settings.position))
        let isLive = settings.camera.source == .v4l2
        let source: SourceKind = isLive ? .live : settings.camera.recording == nil ? .simulated : .recorded
        let hub = FrameHub(clock: clock, source: source, idleSeconds: settings.camera.idleAfter)
        let time = TimeKeeper(
            clock: clock, receiverUTC: { board.receiverUTC(at: $0) }, isSynchronized: isSynchronized)
        let library = TemplateLibrary(folders: templateFolders(settings, data: data))
        let store = try Store(folder: settings.general.state, clock: clock, believedTime: { time.believedNow })
        let archive = PostcardArchive(store: store, limits: RetentionLimits(settings.postcards, capacity: 0))
        let specimens = SpecimenArchive(store: store)
        let forwarding = ForwardingArchive(store: store)
        let memory = MemoryBudget()
        let remote = RemoteSettingsFile(folder: settings.general.state).read()
        return StationParts(
            clock: clock, startedAt: clock.monotonic(), settings: SettingsBox(settings, layer: remote.kept?.layer()),
            remoteSettings: remote, log: log, time: time, board: board,
            standing: StandingKeeper(board: board, clock: clock, log: log, folder: settings.general.state), hub: hub,
            library: library, artist: PostcardArtist(cacheBytes: 8 << 20),
            engine: StampingLadder(memory: PictureMemory(memory, account: nil)),
            store: store, archive: archive, specimens: specimens, forwarding: forwarding,
            events: StationEvents(clock: clock, kept: settings.api.eventsPerClient, memory: memory), memory: memory,
            ground: Ground(folder: settings.terrain.folder ?? "\(data)/terrain", log: log))
    }

    /// The folders of the settings, then what the program brings along. The folders that are sought by default need
    /// not be there; one that somebody named must.
    private static func templateFolders(_ settings: StationSettings, data: String) -> [String] {
        let standard = StationSettings().postcards.templateFolders
        let own = settings.postcards.templateFolders
        let sought = own == standard ? own.filter(DataFolder.exists) : own
        let carried = "\(data)/templates"
        return sought.contains(carried) ? sought : sought + [carried]
    }
}
