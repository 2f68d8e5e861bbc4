import KonzaModel
import KonzaTesting
import Testing

@testable import Positioning

@Suite struct RecordingTests {
    private func recording(_ lines: [String]) throws -> Recording {
        try Recording(lines.joined(separator: "\r\n").utf8, name: "walk.nmea")
    }

    private func rmc(_ time: String, _ validity: String = "A", latitude: String = "3906.41400") -> String {
        "GPRMC,\(time),\(validity),\(latitude),N,09636.54600,W,2.53,84.4,300526,,,A".nmea
    }

    @Test("sentences of one time are one epoch, with all they say")
    func epoch() throws {
        let recording = try recording([
            "# a comment",
            rmc("140000.00"),
            "GPGGA,140000.00,3906.41400,N,09636.54600,W,4,09,0.9,415.2,M,-28.3,M,,".nmea,
            "GPGSA,A,3,02,05,,,,,,,,,,,1.7,0.9,1.4".nmea,
            "GPGSV,1,1,03,02,45,120,40,05,30,200,38,07,,,".nmea,
            "GPVTG,85.5,T,,M,3.0,N,7.2,K,A".nmea,
            rmc("140001.00"),
        ])
        #expect(recording.epochs.count == 2)
        #expect(recording.durationSeconds == 2)
        let fix = try #require(recording.epochs.first?.fix)
        #expect(fix.time == UTCInstant(rfc3339: "2026-05-30T14:00:00Z"))
        #expect(fix.coordinate.map { abs($0.latitude - 39.1069) < 1e-9 && abs($0.longitude + 96.6091) < 1e-9 } == true)
        #expect(fix.mode == .threeDimensional)
        #expect(fix.status == .rtkFixed)
        #expect(fix.altitudeMSL == 415.2)
        #expect(fix.altitudeHAE.map { abs($0 - 386.9) < 1e-9 } == true)
        #expect(fix.track == 85.5)
        #expect(fix.speed == 2)
        #expect(fix.source == .recorded)
        let sky = try #require(recording.epochs.first?.sky)
        #expect(sky.satellites.map(\.used) == [true, true, false])
        #expect(sky.satellites.last?.elevation == nil)
        #expect(sky.dop.position == 1.7)
    }

    @Test("a void sentence is no fix")
    func void() throws {
        let recording = try recording([rmc("140000.00"), rmc("140001.00", "V"), rmc("140002.00")])
        #expect(recording.epochs.map { $0.fix?.mode } == [.twoDimensional, .noFix, .twoDimensional])
        #expect(recording.fixCount == 2)
    }

    @Test("gpsd's own JSON is replayed too")
    func gpsdJSON() throws {
        let walk = SyntheticTrail(seconds: 30)
        let recording = try Recording(walk.gpsdJSON(), name: "walk.json")
        #expect(recording.fixCount == 30)
        #expect(recording.durationSeconds == 30)
    }

    @Test(
        "a broken recording is refused with its file and line",
        arguments: [
            (["hello"], "cannot replay walk.nmea, line 1: it begins neither with an NMEA sentence nor with"),
            (["# c", "$GPRMC,140000.00,A*00"], "cannot replay walk.nmea, line 2: its checksum is 00 and should be"),
            (["$GPRMC,1"], "cannot replay walk.nmea, line 1: it is no NMEA sentence"),
            (["GPRMC,999999.00,A,3906.4,N,09636.5,W,,,300526,,,A".nmea], "line 1: its time cannot be read"),
            (["GPRMC,140000.00,A,3966.4,N,09636.5,W,,,300526,,,A".nmea], "line 1: its latitude cannot be read"),
            (["GPRMC,140000.00,A,3906.4,N,09636.5,W,,,310226,,,A".nmea], "line 1: its date cannot be read"),
            (["GPRMC,140000.00,A,3906.4,N,,,,,300526,,,A".nmea], "line 1: its longitude cannot be read"),
            ([], "cannot replay walk.nmea: it holds no fix with a time"),
            (["{\"class\":\"TPV\"}", "{"], "line 2: it is not one JSON object"),
        ])
    func faults(_ lines: [String], _ message: String) {
        do {
            _ = try recording(lines)
            Issue.record("taken")
        } catch {
            #expect("\(error)".contains(message), "\(error)")
        }
    }

    @Test("a recording whose time goes back is refused where it does")
    func timeGoesBack() {
        do {
            _ = try recording([rmc("140002.00"), rmc("140001.00"), rmc("140000.00"), rmc("140003.00")])
            Issue.record("taken")
        } catch {
            #expect("\(error)".contains("cannot replay walk.nmea, line 3: its time"))
        }
    }

    @Test("a file that is not there is named")
    func missing() {
        #expect(throws: Recording.Fault.self) { try Recording(file: "/no/such/recording.nmea") }
        let board = PositionBoard(clock: ManualClock())
        #expect(throws: Recording.Fault.self) { try RecordedSource(file: "/no/such/recording.nmea", board: board) }
        #expect(board.snapshot().health.kind == "recording-broken")
        #expect(board.snapshot().health.reason.contains("/no/such/recording.nmea"))
    }

    @Test("no bytes bring the reader down", arguments: [21, 22, 23] as [UInt64])
    func noise(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let good = SyntheticTrail(seconds: 10).nmea()
        for _ in 0..<300 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            _ = try? Recording(bytes, name: "seed \(seed)")
        }
        // Damage with a right checksum gets further.
        for _ in 0..<2000 {
            var body = Array("GPGGA,140000.00,3906.41400,N,09636.54600,W,1,09,0.9,415.2,M,-28.3,M,,".utf8)
            for _ in 0..<3 {
                body[Int.random(in: 5..<body.count, using: &generator)] = UInt8.random(
                    in: 0x20...0x7E, using: &generator)
            }
            _ = try? Recording(String(decoding: body, as: UTF8.self).nmea.utf8, name: "seed \(seed)")
        }
    }

    @Test("a replay happens now, at its speed, round and round, and says that it is recorded")
    func replay() async throws {
        let clock = ManualClock()
        let board = PositionBoard(clock: clock)
        let lines = (0..<4).map { rmc("14000\($0).00", latitude: "390\($0).41400") }
        let source = RecordedSource(try recording(lines), board: board, speed: 2)
        let start = clock.utc()
        let task = Task { try await source.run() }
        for step in 0..<12 {
            #expect(
                await eventually { board.snapshot().counters.epochs == UInt64(step + 1) && clock.sleeperCount == 1 })
            let snapshot = board.snapshot()
            #expect(snapshot.fix?.time == start.advanced(bySeconds: Double(step) / 2))
            #expect(snapshot.fix?.source == .recorded)
            #expect(snapshot.source == .recorded)
            #expect(snapshot.health.kind == "recorded")
            #expect(snapshot.state == .fix)
            clock.advance(bySeconds: 0.5)
        }
        task.cancel()
        try await task.value
        #expect(board.fixes().count >= 12)
        // A replay knows nothing of the time.
        #expect(board.receiverUTC(at: clock.monotonic()) == nil)
        #expect(board.snapshot().fix?.speed.map { abs($0 - 2 * 2.53 * 1852 / 3600) < 1e-9 } == true)
    }
}
