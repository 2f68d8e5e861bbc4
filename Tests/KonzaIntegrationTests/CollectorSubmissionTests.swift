import Foundation
import KonzaTesting
import Testing

/// `konza specimens submit --watch` on a terminal, with konzad, konza-courier and a stand-in of the server.
@Suite("Submitting from a terminal, with the real programs")
struct CollectorSubmissionTests {
    private let server: StandInMetPetDB
    private let station: Station
    private let courier: RunningCourier

    init() throws {
        server = try StandInMetPetDB()
        server.start()
        station = try Station(Station.recorded(submittingTo: server, "[Courier]\nUploadRate=1M"))
        courier = RunningCourier(folder: station.folder.path)
        try courier.give(StandInMetPetDB.password)
    }

    private func konza(_ arguments: String...) throws -> ProgramRun {
        try run(Programs.path("konza").path, ["--socket", station.socket, "specimens"] + arguments)
    }

    /// The same on a terminal of 80 columns.
    private func terminal(_ arguments: String) throws -> ProgramRun {
        let program = try Programs.path("konza").path
        let line = "stty cols 80 rows 24; LANG=C.UTF-8 \(program) --socket \(station.socket) specimens \(arguments)"
        return try run("script", ["-qefc", line, "/dev/null"])
    }

    @Test("shows every state, photograph and byte, and what stands against each other in a conflict")
    func watches() throws {
        // Noise, so that it does not compress.
        var generator = SeededGenerator(seed: 7)
        var bytes = Data("P6\n900 700\n255\n".utf8)
        for _ in 0..<900 * 700 * 3 / 8 { withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) } }
        let path = station.folder.appendingPathComponent("rock.jpg").path
        try bytes.write(to: URL(fileURLWithPath: "\(path).ppm"))
        #expect(try run("cjpeg", ["-quality", "95", "-outfile", path, "\(path).ppm"]).status == 0)
        #expect(try konza("new", "gneiss", "--number", "K1", "--at", "39.1,-96.6", "--accuracy", "4").status == 0)
        #expect(try konza("photograph", "K1", path).status == 0)
        try courier.start()

        let watched = try terminal("submit K1 --watch")
        #expect(watched.status == 0, "\(watched.text)")
        #expect(watched.text.contains(/photograph 1 of 1: \d+ kB of \d+ kB \(\d+ %\)/), "\(watched.text)")
        for words in ["ready", "sending", ", a new sample", "photograph 1 of 1 ", "arrived", "submitted"] {
            #expect(watched.text.contains(words), "\(words)")
        }

        // Somebody changes it there, and we change it here.
        server.change { $0[0].description = "somebody else's \u{1B}[2J words" }
        #expect(try konza("set", "K1", "country=Chile").status == 0)
        let conflict = try terminal("submit K1 --watch --color never")
        #expect(conflict.status == 65)
        // What arrived before is no news.
        #expect(!conflict.text.contains("arrived"))
        #expect(conflict.text.contains("CONFLICT") && conflict.text.contains("theirs  somebody else's [2J words"))
        #expect(conflict.text.contains("konza specimens resolve K1 --keep ours|theirs"))
        #expect(try konza("resolve", "K1").text.contains("CONFLICT"))
        #expect(try konza("resolve", "K1", "--keep", "ours").status == 0)
        #expect(try konza("submit", "K1", "--watch").status == 0)
        #expect(server.samples.count == 1)
        #expect(server.samples[0].country == "Chile" && server.samples[0].images.count == 1)
    }

    @Test("prints the words of a server that refuses, field by field, and ends with 65")
    func refused() throws {
        server.setFaults { $0.method != "GET" && $0.path.hasPrefix("/api/samples") ? .refuseHalfway : .none }
        #expect(try konza("new", "gneiss", "--number", "K2", "--at", "39.1,-96.6", "--accuracy", "4").status == 0)
        try courier.start()
        let watched = try konza("submit", "K2", "--watch")
        #expect(watched.status == 65, "\(watched.text)")
        #expect(watched.text.contains("K2  REFUSED, in the words of metpetdb:\n    "), "\(watched.text)")
        let doctor = try run(Programs.path("konza").path, ["--socket", station.socket, "doctor"])
        #expect(doctor.text.contains("1 refused"), "\(doctor.text)")
    }
}
