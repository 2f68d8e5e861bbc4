import KonzaModel
import KonzaTesting

@testable import Positioning

/// A gpsd's lines brought to a board as the source brings them, by a clock that a test moves.
struct Feed: ~Copyable {
    let clock: ManualClock
    let board: PositionBoard
    private var decoder = GPSDDecoder()
    private var session: GPSDSession

    init(clock: ManualClock = ManualClock(utc: epochStart)) {
        self.clock = clock
        board = PositionBoard(clock: clock)
        session = GPSDSession(endpoint: "a:1", silentAfter: 3, at: clock.monotonic())
        say(ScriptedGPSD.version)
    }

    /// Another connection to gpsd.
    mutating func reconnect() {
        board.report(link: .down(.closed(endpoint: "a:1")))
        session = GPSDSession(endpoint: "a:1", silentAfter: 3, at: clock.monotonic())
        say(ScriptedGPSD.version)
    }

    mutating func say(_ lines: String...) {
        for line in lines {
            let result: Result<GPSDReport, RefusedLine>
            do throws(LineRejection) {
                result = .success(try decoder.decode(line.utf8, arrival: clock.monotonic(), source: .live))
            } catch {
                result = .failure(GPSDDecoder.refused(line.utf8, error))
            }
            for step in session.receive(result, at: clock.monotonic()) { _ = board.take(step) }
        }
    }
}

/// gpsd's lines.
enum Line {
    static func devices(_ paths: String...) -> String {
        let list = paths.map {
            #"{"class":"DEVICE","path":"\#($0)","driver":"NMEA0183","activated":"2026-05-30T14:00:00.000Z","cycle":1.0}"#
        }
        return #"{"class":"DEVICES","devices":[\#(list.joined(separator: ","))]}"#
    }

    static func tpv(
        _ time: UTCInstant?, _ device: String = "/dev/x", mode: Int = 3, _ members: String = ""
    ) -> String {
        let stamp = time.map { #","time":"\#($0)""# } ?? ""
        let place = mode >= 2 ? #","lat":39.1,"lon":-96.6"# : ""
        return #"{"class":"TPV","device":"\#(device)","mode":\#(mode)\#(stamp)\#(place)\#(members)}"#
    }

    static func sky(
        _ device: String = "/dev/x", time: UTCInstant? = nil, hdop: Double? = nil, used: Int? = nil,
        of visible: Int = 0,
        _ members: String = ""
    ) -> String {
        let stamp = time.map { #","time":"\#($0)""# } ?? ""
        let dop = hdop.map { #","hdop":\#($0)"# } ?? ""
        var list = ""
        if let used {
            let entries = (0..<visible).map {
                #"{"PRN":\#($0 + 1),"el":45.0,"az":10.0,"ss":40.0,"used":\#($0 < used)}"#
            }
            list = #","nSat":\#(visible),"uSat":\#(used)"#
            if visible > 0 { list += #","satellites":[\#(entries.joined(separator: ","))]"# }
        }
        return #"{"class":"SKY","device":"\#(device)"\#(stamp)\#(dop)\#(list)\#(members)}"#
    }
}

/// So many seconds after the start.
func at(_ seconds: Double) -> UTCInstant { epochStart.advanced(bySeconds: seconds) }
