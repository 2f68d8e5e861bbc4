import Foundation
import KonzaAPI
import KonzaModel
import KonzaSystem
import Testing

@testable import KonzaCommand

@Suite("The commands")
struct CommandTests {
    private func temporaryFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "konza-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test("end by sysexits(3) with the reason on standard error")
    func exitCodes() async {
        let rows: [(ProblemKind, Int32)] = [
            (.forbidden, 77), (.notFound, 66), (.unknownTemplate, 66), (.cannotDraw, 65), (.invalidRequest, 65),
            (.tooManyRequests, 75), (.internalError, 70), (.cameraUnavailable, 69), (.insufficientStorage, 69),
            (ProblemKind(rawValue: "from-the-future"), 76),
        ]
        for (kind, code) in rows {
            let problem = Problem(kind, "cannot do it: because")
            let station = ScriptedConnection(["POST /v1/postcards": [.failure(CommandFailure(problem))]])
            let result = await run(["postcard"], station)
            #expect(result.code == code, "\(kind.rawValue)")
            #expect(result.errors.hasPrefix("konza: cannot do it: because"))
            #expect(result.output == "")
        }
    }

    @Test("where ends with 0 only while the position is fresh")
    func whereCodes() async {
        let fresh = await run(["where"], ScriptedConnection(["GET /v1/position": Replies.position]))
        #expect(fresh.code == 0)
        #expect(fresh.output.hasSuffix("DGPS\n"))
        let stale = Replies.position.replacingOccurrences(of: "\"fix\"", with: "\"stale\"")
        #expect(await run(["where"], ScriptedConnection(["GET /v1/position": stale])).code == 69)
        let none = await run(
            ["where"], ScriptedConnection(["GET /v1/position": #"{"state":"disconnected","reason":"gpsd is gone"}"#]))
        #expect(none.code == 69)
        #expect(none.output == "")
        #expect(none.errors == "konza: cannot say where the station is: gpsd is gone\n")
    }

    @Test("view verify says that the view is unverified, and why; where nothing was judged it ends with 75")
    func verification() async {
        let sound = #"""
            {"createdAt":"2026-11-20T15:00:00Z","latitude":39.1,"longitude":-96.6,"cameraHeight":330.5,"width":1280,"height":720,
            "azimuth":118,"pitch":2,"roll":0,"focal":914,"fieldOfView":70,"k1":0,"standardErrors":{},"errorMedian":1,"error95":2,
            "clicks":[],"verifiedAt":"2026-11-21T15:00:00Z","skylineDeviation":2.1}
            """#
        let moved = sound.replacingOccurrences(of: "2.1}", with: #"7.7,"reason":"the camera has most likely moved"}"#)
        let path = "POST /v1/view/verification"
        let doubted = await run(["view", "verify"], ScriptedConnection([path: moved]))
        #expect(doubted.code == 69 && doubted.output.hasPrefix("Unverified: the camera has most likely moved\n"))
        let found = await run(["view", "verify"], ScriptedConnection([path: sound]))
        #expect(found.code == 0 && found.output.hasPrefix("Azimuth"), "\(found.output)")
        let night = CommandFailure(Problem(.conflict, "cannot compare the skyline: nothing is judged at night"))
        #expect(await run(["view", "verify"], ScriptedConnection([path: [.failure(night)]])).code == 75)
    }

    @Test("status ends with 69 when a part has failed")
    func statusCode() async {
        let result = await run(["status"], ScriptedConnection(["GET /v1/status": Replies.status]))
        #expect(result.code == 69)
        #expect(result.output.contains("Field station FAILED"))
    }

    @Test("print the station's own answer with --json")
    func json() async throws {
        let result = await run(["where", "--json"], ScriptedConnection(["GET /v1/position": Replies.position]))
        // A member that this version does not know is kept.
        #expect(result.output.contains("\"novelty\": 1\n"))
        let reply: PositionReply = try decoded(result.output)
        #expect(reply.latitude == 39.1069123)
    }

    @Test("postcard sends what was asked, and nothing that was not")
    func postcardRequest() async throws {
        let station = ScriptedConnection(["POST /v1/postcards": Replies.postcard])
        let result = await run(["postcard", "-m", "Grüße", "--template", "band"], station)
        #expect(result.code == 0)
        let body = try #require(station.requests.first?.body)
        #expect(String(decoding: body, as: UTF8.self) == #"{"message":"Grüße","template":"band"}"#)
        #expect(result.output.hasPrefix("Postcard kept as \(Replies.id)\n"))
    }

    @Test("postcard counts aloud and waits until it is kept")
    func countdown() async {
        func pending(_ state: String, _ remaining: Int) -> Result<StationReply, CommandFailure> {
            let text = """
                {"id":"\(Replies.id)","state":"\(state)","dueAt":"2026-05-30T14:03:10.000Z","remainingSeconds":\(remaining)}
                """
            return .success(StationReply(status: state == "accepted" ? 202 : 200, body: Array(text.utf8)))
        }
        let kept = Result<StationReply, CommandFailure>.success(
            StationReply(status: 200, body: Array(Replies.postcard.utf8)))
        let path = "GET /v1/postcards/\(Replies.id)"
        let station = ScriptedConnection([
            "POST /v1/postcards": [pending("accepted", 2)],
            path: [pending("counting", 2), pending("counting", 1), pending("capturing", 0), kept],
        ])
        let result = await run(["postcard", "--countdown", "2"], station)
        #expect(result.code == 0)
        #expect(result.errors == "2...\n1...\n")
        #expect(result.output.hasPrefix("Postcard kept"))
    }

    @Test("postcard says why a countdown ended without a picture")
    func failedCountdown() async throws {
        let problem = String(
            decoding: try JSONEncoder().encode(Problem(.cameraUnavailable, "cannot take a picture: no camera")),
            as: UTF8.self)
        let text = """
            {"id":"\(Replies.id)","state":"failed","dueAt":"2026-05-30T14:03:10.000Z","problem":\(problem)}
            """
        let station = ScriptedConnection([
            "POST /v1/postcards": [.success(StationReply(status: 202, body: Array(text.utf8)))]
        ])
        let result = await run(["postcard", "--countdown", "2"], station)
        #expect(result.code == 69)
        #expect(result.errors == "konza: cannot take a picture: no camera\n")
    }

    @Test("take no postcard for a file that could not be written")
    func fileFirst() async throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "card.jpg").path()
        try Data("mine".utf8).write(to: URL(filePath: path))
        let station = ScriptedConnection(["POST /v1/postcards": Replies.postcard])
        for (file, code) in [(path, 73 as Int32), (folder.path(), 73), ("\(folder.path())/no/card.jpg", 73)] {
            #expect(await run(["postcard", "-o", file], station).code == code)
        }
        #expect(station.requests.isEmpty)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }

    @Test("write files whole, once, and over another only by force")
    func files() async throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "frame.jpg").path()
        let station = ScriptedConnection(["GET /v1/camera/frame.jpg": "JPEG"])
        #expect(await run(["camera", "frame", "-o", path], station).code == 0)
        #expect(await run(["camera", "frame", "-o", path], station).code == 73)
        #expect(await run(["camera", "frame", "-o", path, "--force"], station).code == 0)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "JPEG")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == ["frame.jpg"])
        let console = RecordingConsole()
        #expect(await run(["camera", "frame", "-o", "-"], station, console: console).code == 0)
        #expect(console.bytes == Array("JPEG".utf8))
    }

    @Test("refuse an id that could leave the API's path, without asking the station")
    func identifiers() async {
        for id in ["../status", "%2e%2e", "", "x", Replies.id + "/"] {
            let station = ScriptedConnection([String: String]())
            #expect(await run(["postcards", "show", id], station).code == 66)
            #expect(station.requests.isEmpty)
        }
    }

    @Test("delete asks on a terminal and takes only a yes")
    func delete() async {
        for (answer, count) in [("y", 1), ("YES", 1), ("", 0), ("n", 0)] {
            let station = ScriptedConnection(["DELETE /v1/postcards/\(Replies.id)": ""])
            let console = RecordingConsole(answer: answer)
            #expect(await run(["postcards", "delete", Replies.id], station, console: console).code == 0)
            #expect(station.requests.count == count, "\(answer)")
        }
        let station = ScriptedConnection(["DELETE /v1/postcards/\(Replies.id)": ""])
        #expect(await run(["postcards", "delete", Replies.id], station).code == 0)
        #expect(station.requests.count == 1)
    }

    @Test("postcards follows the pages up to the limit")
    func pages() async {
        func page(_ next: String?) -> Result<StationReply, CommandFailure> {
            let cursor = next.map { ",\"next\":\"\($0)\"" } ?? ""
            return .success(
                StationReply(status: 200, body: Array("{\"postcards\":[\(Replies.postcard)]\(cursor)}".utf8)))
        }
        let station = ScriptedConnection(["GET /v1/postcards": [page("a b"), page(nil)]])
        let result = await run(["postcards", "-n", "300"], station)
        #expect(result.code == 0)
        #expect(station.requests.map(\.target) == ["/v1/postcards?limit=200", "/v1/postcards?limit=200&cursor=a%20b"])
    }

    @Test("track turns a span into an instant and a file's ending into a form")
    func track() async throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let station = ScriptedConnection(["GET /v1/track": "<gpx>\u{1B}[2J</gpx>\n"])
        let path = folder.appending(path: "walk.GPX").path()
        #expect(await run(["track", "--since", "10m", "-o", path], station).code == 0)
        #expect(station.requests.map(\.target) == ["/v1/track?since=2026-05-30T13%3A53%3A07.000Z&format=gpx"])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "<gpx>[2J</gpx>\n")
        for line in [["track", "--gpx", "--json"], ["track", "--since", "yesterday"], ["track", "-o", "x.kml"]] {
            #expect(await run(line, station).code == 64, "\(line)")
        }
    }

    @Test("camera set sends numbers, and shows what the camera made of them")
    func cameraSet() async throws {
        let station = ScriptedConnection(["PATCH /v1/camera/controls": Replies.camera])
        let result = await run(["camera", "set", "brightness=128", "focus_automatic=on"], station)
        #expect(result.code == 0)
        let body = try #require(station.requests.first?.body)
        #expect(String(decoding: body, as: UTF8.self) == #"{"brightness":128,"focus_automatic":1}"#)
        #expect(result.output == "brightness is 128\nfocus_automatic is on\n")
        for operand in ["brightness", "=1", "brightness=", "brightness=bright", "brightness=1.5"] {
            #expect(await run(["camera", "set", operand], station).code == 64, "\(operand)")
        }
    }

    @Test("events prints a line each, and an object each with --json")
    func events() async {
        let events = [
            StationEvent(name: "position", data: Array(Replies.position.utf8)),
            StationEvent(
                name: "postcard", data: Array(#"{"id":"x\u001b[2J","state":"counting","remainingSeconds":3}"#.utf8)),
            StationEvent(
                name: "health",
                data: Array(#"{"part":"camera","health":{"level":"failed","kind":"k","reason":"unplugged"}}"#.utf8)),
            StationEvent(name: "gap", data: Array("{}".utf8)),
            StationEvent(name: "novelty", data: Array("[]".utf8)),
        ]
        let station = ScriptedConnection([String: String](), events: events)
        let result = await run(["events", "--types", "position,postcard"], station)
        #expect(station.requests.first?.target == "/v1/events?types=position%2Cpostcard&positionRate=1")
        #expect(
            result.output == """
                09:03:07  position  39.106912° N, 96.609146° W, ±4.2 m (receiver, 95 %), 0.8 s old, elevation 415 m, DGPS
                09:03:07  postcard  x[2J in 3 s
                09:03:07  health    camera FAILED: unplugged
                09:03:07  gap       some events were missed
                09:03:07  novelty   (not understood by this version of konza)

                """)
        let json = await run(["events", "--json"], station)
        #expect(json.output.split(separator: "\n").count == 5)
        #expect(json.output.contains(#"{"event":"gap","data":{}}"#))
    }

    @Test("end quietly when nobody reads the output any more")
    func closedPipe() async {
        let events = Array(repeating: StationEvent(name: "gap", data: Array("{}".utf8)), count: 5)
        let console = RecordingConsole(writesUntilClosed: 2)
        let result = await run(["events"], ScriptedConnection([String: String](), events: events), console: console)
        #expect(result.code == 141)
        #expect(result.errors == "")
    }

    @Test("do not trust an answer that is not what was expected")
    func nonsense() async {
        for text in ["", "[]", "{}", "null", "{\"state\":7}", "\u{1B}]0;x\u{7}"] {
            let result = await run(["where"], ScriptedConnection(["GET /v1/position": text]))
            #expect(result.code == 76, "\(text)")
            #expect(result.output == "")
        }
    }

    @Test("version tells its own also when there is no daemon")
    func version() async {
        let result = await run(["version"], ScriptedConnection([String: String]()))
        #expect(result.code == 0)
        #expect(result.output.hasPrefix("konza  \(ProgramVersion.number)\nkonzad (not reached"))
        #expect(await run(["--version"], ScriptedConnection([String: String]())).output == "konza 0.1.0\n")
    }
}
