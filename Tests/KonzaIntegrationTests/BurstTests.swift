import Foundation
import KonzaTesting
import Testing

@Suite("Bursts from outside", .serialized)
struct BurstTests {
    @Test("are an animated picture beside the postcard, found again after a power cut, and deleted with it")
    func burst() throws {
        let station = try Station()
        let made = try station.post("/v1/postcards", #"{"burstSeconds":2,"message":"Hello"}"#)
        #expect(made.status == 201, "\(String(decoding: made.body, as: UTF8.self))")
        let card = try made.json()
        let id = try #require(card["id"] as? String)
        let path = "/v1/postcards/\(id)/animation"
        #expect((card["links"] as? [String: String])?["animation"] == path)
        let reply = try station.get(path)
        #expect(reply.status == 200 && reply.headers["content-type"] == "image/webp")
        #expect(reply.body.count < 6 << 20)
        let file = station.folder.appendingPathComponent("burst.webp")
        try reply.body.write(to: file)
        let text = try run("webpmux", ["-info", file.path]).text
        #expect(text.contains("Canvas size: 640 x 480") && text.contains("Loop Count : 0"), "\(text)")
        let frames = text.split(separator: "\n").first { $0.hasPrefix("Number of frames") }
            .flatMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        // A machine that paints slowly has fewer frames in the two seconds, never more.
        #expect((2...20).contains(try #require(frames)), "\(text)")
        if let keep = ProcessInfo.processInfo.environment["KONZA_KEEP_PICTURES"] {
            try reply.body.write(to: URL(fileURLWithPath: "\(keep)/burst.webp"))
        }
        #expect(try station.get("/v1/postcards/\(id)/image.jpg").body.prefix(2) == Data([0xFF, 0xD8]))
        // The index is made anew from the files.
        station.cutOff()
        for name in ["archive.sqlite", "archive.sqlite-wal", "archive.sqlite-shm"] {
            try? FileManager.default.removeItem(atPath: "\(station.folder.path)/state/\(name)")
        }
        try station.start()
        #expect(try station.get(path).body == reply.body)
        #expect(try station.request("DELETE", "/v1/postcards/\(id)").status == 204)
        #expect(try station.get(path).status == 404)
        let left = FileManager.default.enumerator(atPath: "\(station.folder.path)/state")?.compactMap { $0 as? String }
            .filter { $0.hasSuffix(".webp") }
        #expect(left == [])
    }

    @Test("follow the countdown, and are refused with shots, in a preview and beyond three seconds")
    func order() throws {
        let station = try Station()
        let reply = try station.post("/v1/postcards", #"{"burstSeconds":1,"countdownSeconds":1}"#)
        #expect(reply.status == 202)
        let id = try #require(try reply.json()["id"] as? String)
        try waitUntil("the postcard is kept", seconds: 30) {
            try station.get("/v1/postcards/\(id)").json()["state"] as? String == "kept"
        }
        #expect(try station.get("/v1/postcards/\(id)/animation").status == 200)
        let plain = try #require(try station.post("/v1/postcards").json()["id"] as? String)
        #expect(try station.get("/v1/postcards/\(plain)/animation").status == 404)
        #expect(try station.post("/v1/postcards", #"{"burstSeconds":4}"#).status == 400)
        #expect(try station.post("/v1/postcards/preview", #"{"burstSeconds":1}"#).status == 400)
        let shot = try #require(try station.post("/v1/shots").json()["id"] as? String)
        #expect(
            try station.post("/v1/postcards", #"{"shots":["\#(shot)","\#(shot)"],"burstSeconds":1}"#).status == 422)
    }
}
