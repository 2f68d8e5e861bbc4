import Foundation
import KonzaTesting
import Testing

@Suite("The named view over the socket", .serialized)
struct ViewRouteTests {
    private static let place = #""latitude":39.1069,"longitude":-96.6091,"cameraHeight":330.5,"accuracy":2"#
    /// Where a camera without distortion has them that looks to 118 degrees, 2 degrees up, f 1371, 1920 by 1080: made by the
    /// published directions of the landmarks (azimuth, elevation) and a straight projection, to half a pixel.
    private static let clicks: [(x: Double, y: Double, target: String)] = {
        func point(_ azimuth: Double, _ elevation: Double) -> (Double, Double) {
            let turn = (azimuth - 118) * .pi / 180
            let (e, p) = (elevation * .pi / 180, 2 * Double.pi / 180)
            let depth = cos(e) * cos(turn) * cos(p) + sin(e) * sin(p)
            let x = cos(e) * sin(turn) / depth
            let y = -(sin(e) * cos(p) - cos(e) * cos(turn) * sin(p)) / depth
            return (960 + 1371 * x, 540 + 1371 * y)
        }
        let tower = point(127.733, 1.590)
        let ridge = point(99.680, 1.343)
        // The sun on 2026-12-21 at 14:00 UTC stands at 122.898, 2.126; refraction raises it by 0.285.
        let sun = point(122.898, 2.411)
        return [
            (tower.0, tower.1, #""landmark":"FAA 20-001751""#),
            (ridge.0, ridge.1, #""latitude":39.100774,"longitude":-96.563075,"height":425.81,"accuracy":2"#),
            (sun.0, sun.1, #""body":"sun","time":"2026-12-21T14:00:00Z""#),
        ]
    }()

    private static func body(_ clicks: [(x: Double, y: Double, target: String)]) -> String {
        let list = clicks.map { #"{"x":\#($0.x),"y":\#($0.y),\#($0.target)}"# }.joined(separator: ",")
        return #"{"width":1920,"height":1080,"fieldOfView":70,\#(place),"clicks":[\#(list)]}"#
    }

    @Test("is calibrated by clicks, outlives a restart, and names the tower at its place")
    func calibration() throws {
        let station = try Station(Station.recorded)
        let before = try station.get("/v1/view").json()
        #expect(before["state"] as? String == "uncalibrated" && (before["labels"] as? [Any])?.isEmpty == true)
        #expect(try station.get("/v1/view/calibration").status == 409)

        let reply = try station.request("PUT", "/v1/view/calibration", body: Self.body(Self.clicks))
        try #require(reply.status == 200, "\(String(decoding: reply.body, as: UTF8.self))")
        let found = try reply.json()
        #expect(abs(try #require(found["azimuth"] as? Double) - 118) < 0.3)
        #expect(abs(try #require(found["pitch"] as? Double) - 2) < 0.3)
        #expect(abs(try #require(found["focal"] as? Double) - 1371) < 30)
        let view = try station.get("/v1/view").json()
        let labels = try #require(view["labels"] as? [[String: Any]])
        let tower = try #require(labels.first { abs(($0["azimuth"] as? Double ?? 0) - 127.733) < 0.05 })
        #expect(abs(try #require(tower["x"] as? Double) - Self.clicks[0].x) < 3)
        #expect(abs(try #require(tower["y"] as? Double) - Self.clicks[0].y) < 3)
        #expect(tower["name"] is String && (tower["sigma"] as? Double ?? 0) > 0)
        #expect(!labels.contains { $0["name"] as? String == "NEON KONZ tower" })
        // The answer itself has the names, too, in the language that is asked for.
        for (query, word) in [("", "tower of 539 m"), ("?language=es", "torre de 539 m")] {
            let again = try station.request("PUT", "/v1/view/calibration\(query)", body: Self.body(Self.clicks))
            let names = try #require(again.json()["labels"] as? [[String: Any]]).compactMap { $0["name"] as? String }
            #expect(names.contains(word), "\(names)")
        }
        let kept = try Data(contentsOf: URL(filePath: "\(station.folder.path)/state/view-calibration"))
        #expect(!kept.isEmpty)
    }

    @Test(
        "is refused where the clicks cannot tell, with the reason",
        arguments: [
            (Array(clicks.prefix(2)), "3 landmarks"),
            ([clicks[0], clicks[0], clicks[0]], "close together"),
            (
                [clicks[0], clicks[1], (10, 10, #""landmark":"nowhere""#)], "there is no landmark nowhere"
            ),
            ([clicks[0], clicks[1], (10, 10, #""body":"moon""#)], "instant"),
            (
                [clicks[0], clicks[1], (10, 10, #""body":"sun","time":"2026-12-21T06:00:00Z""#)],
                "the sun was not up at 2026-12-21T06:00:00"
            ),
            (
                [clicks[0], clicks[1], (10, 1080.5, #""body":"moon","time":"2026-12-21T14:00:00Z""#)],
                "below the picture"
            ),
        ])
    func refused(clicks: [(x: Double, y: Double, target: String)], words: String) throws {
        let station = try Station(Station.recorded)
        let reply = try station.request("PUT", "/v1/view/calibration", body: Self.body(clicks))
        #expect(reply.status == 422)
        #expect(
            String(decoding: reply.body, as: UTF8.self).contains(words),
            "\(String(decoding: reply.body, as: UTF8.self))")
        #expect(try station.get("/v1/view/calibration").status == 409)
    }

    /// The clicks for a picture of 1280 by 720.
    private static var smaller: String {
        let list = clicks.map { #"{"x":\#($0.x / 1.5),"y":\#($0.y / 1.5),\#($0.target)}"# }.joined(separator: ",")
        return #"{"width":1280,"height":720,"fieldOfView":70,\#(place),"clicks":[\#(list)]}"#
    }

    @Test("its names are stamped into postcards without touching anything else, and programs can read them")
    func postcards() throws {
        let station = try Station(
            Station.recorded.replacing("Width=640", with: "Width=1280").replacing("Height=480", with: "Height=720")
                + "\n[Postcards]\nKeepOriginal=yes")
        let refusal = try station.post("/v1/postcards", #"{"labels":true}"#)
        #expect(refusal.status == 409)
        #expect(try refusal.json()["kind"] as? String == "conflict")
        try Self.waitForPicture(station)
        // The template alone goes without names until they are known.
        #expect(try station.post("/v1/postcards", #"{"template":"panorama"}"#).status == 201)
        try #require(try station.request("PUT", "/v1/view/calibration", body: Self.smaller).status == 200)
        let labels = try #require(try station.get("/v1/view").json()["labels"] as? [[String: Any]])
        let kinds = Set(labels.compactMap { $0["kind"] as? String })
        #expect(kinds.isSuperset(of: ["tower", "trail"]), "\(kinds)")
        // What is made up says so in its name.
        #expect(
            labels.filter { $0["kind"] as? String == "trail" }.allSatisfy {
                ($0["name"] as? String ?? "").contains("(made up)")
            })
        for (body, name) in [
            (#"{"template":"panorama"}"#, "panorama"), (#"{"labels":true,"template":"band"}"#, "band"),
        ] {
            let made = try station.post("/v1/postcards", body)
            try #require(made.status == 201, "\(String(decoding: made.body, as: UTF8.self))")
            let id = try #require(try made.json()["id"] as? String)
            let stamped = station.folder.appending(path: "\(name).jpg").path
            let original = station.folder.appending(path: "\(name)-original.jpg").path
            try station.get("/v1/postcards/\(id)/image.jpg").body.write(to: URL(filePath: stamped))
            try station.get("/v1/postcards/\(id)/original.jpg").body.write(to: URL(filePath: original))
            if let keep = ProcessInfo.processInfo.environment["KONZA_KEEP_PICTURES"] {
                try Data(contentsOf: URL(filePath: stamped)).write(to: URL(filePath: "\(keep)/labels-\(name).jpg"))
            }
            try Self.expectNames(stamped, labels, over: original)
            try Self.expectUntouched(stamped, original)
            try Self.expectMark(stamped)
        }
        // Shots have no one view.
        let shot = try #require(try station.post("/v1/shots").json()["id"] as? String)
        let collage = try station.post("/v1/postcards", #"{"shots":["\#(shot)","\#(shot)"],"labels":true}"#)
        #expect(collage.status == 422)
    }

    /// Painting the first large picture takes a busy machine some seconds.
    private static func waitForPicture(_ station: Station) throws {
        try waitUntil("a picture is there", seconds: 60) { try station.get("/v1/camera/frame.jpg").status == 200 }
    }

    /// exiftool finds the tower in both kinds of regions, about where the label is, and a line to each region's middle is drawn.
    private static func expectNames(_ file: String, _ labels: [[String: Any]], over original: String) throws {
        let text = try run("exiftool", ["-j", "-n", "-struct", "-ImageRegion", "-RegionInfo", file]).text
        let read = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        let images = try #require(read.first?["ImageRegion"] as? [[String: Any]])
        let info = try #require(read.first?["RegionInfo"] as? [String: Any])
        let regions = try #require(info["RegionList"] as? [[String: Any]])
        #expect((info["AppliedToDimensions"] as? [String: Any])?["W"] as? Int == 1280)
        #expect(images.count == regions.count && !images.isEmpty)
        let tower = try #require(labels.first { abs(($0["azimuth"] as? Double ?? 0) - 127.733) < 0.05 })
        let name = try #require(tower["name"] as? String)
        let region = try #require(regions.first { $0["Name"] as? String == name })
        let area = try #require(region["Area"] as? [String: Any])
        let x = try #require(tower["x"] as? Double)
        #expect(abs(try #require(area["X"] as? Double) * 1280 - x) < 3)
        #expect(images.contains { ($0["Name"] as? String) == name })
        // No more names than a template draws, and no two at one spot.
        #expect(regions.count <= 12)
        let points = regions.compactMap { region -> (Double, Double)? in
            guard let area = region["Area"] as? [String: Any], let x = area["X"] as? Double,
                let y = area["Y"] as? Double
            else { return nil }
            return (x * 1280, y * 720)
        }
        let (drawn, bare) = (try pixels(file), try pixels(original))
        for (index, point) in points.enumerated() {
            // At the upper edge, where the sun may stand, the name is below its point.
            let difference = [-6, 6].map { away in
                let start = ((Int(point.1.rounded()) + away) * 1280 + Int(point.0.rounded())) * 3
                return (start..<(start + 3)).reduce(0) { $0 + abs(Int(drawn[$1]) - Int(bare[$1])) }
            }
            #expect(max(difference[0], point.1 < 80 ? difference[1] : 0) > 20, "no line to \(point)")
            #expect(points.dropFirst(index + 1).allSatisfy { hypot($0.0 - point.0, $0.1 - point.1) > 3 })
        }
    }

    /// The picture is painted, and says so in its upper left corner: dark letters on gold, as the page has them.
    private static func expectMark(_ file: String) throws {
        let pixels = try pixels(file)
        var gold = 0
        for row in 0..<90 {
            for column in 0..<400 {
                let start = (row * 1280 + column) * 3
                let (red, green, blue) = (Int(pixels[start]), Int(pixels[start + 1]), Int(pixels[start + 2]))
                if abs(red - 242) < 24, abs(green - 182) < 24, blue < 110 { gold += 1 }
            }
        }
        #expect(gold > 1500, "\(gold) pixels of the mark's plate")
    }

    private static func pixels(_ file: String) throws -> [UInt8] {
        let outcome = try run("djpeg", ["-nosmooth", "-dct", "int", "-ppm", file])
        return Array(outcome.output.suffix(1280 * 720 * 3))
    }

    /// Decoded without smoothing over the borders of MCUs, only some of these differ, and each as a whole or not at all.
    private static func expectUntouched(_ stamped: String, _ original: String) throws {
        let (first, second) = (try pixels(stamped), try pixels(original))
        #expect(first.count == second.count && first.count == 1280 * 720 * 3)
        var touched = 0
        for row in 0..<(720 / 16) {
            for column in 0..<(1280 / 16) {
                let isSame = (0..<16).allSatisfy { line in
                    let start = ((row * 16 + line) * 1280 + column * 16) * 3
                    return first[start..<(start + 48)] == second[start..<(start + 48)]
                }
                touched += isSame ? 0 : 1
            }
        }
        // The band at the lower edge has six rows of 45, the names a few blocks each.
        #expect(touched > 80 && touched < 45 * 80 / 2, "\(touched)")
    }

    @Test("a skyline that is not where it should be makes the view unverified, and no name is stamped any more")
    func verification() throws {
        let station = try Station(
            Station.recorded.replacing("Width=640", with: "Width=1280").replacing("Height=480", with: "Height=720"))
        #expect(try station.request("POST", "/v1/view/verification").status == 409)
        try #require(try station.request("PUT", "/v1/view/calibration", body: Self.smaller).status == 200)
        try Self.waitForPicture(station)
        // The painted prairie has hills of its own.
        let reply = try station.request("POST", "/v1/view/verification")
        guard reply.status == 200 else {
            #expect(reply.status == 409, "\(String(decoding: reply.body, as: UTF8.self))")
            return
        }
        let deviation = try #require(try reply.json()["skylineDeviation"] as? Double)
        let view = try station.get("/v1/view").json()
        #expect(view["skylineDeviation"] as? Double == deviation)
        #expect(view["state"] as? String == (deviation > 3 ? "unverified" : "calibrated"))
        #expect(try station.post("/v1/postcards", #"{"labels":true}"#).status == (deviation > 3 ? 409 : 201))
        station.cutOff()
        try station.start()
        #expect(try station.get("/v1/view").json()["skylineDeviation"] as? Double == deviation)
    }
}

extension String {
    fileprivate func replacing(_ part: String, with other: String) -> String {
        replacingOccurrences(of: part, with: other)
    }
}
