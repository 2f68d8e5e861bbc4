import Foundation
import KonzaTesting
import Testing

/// Submitting with the real programs: konzad, konza-courier and curl, against a stand-in of the server.
@Suite("The courier")
struct CourierTests {
    private let server: StandInMetPetDB
    private let station: Station
    private let running: RunningCourier

    init() throws {
        server = try StandInMetPetDB()
        server.start()
        station = try Station(Station.recorded(submittingTo: server))
        running = RunningCourier(folder: station.folder.path)
        try running.give("\(StandInMetPetDB.password)\n")
    }

    /// Has a courier do what is due.
    @discardableResult private func courier(seconds: Double = 60) throws -> ProgramRun {
        try run(Programs.path("konza-courier").path, running.arguments + ["--once"], seconds: seconds)
    }

    private func open(_ number: String) throws -> String {
        let reply = try station.post(
            "/v1/specimens",
            #"{"number":"\#(number)","rockType":"gneiss","minerals":[{"name":"Garnet","amount":"5"}],"#
                + #""collector":"Doe, Jane","position":{"latitude":39.1069,"longitude":-96.6091,"accuracy":4.2}}"#)
        #expect(reply.status == 201, "\(String(decoding: reply.body, as: UTF8.self))")
        return try #require(try reply.json()["id"] as? String)
    }

    /// A picture of noise, which does not compress: about three bytes for each pixel.
    private func picture(_ name: String, width: Int, height: Int, seed: UInt64) throws -> String {
        var generator = SeededGenerator(seed: seed)
        var bytes = Data("P6\n\(width) \(height)\n255\n".utf8)
        for _ in 0..<(width * height * 3 + 7) / 8 {
            withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
        }
        let path = station.folder.appendingPathComponent(name).path
        try bytes.write(to: URL(fileURLWithPath: "\(path).ppm"))
        let jpeg = try run("cjpeg", ["-quality", "97", "-sample", "1x1", "-outfile", path, "\(path).ppm"])
        #expect(jpeg.status == 0, "\(jpeg.errors)")
        return path
    }

    private func attach(_ path: String, to id: String) throws {
        let reply = try station.upload("/v1/specimens/\(id)/photographs", path, type: "image/jpeg")
        #expect(reply.status == 201, "\(String(decoding: reply.body, as: UTF8.self))")
    }

    private func submit(_ id: String) throws {
        let reply = try station.post("/v1/specimens/\(id)/submit")
        #expect(reply.status == 202, "\(String(decoding: reply.body, as: UTF8.self))")
    }

    private func flush() throws {
        let reply = try station.request("POST", "/v1/outbox/flush")
        #expect(reply.status == 202, "\(String(decoding: reply.body, as: UTF8.self))")
    }

    private func record(_ id: String) throws -> [String: Any] {
        try station.get("/v1/outbox/\(id)/metpetdb").json()
    }

    @Test("brings a specimen with its photographs to the server, and again when it was changed")
    func submits() throws {
        let id = try open("KNZ-1")
        try attach(try picture("a.jpg", width: 64, height: 48, seed: 1), to: id)
        try attach(try picture("b.jpg", width: 48, height: 64, seed: 2), to: id)
        try submit(id)
        let outcome = try courier()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try record(id)["state"] as? String == "submitted")
        let sample = try #require(server.samples.first)
        #expect(server.samples.count == 1 && sample.images.count == 2)
        #expect(try station.get("/v1/vocabulary").json()["origin"] as? String == server.baseURL)

        // An edit makes it ready again, and becomes an update of the same sample.
        let edit = try station.request("PATCH", "/v1/specimens/\(id)", body: #"{"country":"Chile"}"#)
        #expect(edit.status == 200)
        #expect(try record(id)["state"] as? String == "ready")
        try courier()
        #expect(try record(id)["state"] as? String == "submitted")
        #expect(server.samples.count == 1 && server.samples[0].images.count == 2)
        #expect(server.requests.contains { $0.method == "PUT" })
        // Nothing secret was said, by either program.
        let words = outcome.errors + station.log
        #expect(!words.contains(StandInMetPetDB.password))
    }

    @Test("killed again and again, as konzad is, with a server that fails, leaves one sample with all its images, once")
    func exactlyOnce() throws {
        let seed = RandomTest.seed(of: "a courier killed again and again")
        var generator = SeededGenerator(seed: seed)
        let id = try open("KNZ-2")
        for number in 0..<3 {
            try attach(try picture("\(number).jpg", width: 96, height: 64, seed: UInt64(number)), to: id)
        }
        try submit(id)
        let faults: [StandInFault] = [.failAfter, .dropAfter, .cutAnswer, .dropBefore, .refuseHalfway, .none, .none]
        let choices = (0..<400).map { _ in faults.randomElement(using: &generator) ?? .none }
        let count = Counter()
        server.setFaults { request in
            request.method == "GET" ? .none : choices[count.next() % choices.count]
        }
        for round in 0..<12 {
            let process = try running.start()
            try flush()
            usleep(UInt32.random(in: 5_000...400_000, using: &generator))
            if round % 3 == 2 {
                station.cutOff()
                try station.start()
            }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        server.setFaults(nil)
        try waitUntil("it is submitted", seconds: 60) {
            // What the server refused in so many words waits for its collector, who sends it again.
            if try record(id)["state"] as? String == "refused" { try submit(id) }
            try flush()
            let outcome = try courier()
            print(outcome.errors)
            return try record(id)["state"] as? String == "submitted"
        }
        #expect(server.samples.count == 1)
        #expect(server.samples.first?.images.count == 3)
    }

    @Test("submits twenty photographs of five megabytes within 48 MiB of memory, its own and konzad's")
    func memory() throws {
        let id = try open("KNZ-3")
        let path = try picture("large.jpg", width: 1500, height: 1150, seed: 3)
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        #expect(size > 4_500_000, "the picture has \(size) bytes")
        for _ in 0..<20 { try attach(path, to: id) }
        try submit(id)
        let process = try running.start()
        try waitUntil("it is submitted", seconds: 120) { try record(id)["state"] as? String == "submitted" }
        let courier = try peakKibibytes(process.processIdentifier)
        let konzad = try peakKibibytes(station.process.processIdentifier)
        print("peak memory: konza-courier \(courier) KiB, konzad \(konzad) KiB")
        #expect(courier < 48 << 10)
        #expect(konzad < 96 << 10)
        #expect(server.samples.first?.images.count == 20)
    }

    @Test("sends nothing over a network that is not allowed")
    func networks() throws {
        try station.reload(Station.recorded(submittingTo: server, "[Courier]\nInterfaces=nosuch*\n"))
        let id = try open("KNZ-4")
        try submit(id)
        let before = server.requests.count
        #expect(try courier().status == 0)
        #expect(server.requests.count == before)
        let seen = try station.get("/v1/outbox").json()["courier"] as? [String: Any]
        #expect(seen?["hasNetwork"] as? Bool == false)
        try station.reload(Station.recorded(submittingTo: server, "[Courier]\nInterfaces=nosuch* lo\nUploadRate=1M\n"))
        try courier()
        #expect(try record(id)["state"] as? String == "submitted")
    }

    @Test("without an account says what is missing, and goes on when it is there")
    func account() throws {
        try running.takeBackPassword()
        let id = try open("KNZ-5")
        try submit(id)
        try courier()
        let failure = try #require(try record(id)["lastFailure"] as? String)
        #expect(failure.contains("metpetdb-password"))
        // As systemd names what it loads from a folder.
        try running.give(StandInMetPetDB.password, as: "konza_metpetdb-password")
        try flush()
        let outcome = try courier()
        let left = try record(id)
        #expect(left["state"] as? String == "submitted", "\(left) \(outcome.errors)")
    }

    @Test("does not tell a server the password where everyone on the way could read it")
    func confidential() throws {
        let station = try Station(
            Station.recorded(submittingTo: server)
                .replacingOccurrences(of: server.baseURL, with: "http://metpetdb.invalid"))
        let courier = RunningCourier(folder: station.folder.path)
        try courier.give(StandInMetPetDB.password)
        let opened = try station.post(
            "/v1/specimens",
            #"{"rockType":"gneiss","collector":"Doe, Jane","#
                + #""position":{"latitude":39.1069,"longitude":-96.6091,"accuracy":4.2}}"#)
        let id = try #require(try opened.json()["id"] as? String)
        #expect(try station.post("/v1/specimens/\(id)/submit").status == 202)
        #expect(try run(Programs.path("konza-courier").path, courier.arguments + ["--once"]).status == 0)
        let failure = try #require(
            try station.get("/v1/outbox/\(id)/metpetdb").json()["lastFailure"] as? String)
        #expect(failure.contains("https") && failure.contains("[MetPetDB] URL="), "\(failure)")
    }

    private func peakKibibytes(_ id: Int32) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(separator: " ").compactMap { Int($0) }.first)
    }
}

/// Counts from 0 up, on any thread.
private final class Counter: @unchecked Sendable {
    // Sendable: the lock.
    private let lock = NSLock()
    private var value = 0

    func next() -> Int {
        lock.withLock {
            defer { value += 1 }
            return value
        }
    }
}
