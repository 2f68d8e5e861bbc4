import KonzaModel
import KonzaTesting
import Testing

@testable import Positioning

/// What a receiver says that cannot be: errors too small, places too far apart, and more lines than are read.
@Suite struct ImplausibleReportTests {
    private static func tpv(_ seconds: Double, latitude: Double, longitude: Double = -96.6, _ members: String = "")
        -> String
    {
        #"{"class":"TPV","device":"/dev/x","mode":3,"time":"\#(at(seconds))","lat":\#(latitude),"#
            + #""lon":\#(longitude)\#(members)}"#
    }

    private static let told = "the receiver states an error below 1 mm, which is not believed and taken as not stated"

    @Test(
        "an error below 1 mm is taken as not stated, and that is told",
        arguments: [
            #","eph":1e-308,"epv":1e-308"#, #","eph":0,"epv":0.0009"#, #","epx":1e-9,"epy":0.0,"epv":0"#,
            #","epx":4.9e-324,"epy":4.9e-324,"epv":1e-5"#,
        ])
    func tinyErrors(_ members: String) async throws {
        let server = try ScriptedGPSD()
        try await withSource(port: server.port) { board in
            #expect(await eventually { server.requests.contains("?WATCH") })
            server.say(lines: [Line.devices("/dev/x"), Self.tpv(0, latitude: 39.1, members)])
            #expect(await eventually { board.snapshot().fix != nil })
            let snapshot = board.snapshot()
            #expect(snapshot.fix?.horizontalAccuracy == nil && snapshot.fix?.verticalAccuracy == nil)
            #expect(snapshot.accuracyNote == Self.told && snapshot.notes == [Self.told])
            #expect(snapshot.health.level == .ok && snapshot.health.reason == "3D fix; \(Self.told)")
            server.say(lines: [
                Line.sky(hdop: 1.1, #","vdop":2"#), Line.sky(hdop: 1.1, #","vdop":2"#),
                Self.tpv(1, latitude: 39.1, members),
            ])
            #expect(await eventually { board.snapshot().fix?.time == at(1) })
            let fix = board.snapshot().fix
            #expect(fix?.horizontalAccuracy.map { $0.source == .model && abs($0.metres - 20.9) < 1e-9 } == true)
            #expect(fix?.verticalAccuracy == Accuracy(metres: 46, source: .model))
        }
    }

    @Test("a DOP that makes an accuracy below 1 mm makes none")
    func tinyDilution() {
        var feed = Feed()
        feed.say(Line.devices("/dev/x"), Line.sky(hdop: 1e-308, #","vdop":1e-300"#), Self.tpv(0, latitude: 39.1))
        #expect(feed.board.snapshot().fix?.dop.horizontal != nil)
        #expect(feed.board.snapshot().fix?.horizontalAccuracy == nil)
        #expect(feed.board.snapshot().fix?.verticalAccuracy == nil)
    }

    @Test("a statement of errors below 1 mm is not believed either, and told as long as it is fresh")
    func tinyStatement() {
        var feed = Feed()
        func say(_ second: Double, _ statement: String?) {
            feed.say(Line.sky(time: at(second), hdop: 1.1), Self.tpv(second, latitude: 39.1, #","eph":2.5"#))
            if let statement {
                feed.say(#"{"class":"GST","device":"/dev/x","time":"\#(at(second))",\#(statement)}"#)
            }
        }
        feed.say(Line.devices("/dev/x"), Line.sky(hdop: 1.1), Line.sky(hdop: 1.1))
        say(0, #""lat":1e-308,"lon":1e-308,"alt":1e-9"#)
        #expect(feed.board.snapshot().fix?.horizontalAccuracy == Accuracy(metres: 2.5, source: .receiver))
        #expect(feed.board.snapshot().notes == [Self.told])
        feed.clock.advance(bySeconds: 1)
        say(1, #""lat":3,"lon":4,"alt":6"#)
        #expect(feed.board.snapshot().fix?.horizontalAccuracy?.metres == 10)
        #expect(feed.board.snapshot().notes.isEmpty)
    }

    @Test("an error of 1 mm is believed")
    func small() {
        var feed = Feed()
        feed.say(Line.devices("/dev/x"), Line.sky(hdop: 1), Line.sky(hdop: 1))
        feed.say(Self.tpv(0, latitude: 39.1, #","eph":0.001,"epv":0.001"#))
        #expect(feed.board.snapshot().fix?.horizontalAccuracy == Accuracy(metres: 0.001, source: .receiver))
        #expect(feed.board.snapshot().notes.isEmpty)
    }

    @Test("a flood is reported while it lasts, then as past, then no more")
    func flood() {
        let clock = ManualClock(utc: epochStart)
        let board = connectedBoard(clock)
        func notes() -> [String] {
            board.report(fix(clock.utc().seconds(since: epochStart), clock: clock))
            return board.snapshot().notes
        }
        board.reportSkipped(lines: 7)
        clock.advance(bySeconds: 1.9)
        #expect(notes() == ["gpsd sends more than 500 lines a second and some are passed over"])
        clock.advance(bySeconds: 3.1)
        #expect(notes() == ["gpsd sent more than 500 lines a second until 5 s ago and some were passed over"])
        clock.advance(bySeconds: 54.9)
        #expect(notes().first?.contains("until 60 s ago") == true)
        clock.advance(bySeconds: 0.1)
        #expect(notes().isEmpty)
    }

    @Test("a position that jumps 8000 km ten times a second is told as unreliable")
    func jumping() async throws {
        let server = try ScriptedGPSD()
        try await withSource(port: server.port) { board in
            #expect(await eventually { server.requests.contains("?WATCH") })
            server.say(lines: [Line.devices("/dev/x")])
            server.say(
                lines: (0..<20).map {
                    Self.tpv(Double($0) / 10, latitude: $0 % 2 == 0 ? 39.1 : -38.5, #","eph":2.5,"speed":0"#)
                })
            #expect(await board.comes(to: "position-implausible"))
            let snapshot = board.snapshot()
            #expect(snapshot.health.level == .degraded && snapshot.state == .fix)
            #expect(
                snapshot.health.reason.contains("jumped by") && snapshot.health.reason.contains("do not rely on it"))
        }
    }

    @Test("reports of one time that are 8000 km apart are as unreliable")
    func sameEpoch() {
        var feed = Feed()
        feed.say(Line.devices("/dev/x"), Self.tpv(0, latitude: 39.1), Self.tpv(0, latitude: -38.5))
        #expect(feed.board.snapshot().health.kind == "position-implausible")
    }

    @Test("after a minute of plausible positions the last impossible step is over, and its age is told until then")
    func over() {
        var feed = Feed()
        feed.say(Line.devices("/dev/x"), Self.tpv(0, latitude: 0))
        for second in 1..<62 {
            feed.clock.advance(bySeconds: 1)
            feed.say(Self.tpv(Double(second), latitude: 39.1))
            let health = feed.board.snapshot().health
            #expect(health.kind == (second < 61 ? "position-implausible" : "ok"))
            if second < 61 { #expect(health.reason.contains("\(second - 1) s ago")) }
        }
    }

    /// Degrees of latitude are 110.6 to 111.7 km.
    @Test(
        "what aircraft, rockets, outliers, gaps and honest errors do is plausible",
        arguments: [
            // A jet at 900 m/s, once a second; a spacecraft that tells its speed.
            (1.0, 0.0081, #","eph":5,"speed":900"#), (1.0, 0.068, #","eph":5,"speed":7600"#),
            // An outlier of 800 m at 10 Hz; two minutes without a fix in a car; a receiver that says that it knows little.
            (0.1, 0.0072, #","eph":5"#), (120, 0.04, #","eph":5"#), (1.0, 0.1, #","eph":5000"#),
        ])
    func plausible(_ seconds: Double, _ degrees: Double, _ members: String) {
        var feed = Feed()
        feed.say(Line.devices("/dev/x"), Line.sky(hdop: 1), Line.sky(hdop: 1))
        for step in 0..<5 {
            feed.say(Self.tpv(Double(step) * seconds, latitude: 39.1 + Double(step) * degrees, members))
            #expect(feed.board.snapshot().health.kind == "ok")
            feed.clock.advance(bySeconds: seconds)
        }
    }

    @Test("a receiver's speed excuses no step beyond that of leaving the Earth")
    func boastfulSpeed() {
        var feed = Feed()
        feed.say(Line.devices("/dev/x"), Self.tpv(0, latitude: 39.1, #","speed":99999"#))
        feed.clock.advance(bySeconds: 1)
        feed.say(Self.tpv(1, latitude: 40.1, #","speed":99999"#))
        #expect(feed.board.snapshot().health.kind == "position-implausible")
    }
}
