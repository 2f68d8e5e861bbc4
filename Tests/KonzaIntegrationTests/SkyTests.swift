import Foundation
import KonzaTesting
import Testing

@Suite("The sky over the socket", .serialized)
struct SkyRouteTests {
    @Test("is the published one for any place and instant, with the model of magnetic north and its expiry")
    func published() throws {
        let station = try Station(Station.recorded)
        func ask(_ query: String) throws -> [String: Any] { try station.get("/v1/sky?\(query)").json() }
        func number(_ reply: [String: Any], _ body: String, _ member: String) throws -> Double {
            try #require((reply[body] as? [String: Any])?[member] as? Double)
        }
        let konza = try ask("time=2026-11-24T04:00:00Z&latitude=39.1069&longitude=-96.6091")
        #expect(abs(try number(konza, "moon", "azimuth") - 117.646) < 0.01)
        #expect(abs(try number(konza, "moon", "elevation") - 63.325) < 0.01)
        #expect(abs(try number(konza, "sun", "azimuth") - 293.357) < 0.01)
        #expect(abs(try number(konza, "sun", "elevation") + 55.991) < 0.01)
        for body in ["sun", "moon"] {
            for event in ["rise", "set"] { #expect((konza[body] as? [String: Any])?[event] is String) }
        }
        let declination = try #require(konza["declination"] as? [String: Any])
        #expect(declination["model"] as? String == "WMM-2025")
        #expect(abs(try number(konza, "declination", "degrees") - 2.43) < 0.02)
        #expect(declination["validUntil"] as? String == "2029-12-31" && declination["isExpired"] as? Bool == false)
        #expect(konza["satellites"] == nil && konza["timeSource"] as? String == "request")

        for (time, isExpired) in [("2029-12-31T23:00:00Z", false), ("2030-01-01T00:00:00Z", true)] {
            let then = try ask("time=\(time)&latitude=39.1069&longitude=-96.6091")["declination"] as? [String: Any]
            #expect(then?["isExpired"] as? Bool == isExpired, "\(time)")
        }
        // Where there are no elevations the horizon is left out, and the pole has neither rise nor set.
        let pole = try #require(try ask("time=2026-06-21T12:00:00Z&latitude=90&longitude=0")["sun"] as? [String: Any])
        #expect(pole["horizon"] == nil && pole["rise"] == nil && pole["set"] == nil)
        #expect(try station.get("/v1/sky?time=yesterday").status == 400)
        // What cannot be counted is refused with the reason, not answered for another day.
        let place = "latitude=39.1069&longitude=-96.6091"
        for (path, time, status) in [
            ("sky", "1677-06-01T00:00:00Z", 422), ("sky", "1678-01-02T00:00:00Z", 422),
            ("sky", "1678-01-06T00:00:00Z", 200), ("sky", "2261-12-26T00:00:00Z", 200),
            ("sky", "2261-12-31T00:00:00Z", 422), ("sky", "9999-12-31T00:00:00Z", 422),
            ("trails/way", "2300-01-01T00:00:00Z", 422), ("trails/nearest", "0001-01-01T00:00:00Z", 422),
            ("trails/nearest", "2261-12-31T00:00:00Z", 200),
        ] {
            let reply = try station.get("/v1/\(path)?time=\(time)&\(place)")
            #expect(reply.status == status, "\(path) \(time)")
            if status == 422 { #expect(try reply.json()["detail"] as? String != nil) }
        }
        #expect(try station.get("/v1/trails?time=2262-01-01T00:00:00Z").status == 422)
        #expect(try station.get("/v1/position/at?time=1600-01-01T00:00:00Z").status == 422)
        for time in ["1678-01-06T00:00:00Z", "2261-12-26T00:00:00Z"] {
            let edge = try ask("time=\(time)&\(place)")
            for body in ["sun", "moon"] {
                for event in ["rise", "set"] { #expect((edge[body] as? [String: Any])?[event] is String, "\(time)") }
            }
        }
        let refused = try run(
            try Programs.path("konza").path,
            [
                "sky", "--at", "39.1,-96.6", "--time", "1500-01-01T00:00:00Z", "--socket",
                "\(station.folder.path)/konza.sock",
            ])
        #expect(refused.status != 0 && refused.errors.contains("1678-01-06"), "\(refused.errors)")
        #expect(try station.get("/v1/sky?latitude=1").status == 400)
        // Longitudes up to 360, as data sets have them.
        let east = try station.get("/v1/sky?latitude=0&longitude=240").json()["position"] as? [String: Any]
        #expect(east?["longitude"] as? Double == -120)
        #expect(try station.get("/v1/sky?latitude=0&longitude=361").status == 400)
    }

    @Test("is that of the station here and now, with its source and the satellites in use")
    func here() throws {
        let station = try Station(Station.recorded)
        try waitUntil("a position is there", seconds: 20) {
            try station.get("/v1/position").json()["state"] as? String == "fix"
        }
        let sky = try station.get("/v1/sky").json()
        #expect((sky["position"] as? [String: Any])?["source"] as? String == "recorded")
        let satellites = try #require(sky["satellites"] as? [[String: Any]])
        #expect(!satellites.isEmpty && satellites.allSatisfy { $0["used"] as? Bool == true })
        #expect((sky["sun"] as? [String: Any])?["horizon"] is Double)
        let shown = try run(
            try Programs.path("konza").path, ["sky", "--sun", "--socket", "\(station.folder.path)/konza.sock"])
        #expect(shown.status == 0 && shown.text.contains("Sun") && shown.text.contains("Moon"), "\(shown.text)")
        #expect(shown.text.contains("WMM-2025"), "\(shown.text)")
    }
}
