import Foundation
import KonzaTesting
import Testing

@Suite("Collages from outside", .serialized)
struct CollageTests {
    private func takeShots(_ count: Int, _ station: Station) throws -> [String] {
        try (0..<count).map { _ in
            let reply = try station.post("/v1/shots")
            #expect(reply.status == 201)
            return try #require(try reply.json()["id"] as? String)
        }
    }

    private func body(_ shots: [String], _ more: String = "") -> String {
        #"{"shots":["\#(shots.joined(separator: #"",""#))"]\#(more)}"#
    }

    @Test("are one postcard of two to four shots, in each layout and template, with full EXIF")
    func layouts() throws {
        let station = try Station()
        for template in ["vintage", "band", "frame"] {
            for count in 2...4 {
                for layout in ["grid", "strip"] {
                    let shots = try takeShots(count, station)
                    let made = try station.post(
                        "/v1/postcards",
                        body(shots, #","layout":"\#(layout)","template":"\#(template)","message":"All of us""#))
                    #expect(made.status == 201, "\(String(decoding: made.body, as: UTF8.self))")
                    let card = try made.json()
                    let id = try #require(card["id"] as? String)
                    #expect(card["layout"] as? String == layout)
                    #expect((card["width"] as? Int, card["height"] as? Int) == (640, 426))
                    let instants = try #require(card["shots"] as? [[String: String]])
                    #expect(instants.count == count)
                    #expect(card["exposedAt"] as? String == instants.last?["exposedAt"])
                    #expect(instants.allSatisfy { ($0["requestedAt"] ?? "~") <= ($0["exposedAt"] ?? "") })
                    let picture = try station.get("/v1/postcards/\(id)/image.jpg").body
                    let file = station.folder.appendingPathComponent("\(template)-\(layout)-\(count).jpg")
                    try picture.write(to: file)
                    try examine(file, instants.compactMap { $0["exposedAt"] }, "\(template) \(layout) \(count)")
                    #expect(try station.get("/v1/postcards/\(id)/thumbnail.jpg").status == 200)
                    #expect(try station.get("/v1/postcards/\(id)").json()["layout"] as? String == layout)
                    // What was used is not held any more.
                    #expect(try station.get("/v1/shots/\(shots[0])").status == 404)
                }
            }
        }
        if let keep = ProcessInfo.processInfo.environment["KONZA_KEEP_PICTURES"] {
            for name in try FileManager.default.contentsOfDirectory(atPath: station.folder.path)
            where name.hasSuffix(".jpg") {
                try? FileManager.default.copyItem(
                    atPath: "\(station.folder.path)/\(name)", toPath: "\(keep)/\(name)")
            }
        }
    }

    private func examine(_ file: URL, _ instants: [String], _ what: String) throws {
        let text = try run(
            "exiftool", ["-j", "-n", "-validate", "-warning", "-a", file.path]
        ).text
        // exiftool takes "GPS", which the standard names (EXIF 2.32 table 15), for a fault.
        let warnings = text.split(separator: "\n").filter {
            $0.contains("\"Warning\"") && !$0.contains("GPSProcessingMethod")
        }
        #expect(warnings.isEmpty, "\(what): \(text)")
        let tags = try run("exiftool", ["-j", "-n", file.path])
        let all = try JSONSerialization.jsonObject(with: tags.output) as? [[String: Any]]
        let first = try #require(all?.first)
        #expect(first["GPSLatitude"] as? Double != nil, "\(what)")
        #expect(first["UserComment"] as? String == "All of us")
        let description = first["ImageDescription"] as? String ?? ""
        for instant in instants { #expect(description.contains(instant), "\(what): \(description)") }
        #expect((first["ImageWidth"] as? Int, first["ImageHeight"] as? Int) == (640, 426))
    }

    @Test("are seen before their shots are taken, in the size and layout that they will have")
    func previews() throws {
        let station = try Station()
        func preview(_ body: String) throws -> Data {
            let reply = try station.post("/v1/postcards/preview", body)
            #expect(reply.status == 200, "\(String(decoding: reply.body, as: UTF8.self))")
            let file = station.folder.appendingPathComponent("preview.jpg")
            try reply.body.write(to: file)
            return reply.body
        }
        func size() throws -> [String: Int] {
            let file = station.folder.appendingPathComponent("preview.jpg")
            let tags = try run("exiftool", ["-j", "-n", "-ImageWidth", "-ImageHeight", "-fast", file.path])
            let all = try JSONSerialization.jsonObject(with: tags.output) as? [[String: Any]]
            return all?.first?.compactMapValues { $0 as? Int } ?? [:]
        }
        for body in [#"{"pictures":2}"#, #"{"pictures":4,"layout":"strip","template":"band","message":"We"}"#] {
            _ = try preview(body)
            #expect(try size() == ["ImageWidth": 640, "ImageHeight": 426], "\(body)")
        }
        _ = try preview("{}")
        #expect(try size() == ["ImageWidth": 640, "ImageHeight": 480])
        #expect((try station.get("/v1/postcards").json()["postcards"] as? [Any])?.isEmpty == true)
        for (body, status) in [
            (#"{"pictures":1}"#, 400), (#"{"pictures":5}"#, 400), (#"{"pictures":2,"layout":"circle"}"#, 400),
            (#"{"layout":"strip"}"#, 422), (#"{"pictures":2,"labels":true}"#, 422),
        ] {
            #expect(try station.post("/v1/postcards/preview", body).status == status, "\(body)")
        }
        #expect(try station.post("/v1/postcards", #"{"pictures":2}"#).status == 400)
    }

    @Test("are made once, whatever is repeated, and survive a power cut")
    func idempotency() throws {
        let station = try Station()
        let shots = try takeShots(2, station)
        let key = ["Idempotency-Key: four-of-us"]
        let first = try station.post("/v1/postcards", body(shots), headers: key)
        #expect(first.status == 201)
        let id = try #require(try first.json()["id"] as? String)
        // The shots are gone; the answer is the same.
        let again = try station.post("/v1/postcards", body(shots), headers: key)
        #expect(again.status == 200)
        #expect(try again.json()["id"] as? String == id)
        // The index is made anew from the files.
        station.cutOff()
        for name in ["archive.sqlite", "archive.sqlite-wal", "archive.sqlite-shm"] {
            try? FileManager.default.removeItem(atPath: "\(station.folder.path)/state/\(name)")
        }
        try station.start()
        let known = try station.get("/v1/postcards/\(id)").json()
        #expect((known["shots"] as? [Any])?.count == 2 && known["layout"] as? String == "grid")
        #expect(try station.post("/v1/postcards", body(shots), headers: key).status == 200)
    }

    @Test("count down before each shot, and report each second")
    func countdown() throws {
        let station = try Station()
        let listener = try station.listen("shot", seconds: 20)
        let reply = try station.post("/v1/shots", #"{"countdownSeconds":1}"#)
        #expect(reply.status == 202)
        let id = try #require(try reply.json()["id"] as? String)
        #expect(reply.headers["location"] == "/v1/shots/\(id)")
        #expect(try station.get("/v1/shots/\(id)/image.jpg").status == 404)
        try waitUntil("the shot is taken", seconds: 20) {
            try station.get("/v1/shots/\(id)").json()["state"] as? String == "taken"
        }
        let shot = try station.get("/v1/shots/\(id)").json()
        let due = try #require(shot["dueAt"] as? String)
        #expect(try #require(shot["requestedAt"] as? String) >= due)
        #expect(try #require(shot["exposedAt"] as? String) >= due)
        let picture = try station.get("/v1/shots/\(id)/image.jpg")
        #expect(picture.status == 200 && picture.body.prefix(2) == Data([0xFF, 0xD8]))
        #expect(try station.request("DELETE", "/v1/shots/\(id)").status == 204)
        #expect(try station.request("DELETE", "/v1/shots/\(id)").status == 404)
        let states = listener.stop().compactMap { $0["state"] as? String }
        #expect(states == ["counting", "capturing", "taken", "deleted"])
    }

    @Test("are refused where a shot is missing, too few, or combined with a countdown")
    func refusals() throws {
        let station = try Station()
        let shot = try takeShots(1, station)[0]
        let rows = [
            (#"{"shots":["\#(shot)"]}"#, 422), (#"{"shots":["\#(shot)","nobody"]}"#, 422),
            (#"{"shots":["\#(shot)","\#(shot)"],"countdownSeconds":1}"#, 422), (#"{"layout":"grid"}"#, 422),
            (#"{"shots":["\#(shot)","\#(shot)"],"layout":"heap"}"#, 400), (#"{"shots":"all"}"#, 400),
            (#"{"shots":["a","b","c","d","e"]}"#, 400),
        ]
        for (body, status) in rows {
            #expect(try station.post("/v1/postcards", body).status == status, "\(body)")
        }
        // A refused collage takes nothing away, and its key is free.
        let key = ["Idempotency-Key: one"]
        #expect(try station.post("/v1/postcards", body([shot, "x"]), headers: key).status == 422)
        #expect(try station.post("/v1/postcards", body([shot, shot]), headers: key).status == 201)
    }

    @Test("are bounded: one client holds no more than half of all shots")
    func bounds() throws {
        let station = try Station()
        var statuses: [Int] = []
        for _ in 0..<17 { statuses.append(try station.post("/v1/shots").status) }
        #expect(statuses == Array(repeating: 201, count: 16) + [429])
    }
}
