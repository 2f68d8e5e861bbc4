import KonzaModel
import KonzaTesting
import Testing

@testable import Positioning

@Suite struct GPSDDecoderTests {
    private let now = MonotonicInstant(nanoseconds: 5)

    private func decode(_ lines: String...) throws -> GPSDReport {
        var decoder = GPSDDecoder()
        var report = GPSDReport.other(class: "", device: nil)
        for line in lines { report = try decoder.decode(line.utf8, arrival: now, source: .live) }
        return report
    }

    private func fix(_ lines: [String]) throws -> Fix {
        var decoder = GPSDDecoder()
        var found: Fix?
        for line in lines {
            if case .fix(let fix) = try decoder.decode(line.utf8, arrival: now, source: .live) { found = fix }
        }
        return try #require(found)
    }

    private static let full = #"""
        {"class":"TPV","device":"/dev/pts/0","status":2,"mode":3,"time":"2026-05-30T14:00:05.100Z","ept":0.005,\#
        "lat":39.106900000,"lon":-96.609100000,"altHAE":386.9,"altMSL":415.2,"alt":415.2,"epx":8.1,"epy":9.2,\#
        "epv":32.2,"track":84.4,"magtrack":87.2,"magvar":2.8,"speed":1.302,"climb":-0.5,"eps":0.2,"epc":64.4,\#
        "geoidSep":-28.3,"eph":17.1,"sep":32.3}
        """#

    @Test("a TPV gives all it says")
    func full() throws {
        let fix = try fix([Self.full])
        #expect(fix.time == UTCInstant(rfc3339: "2026-05-30T14:00:05.100Z"))
        #expect(fix.arrival == now)
        #expect(fix.status == .differential)
        #expect(fix.mode == .threeDimensional)
        #expect(fix.coordinate == Coordinate(latitude: 39.1069, longitude: -96.6091))
        #expect(fix.altitudeHAE == 386.9)
        #expect(fix.altitudeMSL == 415.2)
        #expect(fix.geoidSeparation == -28.3)
        #expect(fix.speed == 1.302)
        #expect(fix.track == 84.4)
        #expect(fix.climb == -0.5)
        #expect(fix.errors.epx == 8.1)
        #expect(fix.errors.epy == 9.2)
        #expect(fix.errors.epv == 32.2)
        #expect(fix.errors.eph == 17.1)
        #expect(fix.errors.sep == 32.3)
        #expect(fix.errors.ept == 0.005)
        #expect(fix.errors.eps == 0.2)
        #expect(fix.errors.epc == 64.4)
        #expect(fix.device == "/dev/pts/0")
    }

    @Test("what a line leaves out is not known, whatever the line before said")
    func nothingLeftOver() throws {
        let fix = try fix([
            Self.full, #"{"class":"TPV","device":"/dev/pts/0","mode":2,"lat":1.0,"lon":2.0}"#,
        ])
        #expect(fix.time == nil)
        #expect(fix.status == .unknown)
        #expect(fix.altitudeMSL == nil)
        #expect(fix.geoidSeparation == nil)
        #expect(fix.speed == nil)
        #expect(fix.errors == ErrorEstimates())
    }

    @Test(
        "a place needs a mode, a latitude and a longitude",
        arguments: [
            (#"{"class":"TPV","mode":1,"lat":39.1,"lon":-96.6}"#, false),
            (#"{"class":"TPV","mode":0,"lat":39.1,"lon":-96.6}"#, false),
            (#"{"class":"TPV","lat":39.1,"lon":-96.6}"#, false),
            (#"{"class":"TPV","mode":3,"lat":39.1}"#, false),
            (#"{"class":"TPV","mode":3,"lon":-96.6}"#, false),
            (#"{"class":"TPV","mode":3,"lat":91,"lon":-96.6}"#, false),
            (#"{"class":"TPV","mode":2,"lat":0.0,"lon":0.0}"#, true),
            (#"{"class":"TPV","mode":3,"lat":-90,"lon":180}"#, true),
        ])
    func places(_ line: String, _ hasPlace: Bool) throws {
        #expect((try fix([line]).coordinate != nil) == hasPlace)
    }

    @Test("two dimensions have no altitude")
    func twoDimensional() throws {
        let fix = try fix([#"{"class":"TPV","mode":2,"lat":39.1,"lon":-96.6,"altMSL":400,"altHAE":372}"#])
        #expect(fix.altitudeMSL == nil)
        #expect(fix.altitudeHAE == nil)
    }

    @Test("a SKY after a TPV is no second fix, and says which satellites it lists")
    func sky() throws {
        let report = try decode(
            Self.full,
            #"""
            {"class":"SKY","device":"/dev/pts/0","hdop":0.9,"vdop":1.4,"pdop":1.7,"xdop":0.5,"ydop":0.6,"tdop":0.8,\#
            "gdop":2.0,"nSat":2,"uSat":1,"satellites":[{"PRN":2,"el":45.0,"az":120.0,"ss":40.0,"used":true,"gnssid":0,\#
            "svid":2,"health":1},{"PRN":68,"az":0.0,"used":false,"gnssid":6,"svid":4}]}
            """#)
        guard case .sky(let sky, let hasSatellites) = report else {
            Issue.record("not a sky: \(report)")
            return
        }
        #expect(hasSatellites)
        #expect(sky.dop.horizontal == 0.9)
        #expect(sky.dop.vertical == 1.4)
        #expect(sky.dop.position == 1.7)
        #expect(sky.dop.x == 0.5)
        #expect(sky.dop.y == 0.6)
        #expect(sky.dop.time == 0.8)
        #expect(sky.dop.geometric == 2)
        #expect(
            sky.satellites == [
                Satellite(
                    prn: 2, gnssID: 0, svID: 2, elevation: 45, azimuth: 120, signal: 40, used: true, health: 1),
                Satellite(prn: 68, gnssID: 6, svID: 4, azimuth: 0, used: false),
            ])
    }

    @Test("dilutions without satellites are told from an empty sky")
    func dilutionsOnly() throws {
        guard case .sky(let sky, let hasSatellites) = try decode(#"{"class":"SKY","hdop":0.9}"#) else {
            Issue.record("not a sky")
            return
        }
        #expect(!hasSatellites)
        #expect(sky.dop.horizontal == 0.9)
        #expect(try decode(#"{"class":"SKY","satellites":[]}"#) != decode(#"{"class":"SKY"}"#))
    }

    @Test("the introduction, receivers and errors are read")
    func others() throws {
        #expect(try decode(ScriptedGPSD.version) == .version(release: "3.22", major: 3, minor: 14))
        #expect(try decode(#"{"class":"DEVICES","devices":[]}"#) == .devices([]))
        let receiver = Receiver(
            path: "/dev/a", driver: "u-blox", model: "ZED-F9P, 1.12", isActivated: true,
            cycleSeconds: 0.1, bitsPerSecond: 38_400)
        let members =
            #""path":"/dev/a","driver":"u-blox","subtype":"ZED-F9P","subtype1":"1.12","cycle":0.1,"bps":38400"#
        #expect(
            try decode(#"{"class":"DEVICE",\#(members),"activated":"2026-05-30T14:00:00.000Z"}"#) == .device(receiver))
        #expect(
            try decode(#"{"class":"DEVICE","path":"/dev/a","activated":0}"#)
                == .device(Receiver(path: "/dev/a", isActivated: false)))
        #expect(try decode(#"{"class":"ERROR","message":"Unrecognized request"}"#) == .error("Unrecognized request"))
        #expect(
            try decode(#"{"class":"TOFF","device":"/dev/a","real_sec":1}"#) == .other(class: "TOFF", device: "/dev/a"))
        #expect(
            try decode(#"{"class":"SOMETHING-NEW","x":[1,{"y":null}]}"#) == .other(class: "SOMETHING-NEW", device: nil))
    }

    @Test(
        "bad lines are refused by cause",
        arguments: [
            ("", LineRejection.notJSON),
            ("{", .notJSON),
            (#"{"class":"TPV","mode":3,"lat":NaN}"#, .notJSON),
            (#"{"class":"TPV","mode":3} trailing"#, .notJSON),
            (#"{"class":"TPV""mode":3}"#, .notJSON),
            ("[]", .notJSON),
            ("{}", .wrongShape),
            (#"{"class":7}"#, .wrongShape),
            (#"{"class":"DEVICE"}"#, .wrongShape),
            (#"{"class":"VERSION"}"#, .wrongShape),
            (#"{"class":"TPV","mode":77,"lat":1,"lon":2}"#, .wrongShape),
            (#"{"class":"TPV","mode":"three"}"#, .refusedByLibrary),
            (String(repeating: "[", count: 200), .notJSON),
            (#"{"a":"# + String(repeating: "[", count: 200), .notJSON),
        ])
    func refusals(_ line: String, _ cause: LineRejection) {
        var decoder = GPSDDecoder()
        #expect(throws: cause) { try decoder.decode(line.utf8, arrival: now, source: .live) }
    }

    @Test("no bytes whatever bring the decoder, the session or the board down", arguments: [1, 2, 3, 4] as [UInt64])
    func noise(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let sky = #"{"class":"SKY","hdop":0.9,"satellites":[{"PRN":2,"el":45.0,"az":120.0,"ss":40.0,"used":true}]}"#
        let devices = #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","activated":0,"cycle":1.0}]}"#
        let seeds = [Self.full, sky, devices, ScriptedGPSD.version].map { Array($0.utf8) }
        let clock = ManualClock()
        let board = connectedBoard(clock)
        var decoder = GPSDDecoder()
        var lines = LineBuffer()
        for _ in 0..<5000 {
            var bytes = seeds.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(UInt8.random(in: 0x20...0x7E, using: &generator), at: index)
                case 3: bytes.insert(contentsOf: Array("99999999999999999999e9".utf8), at: index)
                default: bytes += bytes.prefix(index)
                }
                if bytes.isEmpty { bytes = [0] }
            }
            lines.append((bytes + [10])[...]) { line in
                guard let line = try? line.get(),
                    let report = try? decoder.decode(line, arrival: clock.monotonic(), source: .live)
                else { return }
                switch report {
                case .fix(let fix): board.report(fix)
                case .sky(let sky, let hasSatellites): board.report(sky, hasSatellites: hasSatellites)
                case .device(let receiver): board.report(receiver: receiver)
                default: break
                }
            }
            clock.advance(bySeconds: Double.random(in: 0...2, using: &generator))
            let snapshot = board.snapshot()
            if let fix = snapshot.fix {
                #expect(fix.coordinate != nil, "seed \(seed)")
                if let time = fix.time { _ = board.position(at: time.advanced(bySeconds: -0.5)) }
            }
        }
        _ = TrackEncoding.gpx(board.fixes())
        _ = TrackEncoding.geoJSON(board.fixes())
    }

    @Test("a stream is cut into the same lines however it comes", arguments: [11, 12, 13] as [UInt64])
    func cutting(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let words = (0..<200).map { index in
            String(repeating: "x", count: Int.random(in: 1...40, using: &generator)) + "\(index)"
        }
        let stream = Array(words.joined(separator: "\r\n").utf8) + [13, 10]
        var buffer = LineBuffer(limit: 64)
        var found: [String] = []
        var position = 0
        while position < stream.count {
            let end = min(stream.count, position + Int.random(in: 1...70, using: &generator))
            buffer.append(stream[position..<end]) { line in
                if let line = try? line.get() { found.append(String(decoding: line, as: UTF8.self)) }
            }
            position = end
        }
        #expect(found == words, "seed \(seed)")
    }
}
