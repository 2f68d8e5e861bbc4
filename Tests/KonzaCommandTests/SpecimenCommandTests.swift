import Foundation
import KonzaAPI
import KonzaModel
import KonzaSystem
import Testing

@testable import KonzaCommand

@Suite("The collector's commands")
struct SpecimenCommandTests {
    private typealias Replies = SpecimenReplies

    private func body(_ request: StationRequest?) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(try #require(request?.body)))
    }

    private func temporaryFolder() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "konza-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.path()
    }

    // MARK: Names and lists

    @Test("name a specimen by its number, letter case apart, or by its id")
    func naming() async throws {
        let other = try Replies.specimen("KNZ-26-1170")
        let wanted = try Replies.specimen()
        for name in ["KNZ-26-117", "knz-26-117", Replies.id] {
            let station = ScriptedConnection([
                "GET /v1/specimens": try Replies.page([other, wanted]),
                "GET /v1/specimens/\(Replies.id)": try Replies.one(wanted),
            ])
            let result = await run(["specimens", "show", name], station)
            #expect(result.code == 0, "\(result.errors)")
            #expect(result.output.hasPrefix("Specimen KNZ-26-117  draft\n"))
        }
    }

    @Test("look for a number on every page, and say where the numbers are when there is none")
    func pages() async throws {
        let station = ScriptedConnection([
            "GET /v1/specimens": [
                Replies.success(try Replies.page([try Replies.specimen("KNZ-26-1171")], next: "c1")),
                Replies.success(try Replies.page([try Replies.specimen("KNZ-26-1172")])),
            ]
        ])
        let result = await run(["specimens", "show", "KNZ-26-117"], station)
        #expect(result.code == 66)
        #expect(result.errors.contains("no such number or id; konza specimens lists them"))
        #expect(
            station.requests.map(\.target) == [
                "/v1/specimens?limit=200&text=KNZ-26-117", "/v1/specimens?limit=200&text=KNZ-26-117&cursor=c1",
            ])
    }

    @Test("list with the filters that were given")
    func filters() async throws {
        let station = ScriptedConnection(["GET /v1/specimens": try Replies.page([try Replies.specimen()])])
        let line = [
            "specimens", "--near", "here", "--radius", "2.5km", "--state", "draft", "--text", "garnet gneiss", "--box",
            "-97,39,-96,40", "-n", "5",
        ]
        let result = await run(line, station)
        #expect(result.code == 0, "\(result.errors)")
        #expect(
            station.requests.map(\.target) == [
                "/v1/specimens?near=here&state=draft&text=garnet%20gneiss&box=-97%2C39%2C-96%2C40&radius=2500&limit=5"
            ])
        #expect(result.output.contains("KNZ-26-117  draft      2026-05-30  Gneiss, ±4.2 m, 1 photograph\n"))
    }

    @Test(
        "understand distances as people write them",
        arguments: [
            ("500", 500.0), ("500m", 500), ("10km", 10_000), ("0.5km", 500), ("km", nil), ("0", nil), ("1ly", nil),
        ])
    func distances(text: String, metres: Double?) {
        #expect(CommandContext.metres(text) == metres)
    }

    @Test("keep what somebody else wrote from moving the cursor")
    func safety() async throws {
        let evil = try Replies.specimen("KNZ\u{1B}[2J") {
            $0.rockType = "Gneiss\u{9B}31m"
            $0.description = "a\u{202E}b\nc"
        }
        let station = ScriptedConnection([
            "GET /v1/specimens": try Replies.page([evil]), "GET /v1/specimens/\(Replies.id)": try Replies.one(evil),
        ])
        for line in [["specimens"], ["specimens", "show", Replies.id], ["specimens", "show", Replies.id, "--json"]] {
            let result = await run(line, station)
            #expect(result.code == 0)
            #expect(result.output.unicodeScalars.allSatisfy { $0 == "\n" || !TextSafety.isDangerous($0) }, "\(line)")
        }
    }

    // MARK: What is said about one

    @Test("new sends what was said, and nothing that was not")
    func opens() async throws {
        let station = ScriptedConnection(["POST /v1/specimens": try Replies.one(try Replies.specimen())])
        let line = [
            "specimens", "new", "gneiss", "--number", "KNZ-26-117", "--mineral", "Garnet=15", "--mineral", "Biotite",
            "--grade", "Amphibolite facies", "--public", "--strike", "214", "--dip", "38", "--declination", "-3.5",
            "--feature", "foliation", "--at", "39.1069,-96.6091,415", "--accuracy", "4.5", "--notes", "east wall",
        ]
        let result = await run(line, station)
        #expect(result.code == 0, "\(result.errors)")
        let expected = """
            {"rockType":"gneiss","number":"KNZ-26-117","minerals":[{"name":"Garnet","amount":"15"},{"name":"Biotite"}],
            "metamorphicGrades":["Amphibolite facies"],"isPublic":true,"fieldNotes":"east wall","measurements":[
            {"strike":214,"dip":38,"north":"magnetic","declination":-3.5,"feature":"foliation"}],
            "position":{"latitude":39.1069,"longitude":-96.6091,"altitudeMSL":415,"accuracy":4.5}}
            """
        let sent = try body(station.requests.first)
        #expect(try sent == decoded(expected))
        // And the station understands it.
        #expect(throws: Never.self) { try SpecimenRequest(sent) }
        #expect(result.output.hasSuffix("Next: konza specimens photograph KNZ-26-117\n"))
    }

    @Test("set takes fields and options, lists with commas, and takes away what has no value")
    func sets() async throws {
        let specimen = try Replies.one(try Replies.specimen())
        let path = "/v1/specimens/\(Replies.id)"
        let station = ScriptedConnection(["GET \(path)": specimen, "PATCH \(path)": specimen])
        let result = await run(
            [
                "specimens", "set", Replies.id, "country=Chile", "igsn=", "mineral=Garnet=5, Biotite",
                "rockType=Schist", "position=here", "--private", "region=Konza, Flint Hills",
            ], station)
        #expect(result.code == 0, "\(result.errors)")
        let sent = try body(station.requests.last)
        let expected = """
            {"country":"Chile","igsn":null,"minerals":[{"name":"Garnet","amount":"5"},{"name":"Biotite"}],
            "rockType":"Schist","position":"here","isPublic":false,"regions":["Konza","Flint Hills"]}
            """
        #expect(try sent == decoded(expected))
        #expect(throws: Never.self) { try SpecimenPatch(sent) }
    }

    @Test(
        "refuse what makes no sense before the station is asked",
        arguments: [
            (["new", "gneiss", "--strike", "10"], "--strike: --strike and --dip go together"),
            (["new", "gneiss", "--declination", "3"], "only with --strike and --dip"),
            (["new", "gneiss", "--here", "--at", "1,2"], "--here and --at at once"),
            (["new", "gneiss", "--accuracy", "3"], "only with --at"),
            (["new", "gneiss", "--at", "91,0"], "expected latitude,longitude in degrees"),
            (["new", "gneiss", "--at", "1,2,high"], "the elevation is no number"),
            (["new", "gneiss", "--dip", "91", "--strike", "1"], "expected a number from 0 to 90"),
            (["new"], "ROCKTYPE is missing"),
            (["set", "KNZ-1", "contry=Chile"], "did you mean country?"),
            (["set", "KNZ-1", "country"], "expected FIELD=VALUE"),
            (["set", "KNZ-1", "public=maybe"], "expected yes or no"),
            (["set", "KNZ-1", "--public", "--private"], "--public and --private at once"),
            (["set", "KNZ-1"], "nothing is said about it"),
            (["--radius", "10km"], "only with --near"),
            (["--near", "here", "--radius", "far"], "expected metres"),
            (["export", "--format", "xml"], "expected csv, metpetdb-csv"),
        ])
    func refusals(line: [String], words: String) async {
        let station = ScriptedConnection([String: String]())
        let result = await run(["specimens"] + line, station)
        #expect(result.code == 64, "\(line)")
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(station.requests.isEmpty)
    }

    @Test("delete says how to restore, and restore finds what was deleted by its number")
    func deletes() async throws {
        let specimen = try Replies.specimen()
        let path = "/v1/specimens/\(Replies.id)"
        let station = ScriptedConnection([
            "GET /v1/specimens": try Replies.page([specimen]), "DELETE \(path)": "",
            "POST \(path)/restore": try Replies.one(specimen),
        ])
        let deleted = await run(["specimens", "delete", "KNZ-26-117"], station)
        #expect(deleted.output.contains("konza specimens restore KNZ-26-117"))
        #expect(!deleted.output.contains("metpetdb"))
        let restored = await run(["specimens", "restore", "KNZ-26-117"], station)
        #expect(restored.code == 0)
        #expect(station.requests.map(\.target).contains("/v1/specimens?limit=200&text=KNZ-26-117&state=deleted"))
    }

    @Test("delete says that the server keeps what it has, and where")
    func deletesSubmitted() async throws {
        let submission = try Replies.submission(.submitted) {
            $0.remoteID = "42"
            $0.remoteURL = "https://metpetdb.example/samples/42"
        }
        let path = "/v1/specimens/\(Replies.id)"
        let station = ScriptedConnection([
            "GET \(path)": try Replies.one(try Replies.specimen(), [submission]), "DELETE \(path)": "",
        ])
        let deleted = await run(["specimens", "delete", Replies.id], station)
        #expect(deleted.output.contains("metpetdb keeps what it has of it: https://metpetdb.example/samples/42"))
    }

    // MARK: In the field

    @Test("photograph sends pictures by their first bytes, all looked at before the first is sent")
    func photographs() async throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data([0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 4]).write(to: URL(filePath: "\(folder)/a.jpg"))
        try Data("words".utf8).write(to: URL(filePath: "\(folder)/b.jpg"))
        let specimen = try Replies.specimen()
        let path = "/v1/specimens/\(Replies.id)"
        let photograph = try Replies.json(PhotographReply(specimen.photographs[0], of: specimen.id))
        let station = ScriptedConnection([
            "GET \(path)": try Replies.one(specimen), "POST \(path)/photographs": photograph,
        ])
        let refused = await run(
            ["specimens", "photograph", Replies.id, "\(folder)/a.jpg", "\(folder)/b.jpg"], station)
        #expect(refused.code == 65)
        #expect(refused.errors.contains("neither JPEG nor PNG"))
        #expect(station.requests.isEmpty)
        let result = await run(
            ["specimens", "photograph", Replies.id, "\(folder)/a.jpg", "--scale", "120", "--type", "PHOTO"], station)
        #expect(result.code == 0, "\(result.errors)")
        let request = try #require(station.requests.last)
        #expect(request.target == "\(path)/photographs?imageType=PHOTO&scale=120")
        #expect(request.upload == .init(file: "\(folder)/a.jpg", byteCount: 8, mediaType: "image/jpeg"))
        #expect(result.output.hasPrefix("Photograph kept as KNZ-26-117-01.jpg, 1920 x 1080, 201 kB, FIELDPHOTO"))
        // Without a file, the camera.
        _ = await run(["specimens", "photograph", Replies.id, "--direction", "225.5"], station)
        #expect(try body(station.requests.last) == decoded(#"{"direction":225.5}"#))
    }

    private func occupation(
        _ state: OccupationReply.State, _ used: Int, _ accuracy: Double, end: String? = nil
    ) throws -> String {
        let specimen = try Replies.specimen()
        var reply = OccupationReply(
            specimen: specimen.id, startedAt: Replies.now, wantedAccuracy: 3, timeLimitSeconds: 600)
        reply.state = state
        reply.elapsedSeconds = 61.5
        reply.fixesUsed = used
        reply.fixesRejected = 2
        reply.accuracy = accuracy
        reply.position = specimen.position
        reply.position?.accuracy = accuracy
        reply.end = end
        return try Replies.json(reply)
    }

    @Test("occupy shows on one line how it settles, and then what came of it")
    func occupies() async throws {
        let path = "/v1/specimens/\(Replies.id)"
        let station = ScriptedConnection([
            "GET \(path)": [Replies.success(try Replies.one(try Replies.specimen()))],
            "POST \(path)/occupation": [Replies.success(try occupation(.running, 0, 30))],
            "GET \(path)/occupation": [
                Replies.success(try occupation(.running, 60, 3.4)),
                Replies.success(try occupation(.ended, 90, 2.9, end: "accuracy-reached")),
            ],
        ])
        let console = RecordingConsole(terminal: (80, 24))
        let result = await run(
            ["specimens", "occupy", Replies.id, "--accuracy", "3", "--timeout", "600", "--color", "never"], station,
            console: console)
        #expect(result.code == 0, "\(result.errors)")
        #expect(
            result.output.contains(
                "\r\u{1B}[KKNZ-26-117  ±3.4 m (95 %), wanted ±3.0 m, n = 60 (2 left out), 1:01 of 10:00"))
        #expect(result.output.contains("Specimen KNZ-26-117 occupied\n"))
        #expect(result.output.contains("  Ended       it is known well enough\n"))
        #expect(try body(station.requests[1]) == decoded(#"{"wantedAccuracy":3,"timeLimitSeconds":600}"#))
    }

    @Test("occupy ends the occupation on Ctrl-C and keeps what was averaged, and says by 75 that time was too short")
    func interrupted() async throws {
        let path = "/v1/specimens/\(Replies.id)"
        let running = Replies.success(try occupation(.running, 40, 4.4))
        let station = ScriptedConnection([
            "GET \(path)": [Replies.success(try Replies.one(try Replies.specimen()))],
            "POST \(path)/occupation": [running], "GET \(path)/occupation": [running],
            "DELETE \(path)/occupation": [Replies.success(try occupation(.ended, 41, 4.4, end: "ended"))],
        ])
        let console = RecordingConsole(looksUntilInterrupted: 12)
        let result = await run(["specimens", "occupy", Replies.id], station, console: console)
        #expect(result.code == 0, "\(result.errors)")
        #expect(station.requests.count { $0.method == .delete } == 1)
        #expect(result.output.contains("  Ended       by you\n"))
        #expect(result.output.contains("or submit it with --override"))

        let late = ScriptedConnection([
            "GET \(path)": try Replies.one(try Replies.specimen()),
            "POST \(path)/occupation": try occupation(.ended, 41, 4.4, end: "time-out"),
        ])
        #expect(await run(["specimens", "occupy", Replies.id], late).code == 75)
    }

    @Test("occupy joins an occupation that runs already, and no other refusal is passed over")
    func joins() async throws {
        let path = "/v1/specimens/\(Replies.id)"
        let specimen = Replies.success(try Replies.one(try Replies.specimen()))
        let conflict = CommandFailure(Problem(.conflict, "cannot start the occupation: one runs already"))
        let ended = Replies.success(try occupation(.ended, 90, 2.9, end: "accuracy-reached"))
        let station = ScriptedConnection([
            "GET \(path)": [specimen], "POST \(path)/occupation": [.failure(conflict)],
            "GET \(path)/occupation": [Replies.success(try occupation(.running, 60, 3.4)), ended],
        ])
        let result = await run(["specimens", "occupy", Replies.id], station)
        #expect(result.code == 0 && result.errors.contains("One runs already"))
        let full = ScriptedConnection([
            "GET \(path)": [specimen], "POST \(path)/occupation": [.failure(conflict)],
            "GET \(path)/occupation": [ended],
        ])
        #expect(await run(["specimens", "occupy", Replies.id], full).code == 75)
    }

    @Test("vocabulary finds a name, what it is another word for, and the nearest to a wrong one")
    func vocabulary() async throws {
        let vocabulary = Vocabulary(terms: [
            .minerals: [.init(name: "Garnet"), .init(name: "Granat", synonymOf: "Garnet")],
            .rockTypes: [.init(name: "Gneiss")],
        ])
        let station = ScriptedConnection(["GET /v1/vocabulary": try Replies.json(vocabulary)])
        #expect(
            await run(["specimens", "vocabulary", "minerals"], station).output.hasPrefix("Garnet\nGranat, another"))
        let known = await run(["specimens", "vocabulary", "--match", "GARNET"], station)
        #expect(known.code == 0 && known.output.contains("Garnet"))
        let synonym = await run(["specimens", "vocabulary", "minerals", "--match", "granat"], station)
        #expect(synonym.output.contains("Granat is another word for Garnet"))
        let wrong = await run(["specimens", "vocabulary", "--match", "garnit"], station)
        #expect(wrong.code == 66)
        #expect(wrong.output.contains("\"garnit\" is not known; near it: Garnet (minerals)"))
    }

    // MARK: Files

    @Test("export writes whole files, chooses a free name in a folder, and replaces nothing without --force")
    func exports() async throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let large = String(repeating: "x", count: 5000)
        let station = ScriptedConnection(["GET /v1/specimens/export": large])
        func export(_ more: String...) async -> Run {
            await run(["specimens", "export", "--format", "geojson"] + more, station)
        }
        #expect(await export("-o", folder).code == 0)
        #expect(await export("-o", "\(folder)/").code == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == [
                "konza-specimens-2026-05-30-2.geojson", "konza-specimens-2026-05-30.geojson",
            ])
        #expect(
            try String(contentsOfFile: "\(folder)/konza-specimens-2026-05-30.geojson", encoding: .utf8) == large)
        let path = "\(folder)/mine.json"
        try Data("mine".utf8).write(to: URL(filePath: path))
        let asked = station.requests.count
        let refused = await export("-o", path)
        #expect(refused.code == 73)
        #expect(refused.errors.contains("--force"))
        #expect(station.requests.count == asked)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
        #expect(await export("-o", path, "--force").code == 0)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == large)
        #expect(await export("-o", "\(folder)/nowhere/a.json").code == 73)
        #expect(await export("-o", "-").output == large)
    }

    @Test("export leaves nothing behind when it is refused, breaks off or is interrupted")
    func brokenExports() async throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let refusal = CommandFailure(Problem(.cannotExport, "cannot export: nothing fits"))
        let failing = ScriptedConnection(["GET /v1/specimens/export": [.failure(refusal)]])
        #expect(await run(["specimens", "export", "-o", folder], failing).code == 65)
        let station = ScriptedConnection(["GET /v1/specimens/export": String(repeating: "x", count: 5000)])
        let console = RecordingConsole(looksUntilInterrupted: 2)
        let result = await run(["specimens", "export", "-o", folder], station, console: console)
        #expect(result.code == 75)
        #expect(result.errors.contains("interrupted; nothing was left behind"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }

    @Test("export shows a terminal text that cannot command it, and no archive")
    func shownExports() async throws {
        let station = ScriptedConnection(["GET /v1/specimens/export": "a,\u{1B}[2J\u{9B}b\r\nlast"])
        let console = RecordingConsole(terminal: (80, 24))
        #expect(await run(["specimens", "export", "-o", "-"], station, console: console).output == "a,[2Jb\nlast")
        #expect(await run(["specimens", "export", "-o", "-"], station).output == "a,\u{1B}[2J\u{9B}b\r\nlast")
        let asked = station.requests.count
        let zip = await run(
            ["specimens", "export", "--format", "zip", "-o", "-"], station,
            console: RecordingConsole(terminal: (80, 24)))
        #expect(zip.code == 64 && station.requests.count == asked)
    }

    @Test("export names what the form cannot hold")
    func leftOut() async throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let check = ExportCheckReply(
            format: "gpx", specimens: 2,
            leftOut: [
                .init(specimen: nil, number: "KNZ-9", reasons: [.init(field: "position", words: "not known")])
            ],
            problem: nil, next: nil)
        let file = StationReply(status: 200, headers: ["konza-left-out": "1"], body: Array("<gpx/>".utf8))
        let station = ScriptedConnection([
            "GET /v1/specimens/export": [.success(file)],
            "GET /v1/specimens/export/check": [Replies.success(try Replies.json(check))],
        ])
        let result = await run(["specimens", "export", "--format", "gpx", "-o", folder], station)
        #expect(result.code == 0)
        #expect(result.errors.contains("1 specimen left out"))
        #expect(result.errors.contains("KNZ-9: position: not known"))
    }

    @Test("label writes into a folder under a name that every file system takes")
    func labels() async throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "/v1/specimens/\(Replies.id)"
        let station = ScriptedConnection([
            "GET \(path)": try Replies.one(try Replies.specimen("../KNZ:1")), "GET \(path)/label.svg": "<svg/>",
        ])
        let result = await run(["specimens", "label", Replies.id, "--svg", "--width", "60", "-o", folder], station)
        #expect(result.code == 0, "\(result.errors)")
        #expect(station.requests.last?.target == "\(path)/label.svg?width=60")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["_._KNZ_1.svg"])
    }
}
