import Foundation
import KonzaTesting
import Testing

@Suite("The terrain over the socket", .serialized)
struct TerrainRouteTests {
    @Test("has the height of a place with its datum, and of the station's own with its source")
    func height() throws {
        let station = try Station(Station.recorded)
        let asked = try station.get("/v1/terrain/height?latitude=39.1069&longitude=-96.6091").json()
        #expect(abs(try #require(asked["height"] as? Double) - 328) < 1)
        #expect(asked["datum"] as? String == "NAVD88")
        #expect((asked["position"] as? [String: Any])?["source"] as? String == "request")
        try waitUntil("a position is there", seconds: 20) {
            try station.get("/v1/position").json()["state"] as? String == "fix"
        }
        let here = try station.get("/v1/terrain/height").json()
        #expect((here["position"] as? [String: Any])?["source"] as? String == "recorded")
        #expect((300...460).contains(try #require(here["height"] as? Double)))
        let skyline = try station.get("/v1/terrain/skyline?latitude=39.1069&longitude=-96.6091&azimuths=36").json()
        let points = try #require(skyline["points"] as? [[String: Any]])
        #expect(points.count == 36)
        // The reference skyline at 10 degrees.
        #expect(abs(try #require(points[1]["elevation"] as? Double) - 3.605) < 0.05)
        for (query, status) in [
            ("latitude=39.1069", 400), ("latitude=91&longitude=0", 400), ("latitude=x&longitude=0", 400),
            ("latitude=10&longitude=10", 404), ("longitude=1", 400),
        ] {
            #expect(try station.get("/v1/terrain/height?\(query)").status == status, "\(query)")
        }
    }

    @Test("of a folder with a damaged file says so, and everything else goes on")
    func damaged() throws {
        let folder = try TemporaryFolder()
        try Data("damaged".utf8).write(to: URL(filePath: "\(folder.path)/core.heights"))
        let station = try Station("\(Station.recorded)\n[Terrain]\nFolder=\(folder.path)")
        let part = try #require(try station.get("/v1/status").json()["terrain"] as? [String: Any])
        let health = try #require(part["health"] as? [String: Any])
        #expect(health["kind"] as? String == "terrain-incomplete")
        #expect((health["reason"] as? String)?.contains("core.heights") == true)
        let reply = try station.get("/v1/terrain/height?latitude=39.1069&longitude=-96.6091")
        #expect(reply.status == 404)
        #expect((try reply.json()["detail"] as? String)?.contains("core.heights") == true)
        #expect(try station.post("/v1/postcards").status == 201)
    }
}
