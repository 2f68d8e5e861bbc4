import KonzaModel
import KonzaSystem
import KonzaTesting
import Testing

@testable import Positioning

/// Runs a source for as long as a body runs, and ends it.
func withSource<Result>(
    port: UInt16, host: String = "127.0.0.1", settings: GPSDSource.Settings = GPSDSource.Settings(),
    _ body: (PositionBoard) async throws -> Result
) async throws -> Result {
    let board = PositionBoard(clock: SystemClock())
    let source = try GPSDSource(endpoint: GPSDEndpoint(host: host, port: port), board: board, settings: settings)
    let task = Task { try await source.run() }
    let result: Result
    do {
        result = try await body(board)
    } catch {
        task.cancel()
        try await task.value
        throw error
    }
    task.cancel()
    try await task.value
    return result
}

extension PositionBoard {
    /// Waits, bounded, until the health is of a kind.
    func comes(to kind: String, within seconds: Double = 30) async -> Bool {
        await eventually(within: seconds) { snapshot().health.kind == kind }
    }
}

/// Against Debian's gpsd, fed through a pseudo terminal.
@Suite(.enabled(if: RealGPSD.isInstalled))
struct RealGPSDTests {
    private static let epochs: [[String]] = (0..<600).map { second in
        let clock = "14" + (second / 60 < 10 ? "0" : "") + "\(second / 60)" + (second % 60 < 10 ? "0" : "")
        let time = clock + "\(second % 60).00"
        return [
            "GPRMC,\(time),A,3906.41400,N,09636.54600,W,2.53,84.4,300526,,,A".nmea,
            "GPGGA,\(time),3906.41400,N,09636.54600,W,1,09,0.9,415.2,M,-28.3,M,,".nmea,
            "GPGSA,A,3,02,05,12,13,15,18,20,25,29,,,,1.7,0.9,1.4".nmea,
            "GPGSV,1,1,02,02,45,120,40,05,30,200,38".nmea,
        ]
    }

    @Test("the first fix has the coordinates, heights and speed that were fed, with gpsd's model named as such")
    func firstFix() async throws {
        let gpsd = try RealGPSD()
        try gpsd.plugIn(Self.epochs, every: 0.5)
        try await gpsd.start()
        try await withSource(port: gpsd.port) { board in
            #expect(
                await eventually(within: 30) {
                    let snapshot = board.snapshot()
                    return snapshot.state == .fix && snapshot.fix?.verticalAccuracy != nil && snapshot.sky != nil
                        && board.fixes().count > 2
                })
            let snapshot = board.snapshot()
            let fix = try #require(snapshot.fix)
            let coordinate = try #require(fix.coordinate)
            // 39° 06.41400' and 96° 36.54600'.
            #expect(abs(coordinate.latitude - 39.1069) < 1e-6)
            #expect(abs(coordinate.longitude - -96.6091) < 1e-6)
            #expect(fix.altitudeMSL == 415.2)
            #expect(fix.geoidSeparation == -28.3)
            #expect(fix.altitudeHAE.map { abs($0 - 386.9) < 1e-6 } == true)
            // 2.53 knots of 1852 m an hour.
            #expect(fix.speed.map { abs($0 - 2.53 * 1852 / 3600) < 1e-3 } == true)
            #expect(fix.track == 84.4)
            #expect(fix.mode == .threeDimensional)
            #expect(fix.driver == "NMEA0183")
            #expect(fix.source == .live)
            #expect(fix.horizontalAccuracy == Accuracy(metres: 17.1, source: .model))
            #expect(fix.verticalAccuracy?.source == .model)
            #expect(fix.dop.horizontal == 0.9)
            #expect(fix.dop.vertical == 1.4)
            #expect(snapshot.sky?.satellites.map(\.prn) == [2, 5])
            #expect(snapshot.sky?.satellites.first?.elevation == 45)
            #expect(snapshot.sky?.satellites.first?.azimuth == 120)
            #expect(snapshot.sky?.satellites.first?.signal == 40)
            #expect(snapshot.sky?.satellites.first?.used == true)
            #expect(snapshot.gpsdRelease != nil)
            // gpsd sends three reports of the first epoch; they are one.
            #expect(snapshot.counters.mergedReports > 0)
            #expect(snapshot.counters.rejectedLines.isEmpty)
        }
    }

    @Test("a gpsd that dies is told and one that is started again is found")
    func restart() async throws {
        let gpsd = try RealGPSD()
        try gpsd.plugIn(Self.epochs, every: 0.5)
        try await gpsd.start()
        try await withSource(port: gpsd.port) { board in
            #expect(await board.comes(to: "ok"))
            gpsd.crash()
            #expect(await board.comes(to: "gpsd-unreachable"))
            #expect(board.snapshot().state == .disconnected)
            try await gpsd.start()
            #expect(await board.comes(to: "ok"))
            #expect(board.snapshot().counters.reconnections >= 1)
        }
    }

    @Test("a gpsd that is stopped is silent, and speaks again when it goes on")
    func freeze() async throws {
        let gpsd = try RealGPSD()
        try gpsd.plugIn(Self.epochs, every: 0.5)
        try await gpsd.start()
        try await withSource(port: gpsd.port) { board in
            #expect(await board.comes(to: "ok"))
            gpsd.freeze()
            #expect(await board.comes(to: "gpsd-silent"))
            #expect(board.snapshot().state == .disconnected)
            gpsd.thaw()
            #expect(await board.comes(to: "ok"))
        }
    }

    @Test("a receiver that is unplugged is missed, and welcome when it comes back")
    func unplug() async throws {
        let gpsd = try RealGPSD()
        try gpsd.plugIn(Self.epochs, every: 0.5)
        try await gpsd.start()
        try await withSource(port: gpsd.port) { board in
            #expect(await board.comes(to: "ok"))
            try gpsd.unplug()
            let missing = ["no-receiver", "receiver-not-activated"]
            #expect(await eventually(within: 30) { missing.contains(board.snapshot().health.kind) })
            #expect(board.snapshot().state == .disconnected)
            try gpsd.plugIn(Self.epochs, every: 0.5)
            #expect(await board.comes(to: "ok"))
            #expect(board.snapshot().counters.reconnections == 0)
        }
    }

    @Test("a receiver that says nothing more is told from a gpsd that does")
    func silentReceiver() async throws {
        let gpsd = try RealGPSD()
        try gpsd.plugIn(Self.epochs, every: 0.5)
        try await gpsd.start()
        try await withSource(port: gpsd.port) { board in
            #expect(await board.comes(to: "ok"))
            gpsd.silenceReceiver()
            #expect(await board.comes(to: "receiver-silent"))
            #expect(board.snapshot().gpsdRelease != nil)
        }
    }

    @Test("a cable that is pulled without a word to gpsd is noticed by the silence at the latest")
    func pulledCable() async throws {
        let gpsd = try RealGPSD()
        try gpsd.plugIn(Self.epochs, every: 0.5)
        try await gpsd.start()
        try await withSource(port: gpsd.port) { board in
            #expect(await board.comes(to: "ok"))
            try gpsd.unplug(tellingGPSD: false)
            let missing = ["no-receiver", "receiver-not-activated", "receiver-silent"]
            #expect(await eventually(within: 30) { missing.contains(board.snapshot().health.kind) })
            try gpsd.plugIn(Self.epochs, every: 0.5)
            #expect(await board.comes(to: "ok"))
        }
    }

    @Test("the synthetic walk means the same to gpsd as to the reader of recordings")
    func sameMeaning() async throws {
        let walk = SyntheticTrail(seconds: 60)
        let recording = try Recording(walk.nmea(), name: "walk")
        var epochs: [[String]] = []
        for line in String(decoding: walk.nmea(), as: UTF8.self).split(whereSeparator: \.isNewline) {
            if line.hasPrefix("$GPRMC") { epochs.append([]) }
            if line.hasPrefix("$") { epochs[epochs.count - 1].append(String(line)) }
        }
        let gpsd = try RealGPSD()
        try gpsd.plugIn(epochs, every: 0.4)
        try await gpsd.start()
        try await withSource(port: gpsd.port) { board in
            #expect(await eventually(within: 30) { board.fixes().count > 8 && board.snapshot().sky != nil })
            // The newest epoch may still be in the making.
            for point in board.fixes().dropLast().suffix(6) {
                let own = try #require(recording.epochs.compactMap(\.fix).first { $0.time == point.time })
                let coordinate = try #require(own.coordinate)
                #expect(abs(coordinate.latitude - point.coordinate.latitude) < 1e-8)
                #expect(abs(coordinate.longitude - point.coordinate.longitude) < 1e-8)
                #expect(own.altitudeMSL == point.altitudeMSL)
                #expect(own.speed.map { abs($0 - (point.speed ?? -1)) < 1e-3 } == true)
                #expect(own.track == point.track)
            }
            let own = try #require(recording.epochs.first { $0.hasSatellites }?.sky)
            let theirs = try #require(board.snapshot().sky)
            let names = { (sky: Sky) in sky.satellites.map { [$0.prn, $0.gnssID, $0.svID] } }
            #expect(names(theirs) == names(own))
        }
    }

    @Test("a gpsd without any receiver says so")
    func noReceiver() async throws {
        let gpsd = try RealGPSD()
        try await gpsd.start()
        try await withSource(port: gpsd.port) { board in
            #expect(await board.comes(to: "no-receiver"))
            // It has nothing to say, which is not the silence of a dead gpsd.
            try await Task.sleep(for: .seconds(4))
            #expect(board.snapshot().health.kind == "no-receiver")
        }
    }
}
