import Foundation
import KonzaAPI
import KonzaClient
import KonzaModel
import KonzaTesting
import Testing

@testable import KonzaCommand

@Suite("Samples on the terminal")
struct SampleScreenTests {
    private static let origin =
        #""source":"cache","coverage":"answer","ageSeconds":7300,"fetchedAt":"2026-05-30T12:01:27.000Z""#
    private static let found = """
        {"id":"8c2b1d3e-0000-4000-8000-000000000001","number":"ADK-1","rockType":"Gneiss","isPublic":true,"minerals":[],
        "metamorphicGrades":[],"metamorphicRegions":[],"regions":[],"owner":"Doe, Jane","collectionDate":"2009-07-04",
        "place":{"latitude":39.11,"longitude":-96.6},"distance":1113.2,"bearing":23.4}
        """

    private func page(_ samples: String, _ more: String = "") -> String {
        #"{"samples":[\#(samples)],"total":1,"isComplete":true,\#(more)\#(Self.origin)}"#
    }

    @Test("a bearing is the nearest of sixteen points, and degrees")
    func compass() {
        let rows: [(Double, String)] = [
            (0, "N 0°"), (11.2, "N 11°"), (11.3, "NNE 11°"), (90, "E 90°"), (191.3, "SSW 191°"), (348.7, "NNW 349°"),
            (348.8, "N 349°"), (359.9, "N 0°"),
        ]
        for (bearing, text) in rows { #expect(SampleScreens.direction(bearing) == text) }
    }

    @Test("a list is a table that says how old it is, and asks for what the options say")
    func list() async throws {
        let station = ScriptedConnection(["GET /v1/samples": page(Self.found)])
        let line = [
            "samples", "--near", "here", "--radius", "2.5km", "--rock-type", "Gneiss, Schist", "--rock-type", "Marble",
            "--owner", "Doe, Jane",
            "--all-minerals", "--refresh", "--wait", "3",
        ]
        let result = await run(line, station)
        #expect(result.code == 0)
        #expect(
            result.output == """
                Number  Rock type  Distance  Direction  Owner      Date        Id
                ADK-1   Gneiss       1113 m  NNE 23°    Doe, Jane  2009-07-04  8c2b1d3e-0000-4000-8000-000000000001
                Kept on the station, 2 h 1 min old, of 2026-05-30 07:01.

                """)
        let target = try #require(station.requests.first?.target)
        #expect(
            target == "/v1/samples?near=here&owner=Doe%2C%20Jane&radius=2500.0&rockType=Gneiss&rockType=Schist"
                + "&rockType=Marble&allMinerals=yes&refresh=yes&wait=3&limit=50")
    }

    @Test("what is not the server's answer of now says why, and what may be missing")
    func provenance() {
        func text(_ coverage: AnswerOrigin.Coverage, _ reason: String?, age: Int?) -> String {
            plain(
                SampleScreens.origin(
                    AnswerOrigin(source: .cache, coverage: coverage, fetchedAt: nil, ageSeconds: age, reason: reason),
                    dates: prairieDates, columns: nil))
        }
        #expect(text(.answer, "no network", age: 60) == "Kept on the station, 1 min old. Not asked anew: no network.")
        #expect(text(.answer, nil, age: nil) == "Kept on the station, of unknown age.")
        #expect(text(.known, nil, age: 60).hasSuffix("MetPetDB may have more."))
        let server = AnswerOrigin(source: .server, coverage: .answer, fetchedAt: nil, ageSeconds: 0, reason: nil)
        #expect(
            plain(SampleScreens.origin(server, dates: prairieDates, columns: nil)) == "From MetPetDB, asked just now.")
    }

    @Test("pages are asked for until there are enough, and a list that is cut says so")
    func pages() async {
        let more = #""next":"a_1_2","wholeWithin":900,"position":{"latitude":1,"longitude":1,"source":"simulated"},"#
        let cut = page("\(Self.found),\(Self.found)", more).replacing(#""total":1"#, with: #""total":1200"#)
        let station = ScriptedConnection([
            "GET /v1/samples": [.success(StationReply(status: 200, body: Array(cut.utf8)))]
        ])
        let result = await run(["samples", "-n", "4"], station)
        #expect(station.requests.map(\.target) == ["/v1/samples?limit=4", "/v1/samples?limit=2&cursor=a_1_2"])
        #expect(result.output.contains("Shown 4 of 1200. More with --limit."))
        #expect(result.output.contains("Complete only within 900 m"))
        #expect(result.output.contains("Distances are from a simulated position."))
    }

    @Test("words from a server cannot move the cursor, and a radius that is none is refused without asking")
    func hostile() async {
        let evil = Self.found.replacing("ADK-1", with: "A\\u001b[2J")
        let shown = await run(["samples"], ScriptedConnection(["GET /v1/samples": page(evil)]))
        #expect(shown.output.contains("A[2J") && !shown.output.contains("\u{1B}"))
        for line in [
            ["--radius", "5km"], ["--near", "here", "--radius", "far"], ["--near", "here", "--radius", "0"],
        ] {
            let station = ScriptedConnection(["GET /v1/samples": page("")])
            #expect(await run(["samples"] + line, station).code == 64)
            #expect(station.requests.isEmpty)
        }
    }

    @Test("a picture of a sample is saved as the file that it is, and never over another")
    func picture() async throws {
        let folder = try TemporaryFolder()
        let details = """
            {"sample":\(Self.found),"references":[],"images":[{"id":"a1","description":"thin section","comments":[]},{"id":"b 2","comments":[]}],
            "keptThumbnails":[],"keptFiles":[],"subsamples":[],"comments":[],\(Self.origin)}
            """
        let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
        func station() -> ScriptedConnection {
            ScriptedConnection([
                "GET /v1/samples/7": [.success(StationReply(status: 200, body: Array(details.utf8)))],
                "GET /v1/samples/7/images/b%202/file": [.success(StationReply(status: 200, body: picture))],
            ])
        }
        let path = "\(folder.path)/section.png"
        let saved = await run(["sample", "7", "--picture", "2", "-o", path], station())
        #expect(saved.code == 0 && saved.output == "Picture saved as \(path), 12 bytes\n")
        #expect(FileManager.default.contents(atPath: path).map(Array.init) == picture)
        #expect(await run(["sample", "7", "--picture", "2", "-o", path], station()).code == 73)
        let many = await run(["sample", "7", "--picture", "3"], station())
        #expect(many.code == 66 && many.errors.contains("the sample has 2, which konza sample lists"))
        #expect(await run(["sample", "7", "--force"], station()).code == 64)
        // The numbers stand in the list.
        #expect(await run(["sample", "7"], station()).output.contains("1: thin section"))
    }

    @Test("regions are an index, and a sample known from lists only says that it may have more")
    func others() async {
        let regions = #"{"regions":["Adirondacks","Alps","vermont"],\#(Self.origin)}"#
        let index = await run(["regions"], ScriptedConnection(["GET /v1/regions": regions]))
        #expect(index.output.hasPrefix("A  Adirondacks\n   Alps\nV  vermont\nKept"))
        let some = await run(["regions", "al"], ScriptedConnection(["GET /v1/regions": regions]))
        #expect(some.output.hasPrefix("A  Alps\nKept"))
        let details = """
            {"sample":\(Self.found),"references":[],"images":[],"keptThumbnails":[],"keptFiles":[],"subsamples":[],"comments":[],
            \(Self.origin.replacing(#""answer""#, with: #""known""#))}
            """
        let sample = await run(["sample", "7"], ScriptedConnection(["GET /v1/samples/7": details]))
        #expect(sample.output.hasPrefix("Sample ADK-1"))
        #expect(sample.output.contains("More        not known here") && !sample.output.contains("Images"))
    }
}
