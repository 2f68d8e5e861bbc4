import Foundation
import KonzaTesting
import Testing

@Suite("An occupation")
struct OccupationTests {
    private let station: Station

    init() throws {
        station = try Station()
        try Self.standing(900).write(
            toFile: station.folder.appendingPathComponent("standing.nmea").path, atomically: true, encoding: .utf8)
        _ = station.stop()
        try station.reconfigure(Self.settings(station))
        try station.start()
        try waitUntil("there is a fix", seconds: 30) {
            try station.get("/v1/position").json()["state"] as? String == "fix"
        }
    }

    private static func settings(_ station: Station) -> String {
        """
        [Position]
        Source=recorded
        Recording=\(station.folder.path)/standing.nmea
        [Camera]
        Source=recorded
        """
    }

    /// Sentences of a receiver that stands at 39.1069 N, 96.6091 W and wanders by some metres, one epoch a second.
    private static func standing(_ seconds: Int) -> String {
        (0..<seconds).map { second in
            let clock = 50_400 + second
            let time = String(format: "%02d%02d%02d.00", clock / 3600, clock / 60 % 60, clock % 60)
            // A ten-thousandth of a minute of latitude is 0.19 m.
            let north = 6.4140 + 0.0001 * Double(second * 7 % 11)
            let west = 36.5460 + 0.0001 * Double(second * 5 % 13)
            let latitude = String(format: "39%07.4f,N", north)
            let longitude = String(format: "096%07.4f,W", west)
            return [
                "GPRMC,\(time),A,\(latitude),\(longitude),0.00,0.0,300526,,,A",
                "GPGGA,\(time),\(latitude),\(longitude),1,09,0.9,352.0,M,-28.3,M,,",
                "GPGSA,A,3,02,05,07,13,14,15,20,24,30,,,,1.7,0.9,1.4",
            ].map { $0.nmea + "\r\n" }.joined()
        }.joined()
    }

    private func open() throws -> String {
        let reply = try station.post("/v1/specimens", #"{"rockType":"Gneiss"}"#)
        return try #require(try reply.json()["id"] as? String)
    }

    private func occupation(_ id: String) throws -> [String: Any] {
        try station.get("/v1/specimens/\(id)/occupation").json()
    }

    private func waitForEnd(_ id: String) throws -> [String: Any] {
        try waitUntil("the occupation has ended", seconds: 30) {
            try occupation(id)["state"] as? String == "ended"
        }
        return try occupation(id)
    }

    private func position(_ id: String) throws -> [String: Any]? {
        try station.get("/v1/specimens/\(id)").json()["position"] as? [String: Any]
    }

    @Test("ends by itself at the wanted accuracy; events tell how it settles; the specimen gets all that is known")
    func settles() throws {
        let id = try open()
        let path = "/v1/specimens/\(id)/occupation"
        #expect(try station.get(path).status == 404, "none was started")
        let listener = try station.listen("occupation", seconds: 60)
        let started = try station.post(path, #"{"wantedAccuracy":100,"minimumSeconds":4}"#)
        #expect(started.status == 202 && started.headers["location"] == path)
        #expect(try station.post(path).status == 409, "one at a time")
        let ended = try waitForEnd(id)
        try waitUntil("the end is told", seconds: 20) { listener.text.contains("accuracy-reached") }
        let events = listener.stop()
        let running = events.filter { $0["state"] as? String == "running" }
        #expect(running.count >= 3, "\(events.count) events")
        let counts = running.compactMap { $0["fixesUsed"] as? Int }
        #expect(counts == counts.sorted() && (counts.last ?? 0) >= 2, "\(counts)")
        #expect(running.last?["accuracy"] as? Double != nil)
        #expect((running.last?["remainingSeconds"] as? Double).map { $0 > 590 && $0 < 600 } == true)
        #expect(events.last?["end"] as? String == "accuracy-reached")

        #expect(ended["end"] as? String == "accuracy-reached")
        #expect((ended["elapsedSeconds"] as? Double ?? 0) >= 4)
        let kept = try #require(try position(id))
        #expect(kept["source"] as? String == "occupation")
        #expect(kept["kind"] as? String == "recorded")
        #expect(kept["accuracy"] as? Double == ended["accuracy"] as? Double)
        // The middle of what the receiver wanders over.
        #expect(abs((kept["latitude"] as? Double ?? 0) - (39 + 6.4145 / 60)) < 1e-5)
        #expect(abs((kept["longitude"] as? Double ?? 0) + (96 + 36.5466 / 60)) < 1e-5)
        #expect(kept["altitudeMSL"] as? Double == 352)
        #expect(kept["satellitesUsed"] as? Int == 9)
        #expect(kept["altitudeAccuracy"] as? Double != nil)
        let averaging = try #require(kept["averaging"] as? [String: Any])
        #expect(averaging["fixesUsed"] as? Int == ended["fixesUsed"] as? Int)
        #expect(averaging["ended"] as? String == "accuracy-reached")
        #expect(averaging["rule"] as? String != nil && averaging["effectiveFixes"] as? Double != nil)
        let metrics = String(decoding: try station.get("/metrics").body, as: UTF8.self)
        #expect(metrics.contains("konza_occupations 0\n"))
    }

    @Test("ends by DELETE and at its time limit, with what was averaged so far")
    func ends() throws {
        let first = try open()
        let second = try open()
        for (id, limit) in [(first, 60), (second, 3)] {
            #expect(
                try station.post(
                    "/v1/specimens/\(id)/occupation", #"{"wantedAccuracy":0.01,"timeLimitSeconds":\#(limit)}"#
                ).status == 202)
        }
        #expect(try waitForEnd(second)["end"] as? String == "time-out")
        let ended = try station.request("DELETE", "/v1/specimens/\(first)/occupation").json()
        #expect(ended["state"] as? String == "ended" && ended["end"] as? String == "ended")
        for id in [first, second] { #expect(try position(id)?["source"] as? String == "occupation") }
        let refused = try station.post("/v1/specimens/\(first)/occupation", #"{"timeLimitSeconds":0,"wanted":1}"#)
        #expect(refused.status == 400)
        let paths = (try refused.json()["errors"] as? [[String: String]])?.compactMap { $0["path"] }
        #expect(Set(paths ?? []) == ["/timeLimitSeconds", "/wanted"])
    }

    @Test("gives its average to the specimen when konzad stops; cut off, it is told to have ended and changes nothing")
    func restarts() throws {
        let id = try open()
        let path = "/v1/specimens/\(id)/occupation"
        #expect(try station.post(path, #"{"wantedAccuracy":0.01}"#).status == 202)
        try waitUntil("there are fixes", seconds: 20) { (try occupation(id)["fixesUsed"] as? Int ?? 0) >= 2 }
        station.cutOff()
        try station.start()
        let cut = try occupation(id)
        #expect(cut["state"] as? String == "ended" && cut["end"] == nil)
        #expect((cut["problem"] as? [String: Any])?["kind"] as? String == "unavailable")
        #expect(try position(id) == nil)

        #expect(try station.post(path, #"{"wantedAccuracy":0.01}"#).status == 202)
        try waitUntil("there are fixes", seconds: 20) { (try occupation(id)["fixesUsed"] as? Int ?? 0) >= 2 }
        #expect(station.stop() == 0)
        try station.start()
        #expect(try occupation(id)["end"] as? String == "ended")
        #expect(try position(id)?["source"] as? String == "occupation")
    }
}
