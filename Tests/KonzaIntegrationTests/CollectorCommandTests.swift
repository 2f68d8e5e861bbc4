import Foundation
import KonzaTesting
import Testing

/// `konza specimens` against a real konzad.
@Suite("konza specimens and konzad, the real programs")
struct CollectorCommandTests {
    private let station: Station

    init() throws { station = try Station() }

    private func konza(_ arguments: String...) throws -> ProgramRun {
        try run(Programs.path("konza").path, ["--socket", station.socket, "specimens"] + arguments)
    }

    @Test("keep, change, delete and restore a specimen by its number, and refuse what konzad refuses with its words")
    func life() throws {
        #expect(try konza().text.hasPrefix("No specimens yet"))
        let opened = try konza(
            "new", "gneiss", "--number", "KNZ 26/7", "--at", "39.1,-96.6,415", "--accuracy", "4", "--mineral",
            "Garnet=15")
        #expect(opened.status == 0, "\(opened.errors)")
        // EX_DATAERR: the number is taken; not in the vocabulary, with the nearest.
        #expect(try konza("new", "gneiss", "--number", "knz 26/7").status == 65)
        let unknown = try konza("new", "gneis")
        #expect(unknown.status == 65)
        #expect(unknown.errors.contains("Gneiss"))
        #expect(try konza("set", "knz 26/7", "country=Chile", "notes=").status == 0)
        #expect(try konza("show", "KNZ 26/7").text.contains("Chile"))
        #expect(try konza("--near", "39.1,-96.601", "--radius", "1km").text.contains("86 m E"))
        #expect(try konza("--text", "chile").text.contains("KNZ 26/7"))
        #expect(try konza("--box", "0,0,1,1").text == "No specimen is like that.\n")
        #expect(try konza("delete", "KNZ 26/7").status == 0)
        #expect(try konza("show", "KNZ 26/7").status == 66)
        #expect(try konza("--state", "deleted").text.contains("KNZ 26/7"))
        #expect(try konza("restore", "KNZ 26/7").status == 0)
        #expect(try konza("show", "KNZ 26/7", "--json").status == 0)
    }

    @Test("occupy until the time is over, and leave the occupation running when the terminal goes away")
    func occupies() throws {
        try waitUntil("a position is there", seconds: 20) {
            try station.get("/v1/position").json()["state"] as? String == "fix"
        }
        let opened = try konza("new", "gneiss", "--number", "K1", "--json")
        let object = try JSONSerialization.jsonObject(with: opened.output) as? [String: Any]
        let path = "/v1/specimens/\(try #require(object?["id"] as? String))/occupation"
        // EX_TEMPFAIL: two seconds are too short for half a metre; what there is, is kept.
        let short = try konza("occupy", "K1", "--accuracy", "0.5", "--timeout", "2")
        #expect(short.status == 75, "\(short.errors)")
        #expect(short.text.contains("the time was over"))
        #expect(try konza("show", "K1").text.contains("an occupation, "))

        let process = Process()
        process.executableURL = try Programs.path("konza")
        process.arguments = ["--socket", station.socket, "specimens", "occupy", "K1", "--accuracy", "0.5"]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        defer { end(process) }
        try waitUntil("it runs", seconds: 10) { try station.get(path).json()["state"] as? String == "running" }
        kill(process.processIdentifier, SIGHUP)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGHUP)
        #expect(try station.get(path).json()["state"] as? String == "running")
        // The same command joins it again, and Ctrl-C ends it.
        let program = try Programs.path("konza").path
        let joined = try run(
            "timeout",
            ["--preserve-status", "-s", "INT", "2", program, "--socket", station.socket, "specimens", "occupy", "K1"])
        #expect(joined.status == 0, "\(joined.errors)")
        #expect(joined.errors.contains("One runs already") && joined.text.contains("by you"))
        #expect(try station.get(path).json()["end"] as? String == "ended")
    }

    @Test("export every form into a folder, whole, under names that are free")
    func exports() throws {
        #expect(try konza("new", "gneiss", "--number", "K1", "--at", "39.1,-96.6", "--accuracy", "4").status == 0)
        #expect(try konza("photograph", "K1").status == 0)
        let folder = station.folder.appendingPathComponent("stick").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let forms = ["csv", "metpetdb-csv", "metpetdb-sheets", "geojson", "gpx", "kml", "kmz", "zip"]
        for form in forms {
            let outcome = try konza("export", "--format", form, "-o", folder)
            #expect(outcome.status == 0, "\(form): \(outcome.errors)")
        }
        let sesar = try konza("export", "--format", "sesar", "--sesar-code", "KNZ", "-o", folder)
        #expect(sesar.status == 0, "\(sesar.errors)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(files.count == forms.count + 1 && files.allSatisfy { $0.hasPrefix("konza-") }, "\(files)")
        #expect(try konza("label", "K1", "--svg", "-o", "-").text.contains("<svg"))
    }

    @Test("say that submitting is switched off, and flush and show an outbox that is empty")
    func outbox() throws {
        #expect(try konza("new", "gneiss", "--number", "K1", "--at", "39.1,-96.6", "--accuracy", "4").status == 0)
        // EX_UNAVAILABLE
        #expect(try konza("submit", "K1").status == 69)
        #expect(try konza("flush").status == 0)
        #expect(try konza("outbox").text.hasPrefix("The outbox is empty"))
        #expect(try konza("resolve", "K1", "--keep", "ours").status == 66)
    }
}
