import Foundation
import KonzaTesting
import Testing

/// The section A DAY IN THE FIELD of konza(1), typed line by line as it stands there.
@Suite("A day in the field")
struct FieldDayTests {
    private let server: StandInMetPetDB
    private let station: Station
    private let courier: RunningCourier

    init() throws {
        server = try StandInMetPetDB()
        server.start()
        station = try Station(Station.recorded(submittingTo: server))
        courier = RunningCourier(folder: station.folder.path)
        try FileManager.default.createDirectory(
            atPath: "\(station.folder.path)/home/stick", withIntermediateDirectories: true)
    }

    private var home: String { "\(station.folder.path)/home" }

    /// The commands of the examples in the section, as a reader of the page sees them: one that ends with a backslash
    /// goes on in the next line.
    private static func lines() throws -> [String] {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("config/man/konza.1")
        var lines: [String] = []
        var isInSection = false
        var isInExample = false
        for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix(".SH") { isInSection = line == ".SH A DAY IN THE FIELD" }
            if line == ".EE" { isInExample = false }
            if isInSection, isInExample {
                let seen = line.replacingOccurrences(of: "\\-", with: "-").replacingOccurrences(of: "\\(ti", with: "~")
                    .replacingOccurrences(of: "\\e", with: "\\")
                if let last = lines.last, last.hasSuffix("\\") {
                    lines[lines.count - 1] = "\(last)\n\(seen)"
                } else {
                    lines.append(seen)
                }
            }
            if line == ".EX" { isInExample = true }
        }
        return lines
    }

    /// Types a line into a shell at home. An occupation is ended by Ctrl-C after some seconds.
    private func type(_ line: String) throws -> ProgramRun {
        let programs = try Programs.path("konza").deletingLastPathComponent().path
        let shell =
            line.contains(" occupy ")
            ? ["timeout", "--preserve-status", "-s", "INT", "4", "bash", "-c", line] : ["bash", "-c", line]
        return try run(
            "env",
            [
                "-C", home, "HOME=\(home)", "KONZA_SOCKET=\(station.socket)", "LANG=C.UTF-8",
                "PATH=\(programs):/usr/bin:/bin",
            ] + shell)
    }

    @Test("is as konza(1) tells it, from the start to the upload")
    func fieldDay() throws {
        try courier.start(password: StandInMetPetDB.password)
        // The close-up of another camera: here a frame of the recorded one.
        let frame = try station.get("/v1/camera/frame.jpg").body
        try frame.write(to: URL(fileURLWithPath: "\(home)/DSC0042.JPG"))
        try waitUntil("a position is there", seconds: 20) { try type("konza where").status == 0 }

        let lines = try Self.lines()
        #expect(lines.count > 12)
        #expect(lines.allSatisfy { $0.hasPrefix("konza ") }, "\(lines)")
        var said: [String: String] = [:]
        for line in lines {
            let outcome = try type(line)
            #expect(outcome.status == 0, "\(line)\n\(outcome.text)\(outcome.errors)")
            said[line] = outcome.text
        }
        func answer(_ part: String) throws -> String { try #require(said.first { $0.key.contains(part) }?.value) }
        #expect(try answer(" occupy ").contains("by you"))
        #expect(try answer(" --watch").contains("submitted as "))
        #expect(try answer("--state submitted").contains("KNZ-26-117"))

        let sample = try #require(server.samples.first)
        #expect(server.samples.count == 1 && sample.images.count == 2)
        let stick = try FileManager.default.contentsOfDirectory(atPath: "\(home)/stick").sorted()
        #expect(stick.count == 2 && stick.last == "specimens.gpx")
        let zip = try run("unzip", ["-t", "\(home)/stick/\(try #require(stick.first))"])
        #expect(zip.status == 0, "\(zip.text)")
        let code = try run("zbarimg", ["-q", "--raw", "\(home)/label.png"])
        #expect(code.text.hasPrefix("KNZ-26-117\n"), "\(code.errors)")
    }
}
