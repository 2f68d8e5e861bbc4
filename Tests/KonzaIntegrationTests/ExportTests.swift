import Foundation
import KonzaTesting
import Testing

@Suite("Specimens as files")
struct ExportTests {
    private let station: Station

    init() throws { station = try Station() }

    private func file(_ name: String) -> String { station.folder.appendingPathComponent(name).path }

    /// A specimen's id.
    private func open(_ body: String) throws -> String {
        let reply = try station.post("/v1/specimens", body)
        #expect(reply.status == 201, "\(String(decoding: reply.body, as: UTF8.self))")
        return try #require(try reply.json()["id"] as? String)
    }

    private func export(_ query: String) throws -> Station.Reply { try station.get("/v1/specimens/export?\(query)") }

    /// One with a place and a photograph, one with a place, and one without.
    private func openThree() throws {
        let id = try open(
            #"{"rockType":"Gneiss","number":"K-1","minerals":[{"name":"Garnet","amount":"15"}],"position":{"latitude":39.1,"longitude":-96.6,"altitude":338.4,"altitudeMSL":366.7,"accuracy":3}}"#
        )
        #expect(try station.post("/v1/specimens/\(id)/photographs").status == 201)
        _ = try open(
            #"{"rockType":"Schist","number":"K-2","collector":"Doe, Jane","position":{"latitude":39.2,"longitude":-96.7}}"#
        )
        _ = try open(#"{"rockType":"Quartzite","number":"K-3"}"#)
    }

    /// How many features GDAL reads from a file.
    private func features(_ path: String) throws -> Int {
        let text = try run("ogrinfo", ["-al", "-so", path]).text
        return text.split(separator: "\n").compactMap { line in
            line.hasPrefix("Feature Count: ") ? Int(line.dropFirst(15)) : nil
        }.reduce(0, +)
    }

    @Test("come in every form, which others read; what a form cannot hold is counted, and told before")
    func forms() throws {
        try openThree()
        let cases = [
            ("metpetdb-sheets", "application/zip", "konza-metpetdb.zip", 1),
            ("sesar", "text/csv; charset=utf-8; header=present", "konza-sesar.csv", 1),
            ("geojson", "application/geo+json", "konza-specimens.geojson", 0),
            ("gpx", "application/gpx+xml", "konza-specimens.gpx", 1),
            ("kml", "application/vnd.google-earth.kml+xml", "konza-specimens.kml", 0),
            ("kmz", "application/vnd.google-earth.kmz", "konza-specimens.kmz", 0),
            ("csv", "text/csv; charset=utf-8; header=present", "konza-specimens.csv", 0),
            ("zip", "application/zip", "konza-specimens.zip", 0),
        ]
        for (format, type, name, leftOut) in cases {
            let reply = try export("format=\(format)")
            #expect(reply.status == 200, "\(format)")
            #expect(reply.headers["content-type"] == type)
            #expect(reply.headers["content-disposition"] == "attachment; filename=\"\(name)\"")
            #expect(reply.headers["konza-left-out"] == String(leftOut), "\(format)")
            #expect(reply.headers["content-length"] == String(reply.body.count))
            try reply.body.write(to: URL(fileURLWithPath: file("\(format).\(name.split(separator: ".").last ?? "")")))
            let check = try station.get("/v1/specimens/export/check?format=\(format)").json()
            #expect(check["specimens"] as? Int == 3)
            #expect((check["leftOut"] as? [[String: Any]])?.count == leftOut)
            #expect((check["leftOut"] as? [[String: Any]])?.allSatisfy { $0["number"] as? String == "K-3" } == true)
        }
        #expect(try features(file("geojson.geojson")) == 3)
        #expect(try features(file("gpx.gpx")) == 2)
        #expect(try features(file("kml.kml")) == 3)
        for archive in ["zip.zip", "kmz.kmz", "metpetdb-sheets.zip"] {
            #expect(try run("unzip", ["-tqq", file(archive)]).status == 0, "\(archive)")
        }
        #expect(try run("unzip", ["-q", file("zip.zip"), "-d", file("unpacked")]).status == 0)
        let sums = try run("sh", ["-c", "cd \(file("unpacked")) && sha256sum --check --quiet SHA256SUMS"])
        #expect(sums.status == 0, "\(sums.text)")
        let picture = "\(file("unpacked"))/photographs/K-1/K-1-01.jpg"
        #expect(try run("djpeg", ["-outfile", "/dev/null", picture]).status == 0)
        #expect(try export("").body == export("format=csv").body, "a table, if nobody says which")
    }

    @Test("hold what the filters of the list find, in parts if that is wanted")
    func filters() throws {
        try openThree()
        func numbers(_ query: String) throws -> [String] {
            let reply = try export("format=geojson&\(query)")
            let features = try reply.json()["features"] as? [[String: Any]]
            return (features ?? []).compactMap { ($0["properties"] as? [String: Any])?["number"] as? String }
        }
        #expect(try numbers("") == ["K-1", "K-2", "K-3"])
        #expect(try numbers("box=-97,39.15,-96,40") == ["K-2"])
        #expect(try numbers("near=39.1,-96.6&radius=500") == ["K-1"])
        #expect(try numbers("text=doe") == ["K-2"])
        #expect(try numbers("state=ready").isEmpty)
        let first = try export("format=geojson&limit=2")
        let next = try #require(first.headers["konza-next"])
        #expect(try numbers("limit=2") == ["K-2", "K-3"], "the newest ones")
        #expect(try numbers("limit=2&cursor=\(next)") == ["K-1"])
        for query in ["format=pdf", "limit=0", "limit=5001", "cursor=x", "box=1", "sesarCode=a,b", "colour=red"] {
            #expect(try export(query).status == 400, "\(query)")
        }
    }

    @Test("are one sheet for MetPetDB only where one can hold them; what MetPetDB answers is read back")
    func sheet() throws {
        _ = try open(#"{"rockType":"Quartzite","number":"K-3"}"#)
        let nothing = try export("format=metpetdb-csv")
        #expect(nothing.status == 422)
        #expect(try nothing.json()["kind"] as? String == "cannot-export")
        let check = try station.get("/v1/specimens/export/check?format=metpetdb-csv").json()
        #expect((check["problem"] as? [String: Any])?["kind"] as? String == "cannot-export")
        let id = try open(
            #"{"rockType":"Gneiss","number":"K-1","position":{"latitude":39.1,"longitude":-96.6,"accuracy":3}}"#)
        let sheet = String(decoding: try export("format=metpetdb-csv&lineEnding=crlf").body, as: UTF8.self)
        #expect(sheet.hasPrefix("Sample Number,Rock Type,Latitude,Longitude,Location Error,"))
        #expect(sheet.contains("\r\nK-1,Gneiss,39.1000000,-96.6000000,3,"))
        #expect(!sheet.hasSuffix("\n"))
        _ = try open(#"{"rockType":"Gneiss","number":"K-4","position":{"latitude":39.1,"longitude":-96.6}}"#)
        #expect(try export("format=metpetdb-csv").status == 422, "they need two sheets")

        let answer =
            #"[{"Sample Number":"k-1","errors":{"rock_type":["Invalid rock type"]}},{"Sample Number":"K-9","errors":{"latitude":"x"}},{"Sample Number":"K-2"},{"meta_header":[]}]"#
        let judgement = try station.post("/v1/specimens/export/metpetdb-reply", answer).json()
        #expect(judgement["rows"] as? Int == 3)
        let refused = try #require(judgement["refused"] as? [[String: Any]])
        #expect(refused.map { $0["number"] as? String } == ["k-1", "K-9"])
        #expect(refused[0]["specimen"] as? String == id && refused[1]["specimen"] == nil)
        #expect((refused[0]["reasons"] as? [[String: String]])?.first?["field"] == "rock_type")
        let crash = try station.post("/v1/specimens/export/metpetdb-reply", "<h1>Server Error (500)</h1>")
        #expect(crash.status == 400)
    }

    @Test("of any size take no memory and leave nothing on the disk; one that is too large is refused")
    func size() throws {
        let id = try open(#"{"rockType":"Gneiss","number":"K-1"}"#)
        let picture = file("noise.jpg")
        let made = try run(
            "ffmpeg",
            [
                "-loglevel", "error", "-f", "lavfi", "-i", "nullsrc=size=4000x3000,geq=random(1)*255:128:128",
                "-frames:v", "1", "-q:v", "2", picture,
            ])
        #expect(made.status == 0, "\(made.errors)")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: picture)).count
        #expect(bytes > 4_000_000)
        for _ in 0..<8 {
            let reply = try station.upload("/v1/specimens/\(id)/photographs", picture, type: "image/jpeg")
            #expect(reply.status == 201, "\(String(decoding: reply.body, as: UTF8.self))")
        }
        // Begun anew, so that its greatest memory is not that of the uploads.
        #expect(station.stop() == 0)
        try station.start()
        let path = file("large.zip")
        let outcome = try run(
            "curl",
            [
                "-sS", "-o", path, "--limit-rate", "60M", "--unix-socket", station.socket,
                "http://localhost/v1/specimens/export?format=zip",
            ], seconds: 120)
        #expect(outcome.status == 0)
        let size = try #require(
            try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        #expect(size > 8 * bytes)
        let status = try String(
            contentsOfFile: "/proc/\(station.process.processIdentifier)/status", encoding: .utf8)
        let peak = try #require(
            status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split(whereSeparator: \.isWhitespace)
                .compactMap { Int($0) }.first)
        print("an export of \(size >> 20) MiB, greatest memory of konzad \(peak >> 10) MiB")
        // A debug build's code and the prairie scene take most of it; the pictures would have come on top.
        #expect(peak << 10 < size)
        #expect(try run("unzip", ["-tqq", path]).status == 0)
        #expect(try scratch().isEmpty)

        try station.reconfigure("\(Station.recorded)\n[Specimens]\nMaxExport=8M\n")
        #expect(station.stop() == 0)
        try station.start()
        let refused = try export("format=zip")
        #expect(refused.status == 422)
        #expect(try refused.json()["kind"] as? String == "cannot-export")
        #expect((try refused.json()["figures"] as? [String: Double])?["limitBytes"] == 8 * 1024 * 1024)
        #expect(try scratch().isEmpty)
        #expect(try export("format=csv").status == 200)
    }

    /// Files of the daemon that have no name any more, and names that are only temporary.
    private func scratch() throws -> [String] {
        let folder = "/proc/\(station.process.processIdentifier)/fd"
        var open: [String] = []
        try waitUntil("nothing is being sent", seconds: 10) {
            open = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
            }.filter { $0.contains("scratch") }
            return open.isEmpty
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: "\(station.folder.path)/state/specimens")
        return open + left.filter { $0.hasPrefix(".konza-") }
    }
}
