import KonzaAPI
import KonzaModel
import KonzaSystem
import KonzaTesting
import Settings
import Synchronization
import Testing

@testable import Capture
@testable import KonzaDaemon
@testable import Positioning
@testable import Postcards
@testable import Specimens
@testable import Storage

/// The daemon's parts and desks on a clock that the test moves, without sources: frames and fixes come from the test.
final class Desks: Sendable {
    let folder: TemporaryFolder
    let clock: ManualClock
    let parts: StationParts
    let outbox: OutboxDesk
    private let camera: PrairieCamera

    init(
        clock: ManualClock = ManualClock(),
        isSynchronized: @escaping @Sendable () -> Bool? = { SystemClock.isSynchronized }
    ) throws {
        folder = try TemporaryFolder()
        self.clock = clock
        var settings = StationSettings()
        settings.general.state = folder.path
        settings.camera.source = .recorded
        settings.metPetDB.submit = true
        let templates = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        settings.postcards.templateFolders = ["/\(templates)/config/templates"]
        settings.postcards.maxCountdown = 60
        parts = try StationParts.make(
            settings, data: "/\(templates)/config", clock: clock, log: Log(threshold: .error, marksPriority: false),
            isSynchronized: isSynchronized)
        parts.store.refresh()
        outbox = OutboxDesk(specimens: SpecimenDesk(parts: parts))
        camera = PrairieCamera(width: 160, height: 120, time: parts.time, clock: clock)
        parts.hub.attach(.simulated) {}
    }

    /// A fix of now; the receiver's time is right, whatever the clock on the wall says.
    func reportFix() {
        let board = parts.board
        board.report(link: .connected(endpoint: "127.0.0.1:2947", release: "3.22"))
        board.report(receivers: [Receiver(path: "/dev/ttyACM0", driver: "u-blox", isActivated: true, cycleSeconds: 1)])
        board.report(
            Fix(
                time: receiverNow, arrival: clock.monotonic(), mode: .threeDimensional,
                coordinate: Coordinate(latitude: 39.1069, longitude: -96.6091), source: .live))
    }

    var receiverNow: UTCInstant {
        UTCInstant(nanoseconds: 1_780_149_600_000_000_000).advanced(
            bySeconds: clock.monotonic().seconds(since: MonotonicInstant(nanoseconds: 1_000_000_000_000)))
    }

    /// A sound frame of now.
    func publishFrame() throws {
        guard case .generator(let paint) = camera.recording else { return }
        let now = clock.monotonic()
        let frame = Frame(
            data: try paint(now), width: 160, height: 120, sequence: 1, exposedAt: now,
            timestampSource: .startOfExposure, source: .simulated)
        parts.hub.publish(frame, earliest: now, arrival: now)
    }

    /// The camera is put away and comes back, with or without having said so.
    func replaceCamera(expected: Bool) {
        if expected { parts.hub.expectSuccessor() }
        parts.hub.detach()
        parts.hub.attach(.simulated) {}
    }

    /// Closes a desk, and moves the clock on until it has closed and nothing sleeps: the close looks again now and then, by
    /// the clock, and may begin to wait when all else is over.
    func close(_ desk: PostcardDesk, while body: () -> Void = {}) async throws {
        let hasClosed = Mutex(false)
        let closing = Task {
            await desk.close(graceSeconds: 1e6)
            hasClosed.withLock { $0 = true }
        }
        body()
        try await settle("the desk closes") {
            clock.advance(bySeconds: 0.02)
            return hasClosed.withLock { $0 } && desk.isIdle
        }
        await closing.value
        try await settle("nothing sleeps") {
            clock.advance(bySeconds: 0.02)
            return clock.sleeperCount == 0
        }
    }

    /// Everything that waits or is held on somebody's behalf; empty where nothing is.
    func leftovers(_ desk: PostcardDesk) -> [String] {
        let waits: [(String, Int)] = [
            ("waits for a fix", parts.board.waiterCount), ("shots", parts.hub.state.withLock { $0.shots.count }),
            ("demand for frames", parts.hub.status().demand), ("postcards", desk.underWay),
            ("postcards' parts", desk.isIdle ? 0 : 1),
            ("keys", parts.archive.kind.state.withLock { $0.inProgress.count }),
            ("long polls", outbox.bell.waitingCount),
            ("questions", outbox.questions.waitingCount), ("sleepers", clock.sleeperCount),
            ("position handlers", parts.board.changes.subscriberCount),
            ("camera handlers", parts.hub.changes.subscriberCount),
        ]
        return waits.filter { $0.1 != 0 }.map { "\($0.0): \($0.1)" }
    }
}

/// Lets other tasks run until something holds; the clock stands still meanwhile. Work on other threads has two minutes of
/// real time, however busy the machine is.
func settle(_ what: String, _ isDone: () -> Bool) async throws {
    let patience = ContinuousClock.now + .seconds(120)
    var rounds = 0
    while ContinuousClock.now < patience {
        for _ in 0..<1000 {
            if isDone() { return }
            await Task.yield()
        }
        rounds += 1
        if rounds > 20 { try await Task.sleep(for: .milliseconds(1)) }
    }
    struct Stuck: Error { let what: String }
    throw Stuck(what: what)
}
