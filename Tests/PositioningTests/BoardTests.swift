import KonzaModel
import KonzaSystem
import KonzaTesting
import Synchronization
import Testing

@testable import Positioning

@Suite struct BoardTests {
    private let clock = ManualClock()

    @Test("up to three reports of the same time are one epoch that gets richer")
    func epochs() throws {
        let board = connectedBoard(clock)
        board.report(fix(0, mode: .twoDimensional, clock: clock))
        var second = fix(0, clock: clock)
        second.altitudeHAE = 386.9
        second.altitudeMSL = 415.2
        second.errors.eph = 17.1
        board.report(second)
        var third = fix(0, clock: clock)
        third.errors.epv = 32.2
        board.report(third)
        let snapshot = board.snapshot()
        let merged = try #require(snapshot.fix)
        #expect(merged.sequence == 1)
        #expect(merged.mode == .threeDimensional)
        #expect(merged.altitudeMSL == 415.2)
        #expect(merged.errors.epv == 32.2)
        #expect(snapshot.counters.epochs == 1)
        #expect(snapshot.counters.mergedReports == 2)
        #expect(board.fixes().count == 1)
        #expect(board.fixes().first?.altitudeHAE == 386.9)
    }

    @Test("time that goes back begins the track anew and is counted; a straggler is ignored")
    func timeGoesBack() {
        let board = connectedBoard(clock)
        for second in [0.0, 1, 2] { board.report(fix(second, clock: clock)) }
        board.report(fix(1, clock: clock))
        #expect(board.fixes().count == 3)
        #expect(board.snapshot().counters.lateReports == 1)
        board.report(fix(-600, clock: clock))
        // It may be one wrong date: the next report tells.
        #expect(board.fixes().count == 3)
        clock.advance(bySeconds: 1)
        board.report(fix(-599, clock: clock))
        #expect(board.fixes().count == 1)
        #expect(board.snapshot().counters.trackRestarts == 1)
        #expect(board.snapshot().state == .fix)
    }

    @Test("a receiver that missed the start of a new count of weeks is corrected, reported and counted")
    func missedRollover() throws {
        let board = connectedBoard(clock)
        board.report(fix(0, clock: clock))
        let expected = try #require(board.snapshot().fix?.time)
        for periods in 1...2 {
            clock.advance(bySeconds: 1)
            board.report(fix(Double(periods) - Double(periods) * 1024 * 7 * 86_400, clock: clock))
            let snapshot = board.snapshot()
            #expect(snapshot.fix?.time == expected.advanced(bySeconds: Double(periods)))
            #expect(snapshot.counters.weekRollovers == UInt64(periods))
            #expect(snapshot.health.level == .ok && snapshot.health.reason.contains("\(1024 * periods) weeks behind"))
            #expect(snapshot.correctedWeeks == 1024 * periods)
        }
        #expect(board.snapshot().counters.trackRestarts == 0)
        #expect(board.fixes().count == 3)
    }

    @Test("a jump is reported for a minute")
    func toldJumps() {
        let board = connectedBoard(clock)
        board.report(fix(0, clock: clock))
        clock.advance(bySeconds: 1)
        var far = fix(1, clock: clock)
        far.coordinate = Coordinate(latitude: 43.6, longitude: -96.6)
        board.report(far)
        #expect(board.snapshot().health.reason.contains("jumped by"))
        for second in 2..<64 {
            clock.advance(bySeconds: 1)
            far = fix(Double(second), clock: clock)
            far.coordinate = Coordinate(latitude: 43.6, longitude: -96.6)
            board.report(far)
        }
        #expect(board.snapshot().counters.positionJumps == 1)
        #expect(!board.snapshot().health.reason.contains("jumped by"))
    }

    @Test("another source's takeover ends the waits for a fix of the former one")
    func resetEndsWaits() async {
        let board = connectedBoard(clock)
        board.report(fix(0, clock: clock))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let later = epochStart.advanced(bySeconds: 0.5)
                    if case .failure = await board.position(at: later, waitingAtMost: 60) { return true }
                    return false
                }
            }
            while board.waiterCount < 8 { await Task.yield() }
            board.reset()
            for await hasNone in group { #expect(hasNone) }
        }
        #expect(board.waiterCount == 0)
        #expect(clock.sleeperCount == 0)
    }

    @Test("the date of another year begins the track anew, an outage does not")
    func weeks() {
        let board = connectedBoard(clock)
        board.report(fix(0, clock: clock))
        clock.advance(bySeconds: 7200)
        board.report(fix(7200, clock: clock))
        #expect(board.snapshot().counters.trackRestarts == 0)
        clock.advance(bySeconds: 1)
        for second in [7201.0, 7202] {
            board.report(fix(second + 365 * 86_400, clock: clock))
            clock.advance(bySeconds: 1)
        }
        #expect(board.snapshot().counters.trackRestarts == 1)
        #expect(board.fixes().count == 1)
    }

    @Test("a leap in place is kept and counted")
    func jumps() {
        let board = connectedBoard(clock)
        board.report(fix(0, clock: clock))
        board.report(fix(1, 39.2, clock: clock))
        #expect(board.snapshot().counters.positionJumps == 1)
        #expect(board.fixes().count == 2)
    }

    @Test("between the fixes of a leap no position is made up; at them it is given")
    func betweenLeaps() throws {
        let board = connectedBoard(clock)
        board.report(fix(0, clock: clock))
        let first = try #require(board.snapshot().fix?.time)
        board.report(fix(1, 39.2, clock: clock))
        #expect(throws: TrackError.self) { try board.position(at: first.advanced(bySeconds: 0.5)).get() }
        #expect(try board.position(at: first.advanced(bySeconds: 1)).get().coordinate.latitude == 39.2)
    }

    @Test("a reading says what a snapshot of the same moment does, in every state, live and recorded")
    func readings() {
        let board = connectedBoard(clock)
        var states: Set<PositionState> = []
        func compare() {
            let (reading, snapshot) = (board.reading(), board.snapshot())
            #expect(reading.version == snapshot.version)
            #expect(reading.state == snapshot.state)
            #expect(reading.ageSeconds == snapshot.ageSeconds)
            states.insert(reading.state)
        }
        compare()
        for link in [
            PositionLink.connected(endpoint: "here", release: "3.22"), .recorded(name: "walk"),
            .starting(endpoint: "here"),
        ] {
            board.report(link: link)
            compare()
            board.report(fix(0, clock: clock))
            for _ in 0..<8 {
                compare()
                clock.advance(bySeconds: 0.5)
            }
        }
        #expect(states == [.acquiring, .fix, .stale, .disconnected])
    }

    @Test("the state follows from the age at the moment of reading")
    func ages() {
        let board = connectedBoard(clock)
        #expect(board.snapshot().state == .acquiring)
        board.report(fix(0, clock: clock))
        #expect(board.snapshot().state == .fix)
        #expect(board.snapshot().health.level == .ok)
        clock.advance(bySeconds: 2.6)
        #expect(board.snapshot().state == .stale)
        #expect(board.snapshot().health.kind == "stale")
        #expect(board.snapshot().ageSeconds.map { abs($0 - 2.6) < 1e-6 } == true)
        clock.advance(bySeconds: 0.5)
        #expect(board.snapshot().state == .disconnected)
        #expect(board.snapshot().health.kind == "receiver-silent")
        #expect(board.snapshot().fix != nil)
    }

    @Test("a receiver that reports every five seconds is not called silent after three")
    func slowReceiver() {
        let board = connectedBoard(clock, PositionSettings(staleAfterSeconds: 6))
        board.report(receiver: Receiver(path: "/dev/ttyACM0", isActivated: true, cycleSeconds: 5))
        board.report(fix(0, clock: clock))
        clock.advance(bySeconds: 5)
        #expect(board.snapshot().state == .fix)
        clock.advance(bySeconds: 5.1)
        #expect(board.snapshot().health.kind == "receiver-silent")
    }

    @Test("a lost fix is told at once, and the last one stays known with its age")
    func lostFix() {
        let board = connectedBoard(clock)
        board.report(fix(0, clock: clock))
        clock.advance(bySeconds: 1)
        board.report(Fix(time: nil, arrival: clock.monotonic(), mode: .noFix, source: .live))
        let snapshot = board.snapshot()
        #expect(snapshot.state == .acquiring)
        #expect(snapshot.health.kind == "no-fix")
        #expect(snapshot.fix?.sequence == 1)
        #expect(snapshot.ageSeconds == 1)
    }

    @Test(
        "every way to be without a position has a kind, a reason and a remedy",
        arguments: [
            (LinkFailure.unreachable(endpoint: "a:1", cause: "connection refused"), "gpsd-unreachable"),
            (.silent(endpoint: "a:1"), "gpsd-silent"),
            (.nonsense(endpoint: "a:1", cause: "x"), "gpsd-nonsense"),
            (.tooOld(endpoint: "a:1", release: "2.95"), "gpsd-too-old"),
            (.closed(endpoint: "a:1"), "gpsd-closed"),
            (.brokenRecording(cause: "cannot replay x: y"), "recording-broken"),
        ])
    func failures(_ failure: LinkFailure, _ kind: String) {
        let board = connectedBoard(clock)
        board.report(fix(0, clock: clock))
        board.report(link: .down(failure))
        // Fresh as the fix is: nothing more will come.
        #expect(board.snapshot().state == .disconnected)
        #expect(board.snapshot().health.kind == kind)
        #expect(board.snapshot().health.level == .failed)
        #expect(!board.snapshot().health.reason.isEmpty)
    }

    @Test("no receiver, one that is not open and one that is gone are told apart")
    func receivers() {
        let board = connectedBoard(clock)
        board.report(receivers: [])
        #expect(board.snapshot().health.kind == "no-receiver")
        board.report(receiver: Receiver(path: "/dev/ttyACM0", isActivated: false))
        #expect(board.snapshot().health.kind == "receiver-not-activated")
        board.report(receiver: Receiver(path: "/dev/ttyACM0", isActivated: true))
        #expect(board.snapshot().health.kind == "no-fix")
    }

    @Test("a second receiver does not overrule the one that has a fix")
    func twoReceivers() {
        let board = connectedBoard(clock)
        var first = fix(0, clock: clock)
        first.device = "/dev/ttyACM0"
        board.report(first)
        var second = fix(0, mode: .noFix, clock: clock)
        second.device = "/dev/ttyACM1"
        board.report(second)
        #expect(board.snapshot().state == .fix)
        #expect(board.snapshot().counters.otherReceiverReports == 1)
        clock.advance(bySeconds: 2.6)
        second = fix(3, 39, -96, clock: clock)
        second.device = "/dev/ttyACM1"
        board.report(second)
        #expect(board.snapshot().fix?.device == "/dev/ttyACM1")
    }

    @Test("RTK with gpsd's modelled accuracy says why it looks worse than DGPS")
    func realTimeKinematic() throws {
        let board = connectedBoard(clock)
        let dop = DilutionOfPrecision(horizontal: 0.7)
        board.report(Sky(time: nil, arrival: clock.monotonic(), dop: dop, satellites: []))
        var solution = fix(0, clock: clock)
        solution.status = .rtkFixed
        solution.errors.eph = 13.3
        board.report(solution)
        let snapshot = board.snapshot()
        #expect(snapshot.fix?.horizontalAccuracy == Accuracy(metres: 13.3, source: .model))
        #expect(snapshot.accuracyNote?.contains("RTK") == true)
        #expect(snapshot.health.reason.contains("RTK"))
    }

    @Test(
        "an error is the receiver's own unless it is a DOP times gpsd's constants",
        arguments: [
            (17.1, 0.9, Accuracy.Source.model),  // 19 x 0.9
            (4.75, 1.0, .model),  // 4.75 x 1, DGPS
            (13.5, 0.9, .model),  // 15 x 0.9
            (0.014, 0.7, .receiver),
            (2.1, 0.9, .receiver),
        ])
    func accuracySource(_ eph: Double, _ hdop: Double, _ source: Accuracy.Source) {
        var errors = ErrorEstimates()
        errors.eph = eph
        let found = accuracy(errors, DilutionOfPrecision(horizontal: hdop)).horizontal
        #expect(found == Accuracy(metres: eph, source: source))
    }

    @Test("without eph the horizontal error is that of both axes")
    func axes() throws {
        var errors = ErrorEstimates()
        errors.epx = 3
        errors.epy = 4
        let found = try #require(
            accuracy(errors, DilutionOfPrecision(horizontal: 1, x: 0.7, y: 0.7)).horizontal)
        #expect(found == Accuracy(metres: 5, source: .receiver))
    }

    private func accuracy(_ errors: ErrorEstimates, _ dop: DilutionOfPrecision) -> FixAccuracy {
        FixAccuracy(errors: errors, status: .unknown, dop: dop, history: [dop, dop], earlier: 2)
    }

    @Test("a receiver that simulates is not passed off as live")
    func simulated() throws {
        var decoder = GPSDDecoder()
        let line = #"{"class":"TPV","status":8,"mode":3,"time":"2026-05-30T14:00:00.000Z","lat":39.1,"lon":-96.6}"#
        guard case .fix(let fix) = try decoder.decode(line.utf8, arrival: clock.monotonic(), source: .live) else {
            Issue.record("no fix")
            return
        }
        let board = connectedBoard(clock)
        board.report(fix)
        #expect(board.snapshot().source == .simulated)
        #expect(board.snapshot().health.kind == "simulated")
        #expect(board.receiverUTC(at: clock.monotonic()) == nil)
    }

    @Test("a sky after the position gives it its dilutions and satellites")
    func sky() throws {
        let board = connectedBoard(clock)
        board.report(fix(0, clock: clock))
        let satellites = (1...8).map { Satellite(prn: $0, signal: 40, used: $0 <= 5) }
        let dop = DilutionOfPrecision(horizontal: 0.9)
        board.report(Sky(time: nil, arrival: clock.monotonic(), dop: dop, satellites: satellites))
        let snapshot = board.snapshot()
        #expect(snapshot.fix?.satellitesUsed == 5)
        #expect(snapshot.fix?.dop.horizontal == 0.9)
        #expect(board.fixes().first?.satellitesUsed == 5)
        // Dilutions alone do not empty the sky.
        board.report(Sky(time: nil, arrival: clock.monotonic(), dop: dop, satellites: []), hasSatellites: false)
        #expect(board.snapshot().sky?.satellites.count == 8)
    }

    @Test("changes are told, also those that time alone makes")
    func changes() {
        let board = connectedBoard(clock)
        let told = Mutex<[String]>([])
        let subscription = board.changes.subscribe { change in
            let word =
                switch change {
                case .epoch(let fix): "epoch \(fix.sequence)"
                case .enriched(let fix): "enriched \(fix.sequence)"
                case .sky: "sky"
                case .state(let state, let health): "\(state.rawValue) \(health.kind)"
                }
            told.withLock { $0.append(word) }
        }
        board.report(fix(0, mode: .twoDimensional, clock: clock))
        board.report(fix(0, clock: clock))
        let version = board.snapshotVersion
        board.refresh()
        #expect(board.snapshotVersion == version)
        clock.advance(bySeconds: 2.7)
        board.refresh()
        #expect(board.snapshotVersion == version + 1)
        subscription.cancel()
        #expect(told.withLock { $0 } == ["epoch 1", "fix ok", "enriched 1", "stale stale"])
    }

    @Test("a position between two fixes waits for the second one, and for its altitude")
    func waiting() async throws {
        let board = connectedBoard(clock)
        for second in [0.0, 1] {
            var report = fix(second, clock: clock)
            report.altitudeMSL = 400
            board.report(report)
        }
        let instant = epochStart.advanced(bySeconds: 1.5)
        let answer = Task { await board.position(at: instant, waitingAtMost: 2) }
        // Two sleepers would be two askers: this one sleeps towards its limit.
        #expect(await eventually { clock.sleeperCount == 1 })
        clock.advance(bySeconds: 1)
        board.report(fix(2, mode: .twoDimensional, clock: clock))
        var rich = fix(2, clock: clock)
        rich.altitudeMSL = 402
        board.report(rich)
        let found = try await answer.value.get()
        #expect(found.method == .interpolated)
        #expect(found.altitudeMSL == 401)
    }

    @Test("a wait ends at its limit with an extrapolated position, and does not begin without a live fix")
    func waitingInVain() async throws {
        let board = connectedBoard(clock)
        board.report(fix(0, clock: clock))
        let instant = epochStart.advanced(bySeconds: 1.5)
        let answer = Task { await board.position(at: instant, waitingAtMost: 1) }
        #expect(await eventually { clock.sleeperCount == 1 })
        clock.advance(bySeconds: 1)
        #expect(try await answer.value.get().method == .extrapolated)
        board.report(link: .down(.closed(endpoint: "a:1")))
        let other = await board.position(at: instant, waitingAtMost: 60)
        #expect(try other.get().method == .extrapolated)
    }

    @Test("a wait ends when gpsd goes away")
    func waitingForTheDead() async throws {
        let board = connectedBoard(clock)
        board.report(fix(0, clock: clock))
        let answer = Task { await board.position(at: epochStart.advanced(bySeconds: 5), waitingAtMost: 60) }
        #expect(await eventually { clock.sleeperCount == 1 })
        board.report(link: .down(.closed(endpoint: "a:1")))
        #expect(await answer.value == .failure(.afterTrack(newest: epochStart, limitSeconds: 2)))
    }

    @Test("the receiver's time is known by its quickest report, for a station whose clock is not set")
    func receiverTime() throws {
        let board = connectedBoard(clock)
        #expect(board.receiverUTC(at: clock.monotonic()) == nil)
        let start = clock.monotonic()
        for (second, lag) in [(0.0, 0.3), (1, 0.05), (2, 0.4)] {
            var report = fix(second, clock: clock)
            report.arrival = start.advanced(bySeconds: second + lag)
            board.report(report)
        }
        let known = try #require(board.receiverUTC(at: start.advanced(bySeconds: 10)))
        #expect(abs(known.seconds(since: epochStart.advanced(bySeconds: 9.95))) < 1e-6)
    }
}
