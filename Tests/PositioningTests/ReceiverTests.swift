import KonzaModel
import KonzaTesting
import Testing

@testable import Positioning

/// What is said around a position: whose it is, how good, how old, and why there is none.
@Suite struct ReceiverTests {
    @Test("an error that is gpsd's factor times an earlier DOP is the model's, not the receiver's")
    func earlierDilution() {
        var feed = Feed()
        feed.say(Line.devices("/dev/x"))
        for (second, hdop) in [(0.0, 1.2), (1, 1.1)] {
            feed.say(Line.sky(time: at(second), hdop: hdop))
            feed.clock.advance(bySeconds: 1)
        }
        // 19 x 1.10, and the DOP is 1.00 by now.
        feed.say(Line.tpv(at(2), "/dev/x", #","eph":20.9"#), Line.sky(time: at(2), hdop: 1.0))
        #expect(feed.board.snapshot().fix?.horizontalAccuracy == Accuracy(metres: 20.9, source: .model))
        feed.clock.advance(bySeconds: 1)
        feed.say(Line.tpv(at(3), "/dev/x", #","eph":2.3"#), Line.sky(time: at(3), hdop: 1.0))
        #expect(feed.board.snapshot().fix?.horizontalAccuracy == Accuracy(metres: 2.3, source: .receiver))
    }

    @Test("the DOPs before a new connection are not known, and an error may be of one of them")
    func dilutionsOfAnotherConnection() {
        var feed = Feed()
        feed.say(Line.devices("/dev/x"), Line.sky(hdop: 2), Line.sky(hdop: 2))
        feed.reconnect()
        feed.say(Line.devices("/dev/x"), Line.tpv(at(0), "/dev/x", #","eph":26.6"#), Line.sky(time: at(0), hdop: 1))
        #expect(feed.board.snapshot().fix?.horizontalAccuracy?.source == .model)
        #expect(feed.board.snapshot().fix?.dop.horizontal == 1)
    }

    @Test("a count of no satellites empties the list; a sky without both keeps it, with its own age")
    func satellitesOfThePast() {
        var feed = Feed()
        feed.say(Line.devices("/dev/x"), Line.tpv(at(0), mode: 1), Line.sky(used: 0, of: 8))
        #expect(feed.board.snapshot().health.reason.contains("8 of 8 satellites"))
        feed.clock.advance(bySeconds: 2)
        feed.say(Line.sky(hdop: 3))
        #expect(feed.board.snapshot().sky?.satellites.count == 8)
        #expect(feed.board.snapshot().skyAgeSeconds == 2)
        feed.say(Line.sky(used: 0, of: 0))
        #expect(feed.board.snapshot().sky?.satellites.isEmpty == true)
        #expect(feed.board.snapshot().skyAgeSeconds == 0)
        #expect(feed.board.snapshot().health.reason.contains("0 of 0 satellites"))
    }

    @Test("a new connection and a receiver that was plugged in anew have no satellites yet")
    func satellitesOfAnotherReceiver() {
        var feed = Feed()
        feed.say(Line.devices("/dev/x"), Line.tpv(at(0)), Line.sky(used: 5, of: 8))
        feed.reconnect()
        #expect(feed.board.snapshot().sky == nil)
        feed.say(Line.devices("/dev/x"), Line.sky(used: 5, of: 8))
        feed.say(#"{"class":"DEVICE","path":"/dev/x","activated":0}"#)
        #expect(feed.board.snapshot().sky == nil)
    }

    @Test("another receiver's sky changes nothing of this one's position")
    func otherSky() {
        var feed = Feed()
        feed.say(Line.devices("/dev/x", "/dev/y"))
        feed.say(Line.sky(time: at(0), hdop: 5, used: 4, of: 6), Line.tpv(at(0)))
        #expect(feed.board.snapshot().fix?.horizontalAccuracy?.metres == 95)
        feed.say(Line.sky("/dev/y", time: at(0), hdop: 0.5, used: 20, of: 30))
        let snapshot = feed.board.snapshot()
        #expect(snapshot.fix?.horizontalAccuracy?.metres == 95)
        #expect(snapshot.fix?.satellitesUsed == 4)
        #expect(snapshot.sky?.satellites.count == 6)
        #expect(snapshot.sky?.device == "/dev/x")
    }

    @Test("the receiver that has a fix is kept; one that took over is kept in its turn")
    func stableChoice() {
        var feed = Feed()
        feed.clock.advance(bySeconds: 60)
        feed.say(Line.devices("/dev/x", "/dev/y"))
        feed.clock.advance(bySeconds: 6)
        for second in 0..<30 {
            let now = at(66 + Double(second))
            // The first one loses its fix for five seconds, and has it again.
            feed.say(Line.tpv(now, mode: (10..<15).contains(second) ? 1 : 3), Line.tpv(now, "/dev/y"))
            // Its fix of second 9 stands until second 11.
            #expect(feed.board.snapshot().fix?.device == (second < 12 ? "/dev/x" : "/dev/y"))
            feed.clock.advance(bySeconds: 1)
        }
        #expect(feed.board.fixes().count == 28)
    }

    @Test("after connecting, gpsd's order decides between two receivers with a fix")
    func order() {
        var feed = Feed()
        feed.say(Line.devices("/dev/x", "/dev/y"), Line.tpv(at(0), "/dev/y"))
        #expect(feed.board.snapshot().fix?.device == "/dev/y")
        feed.say(Line.tpv(at(0), "/dev/x"))
        #expect(feed.board.snapshot().fix?.device == "/dev/x")
        feed.clock.advance(bySeconds: 1)
        feed.say(Line.tpv(at(1), "/dev/y"))
        #expect(feed.board.snapshot().fix?.device == "/dev/x")
    }

    @Test("between the fixes of two receivers no position is interpolated")
    func betweenReceivers() throws {
        var feed = Feed()
        feed.say(Line.devices("/dev/x", "/dev/y"), Line.tpv(at(0)))
        feed.clock.advance(bySeconds: 3)
        feed.say(Line.tpv(at(3), "/dev/y"))
        #expect(try feed.board.position(at: at(1)).get().method == .extrapolated)
        #expect(throws: TrackError.self) { try feed.board.position(at: at(2.9)).get() }
    }

    @Test("a report without a fix never makes a fix a straggler")
    func noFixAhead() {
        var feed = Feed()
        feed.say(Line.devices("/dev/x"))
        for second in 0..<20 {
            feed.say(Line.tpv(at(Double(second) + 1), mode: 0), Line.tpv(at(Double(second))))
            #expect(feed.board.snapshot().state == .fix)
            feed.clock.advance(bySeconds: 1)
        }
        #expect(feed.board.fixes().count == 20)
        #expect(feed.board.snapshot().counters.lateReports == 0)
    }

    @Test("within an epoch the newest word counts: a mode and a status that are taken back go")
    func takenBackWithin() {
        var feed = Feed()
        feed.say(Line.devices("/dev/x"))
        feed.say(Line.tpv(at(0), "/dev/x", #","status":2,"altMSL":400,"altHAE":372,"epv":4"#))
        #expect(feed.board.snapshot().fix?.status == .differential)
        feed.say(Line.tpv(at(0), mode: 2))
        let fix = feed.board.snapshot().fix
        #expect(fix?.mode == .twoDimensional && fix?.status == .unknown)
        #expect(fix?.altitudeMSL == nil && fix?.altitudeHAE == nil && fix?.verticalAccuracy == nil)
        #expect(feed.board.fixes().last?.altitudeMSL == nil)
    }

    @Test("a fix that is taken back leaves the track, and the one before is the last again")
    func takenBack() {
        var feed = Feed()
        feed.say(Line.devices("/dev/x"), Line.tpv(at(0)))
        feed.clock.advance(bySeconds: 1)
        feed.say(Line.tpv(at(1)), Line.tpv(at(1), mode: 1))
        #expect(feed.board.fixes().map(\.time) == [at(0)])
        #expect(feed.board.snapshot().state == .acquiring)
        #expect(feed.board.snapshot().newestMode == .noFix)
        #expect(feed.board.snapshot().fix?.time == at(0))
        #expect(feed.board.snapshot().ageSeconds == 1)
        // And given again.
        feed.say(Line.tpv(at(1)))
        #expect(feed.board.snapshot().state == .fix)
        #expect(feed.board.fixes().map(\.time) == [at(0), at(1)])
    }

    @Test(
        "a receiver that says something else than positions is not silent, and the reason tells what it says",
        arguments: ["AIS", "RTCM3", "SUBFRAME", "SOMETHING-NEW"])
    func otherWords(_ kind: String) {
        var feed = Feed()
        feed.say(Line.devices("/dev/x"))
        for _ in 0..<6 {
            feed.clock.advance(bySeconds: 1)
            feed.say(#"{"class":"\#(kind)","device":"/dev/x","type":5}"#)
        }
        #expect(feed.board.snapshot().health.kind == "no-fix")
        #expect(feed.board.snapshot().health.reason.contains("sends \(kind) and no position"))
        feed.clock.advance(bySeconds: 4)
        #expect(feed.board.snapshot().health.kind == "receiver-silent")
    }

    @Test("a missed start of the count of weeks is corrected in the sky too, and told")
    func rolloverOfTheSky() {
        var feed = Feed()
        let missed = -1024.0 * 7 * 86_400
        feed.say(Line.devices("/dev/x"), Line.tpv(at(missed)), Line.sky(time: at(missed), hdop: 2, used: 4, of: 6))
        let snapshot = feed.board.snapshot()
        #expect(snapshot.fix?.time == at(0))
        #expect(snapshot.sky?.time == at(0))
        #expect(snapshot.fix?.dop.horizontal == 2)
        #expect(snapshot.correctedWeeks == 1024)
        #expect(snapshot.notes.contains { $0.contains("1024 weeks behind") && $0.contains("clock agrees") })
    }

    @Test("the receiver's own standard deviations win over gpsd's model")
    func standardDeviations() {
        var feed = Feed()
        feed.say(Line.devices("/dev/x"))
        let statement =
            #"{"class":"GST","device":"/dev/x","time":"\#(at(0))","rms":1.5,"lat":3.0,"lon":3.8,"alt":5.5}"#
        // 4.75 x 0.95: what gpsd makes of a differential fix.
        feed.say(statement, Line.sky(time: at(0), hdop: 0.95), Line.tpv(at(0), "/dev/x", #","status":2,"eph":4.513"#))
        let accuracy = feed.board.snapshot().fix?.horizontalAccuracy
        // 2 x (3.0² + 3.8²)^½.
        #expect(accuracy.map { abs($0.metres - 9.683) < 1e-3 } == true)
        #expect(accuracy?.source == .receiver && accuracy?.confidence == 0.95)
        #expect(
            feed.board.snapshot().fix?.verticalAccuracy == Accuracy(metres: 11, source: .receiver, confidence: 0.95))
        // One of an earlier epoch is not taken for better news of this one.
        feed.clock.advance(bySeconds: 5)
        feed.say(Line.sky(time: at(5), hdop: 5), Line.tpv(at(5), "/dev/x", #","eph":95"#))
        #expect(feed.board.snapshot().fix?.horizontalAccuracy == Accuracy(metres: 95, source: .model))
    }

    @Test(
        "a date that cannot be true is told and not used, whatever a count of weeks would make of it",
        arguments: ["1970-01-01", "1979-12-31", "1980-01-06", "1999-08-22", "2106-02-07", "2261-01-01"])
    func impossibleDates(_ day: String) throws {
        var feed = Feed()
        let time = try #require(UTCInstant(rfc3339: "\(day)T00:00:10Z"))
        feed.say(Line.devices("/dev/x"), Line.tpv(time), Line.sky(time: time, hdop: 1, used: 5, of: 6))
        let snapshot = feed.board.snapshot()
        #expect(snapshot.state == .fix && snapshot.fix?.time == nil && snapshot.sky?.time == nil)
        #expect(snapshot.notes.contains("the receiver's date \(day) cannot be true and its time is not used"))
        #expect(feed.board.fixes().isEmpty)
        #expect(feed.board.receiverUTC(at: feed.clock.monotonic()) == nil)
    }

    @Test("a date is judged by the system's clock where that was set")
    func evidence() throws {
        let unset = UTCInstant(nanoseconds: 0)
        let behind = at(-1024 * 7 * 86_400)
        #expect(ReceiverDate(behind, system: unset).verdict == .corrected(weeks: 1024))
        #expect(ReceiverDate(behind, system: at(0)).verdict == .corrected(weeks: 1024))
        #expect(ReceiverDate(behind, system: at(5 * 365 * 86_400)).verdict == .impossible)
        let later = try #require(UTCInstant(rfc3339: "2041-01-01T00:00:00Z"))
        #expect(ReceiverDate(later, system: at(0)).verdict == .impossible)
        #expect(ReceiverDate(later, system: later).verdict == .plain)
        let old = try #require(UTCInstant(rfc3339: "2020-01-01T00:00:00Z"))
        #expect(ReceiverDate(old, system: at(0)).verdict == .plain)
        #expect(!ReceiverDate(old, system: at(0)).isGoodForClocks)
    }

    @Test("one report of another day clears no track; two that agree do")
    func oneDayAhead() {
        var feed = Feed()
        feed.say(Line.devices("/dev/x"))
        for second in 0..<10 {
            let time = at(Double(second) + (second == 5 ? 86_400 : 0))
            feed.say(Line.tpv(time, mode: 2), Line.tpv(time))
            feed.clock.advance(bySeconds: 1)
        }
        #expect(feed.board.fixes().count == 9)
        #expect(feed.board.snapshot().counters.trackRestarts == 0)
        #expect(feed.board.snapshot().counters.heldReports == 2)
        for second in 10..<13 {
            feed.say(Line.tpv(at(86_400 + Double(second))))
            feed.clock.advance(bySeconds: 1)
        }
        #expect(feed.board.snapshot().counters.trackRestarts == 1)
        #expect(feed.board.fixes().map(\.time) == [at(86_411), at(86_412)])
    }

    @Test("positions that cannot be used are the reason, not the view of the sky")
    func refusedPositions() {
        var feed = Feed()
        feed.say(Line.devices("/dev/x"))
        for _ in 0..<5 {
            feed.clock.advance(bySeconds: 1)
            feed.say(
                #"{"class":"TPV","device":"/dev/x","mode":3,"lat":39.1,"lon":-96.6,"eph":NaN}"#,
                Line.sky(hdop: 1, used: 5, of: 6))
        }
        let reason = feed.board.snapshot().health.reason
        #expect(reason.contains("5 position reports") && reason.contains("notJSON"))
        #expect(feed.board.snapshot().counters.rejectedLines[.notJSON] == 5)
    }

    @Test("a sky with some of the dilutions keeps the others while they are fresh")
    func partialSky() {
        var feed = Feed()
        feed.say(Line.devices("/dev/x"), Line.tpv(at(0)))
        feed.say(Line.sky(hdop: 1, #","vdop":2,"pdop":2.2"#), Line.sky(hdop: 1.5))
        #expect(feed.board.snapshot().fix?.dop == DilutionOfPrecision(horizontal: 1.5, vertical: 2, position: 2.2))
        feed.clock.advance(bySeconds: 11)
        feed.say(Line.tpv(at(11)), Line.sky(hdop: 1.5))
        #expect(feed.board.snapshot().fix?.dop == DilutionOfPrecision(horizontal: 1.5))
    }

    @Test("a reason is a sentence for people, whatever a device is called")
    func names() {
        var feed = Feed()
        let long = "/dev/" + String(repeating: "x", count: 9_000)
        feed.say(
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"\#(long)","activated":0},"#
                + #"{"class":"DEVICE","path":"/dev/\u001b[2J\u0007","activated":0}]}"#)
        let reason = feed.board.snapshot().health.reason
        #expect(feed.board.snapshot().health.kind == "receiver-not-activated")
        #expect(reason.utf8.count < 500)
        #expect(reason.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        #expect(PrintableText.name(long + "a") != PrintableText.name(long + "b"))
        #expect(PrintableText.name("/dev/ttyACM0") == "/dev/ttyACM0")
    }

    @Test("a list of receivers that is none is refused, and a receiver that speaks is there")
    func oddDevices() {
        var feed = Feed()
        for odd in [#"{}"#, "7", #""x""#, "[7]"] {
            feed.say(#"{"class":"DEVICES","devices":\#(odd)}"#)
            #expect(feed.board.snapshot().health.kind == "no-fix")
        }
        #expect(feed.board.snapshot().counters.rejectedLines[.wrongShape] == 4)
        feed.say(#"{"class":"DEVICES","devices":[]}"#)
        #expect(feed.board.snapshot().health.kind == "no-receiver")
        feed.clock.advance(bySeconds: 1)
        feed.say(Line.tpv(at(1)))
        #expect(feed.board.snapshot().state == .fix)
    }

    @Test("of a flood only so many lines a second are looked at")
    func flood() {
        var budget = LineBudget()
        let clock = ManualClock()
        #expect((0..<5_000).count { _ in budget.take(at: clock.monotonic()) } == 1_000)
        clock.advance(bySeconds: 1)
        #expect((0..<5_000).count { _ in budget.take(at: clock.monotonic()) } == 500)
        clock.advance(bySeconds: 0.25)
        #expect((0..<5_000).count { _ in budget.take(at: clock.monotonic()) } == 125)
    }
}
