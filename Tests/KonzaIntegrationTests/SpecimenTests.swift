import Foundation
import KonzaTesting
import Testing

@Suite("A specimen, from the rock to the outbox")
struct SpecimenTests {
    private let station: Station

    init() throws {
        station = try Station(Station.recorded + "\n[MetPetDB]\nSubmit=yes\n")
    }

    private func waitForFix() throws {
        try waitUntil("there is a fix", seconds: 30) {
            try station.get("/v1/position").json()["state"] as? String == "fix"
        }
    }

    /// A specimen's id.
    private func open(_ body: String = #"{"rockType":"Gneiss"}"#) throws -> String {
        let reply = try station.post("/v1/specimens", body)
        #expect(reply.status == 201, "\(String(decoding: reply.body, as: UTF8.self))")
        return try #require(try reply.json()["id"] as? String)
    }

    private func file(_ name: String) -> String { station.folder.appendingPathComponent(name).path }

    /// What exiftool reads from a file: tags without groups.
    private func exif(_ path: String) throws -> [String: Any] {
        let outcome = try run("exiftool", ["-json", "-n", path])
        let list = try JSONSerialization.jsonObject(with: outcome.output) as? [[String: Any]]
        return try #require(list?.first)
    }

    @Test("is opened once for one key, changed by its revision, and outlives a power cut")
    func life() throws {
        try waitForFix()
        let body = #"{"rockType":"Gneiss","position":"here","minerals":[{"name":"Garnet"}],"collector":"Doe, Jane"}"#
        let first = try station.post("/v1/specimens", body, headers: ["Idempotency-Key: bag-1"])
        #expect(first.status == 201)
        let again = try station.post("/v1/specimens", body, headers: ["Idempotency-Key: bag-1"])
        #expect(again.status == 200 && again.body == first.body)
        let id = try #require(try first.json()["id"] as? String)
        #expect(first.headers["location"] == "/v1/specimens/\(id)")

        let tag = try #require(first.headers["etag"])
        let path = "/v1/specimens/\(id)"
        let changed = try station.request(
            "PATCH", path, body: #"{"collector":null,"country":"USA"}"#, headers: ["If-Match: \(tag)"])
        #expect(try changed.json()["revision"] as? Int == 2)
        #expect(try changed.json()["collector"] == nil)
        let late = try station.request("PATCH", path, body: #"{"country":"Chile"}"#, headers: ["If-Match: \(tag)"])
        #expect(late.status == 412)
        #expect(try late.json()["kind"] as? String == "revision-conflict")

        station.cutOff()
        try station.start()
        let kept = try station.get(path).json()
        #expect(kept["country"] as? String == "USA")
        #expect((kept["position"] as? [String: Any])?["kind"] as? String == "recorded")
        let rows = try run(
            "sqlite3", ["\(station.folder.path)/state/konza.db", "SELECT id, number_key FROM specimens"])
        let number = try #require(kept["number"] as? String)
        #expect(rows.text == "\(id)|\(number.lowercased())\n")
        let onDisk = try Data(
            contentsOf: URL(
                fileURLWithPath:
                    "\(station.folder.path)/state/specimens/\(number.dropFirst(4).prefix(4))/\(id)/specimen.json"))
        let object = try JSONSerialization.jsonObject(with: onDisk) as? [String: Any]
        #expect(object?["country"] as? String == "USA")
    }

    @Test("is refused with every fault by its path, a taken number, and a reading of a compass without its declination")
    func refusals() throws {
        let faults = try station.post(
            "/v1/specimens",
            #"{"number":"a,b","minerals":[{"nam":"x"}],"position":{"latitude":91,"longitude":0},"measurements":[{"strike":10,"dip":20,"north":"magnetic"}],"collectionDate":"2026-02-30"}"#
        )
        #expect(faults.status == 400)
        let paths = (try faults.json()["errors"] as? [[String: Any]])?.compactMap { $0["path"] as? String }
        #expect(
            Set(paths ?? []) == [
                "/rockType", "/number", "/minerals/0/name", "/minerals/0/nam", "/position/latitude",
                "/measurements/0/declination", "/collectionDate",
            ])
        let id = try open(#"{"rockType":"Gneiss","number":"K-1"}"#)
        let taken = try station.post("/v1/specimens", #"{"rockType":"Gneiss","number":"k-1"}"#)
        #expect(taken.status == 409)
        #expect(try taken.json()["kind"] as? String == "number-taken")
        let tilted = try station.request(
            "PATCH", "/v1/specimens/\(id)",
            body: #"{"measurements":[{"strike":355,"dip":30,"north":"magnetic","declination":12.5}]}"#)
        let measurement = try #require((try tilted.json()["measurements"] as? [[String: Any]])?.first)
        #expect(measurement["azimuth"] as? Double == 7.5)
        #expect(measurement["declinationApplied"] as? Double == 12.5)
        // What a reply says can be sent back as it is.
        let back = try JSONSerialization.data(withJSONObject: ["measurements": [measurement]])
        let same = try station.request(
            "PATCH", "/v1/specimens/\(id)", body: String(decoding: back, as: UTF8.self))
        #expect(try same.json()["revision"] as? Int == 2)
    }

    @Test("deleted can be restored; the list finds it by place, words and state")
    func finding() throws {
        let near = try open(#"{"rockType":"Gneiss","position":{"latitude":39.1,"longitude":-96.6,"accuracy":3}}"#)
        let far = try open(
            #"{"rockType":"Schist","position":{"latitude":39.2,"longitude":-96.6},"fieldNotes":"Old Bridge"}"#)
        func found(_ query: String) throws -> [String] {
            let specimens = try station.get("/v1/specimens?\(query)").json()["specimens"] as? [[String: Any]]
            return (specimens ?? []).compactMap { $0["id"] as? String }
        }
        #expect(try found("") == [far, near])
        #expect(try found("near=39.1,-96.6&radius=500") == [near])
        #expect(try found("box=-97,39.15,-96,40") == [far])
        #expect(try found("text=old%20schist") == [far])
        let page = try station.get("/v1/specimens?limit=1").json()
        let next = try #require(page["next"] as? String)
        #expect(try found("limit=1&cursor=\(next)") == [near])
        #expect(try station.request("DELETE", "/v1/specimens/\(near)").status == 204)
        #expect(try found("") == [far])
        #expect(try found("state=deleted") == [near])
        #expect(try station.request("POST", "/v1/specimens/\(near)/restore").status == 200)
        #expect(try found("state=draft") == [far, near])
    }

    @Test("is photographed with the place and the direction in the EXIF; an upload is kept to the byte, if it is whole")
    func photographs() throws {
        try waitForFix()
        let id = try open()
        let root = "/v1/specimens/\(id)/photographs"
        let taken = try station.post(
            root, #"{"imageType":"PHOTO","scale":250,"direction":123.5,"description":"cut face"}"#)
        #expect(taken.status == 201)
        let photograph = try taken.json()
        let file = try #require((photograph["links"] as? [String: Any])?["file"] as? String)
        let bytes = try station.get(file).body
        let path = self.file("taken.jpg")
        try bytes.write(to: URL(fileURLWithPath: path))
        let tags = try exif(path)
        #expect(tags["GPSImgDirection"] as? Double == 123.5)
        #expect(tags["GPSImgDirectionRef"] as? String == "T")
        #expect(abs((tags["GPSLatitude"] as? Double ?? 0) - 39.1) < 0.1)
        #expect(tags["GPSHPositioningError"] != nil)
        let sum = try run("sha256sum", [path]).text.prefix(64)
        #expect(photograph["sha256"] as? String == String(sum))

        let sent = try station.upload("\(root)?scale=12", path, type: "image/jpeg")
        #expect(sent.status == 201)
        let copy = try #require(((try sent.json())["links"] as? [String: Any])?["file"] as? String)
        #expect(try station.get(copy).body == bytes)
        let part = try station.get(copy, headers: ["Range: bytes=2-11"])
        #expect(part.status == 206 && part.body == bytes[2..<12])
        try bytes.prefix(20_000).write(to: URL(fileURLWithPath: self.file("cut.jpg")))
        let cut = try station.upload(root, self.file("cut.jpg"), type: "image/jpeg")
        #expect(cut.status == 422)
        #expect(try cut.json()["kind"] as? String == "not-a-picture")
        try station.get("/v1/specimens/\(id)/label.png").body.write(to: URL(fileURLWithPath: self.file("a.png")))
        #expect(try station.upload(root, self.file("a.png"), type: "image/png").status == 201)
        let small = try #require(((try sent.json())["links"] as? [String: Any])?["thumbnail"] as? String)
        #expect(try station.get(small).body.starts(with: [0xFF, 0xD8]))
        #expect(try station.request("DELETE", file.replacing("/file", with: "")).status == 204)
        #expect((try station.get(root).json()["photographs"] as? [Any])?.count == 2)
    }

    @Test("has a label whose code zbarimg reads, at the size that the printer needs")
    func label() throws {
        let id = try open(
            #"{"rockType":"Gneiss","number":"KZ-7","igsn":"IEKIO0001","position":{"latitude":39.1069,"longitude":-96.6091,"altitude":338.4,"accuracy":3.2}}"#
        )
        let expected = "KZ-7\nIGSN:IEKIO0001\nGneiss\ngeo:39.106900,-96.609100,338.4;u=3.2\nposition:manual\n"
        for (query, width, height) in [("", 591, 295), ("?width=100&height=50&resolution=203", 799, 400)] {
            let path = file("label.png")
            let reply = try station.get("/v1/specimens/\(id)/label.png\(query)")
            #expect(reply.headers["content-type"] == "image/png")
            try reply.body.write(to: URL(fileURLWithPath: path))
            #expect(
                try run("zbarimg", ["-q", "--raw", path]).text.trimmingCharacters(in: .whitespacesAndNewlines) + "\n"
                    == expected)
            let tags = try exif(path)
            #expect(tags["ImageWidth"] as? Int == width && tags["ImageHeight"] as? Int == height)
            let dots = query.isEmpty ? 300.0 : 203
            #expect(tags["PixelsPerUnitX"] as? Int == Int((dots / 0.0254).rounded()))
        }
        let svg = try station.get("/v1/specimens/\(id)/label.svg")
        #expect(svg.headers["content-type"] == "image/svg+xml")
        #expect(String(decoding: svg.body, as: UTF8.self).contains("width=\"50.0mm\""))
        try svg.body.write(to: URL(fileURLWithPath: file("label.svg")))
        #expect(try run("xmllint", ["--noout", file("label.svg")]).status == 0)
        #expect(try station.get("/v1/specimens/\(id)/label.png?width=20&height=60").status == 422)
    }

    @Test("is submitted only with a good position or a reason, handed to a courier, and ready again when it is changed")
    func outbox() throws {
        let id = try open(#"{"rockType":"Gneiss","position":{"latitude":39.1,"longitude":-96.6,"accuracy":25}}"#)
        let path = "/v1/outbox/\(id)/metpetdb"
        let vague = try station.post("/v1/specimens/\(id)/submit")
        #expect(vague.status == 422)
        #expect((try vague.json()["figures"] as? [String: Double])?["accuracy"] == 25)
        let taken = try station.post("/v1/specimens/\(id)/submit", #"{"override":"the only outcrop"}"#)
        #expect(taken.status == 202 && taken.headers["location"] == path)
        #expect(try station.post("/v1/specimens/\(id)/submit", #"{"target":"sesar"}"#).status == 409)

        let errand = try station.get("/v1/errands?wait=5").json()
        #expect(errand["kind"] as? String == "submission")
        let specimen = try #require(errand["specimen"] as? [String: Any])
        let override = (specimen["position"] as? [String: Any])?["override"] as? [String: Any]
        #expect(override?["reason"] as? String == "the only outcrop")
        #expect((specimen["position"] as? [String: Any])?["kind"] as? String == "manual")
        var record = try #require(errand["submission"] as? [String: Any])
        record["state"] = "submitted"
        record["submittedRevision"] = specimen["revision"]
        let body = String(decoding: try JSONSerialization.data(withJSONObject: record), as: UTF8.self)
        #expect(try station.request("PUT", path, body: body).json()["state"] as? String == "submitted")
        let stale = try station.request("PUT", path, body: body)
        #expect(stale.status == 409)
        #expect(try stale.json()["kind"] as? String == "submission-conflict")

        #expect(try station.request("PATCH", "/v1/specimens/\(id)", body: #"{"country":"USA"}"#).status == 200)
        let waiting = try station.get("/v1/outbox?state=ready").json()
        #expect((waiting["submissions"] as? [[String: Any]])?.first?["specimen"] as? String == id)
        #expect(waiting["counts"] as? [String: Int] == ["ready": 1])
        let metrics = String(decoding: try station.get("/metrics").body, as: UTF8.self)
        #expect(metrics.contains("konza_outbox{state=\"ready\"} 1\n"))
        #expect(metrics.contains("konza_specimens{state=\"kept\"} 1\n"))
        let unknown = try station.request("PUT", path, body: body.replacing("\"attempts\"", with: "\"atempts\""))
        #expect(unknown.status == 400)
    }

    @Test("is checked by the vocabulary that was fetched last, and takes its spelling")
    func vocabulary() throws {
        let terms = #"{"terms":{"rock-types":[{"name":"Gneiss","parents":[]},{"name":"Schist","parents":[]}]}}"#
        #expect(try station.request("PUT", "/v1/vocabulary", body: terms).status == 204)
        let empty = try station.request("PUT", "/v1/vocabulary", body: #"{"terms":{"rock-types":[]}}"#)
        #expect(empty.status == 422)
        let wrong = try station.post("/v1/specimens", #"{"rockType":"Schistt"}"#)
        #expect(wrong.status == 422)
        let problem = try wrong.json()
        #expect(problem["kind"] as? String == "unknown-term")
        let fault = try #require((problem["errors"] as? [[String: String]])?.first)
        #expect(fault["path"] == "/rockType" && fault["detail"]?.contains("Schist") == true)
        let id = try open(#"{"rockType":"schist"}"#)
        #expect(try station.get("/v1/specimens/\(id)").json()["rockType"] as? String == "Schist")
        station.cutOff()
        try station.start()
        #expect(try station.post("/v1/specimens", #"{"rockType":"Schistt"}"#).status == 422)
    }
}
