import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Drawing

@Suite("Drawing postcards")
struct PostcardArtistTests {
    private let artist = PostcardArtist()

    private static let sizes = [(640, 480), (1280, 720), (480, 640), (333, 777), (1000, 1000), (64, 64)]

    @Test("every template is sound at every size", arguments: ShippedTemplates.names, sizes)
    func sound(name: String, size: (Int, Int)) throws {
        let template = try shipped(name)
        for facts in [wholeFacts, bareFacts] {
            let overlay = try artist.overlay(template: template, width: size.0, height: size.1, facts: facts)
            #expect((overlay.width, overlay.height) == size)
            #expect(!overlay.patches.isEmpty)
            #expect(!overlay.hasOverlaps)
            #expect(overlay.isPremultiplied)
            // The middle of the picture is the visitor's.
            #expect(overlay.pixel(size.0 / 2, size.1 * 2 / 5)[3] == 0)
        }
    }

    @Test("the shipped templates' fonts are all here", arguments: ShippedTemplates.names)
    func fonts(name: String) throws {
        #expect(try artist.missingFonts(of: shipped(name)).isEmpty)
    }

    @Test("every template greets, with a message and without", arguments: [(1600, 900), (900, 1600)])
    func greeting(width: Double, height: Double) throws {
        for template in TemplateLibrary(folders: [shippedFolder]).templates {
            for message in ["", "Wish you were here!"] {
                let facts = PostcardFacts(place: "", message: message)
                let texts = try Composer.texts(template.layers, facts, Metrics(width: width, height: height))
                let words = texts.compactMap { $0?.lowercased() }.joined(separator: " ")
                for word in ["greetings from", "konza", "prairie"] {
                    #expect(words.contains(word), "\(template.name), message \"\(message)\"")
                }
            }
        }
    }

    @Test("a band is opaque to its last row and leaves the rest alone", arguments: sizes)
    func band(size: (Int, Int)) throws {
        let band = try template(##"{"type":"band","edge":"bottom","size":"17.3s","fill":"#204030"}"##)
        let overlay = try artist.overlay(template: band, width: size.0, height: size.1, facts: bareFacts)
        let height = Int((0.173 * Double(min(size.0, size.1))).rounded())
        #expect(overlay.patches.count == 1)
        let patch = try #require(overlay.patches.first)
        #expect((patch.x, patch.y) == (0, size.1 - height))
        #expect((patch.width, patch.height) == (size.0, height))
        for index in stride(from: 0, to: patch.pixels.count, by: 4) {
            guard Array(patch.pixels[index..<index + 4]) == [0x20, 0x40, 0x30, 255] else {
                Issue.record("pixel \(index / 4) is \(patch.pixels[index..<index + 4])")
                return
            }
        }
    }

    @Test("a frame is four strips around an untouched opening")
    func frame() throws {
        let frame = try template(
            ##"{"type":"frame","top":"5s","right":"5s","bottom":"20s","left":"5s","fill":"#fff","linen":20,"rule":{"color":"#888","width":"0.2s","gap":"1s"}}"##
        )
        let overlay = try artist.overlay(template: frame, width: 800, height: 600, facts: bareFacts)
        #expect(overlay.patches.count == 4)
        #expect(!overlay.hasOverlaps)
        let covered = overlay.patches.map { $0.width * $0.height }.reduce(0, +)
        #expect(covered == 800 * 600 - 740 * 450)
        for patch in overlay.patches {
            #expect(stride(from: 3, to: patch.pixels.count, by: 4).allSatisfy { patch.pixels[$0] == 255 })
        }
    }

    @Test("what is not known is left out by the template's rule")
    func leftOut() throws {
        let metrics = Metrics(width: 800, height: 600)
        for name in ShippedTemplates.names {
            let layers = try shipped(name).layers
            let known = try Composer.texts(layers, wholeFacts, metrics).compactMap { $0 }.joined()
            #expect(known.contains("39°06′25″\u{00A0}N") && known.contains("366\u{00A0}m"))
            var facts = wholeFacts
            facts.coordinate = nil
            facts.elevationMetres = nil
            let unknown = try Composer.texts(layers, facts, metrics).compactMap { $0 }.joined()
            #expect(!unknown.contains("°") && !unknown.contains("366"))
            facts = wholeFacts
            facts.isPositionRecorded = true
            #expect(try Composer.texts(layers, facts, metrics).compactMap { $0 }.joined().contains("recorded"))
            #expect(!known.contains("recorded"))
        }
    }

    private func text(_ text: String, _ more: String = "") -> String {
        let common = ##""size":"6s","at":["50w","50h"],"anchor":"center","paint":[{"fill":"#fff"}]"##
        return
            #"{"type":"text","text":"\#(text)",\#(common)\#(more.contains("\"font\"") ? "" : #","font":"Cabin""#)\#(more)}"#
    }

    private func draw(_ layer: String, _ facts: PostcardFacts = bareFacts) throws -> Overlay {
        try artist.overlay(template: template(layer), width: 800, height: 600, facts: facts)
    }

    @Test("a value that is not known and not guarded is an error")
    func value() throws {
        let error = #expect(throws: DrawingError.self) { try draw(text("{elevation}")) }
        #expect(error?.code == .value)
        #expect(error?.message.contains(#""when": "elevation""#) == true)
    }

    @Test("a font that is not installed is an error that names it")
    func font() throws {
        let error = #expect(throws: DrawingError.self) { try draw(text("x", #","font":"Comic Sans of Atlantis""#)) }
        #expect(error?.code == .font)
        #expect(error?.message.contains("Comic Sans of Atlantis") == true)
    }

    @Test("a character that no font has is an error that names it")
    func glyph() throws {
        // U+12000 is cuneiform; U+10FFFD is for private use.
        let error = #expect(throws: DrawingError.self) { try draw(text("ab\u{10FFFD}c")) }
        #expect(error?.code == .glyph)
        #expect(error?.message.contains("U+10FFFD") == true)
    }

    @Test(
        "scripts, directions and the degree sign are all drawn",
        arguments: ["39°06′20″", "Ελλάδα", "Привет", "سلام عليكم", "שלום", "Grüße", "ẞ–ﬁ", "e\u{301}"])
    func scripts(sample: String) throws {
        let overlay = try draw(text(sample))
        #expect(overlay.patches.contains { $0.pixels.contains(255) })
    }

    @Test("a message is set in the family that has most of its letters")
    func families() throws {
        let typesetter = try Typesetter()
        let families = TextLayer.families("Kaushan Script , EB Garamond 12")
        #expect(families == ["Kaushan Script", "EB Garamond 12"])
        func chosen(_ text: String) -> String? {
            typesetter.family(among: families, for: text, weight: 400, italic: false)
        }
        #expect(chosen("Wish you were here! 🌻") == families[0])
        #expect(chosen("Καλημέρα") == families[1])
        #expect(chosen("Привет, שלום") == families[1])
        #expect(chosen("39") == families[0])
    }

    @Test("a letter that is blank in its font is an error that names it")
    func blank() throws {
        // EB Garamond 8 pt italic of Debian 12 has a glyph without an outline for Greek letters.
        let error = #expect(throws: DrawingError.self) {
            try draw(text("Καλη", #","font":"EB Garamond 08","italic":true"#))
        }
        #expect(error?.code == .glyph)
        #expect(error?.message.contains("U+03BB") == true)
        _ = try draw(text("a\u{AD} b", #","font":"EB Garamond 12""#))
    }

    @Test("an emoji keeps its colours")
    func emoji() throws {
        let overlay = try draw(text("🌻"))
        let colourful = overlay.patches.contains { patch in
            stride(from: 0, to: patch.pixels.count, by: 4).contains { place -> Bool in
                let (red, blue) = (Int(patch.pixels[place]), Int(patch.pixels[place + 2]))
                return patch.pixels[place + 3] == 255 && abs(red - blue) > 60
            }
        }
        #expect(colourful)
    }

    @Test(
        "control characters are refused, except line feeds in the message",
        arguments: ["\u{7}", "\u{0}", "\u{9B}", "\r"])
    func control(character: String) throws {
        let error = #expect(throws: DrawingError.self) {
            try draw(text("{message}"), PostcardFacts(place: "", message: "a\(character)b"))
        }
        #expect(error?.code == .value)
        #expect(throws: DrawingError.self) { try draw(text("x"), PostcardFacts(place: "a\nb")) }
        _ = try draw(text("{message}"), PostcardFacts(place: "", message: "a\nb"))
    }

    @Test("a picture's size is checked", arguments: [(0, 480), (63, 64), (640, -1), (16_385, 100)])
    func size(size: (Int, Int)) throws {
        let error = #expect(throws: DrawingError.self) {
            try artist.overlay(template: shipped("band"), width: size.0, height: size.1, facts: bareFacts)
        }
        #expect(error?.code == .size)
    }

    private func fitted(_ text: String, _ fit: String) throws -> TextLayer.Fitted {
        let json = self.text(text, #","fit":{"width":"50w",\#(fit)}"#)
        guard case .text(let layer)? = try template(json).layers.first?.content else {
            throw DrawingError(.template, "no text")
        }
        return try layer.fitted(text, Metrics(width: 800, height: 600), Typesetter(), "layers[0]")
    }

    private static let long = "the wind over the tallgrass never stops and neither do the meadowlarks in the morning"

    @Test("a text that fits keeps its size")
    func fits() throws { #expect(try fitted("short", #""minimum":50"#).em == 36) }

    @Test("a long text shrinks, and not below its minimum")
    func shrinks() throws {
        let fitted = try fitted("a text that is a little too long here", #""minimum":50"#)
        #expect(fitted.em < 36 && fitted.em >= 18)
        #expect(fitted.lettering.ink.width <= 400)
        let error = #expect(throws: DrawingError.self) { try self.fitted(Self.long, #""minimum":90"#) }
        #expect(error?.code == .overflow)
    }

    @Test("it is then broken into lines, and then ends with an ellipsis")
    func wraps() throws {
        let broken = try fitted(Self.long, #""minimum":80,"lines":3"#)
        #expect((2...3).contains(broken.lettering.lineCount))
        #expect(!broken.lettering.isEllipsised)
        #expect(broken.lettering.ink.width <= 401)
        let cut = try fitted(Self.long, #""minimum":100,"lines":2,"overflow":"ellipsis""#)
        #expect(cut.lettering.isEllipsised)
        #expect(cut.lettering.lineCount == 2)
    }

    @Test("a filling text has its width exactly")
    func fills() throws {
        #expect(abs(try fitted("KONZA", #""fill":true"#).lettering.ink.width - 400) < 1)
    }

    @Test("a long line loses none of its letters")
    func whole() throws {
        let short = try fitted("mmmmmmmmmm", #""minimum":5"#)
        let long = try fitted(String(repeating: "m", count: 100), #""minimum":5"#)
        // Ten times the letters: ten times the pieces of outline.
        #expect(long.lettering.outline.elements.count == 10 * short.lettering.outline.elements.count)
    }

    @Test("random messages never break the overlay's promises")
    func random() throws {
        let seed: UInt64 = 20_260_530
        var generator = SeededGenerator(seed: seed)
        let letters = Array("abc ÄÖÜ ñ ° жзи שלום سلام 🌾 ,.!\n")
        let vintage = try shipped("vintage")
        for _ in 0..<6 {
            let count = Int.random(in: 1...120, using: &generator)
            let message = String((0..<count).compactMap { _ in letters.randomElement(using: &generator) })
            let facts = PostcardFacts(place: "Konza", message: message)
            let overlay = try artist.overlay(template: vintage, width: 320, height: 240, facts: facts)
            #expect(!overlay.hasOverlaps && overlay.isPremultiplied, "seed \(seed), message \(message)")
        }
    }

    @Test("many threads get the same drawing")
    func threads() async throws {
        let template = try shipped("vintage")
        let expected = try artist.overlay(template: template, width: 320, height: 240, facts: wholeFacts)
        let fresh = PostcardArtist()
        try await withThrowingTaskGroup(of: Overlay.self) { group in
            for index in 0..<8 {
                group.addTask {
                    if index % 3 == 0 { fresh.releaseMemory() }
                    return try fresh.overlay(template: template, width: 320, height: 240, facts: wholeFacts)
                }
            }
            for try await overlay in group { #expect(overlay == expected) }
        }
    }

    @Test("a new message leaves the lettering as it was")
    func parts() throws {
        let template = try shipped("vintage")
        let first = try artist.overlay(template: template, width: 640, height: 480, facts: wholeFacts)
        var facts = wholeFacts
        facts.message = "See you soon"
        let second = try artist.overlay(template: template, width: 640, height: 480, facts: facts)
        #expect(first != second)
        #expect(first.patches.filter { $0.y > 240 } == second.patches.filter { $0.y > 240 })
    }

    @Test("kept drawings stay within their limit, and can be let go")
    func cache() throws {
        let small = PostcardArtist(cacheBytes: 1 << 20)
        for minute in 0..<12 {
            var facts = wholeFacts
            facts.time?.minute = minute
            _ = try small.overlay(template: shipped("band"), width: 640, height: 480, facts: facts)
            #expect(small.cachedBytes <= 1 << 20)
        }
        #expect(small.cachedBytes > 0)
        small.releaseMemory()
        #expect(small.cachedBytes == 0)
    }

    @Test("what was used longest ago is forgotten first")
    func forgetting() {
        var cache = LeastRecentlyUsed<String, Int>(limit: 10)
        cache.insert(1, for: "a", cost: 4)
        cache.insert(2, for: "b", cost: 4)
        #expect(cache["a"] == 1)
        cache.insert(3, for: "c", cost: 4)
        #expect(cache["b"] == nil)
        #expect(cache["a"] == 1 && cache["c"] == 3)
        cache.insert(4, for: "d", cost: 11)
        #expect(cache["d"] == nil && cache.cost == 8)
    }

    @Test("an image layer is drawn from a PNG file")
    func image() throws {
        try withFolder { folder in
            let red = RGBImage(
                width: 4, height: 2,
                pixels: [UInt8](repeating: 0, count: 24).enumerated().map { $0.offset % 3 == 0 ? 255 : 0 })
            try Data(red.pngBytes()).write(to: folder.appending(path: "red.png"))
            let json =
                #"{"name":"i","title":"I","layers":[{"type":"image","file":"red.png","at":["0s","0s"],"width":"50w"}]}"#
            let template = try Template(parsing: json, folder: folder.path)
            let overlay = try artist.overlay(template: template, width: 400, height: 400, facts: bareFacts)
            #expect(overlay.pixel(100, 50) == [255, 0, 0, 255])
            #expect(overlay.pixel(100, 110) == [0, 0, 0, 0])
            let missing = try Template(parsing: json.replacing("red.png", with: "blue.png"), folder: folder.path)
            let error = #expect(throws: DrawingError.self) {
                try artist.overlay(template: missing, width: 400, height: 400, facts: bareFacts)
            }
            #expect(error?.code == .file)
        }
    }

    @Test("a placeholder says what it is given, without its control characters")
    func placeholder() throws {
        let first = try artist.placeholder(
            width: 320, height: 240, title: "No camera", reasons: ["cannot open\u{7} it"])
        let second = try artist.placeholder(width: 320, height: 240, title: "No camera", reasons: ["it is gone"])
        #expect(first.width == 320 && first.height == 240)
        #expect(first != second)
        let many = Array(repeating: "a long reason that goes on for a while", count: 40)
        _ = try artist.placeholder(width: 320, height: 240, title: "No camera", reasons: many)
        _ = try artist.placeholder(width: 240, height: 320, title: "", reasons: [])
    }

    @Test("a PNG keeps every pixel")
    func png() throws {
        let count = 5 * 3 * 3
        let pixels = (0..<count).map { UInt8($0 * 5) }
        let bytes = try RGBImage(width: 5, height: 3, pixels: pixels).pngBytes()
        let header = try PNGHeader(bytes.span)
        #expect((header.width, header.height) == (5, 3))
        #expect(Bitmap(png: bytes) != nil)
        #expect(Bitmap(png: Array(bytes.prefix(40))) == nil)
        #expect(Bitmap(png: []) == nil)
    }
}
