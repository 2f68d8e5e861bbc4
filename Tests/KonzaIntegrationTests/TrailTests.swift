import Foundation
import KonzaTesting
import Testing

@Suite("The trails over the socket", .serialized)
struct TrailRouteTests {
    private static let geoJSON = #"""
        {"type":"FeatureCollection","features":[{"type":"Feature","id":"main","geometry":{"type":"LineString","coordinates":
        [[-96.6091,39.1069],[-96.6041,39.1069],[-96.5991,39.1069]]},"properties":{"name":"Valley"}},
        {"type":"Feature","id":"hill","geometry":{"type":"LineString","coordinates":[[-96.6041,39.1069],[-96.6041,39.1119]]},
        "properties":{"name":"Hill"}},
        {"type":"Feature","geometry":{"type":"Point","coordinates":[-96.6091,39.1069]},
        "properties":{"name":"Kiosk","kind":"trailhead"}}]}
        """#

    @Test("a made-up network says so in every answer, and gives place, way and profile for any place")
    func demonstration() throws {
        let station = try Station(Station.recorded)
        let list = try station.get("/v1/trails").json()
        #expect(list["demonstration"] as? Bool == true)
        let place = "latitude=39.1069&longitude=-96.6091"
        let nearest = try station.get("/v1/trails/nearest?\(place)").json()
        #expect(nearest["state"] as? String == "on")
        #expect(nearest["demonstration"] as? Bool == true)
        #expect(nearest["heading"] is NSNull)
        #expect((nearest["trail"] as? String)?.hasSuffix("(made up)") == true)
        #expect((nearest["position"] as? [String: Any])?["source"] as? String == "request")
        let far = try station.get("/v1/trails/nearest?latitude=39.12&longitude=-96.62").json()
        #expect(far["state"] as? String == "off")
        let way = try station.get("/v1/trails/way?to=overlook&\(place)&time=2026-11-22T18:00:00Z").json()
        #expect(way["demonstration"] as? Bool == true)
        let distance = try #require(way["distance"] as? Double)
        #expect(distance > 700)
        // Not slower than 2 km/h, nor faster than 6.
        #expect((distance / 1.67...distance / 0.55).contains(try #require(way["seconds"] as? Double)))
        let geometry = try #require(way["geometry"] as? [String: Any])
        #expect(geometry["type"] as? String == "LineString")
        #expect((geometry["coordinates"] as? [[Double]])?.first == [-96.6091, 39.1069])
        #expect(way["ascent"] is Double)
        // Civil twilight at Konza ends at 17:39 Central Standard Time on that day.
        #expect((way["dusk"] as? String)?.hasPrefix("2026-11-22T23:3") == true)
        let profile = try station.get("/v1/trails/profile?trail=hill%20loop%20(made%20up)").json()
        let heights = try #require(profile["points"] as? [[String: Any]]).compactMap { $0["height"] as? Double }
        #expect(heights.allSatisfy { (315...445).contains($0) })
        #expect(heights.count > 900)
        #expect(profile["ascentThreshold"] as? Double == 3)
        for accuracy in [200, 400, 900] {
            let poor = try station.get("/v1/trails/nearest?\(place)&accuracy=\(accuracy)").json()
            #expect(poor["state"] as? String == "unknown", "\(accuracy)")
            #expect((poor["candidates"] as? [String])?.isEmpty == false, "\(accuracy)")
        }
        for (path, status) in [
            ("/v1/trails/way?to=nowhere&\(place)", 404), ("/v1/trails/profile?trail=none", 404),
            ("/v1/trails?format=x", 400),
            ("/v1/trails/nearest?latitude=39", 400), ("/v1/trails/way?to=91,0&\(place)", 422),
            ("/v1/trails/way?latitude=0&longitude=0", 404), ("/v1/trails/nearest?time=2020-01-01T00:00:00Z", 404),
        ] { #expect(try station.get(path).status == status, "\(path)") }
    }

    @Test("an import replaces the demonstration and outlives a restart; a bad file changes nothing")
    func importing() throws {
        let station = try Station(Station.recorded)
        let file = station.folder.appending(path: "trails.geojson").path
        let konza = try Programs.path("konza").path
        let socket = ["--socket", "\(station.folder.path)/konza.sock"]
        try Data("{}".utf8).write(to: URL(filePath: file))
        let refused = try run(konza, ["trails", "import", file] + socket)
        #expect(refused.status == 65)
        #expect(refused.errors.contains("no GeoJSON"))
        #expect(try station.get("/v1/trails").json()["demonstration"] as? Bool == true)
        try Data(Self.geoJSON.utf8).write(to: URL(filePath: file))
        let report = try run(konza, ["trails", "import", file] + socket)
        #expect(report.status == 0)
        #expect(report.text.contains("2 trails, 3 segments, 1 junction, 1 place"))
        // Before the next fix, too, it is the last one that is judged.
        let place = try station.get("/v1/trails/nearest").json()
        #expect((place["words"] as? String)?.hasPrefix("not known") == false, "\(place)")
        #expect(try run(konza, ["trails", "import", file + "x"] + socket).status == 66)
        station.cutOff()
        try station.start()
        let list = try station.get("/v1/trails").json()
        #expect(list["demonstration"] as? Bool == false)
        #expect((list["trails"] as? [[String: Any]])?.compactMap { $0["name"] as? String } == ["Valley", "Hill"])

        // Closures: the way avoids them, and says so where it cannot.
        let here = "latitude=39.1119&longitude=-96.6041"
        #expect(try station.get("/v1/trails/way?\(here)").status == 200)
        let closed = try run(konza, ["trails", "close", "Valley", "--reason", "prescribed burn"] + socket)
        #expect(closed.status == 0, "\(closed.errors)")
        let refusal = try station.get("/v1/trails/way?\(here)")
        #expect(refusal.status == 404)
        #expect((try refusal.json()["detail"] as? String)?.contains("prescribed burn") == true)
        let onIt = try station.get("/v1/trails/nearest?latitude=39.1069&longitude=-96.6001").json()
        #expect(onIt["closed"] as? String == "prescribed burn")
        let shut = try #require(try station.get("/v1/trails").json()["trails"] as? [[String: Any]])
        #expect(shut.map { $0["closedLength"] as? Double } == [shut[0]["length"] as? Double, nil])
        #expect(try run(konza, ["trails"] + socket).text.contains("CLOSED: prescribed burn"))
        // One who stands on it is led off it, and is told how much of the way is closed.
        let off = try station.get("/v1/trails/way?latitude=39.1069&longitude=-96.6001").json()
        #expect(off["avoidsClosed"] as? Bool == false)
        #expect(off["closedLength"] as? Double ?? 0 > 0)
        #expect((off["closed"] as? [[String: Any]])?.first?["reason"] as? String == "prescribed burn")
        #expect(try run(konza, ["trails", "open", "Valley"] + socket).status == 0)
        #expect(try station.get("/v1/trails/way?\(here)").status == 200)
        #expect(try station.post("/v1/trails/closures", #"{"trail":"None"}"#).status == 404)
        // Who asks the way to a trail that is closed is told, also where he stands at its beginning.
        #expect(try run(konza, ["trails", "close", "Valley", "--reason", "flood"] + socket).status == 0)
        let begin = "latitude=39.1069&longitude=-96.6091"
        #expect(try station.get("/v1/trails/way?\(begin)&to=Valley").json()["toClosed"] as? String == "flood")
        #expect(try station.get("/v1/trails/way?\(begin)&to=Hill").json()["toClosed"] == nil)
        let told = try run(konza, ["way", "Valley"] + socket)
        #expect(told.text.contains("Valley is closed, as a whole or in part: flood"), "\(told.text) \(told.errors)")
        #expect(try run(konza, ["trails", "open", "Valley"] + socket).status == 0)
        let over = try run(konza, ["trails", "close", "Valley", "--until", "2020-01-01T00:00:00Z"] + socket)
        #expect(over.status != 0 && over.errors.contains("give a later time"), "\(over.errors)")
        // On the trail itself the distance is 0, without a sign.
        let exact = try station.get("/v1/trails/nearest?latitude=39.1069&longitude=-96.6066").body
        #expect(exact.range(of: Data(#""distance":-0,"#.utf8)) == nil, "\(String(decoding: exact, as: UTF8.self))")
        #expect(exact.range(of: Data(#""distance":0,"#.utf8)) != nil, "\(String(decoding: exact, as: UTF8.self))")
        #expect(try station.post("/v1/trails/closures", #"{"trail":"Hill","segment":"main"}"#).status == 422)
    }

    /// A ladder with two rungs and a way home; the inner rung closes in December.
    private static let ladder: String = {
        func line(_ name: String, _ points: String, _ more: String = "") -> String {
            #"{"type":"Feature","properties":{"name":"\#(name)"\#(more)},"geometry":{"type":"LineString","coordinates":[\#(points)]}}"#
        }
        func place(_ name: String, _ kind: String, _ point: String) -> String {
            #"{"type":"Feature","properties":{"name":"\#(name)","kind":"\#(kind)"},"geometry":{"type":"Point","coordinates":\#(point)}}"#
        }
        let mud = #","closures":[{"reason":"mud","from":"2026-12-01T00:00:00Z","until":"2026-12-10T00:00:00Z"}]"#
        let features = [
            line("South", "[-96.609,39.1],[-96.604,39.1]"), line("North", "[-96.609,39.104],[-96.604,39.104]"),
            line("West", "[-96.609,39.1],[-96.609,39.104]"), line("Mid", "[-96.604,39.1],[-96.604,39.104]", mud),
            place("TH", "trailhead", "[-96.609,39.1]"), place("View", "viewpoint", "[-96.604,39.104]"),
        ]
        return #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    }()

    @Test("a rung that closes during the walk is avoided; out of a closure one is led home, and not on into it")
    func closures() throws {
        let station = try Station(Station.recorded)
        #expect(try station.request("POST", "/v1/trails?source=ladder", body: Self.ladder).status / 100 == 2)
        let here = "latitude=39.1&longitude=-96.606"
        func way(_ query: String) throws -> [String: Any] { try station.get("/v1/trails/way?\(query)").json() }
        let before = try way("\(here)&to=View&time=2026-11-30T12:00:00Z")
        #expect(abs((before["distance"] as? Double ?? 0) - 617) < 3 && before["avoidsClosed"] as? Bool == false)
        let soon = try way("\(here)&to=View&time=2026-11-30T23:58:00Z")
        #expect(abs((soon["distance"] as? Double ?? 0) - 1136) < 3 && soon["avoidsClosed"] as? Bool == true)
        let on = try way("latitude=39.102&longitude=-96.604&time=2026-11-30T23:58:00Z")
        let closing = try #require((on["closing"] as? [[String: Any]])?.first)
        #expect(closing["reason"] as? String == "mud" && closing["from"] as? String == "2026-12-01T00:00:00.000Z")

        #expect(try station.post("/v1/trails/closures", #"{"everything":true,"reason":"burn"}"#).status / 100 == 2)
        let deeper = try station.get("/v1/trails/way?\(here)&to=View")
        #expect(deeper.status == 404)
        let detail = try deeper.json()["detail"] as? String ?? ""
        #expect(detail.contains("(burn); the nearest way out of the closure is at TH"), "\(detail)")
        let home = try way(here)
        #expect(home["closedLength"] as? Double == home["distance"] as? Double && home["distance"] != nil)
        #expect(try station.get("/v1/trails/way?latitude=39.12&longitude=-96.60").status == 404)
    }

    /// Lines without ids, one name each.
    private static func lines(_ lines: [(name: String, points: String)]) -> String {
        let features = lines.map { name, points in
            #"{"type":"Feature","properties":{"name":"\#(name)"},"geometry":{"type":"LineString","coordinates":[\#(points)]}}"#
        }
        return #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    }

    @Test(
        "a closed segment is closed where it lies: after an import in another order, and it is said when nothing is there"
    )
    func closedGround() throws {
        let station = try Station(Station.recorded)
        let (konza, socket) = (try Programs.path("konza").path, ["--socket", station.socket])
        let west = ("Loop (west)", "[-96.609,39.1],[-96.606,39.1]")
        let east = ("Loop (east)", "[-96.606,39.1],[-96.603,39.1]")
        func take(_ source: String, _ list: [(name: String, points: String)], _ more: String = "") throws -> [String:
            Any]
        {
            let answer = try station.request("POST", "/v1/trails?source=\(source)\(more)", body: Self.lines(list))
            #expect(answer.status == 200)
            return try answer.json()
        }
        func closed() throws -> [String] {
            let trails: [String: Any] = try station.get("/v1/trails").json()
            return (trails["trails"] as? [[String: Any]] ?? []).filter { $0["closed"] != nil }.compactMap {
                $0["name"] as? String
            }
        }
        _ = try take("one", [west, east])
        #expect(try run(konza, ["trails", "close", "s1", "--segment", "--reason", "flood"] + socket).status == 0)
        #expect(try closed() == ["Loop (west)"])
        let again = try take("one", [east, west])
        #expect(try closed() == ["Loop (west)"] && again["idleClosures"] == nil)
        // What only the east has left nothing of it: seen before and after.
        for more in ["&dryRun=yes", ""] {
            #expect(try take("one", [east], more)["idleClosures"] as? [Int] == [1])
        }
        let listed = try run(konza, ["trails", "list"] + socket)
        #expect(listed.text.contains("closes nothing") && listed.text.contains("konza trails open 1"), "\(listed.text)")
        // Two sources with one id, and two trails with one short name.
        _ = try take("two", [west])
        #expect(try closed() == ["Loop (west)"])
        for command in [
            ["trails", "close", "s1", "--segment"], ["trails", "close", "Loop"], ["trails", "show", "loop"],
            ["trails", "export", "Loop"], ["way", "Loop"],
        ] {
            let outcome = try run(konza, command + socket)
            #expect(
                outcome.status != 0 && outcome.errors.contains(" or "), "\(command): \(outcome.errors) \(outcome.text)")
        }
        #expect(try run(konza, ["trails", "open", "1"] + socket).status == 0)
        #expect(try run(konza, ["trails", "close", "two:s1~1", "--segment"] + socket).status == 0)
        #expect(try closed() == ["Loop (west)"])
        let gone = try run(konza, ["trails", "remove", "two"] + socket)
        #expect(gone.status == 0 && gone.text.contains("closes nothing"), "\(gone.text)")
        #expect(try run(konza, ["trails", "open", "two:s1~2"] + socket).status == 0)
        #expect((try station.get("/v1/trails/closures").json()["closures"] as? [Any])?.isEmpty == true)
    }

    @Test("a change of the trail is an event, with the trail and the state")
    func events() throws {
        let station = try Station(Station.recorded)
        try waitUntil("the trail is known", seconds: 30) {
            try station.get("/v1/trails/nearest").json()["state"] as? String == "on"
        }
        let listener = try station.listen("trail", seconds: 60)
        // Other trails under the same feet.
        #expect(try station.request("POST", "/v1/trails?source=other", body: Self.geoJSON).status / 100 == 2)
        try waitUntil("the event has come", seconds: 30) { listener.text.contains("data:") }
        #expect(listener.text.contains("event: trail"))
        let data = try #require(listener.text.split(separator: "\n").first { $0.hasPrefix("data:") }?.dropFirst(5))
        let event = try #require(try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any])
        #expect(event["trail"] as? String == "Valley")
        #expect(["on", "near"].contains(event["state"] as? String))
        #expect((event["position"] as? [String: Any])?["source"] as? String == "recorded")
        _ = listener.stop()
    }

    @Test("GDAL and gpsbabel read what is written", arguments: ["geojson", "gpx", "kml"])
    func foreignReaders(_ form: String) throws {
        let station = try Station(Station.recorded)
        let file = station.folder.appending(path: "trails.\(form)").path
        try station.get("/v1/trails?format=\(form)").body.write(to: URL(filePath: file))
        if FileManager.default.isExecutableFile(atPath: "/usr/bin/ogrinfo") {
            let outcome = try run("/usr/bin/ogrinfo", ["-ro", "-al", "-so", file])
            #expect(outcome.status == 0)
            #expect(!outcome.text.contains("ERROR") && !outcome.errors.contains("ERROR"), "\(outcome.errors)")
            #expect(outcome.text.contains("Feature Count: "))
        }
        if form != "geojson", FileManager.default.isExecutableFile(atPath: "/usr/bin/gpsbabel") {
            let outcome = try run("/usr/bin/gpsbabel", ["-t", "-i", form, "-f", file, "-o", "gpx", "-F", "-"])
            #expect(outcome.status == 0)
            #expect(outcome.text.contains("Nature Trail (made up)"))
        }
    }
}
