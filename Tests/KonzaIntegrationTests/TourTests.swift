import Foundation
import KonzaTesting
import Testing

@Suite("The station from outside, by curl")
struct TourTests {
    private let station: Station

    init() throws {
        station = try Station()
    }

    @Test("says that its sources are recorded, on every surface")
    func recordedIsSaid() throws {
        try waitUntil("a position is there", seconds: 20) {
            try station.get("/v1/position").json()["state"] as? String == "fix"
        }
        let position = try station.get("/v1/position").json()
        #expect(position["source"] as? String == "recorded")
        #expect(try station.get("/v1/camera").json()["source"] as? String != "live")
        let status = try station.get("/v1/status").json()
        #expect((status["position"] as? [String: Any])?["source"] as? String == "recorded")
        let postcard = try station.post("/v1/postcards").json()
        #expect((postcard["position"] as? [String: Any])?["source"] as? String == "recorded")
        #expect(postcard["source"] as? String != "live")
        let path = try #require(postcard["path"] as? String)
        let exif = try run("exiftool", ["-s", "-s", "-s", "-GPSProcessingMethod", path]).text
        #expect(exif.lowercased().contains("recorded"))
    }

    @Test("a position near the trail, with its age and its error")
    func position() throws {
        try waitUntil("a position is there", seconds: 20) {
            try station.get("/v1/position").json()["state"] as? String == "fix"
        }
        let position = try station.get("/v1/position").json()
        let latitude = try #require(position["latitude"] as? Double)
        let longitude = try #require(position["longitude"] as? Double)
        #expect(abs(latitude - 39.1069) < 0.05 && abs(longitude + 96.6091) < 0.05)
        #expect(try #require(position["ageMs"] as? Int) < 5000)
        #expect(try #require(position["accuracy"] as? Double) > 0)
        let geo = try station.get("/v1/position", headers: ["Accept: application/geo+json"])
        #expect(geo.headers["content-type"] == "application/geo+json")
        let geometry = try #require(try geo.json()["geometry"] as? [String: Any])
        let place = try #require(geometry["coordinates"] as? [Double])
        #expect(abs(place[0] - longitude) < 0.001 && abs(place[1] - latitude) < 0.001)
        let satellites = try station.get("/v1/satellites").json()
        #expect(try #require(satellites["used"] as? Int) > 3)
        let gpx = try station.get("/v1/track?format=gpx")
        #expect(gpx.headers["content-type"]?.hasPrefix("application/gpx+xml") == true)
        #expect(String(decoding: gpx.body, as: UTF8.self).contains("<trkpt"))
    }

    @Test("a postcard is exposed after its request, geotagged, listed, shown, and deleted")
    func postcardLife() throws {
        try waitUntil("a position is there", seconds: 20) {
            try station.get("/v1/position").json()["state"] as? String == "fix"
        }
        let reply = try station.post("/v1/postcards", #"{"message":"Grüße, 🦬 \"n\" all","place":"Kings Creek"}"#)
        #expect(reply.status == 201, "\(String(decoding: reply.body, as: UTF8.self))")
        let postcard = try reply.json()
        let id = try #require(postcard["id"] as? String)
        #expect(reply.headers["location"] == "/v1/postcards/\(id)")
        // RFC 3339 in one form sorts as text.
        let requested = try #require(postcard["requestedAt"] as? String)
        #expect(try #require(postcard["exposedAt"] as? String) >= requested)

        let path = try #require(postcard["path"] as? String)
        let exif = try exiftool(path)
        let position = try #require(postcard["position"] as? [String: Any])
        #expect(abs(try #require(exif["GPSLatitude"] as? Double) - (position["latitude"] as? Double ?? 0)) < 1e-7)
        #expect(abs(try #require(exif["GPSLongitude"] as? Double) - (position["longitude"] as? Double ?? 0)) < 1e-7)
        #expect(exif["UserComment"] as? String == "Grüße, 🦬 \"n\" all")
        #expect(try run("djpeg", ["-fast", "-outfile", "/dev/null", path]).errors.isEmpty)

        let image = try station.get("/v1/postcards/\(id)/image.jpg")
        #expect(image.body == (try Data(contentsOf: URL(fileURLWithPath: path))))
        let tag = try #require(image.headers["etag"])
        let again = try station.get("/v1/postcards/\(id)/image.jpg", headers: ["If-None-Match: \(tag)"])
        #expect(again.status == 304)
        let part = try station.get("/v1/postcards/\(id)/image.jpg", headers: ["Range: bytes=0-1"])
        #expect(part.status == 206 && part.body == Data([0xFF, 0xD8]))
        #expect(try station.get("/v1/postcards/\(id)/thumbnail.jpg").status == 200)
        #expect(try station.get("/v1/postcards/\(id)/original.jpg").status == 200)

        let list = try #require(try station.get("/v1/postcards").json()["postcards"] as? [[String: Any]])
        #expect(list.first?["id"] as? String == id)
        #expect(try station.request("DELETE", "/v1/postcards/\(id)").status == 204)
        #expect(try station.get("/v1/postcards/\(id)").status == 404)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a countdown answers at once, reports each second, and keeps the postcard")
    func countdown() throws {
        let reply = try station.post("/v1/postcards", #"{"countdownSeconds":1}"#)
        #expect(reply.status == 202)
        let location = try #require(reply.headers["location"])
        #expect(try station.get(location).json()["state"] as? String == "counting")
        try waitUntil("the postcard is kept", seconds: 20) {
            try station.get(location).json()["state"] as? String == "kept"
        }
        let postcard = try station.get(location).json()
        #expect(try #require(postcard["exposedAt"] as? String) >= (postcard["requestedAt"] as? String ?? "z"))
    }

    @Test("the same Idempotency-Key makes one postcard")
    func idempotency() throws {
        let key = ["Idempotency-Key: \(UUID().uuidString)"]
        let first = try station.post("/v1/postcards", "{}", headers: key)
        let second = try station.post("/v1/postcards", "{}", headers: key)
        #expect(first.status == 201 && second.status == 200)
        #expect(try first.json()["id"] as? String == second.json()["id"] as? String)
        let other = try station.post("/v1/postcards", #"{"place":"Elsewhere"}"#, headers: key)
        #expect(other.status == 409)
        #expect(try other.json()["kind"] as? String == "idempotency-conflict")
    }

    @Test("a preview is a JPEG and is not kept")
    func preview() throws {
        let before = try #require(try station.get("/v1/postcards").json()["postcards"] as? [Any]).count
        let reply = try station.post("/v1/postcards/preview", #"{"template":"band"}"#)
        #expect(reply.status == 200 && reply.headers["content-type"] == "image/jpeg")
        #expect(reply.body.starts(with: [0xFF, 0xD8]))
        #expect(try #require(try station.get("/v1/postcards").json()["postcards"] as? [Any]).count == before)
        let later = try station.post("/v1/postcards/preview", #"{"countdownSeconds":3}"#)
        #expect(later.status == 400)
    }

    @Test("a list from a later to an earlier instant is refused, not empty")
    func backwards() throws {
        let reply = try station.get("/v1/postcards?from=2026-05-30T00:00:00Z&to=2026-05-29T00:00:00Z")
        #expect(reply.status == 422)
        #expect(((try reply.json()["errors"] as? [[String: Any]])?.first?["path"] as? String) == "from")
    }

    @Test(
        "bad input gets a problem with its kind and the member at fault",
        arguments: [
            (#"{"mesage":"x"}"#, 400, "invalid-request", "/mesage"),
            (#"{"message":7}"#, 400, "invalid-request", "/message"),
            (#"{"message":"a\u0007b"}"#, 400, "invalid-request", "/message"),
            (#"{"countdownSeconds":-1}"#, 400, "invalid-request", "/countdownSeconds"),
            (#"{"template":"nope"}"#, 404, "unknown-template", nil),
            (#"{"message":"\u200b\u200b\u200b"}"#, 422, "invalid-request", "/message"),
            (#"{"message":"a\u202eb"}"#, 400, "invalid-request", "/message"),
            (#"{"place":"\u2066a"}"#, 400, "invalid-request", "/place"),
            (#"{"message":"a","message":"b"}"#, 400, "invalid-request", "/message"),
            ("\u{FEFF}{}", 400, "malformed-request", nil),
            ("{", 400, "malformed-request", nil),
            ("[]", 400, "invalid-request", ""),
        ] as [(String, Int, String, String?)])
    func badInput(body: String, status: Int, kind: String, path: String?) throws {
        let reply = try station.post("/v1/postcards", body)
        #expect(reply.status == status, "\(String(decoding: reply.body, as: UTF8.self))")
        #expect(reply.headers["content-type"] == "application/problem+json")
        let problem = try reply.json()
        #expect(problem["kind"] as? String == kind)
        #expect((problem["detail"] as? String)?.hasPrefix("cannot ") == true)
        if let path {
            #expect(((problem["errors"] as? [[String: Any]])?.first?["path"] as? String) == path)
        }
    }

    @Test("the preview streams whole JPEGs")
    func multipart() throws {
        let outcome = try run(
            "curl",
            ["-sS", "-m", "3", "--unix-socket", station.socket, "http://localhost/v1/camera/preview"], seconds: 20)
        // 28: curl ended the endless stream by its own limit.
        #expect(outcome.status == 28)
        let text = String(decoding: outcome.output, as: Unicode.ASCII.self)
        #expect(text.components(separatedBy: "Content-Type: image/jpeg").count > 3)
    }

    @Test("events report a postcard")
    func events() throws {
        let listener = try station.listen("postcard,position", seconds: 120)
        let id = try #require(try station.post("/v1/postcards").json()["id"] as? String)
        try waitUntil("the events tell that it is kept, and a position", seconds: 30) {
            let heard = listener.text
            return heard.contains("event: postcard") && heard.contains(id) && heard.contains("\"state\":\"kept\"")
                && heard.contains("event: position")
        }
        _ = listener.stop()
    }

    private func exiftool(_ path: String) throws -> [String: Any] {
        let outcome = try run("exiftool", ["-j", "-n", "-charset", "exif=utf8", path])
        let list = try JSONSerialization.jsonObject(with: outcome.output) as? [[String: Any]]
        return try #require(list?.first)
    }
}
