import Foundation
import KonzaTesting
import Testing

/// A camera that hangs sideways or head down, from outside: the recorded one plays a picture that jpegtran has turned
/// the other way, so that everything that leaves konzad must be the picture itself again.
@Suite("A camera that hangs sideways")
struct RotationTests {
    /// A picture as djpeg decodes it.
    private struct Pixels: Equatable {
        let width: Int
        let height: Int
        let values: Data

        /// The sum of the three channels.
        func light(_ x: Int, _ y: Int) -> Int {
            let at = values.startIndex + (y * width + x) * 3
            return Int(values[at]) + Int(values[at + 1]) + Int(values[at + 2])
        }
    }

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("konza-turn-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Self.template.write(
            to: folder.appendingPathComponent("words.json"), atomically: true, encoding: .utf8)
    }

    private func pixels(_ jpeg: Data) throws -> Pixels {
        let outcome = try run("djpeg", ["-ppm"], input: jpeg)
        #expect(outcome.errors.isEmpty)
        // P6, the size and 255, a line each.
        let head = outcome.output.split(separator: 10, maxSplits: 3, omittingEmptySubsequences: false)
        guard head.count == 4 else { throw Complaint("cannot read the picture: \(outcome.errors)") }
        let size = String(decoding: head[1], as: UTF8.self).split(separator: " ").compactMap { Int($0) }
        return Pixels(width: size[0], height: size[1], values: Data(head[3]))
    }

    /// A dark picture with a bright corner at the top left and a slope across: nothing of it is symmetric.
    private func uprightPicture(_ width: Int, _ height: Int) throws -> Data {
        var ppm = Data("P6\n\(width) \(height)\n255\n".utf8)
        for y in 0..<height {
            for x in 0..<width {
                let isCorner = x < width / 4 && y < height / 8
                ppm.append(
                    contentsOf: isCorner ? [250, 240, 90] : [UInt8(20 + x * 60 / width), 50, UInt8(y * 80 / height)])
            }
        }
        return try run("cjpeg", ["-quality", "90", "-sample", "2x1", "-restart", "1"], input: ppm).output
    }

    private func settings(_ recording: URL, rotate: Int, mirror: String = "no") -> String {
        """
        [Position]
        Source=recorded
        [Camera]
        Source=recorded
        Recording=\(recording.path)
        Rotate=\(rotate)
        Mirror=\(mirror)
        [Postcards]
        Template=words
        TemplateFolders=\(folder.path)
        """
    }

    /// Neither time nor position: the words of all postcards are the same.
    private static let template = """
        {
          "name": "words", "title": "Words",
          "layers": [
            { "type": "band", "edge": "bottom", "size": "20s", "fill": "#fffbe8" },
            { "type": "text", "font": "Cabin", "size": "7s", "at": ["4s", "100h - 10s"], "anchor": "left",
              "text": "{place}", "paint": [ { "fill": "#16241d" } ] },
            { "type": "text", "font": "Cabin", "size": "9s", "at": ["50w", "6s"], "anchor": "top",
              "text": "{message}", "paint": [ { "fill": "#ffffff" } ] }
          ]
        }
        """

    private func recording(_ name: String, _ picture: Data) throws -> URL {
        let place = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try picture.write(to: place.appendingPathComponent("a.jpg"))
        return place
    }

    private func exif(_ path: String) throws -> [String: Any] {
        let outcome = try run("exiftool", ["-json", "-n", path])
        let list = try JSONSerialization.jsonObject(with: outcome.output) as? [[String: Any]]
        return try #require(list?.first)
    }

    /// The first picture of the live preview.
    private func preview(_ station: Station) throws -> Data {
        let outcome = try run(
            "curl", ["-sS", "-m", "1", "--unix-socket", station.socket, "http://localhost/v1/camera/preview?fps=5"])
        let bytes = outcome.output
        let start = try #require(bytes.range(of: Data("\r\n\r\n".utf8))?.upperBound)
        let head = String(decoding: bytes[..<start], as: UTF8.self)
        let length = head.components(separatedBy: "\r\n").first { $0.hasPrefix("Content-Length: ") }
            .flatMap { Int($0.dropFirst(16)) }
        return Data(bytes[start..<(start + (try #require(length)))])
    }

    /// What a postcard's lettering covers: the pixels that differ from the picture.
    private func lettering(_ postcard: Pixels, on picture: Pixels) -> [Bool] {
        (0..<(picture.width * picture.height)).map { index in
            let (x, y) = (index % picture.width, index / picture.width)
            return abs(postcard.light(x, y) - picture.light(x, y)) > 90
        }
    }

    /// The share of what is lettering in either that is lettering in both.
    private func agreement(_ left: [Bool], _ right: [Bool]) -> Double {
        var (both, either) = (0, 0)
        for (one, other) in zip(left, right) {
            if one && other { both += 1 }
            if one || other { either += 1 }
        }
        return Double(both) / Double(max(1, either))
    }

    /// The pixels of a postcard with words, its parts checked on the way.
    private func postcard(_ station: Station, _ upright: Pixels) throws -> Pixels {
        let reply = try station.post("/v1/postcards", #"{"message":"Hello from here","place":"Kings Creek"}"#)
        #expect(reply.status == 201, "\(String(decoding: reply.body, as: UTF8.self))")
        let postcard = try reply.json()
        #expect(postcard["width"] as? Int == upright.width && postcard["height"] as? Int == upright.height)
        // Restart markers are there, so that the lettering is spliced in.
        #expect((postcard["stamping"] as? [String: Any])?["way"] as? String == "restartSplice")
        let path = try #require(postcard["path"] as? String)
        let tags = try exif(path)
        #expect(tags["Orientation"] as? Int == 1)
        #expect(tags["ImageWidth"] as? Int == upright.width && tags["ImageHeight"] as? Int == upright.height)
        #expect(tags["ExifImageWidth"] as? Int == upright.width)
        let id = try #require(postcard["id"] as? String)
        let original = try pixels(station.get("/v1/postcards/\(id)/original.jpg").body)
        #expect(original == upright)
        let embedded = try pixels(run("exiftool", ["-b", "-ThumbnailImage", path]).output)
        let small = try pixels(station.get("/v1/postcards/\(id)/thumbnail.jpg").body)
        for picture in [embedded, small] {
            #expect((picture.width > picture.height) == (upright.width > upright.height))
        }
        return try pixels(Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test("everything that leaves konzad is upright, and the lettering too", arguments: [90, 180, 270])
    func upright(rotate: Int) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (width, height) = rotate == 180 ? (640, 480) : (480, 640)
        let picture = try uprightPicture(width, height)
        let upright = try pixels(picture)
        let hung = try run("jpegtran", ["-rotate", "\(360 - rotate)", "-perfect"], input: picture).output
        let reference = try Station(settings(recording("upright", picture), rotate: 0))
        let expected = try lettering(postcard(reference, upright), on: upright)
        #expect(expected.count { $0 } > expected.count / 50)

        let station = try Station(settings(recording("hung", hung), rotate: rotate))
        let found = try lettering(postcard(station, upright), on: upright)
        #expect(agreement(found, expected) > 0.97, "\(agreement(found, expected))")
        #expect(agreement(found, expected.reversed()) < 0.3, "\(agreement(found, expected.reversed()))")

        #expect(try pixels(station.get("/v1/camera/frame.jpg").body) == upright)
        #expect(try pixels(preview(station)) == upright)
        let rehearsal = try pixels(
            station.post("/v1/postcards/preview", #"{"message":"Hello from here","place":"Kings Creek"}"#).body)
        #expect(agreement(lettering(rehearsal, on: upright), expected) > 0.97)
        let camera = try station.get("/v1/camera").json()
        let format = try #require(camera["format"] as? [String: Any])
        #expect(format["width"] as? Int == width && format["height"] as? Int == height)
        #expect(camera["rotate"] as? Int == rotate && camera["previewMirrored"] as? Bool == false)
        let specimen = try station.post("/v1/specimens", #"{"rockType":"Gneiss"}"#).json()
        let specimenID = try #require(specimen["id"] as? String)
        let root = "/v1/specimens/\(specimenID)/photographs"
        let taken = try station.post(root)
        #expect(taken.status == 201, "\(String(decoding: taken.body, as: UTF8.self))")
        let photograph = try taken.json()
        #expect(photograph["width"] as? Int == width && photograph["height"] as? Int == height)
        let photographID = try #require(photograph["id"] as? String)
        #expect(try pixels(station.get("\(root)/\(photographID)/file").body) == upright)
    }

    @Test("the live preview alone is a mirror, from the next frame after a reload on")
    func mirror() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let picture = try uprightPicture(480, 640)
        let upright = try pixels(picture)
        let mirrored = try pixels(run("jpegtran", ["-flip", "horizontal", "-perfect"], input: picture).output)
        #expect(mirrored != upright)
        let hung = try recording("hung", run("jpegtran", ["-rotate", "270", "-perfect"], input: picture).output)
        let station = try Station(settings(hung, rotate: 90))
        #expect(try pixels(preview(station)) == upright)
        try station.reload(settings(hung, rotate: 90, mirror: "yes"))
        try waitUntil("the setting is in force", seconds: 20) {
            try station.get("/v1/camera").json()["previewMirrored"] as? Bool == true
        }
        #expect(try pixels(preview(station)) == mirrored)
        #expect(try pixels(station.get("/v1/camera/frame.jpg").body) == upright)
        let kept = try postcard(station, upright)
        let rehearsal = try pixels(
            station.post("/v1/postcards/preview", #"{"message":"Hello from here","place":"Kings Creek"}"#).body)
        let words = (lettering(kept, on: upright), lettering(rehearsal, on: upright))
        #expect(agreement(words.0, words.1) > 0.97, "\(agreement(words.0, words.1))")
        // A camera that hangs straight has a mirror too.
        try station.reload(settings(recording("upright", picture), rotate: 0, mirror: "yes"))
        try waitUntil("the picture is played", seconds: 20) {
            try station.get("/v1/camera").json()["rotate"] as? Int == 0
        }
        #expect(try pixels(preview(station)) == mirrored)
        #expect(try pixels(station.get("/v1/camera/frame.jpg").body) == upright)
    }

    @Test("a value that is no quarter turn is refused at the start, with what there is")
    func refused() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("konzad.conf")
        try "[Camera]\nRotate=45\n".write(to: file, atomically: true, encoding: .utf8)
        let outcome = try run(Programs.path("konzad").path, ["--config", file.path, "--check-config"])
        #expect(outcome.status != 0)
        let text = outcome.errors + outcome.text
        #expect(text.contains(#":2: [Camera] Rotate=: "45" is not known; there are 0, 90, 180, 270"#), "\(text)")
    }
}
