import Foundation
import KonzaTesting
import Testing

@Suite(
    "A disk that stands still", .serialized,
    .enabled(if: FreezableDisk.isAvailable, "only root may mount a disk and freeze it"))
struct StuckDiskTests {
    /// Answered by what is in memory: a disk that stands still must hold up none of them.
    private static let vital: Set = [
        "GET /metrics", "GET /v1", "GET /v1/camera", "GET /v1/camera/frame.jpg", "GET /v1/openapi.json",
        "GET /v1/position", "GET /v1/position/at", "GET /v1/satellites", "GET /v1/status", "GET /v1/templates",
        "GET /v1/track",
        "GET /v1/vocabulary", "POST /v1/outbox/flush", "POST /v1/postcards/preview",
    ]
    /// Requests at one time: fewer than handlers.
    private static let batch = 24

    /// What is in the archive before the disk stops.
    private struct Kept {
        var specimen: String
        var postcard: String
        var photograph: String
        var submission: String
        var vocabulary: String

        init(_ station: Station) throws {
            func id(_ reply: Station.Reply) throws -> String {
                try #require(reply.status == 201, "\(String(decoding: reply.body, as: UTF8.self))")
                return try #require(try reply.json()["id"] as? String)
            }
            specimen = try id(
                station.post(
                    "/v1/specimens",
                    #"{"number":"D1","rockType":"Gneiss","position":{"latitude":39.1,"longitude":-96.6,"accuracy":5}}"#)
            )
            postcard = try id(station.post("/v1/postcards"))
            photograph = try id(station.post("/v1/specimens/\(specimen)/photographs"))
            let submitted = try station.post("/v1/specimens/\(specimen)/submit", #"{"override":"the only outcrop"}"#)
            try #require(submitted.status / 100 == 2)
            submission = String(
                decoding: try station.get("/v1/outbox/\(specimen)/metpetdb").body, as: UTF8.self)
            vocabulary = String(decoding: try station.get("/v1/vocabulary").body, as: UTF8.self)
        }

        /// A body that brings a request to the disk, by the route.
        func body(_ method: String, _ pattern: String) -> String? {
            guard !["GET", "DELETE"].contains(method) else { return nil }
            return switch "\(method) \(pattern)" {
            case "POST /v1/specimens": #"{"number":"D2","rockType":"Gneiss"}"#
            case "PATCH /v1/specimens/{id}": #"{"description":"grey"}"#
            case "PUT /v1/outbox/{specimen}/{target}": submission
            case "POST /v1/outbox/{specimen}/{target}/progress":
                #"{"photograph":"\#(photograph)","sentBytes":1,"totalBytes":2}"#
            case "POST /v1/outbox/{specimen}/{target}/resolve": #"{"keep":"ours"}"#
            case "PUT /v1/vocabulary": vocabulary
            default: "{}"
            }
        }
    }

    private struct Inquiry {
        var method: String
        var path: String
        var body: String?
        var isVital: Bool
    }

    /// Every route of the contract, but those whose answer never ends.
    private static func inquiries(_ station: Station, _ kept: Kept) throws -> [Inquiry] {
        let paths = try #require(try station.get("/v1/openapi.json").json()["paths"] as? [String: [String: Any]])
        var inquiries: [Inquiry] = []
        for (pattern, methods) in paths.sorted(by: { $0.key < $1.key }) {
            guard pattern != "/v1/events", pattern != "/v1/camera/preview" else { continue }
            var path = pattern.replacing("{id}", with: pattern.contains("postcards") ? kept.postcard : kept.specimen)
                .replacing("{specimen}", with: kept.specimen).replacing("{target}", with: "metpetdb")
                .replacing("{photograph}", with: kept.photograph)
            if path.contains("/export") { path += path.hasSuffix("reply") ? "" : "?format=csv" }
            if path == "/v1/errands" { path += "?wait=1" }
            if path == "/v1/position/at" { path += "?time=2026-10-06T12:00:00Z" }
            for method in methods.keys.map({ $0.uppercased() }).sorted() {
                inquiries.append(
                    Inquiry(
                        method: method, path: path, body: kept.body(method, pattern),
                        isVital: vital.contains("\(method) \(pattern)")))
            }
        }
        // What is deleted goes last: the others need it.
        return inquiries.filter { $0.method != "DELETE" } + inquiries.filter { $0.method == "DELETE" }
    }

    @Test func `under every route nothing else stops, and nothing that was acknowledged is lost`() throws {
        let disk = try FreezableDisk()
        let watchdog = try WatchdogSocket()
        let station = try Station(
            Station.recorded + "\n[MetPetDB]\nSubmit=yes", state: disk.folder + "/state",
            environment: ["NOTIFY_SOCKET": watchdog.path, "WATCHDOG_USEC": "3000000"])
        defer {
            disk.thaw()
            station.cutOff()
        }
        let inquiries = try Self.inquiries(station, try Kept(station))
        #expect(inquiries.count > 45)
        #expect(inquiries.count { $0.isVital } == Self.vital.count)
        let making = try #require(inquiries.first { $0.method == "POST" && $0.path == "/v1/postcards" })
        var acknowledged: [(path: String, id: String)] = []
        for start in stride(from: 0, to: inquiries.count, by: Self.batch) {
            // Each time with something that the disk is needed for, which is how konzad notices.
            let batch = inquiries[start..<min(start + Self.batch, inquiries.count)]
            let postcard = batch.contains { $0.method == "POST" && $0.path == "/v1/postcards" } ? [] : [making]
            let ended = try ask(batch + postcard, station, disk, watchdog)
            acknowledged += ended
        }
        // The two that make something.
        #expect(acknowledged.contains { $0.path == "/v1/postcards" })
        #expect(acknowledged.contains { $0.path == "/v1/specimens" })
        acknowledged.append(("/v1/postcards", try #require(try station.post("/v1/postcards").json()["id"] as? String)))
        station.cutOff()
        try station.start()
        for (path, id) in acknowledged { #expect(try station.get("\(path)/\(id)").status == 200, "\(path)/\(id)") }
        #expect(station.stop() == 0)
    }

    /// Asks all at once while the disk stands still, and waits for their answers when it goes on.
    ///
    /// - Returns: what was made.
    private func ask(
        _ inquiries: ArraySlice<Inquiry>, _ station: Station, _ disk: FreezableDisk, _ watchdog: WatchdogSocket
    ) throws -> [(path: String, id: String)] {
        let listener = try station.listen("position", seconds: 200)
        defer { _ = listener.stop() }
        try disk.freeze()
        defer { disk.thaw() }
        let asked = try inquiries.map {
            ($0, try PendingRequest($0.method, $0.path, body: $0.body, station, seconds: 120))
        }
        for (inquiry, request) in asked where inquiry.isVital {
            try waitUntil("\(request.name) is answered while the disk stands still", seconds: 20) { request.hasEnded }
            #expect((200..<500).contains(request.status()), "\(request.name)")
        }
        let heard = listener.text.count
        let fed = watchdog.fed
        for name in Self.vital.sorted() {
            let parts = name.split(separator: " ")
            let reply = try run(
                "curl",
                [
                    "-sS", "-m", "20", "-o", "/dev/null", "--unix-socket", station.socket, "-X", String(parts[0]),
                    "http://localhost\(parts[1])",
                ])
            #expect(reply.status == 0, "\(name) while \(asked.filter { !$0.1.hasEnded }.map(\.1.name)) wait")
        }
        try waitUntil("events go on", seconds: 20) { listener.text.count > heard }
        try waitUntil("the watchdog is fed", seconds: 20) { watchdog.fed > fed }
        try waitUntil("the status says it", seconds: 20) {
            let archive = try station.get("/v1/status").json()["archive"] as? [String: Any]
            let kind = (archive?["health"] as? [String: Any])?["kind"] as? String
            return ["disk-slow", "disk-silent"].contains(kind)
        }
        #expect(asked.contains { !$0.1.hasEnded })
        disk.thaw()
        var made: [(path: String, id: String)] = []
        for (inquiry, request) in asked where !inquiry.isVital {
            let status = request.status()
            #expect((200..<600).contains(status) && status != 500, "\(request.name) ended with \(status)")
            if status == 201, inquiry.method == "POST", let id = request.id { made.append((inquiry.path, id)) }
        }
        return made.filter { ["/v1/postcards", "/v1/specimens"].contains($0.path) }
    }
}

@Suite(
    "A configuration on a disk that stands still", .serialized,
    .enabled(
        if: geteuid() == 0 && access("/dev/fuse", W_OK) == 0, "only root may mount a file system that never answers"))
struct StuckConfigurationTests {
    @Test func `keeps nobody from asking or stopping konzad while it is read again`() throws {
        let station = try Station()
        let folder = station.folder.appendingPathComponent("konzad.conf.d").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let disk = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        try #require(disk >= 0)
        defer {
            // Ends every wait.
            close(disk)
            umount2(folder, Int32(MNT_DETACH))
        }
        let options = "fd=\(disk),rootmode=40000,user_id=0,group_id=0"
        try #require(mount("konza-test", folder, "fuse", 0, options) == 0)
        kill(station.process.processIdentifier, SIGHUP)
        #expect(try station.get("/v1/status").status == 200)
        kill(station.process.processIdentifier, SIGTERM)
        try waitUntil("konzad stops", seconds: 30) { !station.process.isRunning }
        #expect(station.process.terminationStatus == 0)
    }
}
