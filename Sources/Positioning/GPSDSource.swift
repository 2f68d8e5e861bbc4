internal import KonzaModel
public import KonzaSystem
internal import Synchronization

/// Reads gpsd and writes to the board, for ever: it connects again after every failure.
///
/// The socket is its own, never libgps's, whose connect blocks without a limit and whose reading does not notice a
/// gpsd that went away. One thread does all the waiting; nothing else in the process ever waits for gpsd.
public final class GPSDSource: Service {
    /// The limits of a connection, in seconds.
    public struct Settings: Sendable, Equatable {
        /// The longest that a connection or a name may take.
        public var connectSeconds: Double
        /// The first and the longest pause between two attempts.
        public var firstPauseSeconds: Double
        public var longestPauseSeconds: Double

        public init(
            connectSeconds: Double = 2.5, firstPauseSeconds: Double = 0.25, longestPauseSeconds: Double = 2
        ) {
            self.connectSeconds = connectSeconds
            self.firstPauseSeconds = firstPauseSeconds
            self.longestPauseSeconds = longestPauseSeconds
        }
    }

    public let name = "gpsd"
    private let endpoint: GPSDEndpoint
    private let board: PositionBoard
    private let settings: Settings
    private let stop: StopSignal

    /// - Throws: if the kernel has no event descriptor left.
    public init(endpoint: GPSDEndpoint = .standard, board: PositionBoard, settings: Settings = Settings()) throws {
        self.endpoint = endpoint
        self.board = board
        self.settings = settings
        stop = StopSignal(wakeup: try Wakeup())
    }

    public func run() async throws {
        let worker = GPSDWorker(endpoint: endpoint, board: board, settings: settings, stop: stop)
        let stop = self.stop
        try await onDedicatedThread(named: "gpsd") {
            stop.request()
        } _: {
            var worker = worker
            try worker.run()
        }
    }
}

/// Tells the worker's thread to end.
final class StopSignal: Sendable {
    let wakeup: Wakeup
    private let isRequested = Atomic(false)

    init(wakeup: Wakeup) { self.wakeup = wakeup }

    var isSet: Bool { isRequested.load(ordering: .acquiring) }

    func request() {
        isRequested.store(true, ordering: .releasing)
        wakeup.signal()
    }
}
