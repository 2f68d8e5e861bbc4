import Foundation
import Testing

@Suite("The landmarks to calibrate by")
struct ViewLandmarksTests {
    @Test("are those that the terrain shows; a dry run of them keeps nothing, and says where all would be")
    func dryRun() throws {
        let station = try Station(Station.recorded)
        try waitUntil("there is a fix", seconds: 30) {
            try station.get("/v1/position").json()["state"] as? String == "fix"
        }
        let reply = try station.get("/v1/view/landmarks").json()
        let landmarks = try #require(reply["landmarks"] as? [[String: Any]]).filter { $0["distance"] != nil }
        #expect(landmarks.count >= 3)
        // At an instant: the sun of a summer's noon, and none at midnight; towers of other regions are no landmarks.
        func suns(_ query: String) throws -> [Double] {
            let all = try station.get("/v1/view/landmarks?\(query)").json()["landmarks"] as? [[String: Any]] ?? []
            return all.filter { $0["kind"] as? String == "sun" }.compactMap { $0["elevation"] as? Double }
        }
        #expect(try suns("latitude=39.1&longitude=263.4&time=2026-06-21T18:30:00Z").first ?? 0 > 70)
        #expect(try suns("latitude=39.1&longitude=263.4&time=2026-06-21T06:30:00Z").isEmpty)
        let time = "2026-06-21T18:30:00.000Z"
        #expect(try station.get("/v1/view?time=\(time)").json()["time"] as? String == time)
        let abroad =
            try station.get("/v1/view/landmarks?latitude=47&longitude=8").json()["landmarks"] as? [[String: Any]]
        #expect(abroad?.contains { $0["distance"] != nil } == false)
        let distances = landmarks.compactMap { $0["distance"] as? Double }
        #expect(distances == distances.sorted())
        // A camera that looks between them, with a plane projection.
        func number(_ one: [String: Any], _ name: String) -> Double { one[name] as? Double ?? 0 }
        func point(_ one: [String: Any], _ azimuth: Double) -> (x: Double, y: Double)? {
            let turn = (number(one, "azimuth") - azimuth) * .pi / 180
            let rise = number(one, "elevation") * .pi / 180
            guard cos(turn) > 0.5 else { return nil }
            let (x, y) = (960 + 1370 * tan(turn), 540 - 1370 * tan(rise) / cos(turn))
            return (20...1900).contains(x) && (20...1060).contains(y) ? (x, y) : nil
        }
        let azimuth = try #require(
            stride(from: 0.0, to: 360, by: 5).max { one, other in
                landmarks.count { point($0, one) != nil } < landmarks.count { point($0, other) != nil }
            })
        let clicks = landmarks.compactMap { one -> [String: Any]? in
            point(one, azimuth).map { ["x": $0.x, "y": $0.y, "landmark": one["id"] as? String ?? ""] }
        }
        var body: [String: Any] = [
            "width": 1920, "height": 1080, "clicks": clicks, "latitude": number(reply, "latitude"),
            "longitude": number(reply, "longitude"), "cameraHeight": number(reply, "cameraHeight"), "accuracy": 2,
            "dryRun": true,
        ]
        func put() throws -> [String: Any] {
            let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
            let answer = try station.request("PUT", "/v1/view/calibration", body: text)
            #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
            return try answer.json()
        }
        let tried = try put()
        let turned = (number(tried, "azimuth") - azimuth + 540).truncatingRemainder(dividingBy: 360) - 180
        #expect(abs(turned) < 1)
        #expect((tried["labels"] as? [[String: Any]])?.isEmpty == false)
        #expect(try station.get("/v1/view/calibration").status == 409)
        #expect(try station.get("/v1/view").json()["state"] as? String == "uncalibrated")
        body["dryRun"] = nil
        _ = try put()
        #expect(try station.get("/v1/view/calibration").status == 200)
    }
}
