import KonzaModel
import KonzaTesting
import Testing

@testable import Positioning

/// Against a server that says what no good gpsd would.
@Suite struct ScriptedGPSDTests {
    private static let devices =
        #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/x","activated":"2026-05-30T14:00:00.000Z","cycle":1.0}]}"#

    private func tpv(_ time: String?, _ members: String = "") -> String {
        let stamp = time.map { #","time":"\#($0)""# } ?? ""
        return #"{"class":"TPV","device":"/dev/x","mode":3\#(stamp),"lat":39.1,"lon":-96.6\#(members)}"#
    }

    /// A server with a client that has asked for reports.
    private func withTalk(_ body: (ScriptedGPSD, PositionBoard) async throws -> Void) async throws {
        let server = try ScriptedGPSD()
        try await withSource(port: server.port) { board in
            #expect(await eventually { server.requests.contains(#"?WATCH={"enable":true,"json":true}"#) })
            server.say(lines: [Self.devices])
            try await body(server, board)
        }
    }

    @Test("three reports of one time are one epoch; those without a time, of the past or with a NaN do no harm")
    func awkwardReports() async throws {
        try await withTalk { server, board in
            server.say(lines: [
                tpv("2026-05-30T14:00:00.000Z"),
                tpv("2026-05-30T14:00:00.000Z", #","altMSL":400.5"#),
                tpv("2026-05-30T14:00:00.000Z", #","altMSL":400.5,"eph":3.2"#),
                tpv("2026-05-30T14:00:01.000Z", #","eph":NaN"#),
                tpv("2026-05-30T14:00:01.000Z", #","speed":null"#),
                #"{"class":"TPV","device":"/dev/x","mode":3,"time":"2026-05-30T14:00:01.100Z","lat":39.1}"#,
                tpv("2026-05-30T13:00:00.000Z"),
                tpv(nil),
                tpv("2026-05-30T13:00:01.000Z", #","altMSL":401"#),
            ])
            #expect(await eventually { board.snapshot().fix?.altitudeMSL == 401 })
            let counters = board.snapshot().counters
            #expect(counters.trackRestarts == 1)
            #expect(counters.reportsWithoutTime == 1)
            #expect(counters.rejectedLines[.notJSON] == 1)
            // The first report of the past was held until the second one confirmed it.
            #expect(counters.heldReports == 1)
            #expect(board.fixes().count == 1)
            #expect(board.snapshot().state == .fix)
        }
    }

    @Test("a line may come in pieces, and several in one")
    func pieces() async throws {
        try await withTalk { server, board in
            let line = tpv("2026-05-30T14:00:00.000Z", #","altMSL":400"#)
            for byte in line.utf8 { server.say([byte]) }
            server.say("\r\n" + tpv("2026-05-30T14:00:01.000Z", #","altMSL":401"#) + "\n\n\n")
            #expect(await eventually { board.snapshot().fix?.altitudeMSL == 401 })
            #expect(board.fixes().count == 2)
            #expect(board.snapshot().counters.rejectedLines.isEmpty)
        }
    }

    @Test("an endless line is passed over and counted, and the next one read")
    func endlessLine() async throws {
        try await withTalk { server, board in
            server.say([UInt8](repeating: UInt8(ascii: "x"), count: 40_000))
            server.say("\n")
            server.say(lines: [tpv("2026-05-30T14:00:00.000Z")])
            #expect(await eventually { board.snapshot().state == .fix })
            #expect(board.snapshot().counters.rejectedLines[.tooLong] == 1)
        }
    }

    @Test("a sky without a position is a sky, and no fix")
    func skyAlone() async throws {
        try await withTalk { server, board in
            server.say(lines: [
                #"{"class":"SKY","device":"/dev/x","hdop":1.2,"satellites":[{"PRN":7,"el":10,"az":20,"ss":30,"used":false}]}"#
            ])
            #expect(await eventually { board.snapshot().sky?.satellites.count == 1 })
            #expect(board.snapshot().state == .acquiring)
            #expect(board.snapshot().health.reason.contains("1 of 1 satellite is heard"))
        }
    }

    @Test("a removed receiver is missed and a new one taken up")
    func removedReceiver() async throws {
        try await withTalk { server, board in
            server.say(lines: [tpv("2026-05-30T14:00:00.000Z")])
            #expect(await board.comes(to: "ok"))
            server.say(lines: [#"{"class":"DEVICE","path":"/dev/x","activated":0}"#])
            #expect(await board.comes(to: "receiver-not-activated"))
            server.say(lines: [
                #"{"class":"DEVICE","path":"/dev/x","activated":"2026-05-30T14:00:09.000Z"}"#,
                tpv("2026-05-30T14:00:10.000Z"),
            ])
            #expect(await board.comes(to: "ok"))
        }
    }

    @Test(
        "what is not gpsd is told as that",
        arguments: [
            ("SSH-2.0-OpenSSH_9.2", "gpsd-nonsense"),
            ("HTTP/1.1 400 Bad Request\r\n\r\n<html>", "gpsd-nonsense"),
            (#"{"class":"DEVICES","devices":[]}"#, "gpsd-nonsense"),
            (#"{"class":"VERSION","release":"2.40","proto_major":2,"proto_minor":4}"#, "gpsd-too-old"),
            (String(repeating: "x", count: 30_000), "gpsd-nonsense"),
            ("", "gpsd-silent"),
        ])
    func notGPSD(_ greeting: String, _ kind: String) async throws {
        let server = try ScriptedGPSD(greeting: greeting)
        try await withSource(port: server.port) { board in
            #expect(await board.comes(to: kind))
            #expect(board.snapshot().state == .disconnected)
        }
    }

    @Test("a gpsd that begins to talk nonsense is left, and asked again")
    func nonsenseLater() async throws {
        try await withTalk { server, board in
            server.say(lines: [tpv("2026-05-30T14:00:00.000Z")])
            #expect(await board.comes(to: "ok"))
            server.say(lines: (0..<8).map { "nonsense \($0)" })
            #expect(await eventually { server.connectionCount >= 2 })
            #expect(board.snapshot().counters.rejectedLines[.notJSON] == 8)
        }
    }

    @Test("nobody at the port, a name without an address and a host that is none are unreachable, with the reason")
    func unreachable() async throws {
        let refusing = try RefusingPort()
        let port = refusing.port
        try await withSource(port: port) { board in
            #expect(await board.comes(to: "gpsd-unreachable"))
            #expect(board.snapshot().health.reason.contains("connection refused"))
        }
        try await withSource(port: port, host: "no-such-host.invalid") { board in
            #expect(await board.comes(to: "gpsd-unreachable"))
        }
        withExtendedLifetime(refusing) {}
    }

    @Test("a host may be given by name")
    func byName() async throws {
        let server = try ScriptedGPSD()
        try await withSource(port: server.port, host: "localhost") { board in
            #expect(await eventually { server.requests.contains("?WATCH") })
            #expect(board.snapshot().gpsdRelease == "3.22")
        }
    }

    @Test("two receivers on one gpsd with other lines between: each position is of one of them")
    func twoReceivers() async throws {
        try await withTalk { server, board in
            var lines = [Line.devices("/dev/x", "/dev/y")]
            for second in 0..<3 {
                let time = at(Double(second))
                lines += [
                    #"{"class":"AIS","device":"/dev/y","type":5,"mmsi":351759000}"#,
                    Line.sky("/dev/y", time: time, hdop: 0.5, used: 20, of: 30),
                    Line.tpv(time, "/dev/y", #","eph":9.5,"altMSL":1"#),
                    Line.sky("/dev/x", time: time, hdop: 5, used: 4, of: 6),
                    Line.tpv(time, "/dev/x", #","eph":95,"altMSL":2"#),
                    Line.sky("/dev/y", time: time, hdop: 0.5, used: 20, of: 30),
                ]
            }
            server.say(lines: lines)
            #expect(
                await eventually { board.snapshot().fix?.time == at(2) && board.snapshot().fix?.device == "/dev/x" })
            let fix = board.snapshot().fix
            #expect(fix?.altitudeMSL == 2 && fix?.satellitesUsed == 4 && fix?.dop.horizontal == 5)
            #expect(fix?.horizontalAccuracy == Accuracy(metres: 95, source: .model))
            #expect(board.snapshot().sky?.satellites.count == 6)
        }
    }

    @Test("of a flood of new epochs only so many are looked at, and the position stays right")
    func flood() async throws {
        try await withTalk { server, board in
            for block in 0..<20 {
                server.say(lines: (0..<500).map { Line.tpv(at(Double(block * 500 + $0) / 100), "/dev/x") })
            }
            #expect(await eventually { board.snapshot().counters.skippedLines > 0 })
            #expect(board.snapshot().notes.contains { $0.contains("lines a second") })
            #expect(await eventually { board.snapshot().counters.lines >= 9_000 })
            #expect(board.snapshot().counters.fixReports < 9_000)
        }
    }

    @Test("a lost connection is made again")
    func hangUp() async throws {
        try await withTalk { server, board in
            server.hangUp()
            #expect(await eventually { board.snapshot().counters.reconnections == 1 })
            server.say(lines: [tpv("2026-05-30T14:00:00.000Z")])
            #expect(await board.comes(to: "ok"))
        }
    }
}
