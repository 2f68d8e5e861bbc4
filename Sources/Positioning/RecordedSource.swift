internal import KonzaModel
public import KonzaSystem

/// Replays a recording to the board, round and round, as if it happened now: times are moved to the present, so that
/// a position at an instant works as with a receiver. Every fix says that it is recorded.
public struct RecordedSource: Service {
    public let name = "recorded position"
    private let recording: Recording
    private let board: PositionBoard
    private let speed: Double

    /// - Parameters:
    ///   - recording: what is replayed.
    ///   - board: where it is shown.
    ///   - speed: 1 for true speed, 10 for ten times as fast (0.01 to 1000). Speeds and climbs are scaled with it, so
    ///     that they agree with the positions.
    public init(_ recording: Recording, board: PositionBoard, speed: Double = 1) {
        self.recording = recording
        self.board = board
        self.speed = speed.isFinite ? min(max(speed, 0.01), 1000) : 1
    }

    /// Reads the recording's file first.
    ///
    /// - Throws: ``Recording/Fault``, after the board was told.
    public init(file: String, board: PositionBoard, speed: Double = 1) throws(Recording.Fault) {
        do throws(Recording.Fault) {
            self.init(try Recording(file: file), board: board, speed: speed)
        } catch {
            board.report(link: .down(.brokenRecording(cause: error.description)))
            throw error
        }
    }

    public func run() async throws {
        board.report(link: .recorded(name: recording.name))
        var pace = Pace(clock: board.clock)
        do {
            while !Task.isCancelled {
                try await replay(&pace)
                pace.move(bySeconds: recording.durationSeconds / speed, clock: board.clock)
            }
        } catch is CancellationError {
            return
        }
    }

    private func replay(_ pace: inout Pace) async throws {
        for epoch in recording.epochs {
            let offset = epoch.seconds / speed
            try await sleep(until: pace.start.advanced(bySeconds: offset))
            pace.follow(board.clock)
            report(epoch, time: pace.startUTC.advanced(bySeconds: offset))
        }
        try await sleep(until: pace.start.advanced(bySeconds: recording.durationSeconds / speed))
    }

    /// Sleeps in short pieces where nothing comes for longer than a second, so that the board is judged anew as time passes.
    private func sleep(until deadline: MonotonicInstant) async throws {
        let clock = board.clock
        try Task.checkCancellation()
        while clock.monotonic() < deadline {
            let now = clock.monotonic()
            let isSoon = deadline.seconds(since: now) <= 1
            try await clock.sleep(until: isSoon ? deadline : now.advanced(bySeconds: 0.5))
            if clock.monotonic() < deadline { board.refresh() }
        }
    }

    private func report(_ epoch: RecordedEpoch, time: UTCInstant) {
        let arrival = board.clock.monotonic()
        if var fix = epoch.fix {
            if fix.time != nil { fix.time = time }
            fix.arrival = arrival
            fix.source = .recorded
            fix.speed = fix.speed.map { $0 * speed }
            fix.climb = fix.climb.map { $0 * speed }
            board.report(fix)
        }
        if var sky = epoch.sky {
            sky.arrival = arrival
            if sky.time != nil { sky.time = time }
            board.report(sky, hasSatellites: epoch.hasSatellites)
        }
    }
}

/// When a round began, on both clocks. Times of epochs are counted from there, so that the reports of one epoch keep
/// one time.
private struct Pace {
    /// A wall clock that strays further is followed, seconds.
    private static let tolerance = 0.5

    private(set) var start: MonotonicInstant
    private(set) var startUTC: UTCInstant

    init(clock: any StationClock) {
        let clocks = clock.reading()
        (start, startUTC) = (clocks.monotonic, clocks.utc)
    }

    /// Takes over a wall clock that was set.
    mutating func follow(_ clock: any StationClock) {
        let real = clock.reading().utc(at: start)
        if abs(real.seconds(since: startUTC)) > Self.tolerance { startUTC = real }
    }

    mutating func move(bySeconds seconds: Double, clock: any StationClock) {
        start = start.advanced(bySeconds: seconds)
        startUTC = startUTC.advanced(bySeconds: seconds)
        // After a standstill of the machine the lost rounds are not made up for.
        if clock.monotonic().seconds(since: start) > 5 { self = Pace(clock: clock) }
    }
}
