import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Drawing

@Suite("Names in the picture")
struct PictureLabelTests {
    private static func facts(_ labels: [PictureLabel]) -> PostcardFacts {
        var facts = wholeFacts
        facts.labels = labels
        return facts
    }

    private static func overlay(_ name: String, _ facts: PostcardFacts) throws -> Overlay {
        try PostcardArtist().overlay(template: try shipped(name), width: 1280, height: 720, facts: facts)
    }

    /// Whether anything is drawn above a row, but in a square about a point.
    private static func isClean(_ overlay: Overlay, above row: Int, beside x: ClosedRange<Int>) -> Bool {
        (0..<row).allSatisfy { y in
            stride(from: 0, to: 1280, by: 3).allSatisfy { column in
                x.contains(column) || overlay.pixel(column, y)[3] == 0
            }
        }
    }

    @Test("stand above their points with a line down to them, and touch nothing else")
    func places() throws {
        let overlay = try Self.overlay("panorama", Self.facts([PictureLabel(name: "Hill 42", x: 640, y: 300)]))
        #expect(overlay.isPremultiplied && !overlay.hasOverlaps)
        #expect(overlay.pixel(640, 290)[3] > 200 && overlay.pixel(640, 310)[3] == 0)
        #expect(Self.isClean(overlay, above: 610, beside: 560...720))
        #expect((240..<300).contains { overlay.pixel(625, $0)[3] > 0 })
        let without = try Self.overlay("panorama", Self.facts([]))
        #expect(Self.isClean(without, above: 610, beside: 0...0))
    }

    @Test("are drawn elsewhere when they are elsewhere, by the same artist")
    func moved() throws {
        let artist = PostcardArtist()
        let template = try shipped("panorama")
        let first = try artist.overlay(
            template: template, width: 1280, height: 720, facts: Self.facts([PictureLabel(name: "Sun", x: 300, y: 300)])
        )
        let second = try artist.overlay(
            template: template, width: 1280, height: 720, facts: Self.facts([PictureLabel(name: "Sun", x: 900, y: 200)])
        )
        #expect(first.pixel(300, 290)[3] > 200 && second.pixel(300, 290)[3] == 0 && second.pixel(900, 190)[3] > 200)
    }

    @Test("of one place are one above the other, no more than there is room for, and none leaves the picture")
    func crowd() throws {
        let metrics = Metrics(width: 1280, height: 720)
        let crowd = (0..<30).map { PictureLabel(name: "A long name of place \($0)", x: 640, y: 400 + 6 * Double($0)) }
        let layers = LabelsLayer.standard.layers(crowd, in: metrics.whole, metrics, "labels")
        let boxes = layers.compactMap { layer -> Point? in
            guard case .text(let text) = layer.content else { return nil }
            return text.at.point(metrics)
        }
        #expect(boxes.count > 3 && boxes.count <= 12)
        #expect(Set(boxes.map(\.y)).count == boxes.count)
        let edges = [(0.0, 0.0), (1280, 720), (0, 400), (1280, 400), (-5, 20), (640, .nan)].map {
            PictureLabel(name: "Somewhere at the edge", x: $0.0, y: $0.1)
        }
        let overlay = try Self.overlay("panorama", Self.facts(edges))
        #expect(
            overlay.patches.allSatisfy { $0.x >= 0 && $0.x + $0.width <= 1280 && $0.y >= 0 && $0.y + $0.height <= 720 })
    }

    @Test("at the upper edge stand below their points, and are told like the others", arguments: [20.0, 50, 70, 90])
    func upperEdge(y: Double) throws {
        let sun = PictureLabel(name: "Sun", x: 900, y: y, reach: 13)
        let facts = Self.facts([sun])
        let template = try shipped("panorama")
        #expect(template.drawnLabels(facts, width: 1280, height: 720) == [sun])
        let overlay = try Self.overlay("panorama", facts)
        let isBelow = y < 80
        #expect(overlay.pixel(900, Int(y) + (isBelow ? 10 : -10))[3] > 200)
        #expect(overlay.pixel(900, Int(y) + (isBelow ? -10 : 10))[3] == 0)
        #expect(Self.isClean(overlay, above: Int(y) - (isBelow ? 2 : 90), beside: 0...0))
    }

    @Test("of one spot are the first one alone, and those are told that are drawn")
    func spots() throws {
        let labels = [("Loop", 640.0, 300.0), ("Loop / Spur", 642, 301), ("Tower", 300, 250), ("Gone", 900, 700)].map {
            PictureLabel(name: $0.0, x: $0.1, y: $0.2, reach: 13)
        }
        let facts = Self.facts(labels)
        let template = try shipped("panorama")
        let drawn = template.drawnLabels(facts, width: 1280, height: 720)
        #expect(drawn == [labels[0], labels[2]])
        // The picture with those alone is the same picture.
        #expect(try Self.overlay("panorama", Self.facts(drawn)) == Self.overlay("panorama", facts))
        #expect(try shipped("band").drawnLabels(facts, width: 1280, height: 720).isEmpty)
    }

    @Test("of a crowd are told as many as are drawn, whatever the template", arguments: ShippedTemplates.names)
    func told(name: String) throws {
        var random = SeededGenerator(seed: 14)
        let metrics = Metrics(width: 1280, height: 720)
        let labels = (0..<60).map { number in
            PictureLabel(
                name: "Place \(number)", x: .random(in: -20...1300, using: &random),
                y: .random(in: -20...740, using: &random))
        }
        var facts = Self.facts(labels)
        facts.wantsLabels = true
        let template = try shipped(name)
        let drawn = template.drawnLabels(facts, width: 1280, height: 720)
        func texts(_ layers: [Layer]) -> [String] {
            layers.flatMap { layer -> [String] in
                guard layer.when.allSatisfy({ facts.fulfils($0, metrics) }) else { return [] }
                switch layer.content {
                case .group(let inner): return texts(inner)
                case .text(let text): return [(try? text.text(facts, metrics, "")) ?? ""]
                default: return []
                }
            }
        }
        let shown = texts(template.layers(facts, metrics)).filter { $0.hasPrefix("Place ") }
        #expect(shown.sorted() == drawn.map(\.name).sorted() && drawn.count > 5)
        #expect(drawn.allSatisfy { $0.x >= 0 && $0.x <= 1280 })
        // None is under an opaque band.
        if name != "vintage" { #expect(drawn.allSatisfy { $0.y < 720 - 14.8 * 7.2 }) }
    }

    @Test("are drawn over any template if they are asked for, and only then")
    func asked() throws {
        var facts = Self.facts([PictureLabel(name: "K {place} }", x: 640, y: 300)])
        #expect(try Self.overlay("band", facts).pixel(640, 290)[3] == 0)
        facts.wantsLabels = true
        #expect(try Self.overlay("band", facts).pixel(640, 290)[3] > 200)
        #expect(try shipped("panorama").drawsLabels && !(try shipped("band").drawsLabels))
    }

    @Test(
        "in a picture that is none of the camera's come with a mark that says so, which no name covers, and which needs no name",
        arguments: ShippedTemplates.names)
    func origin(name: String) throws {
        let metrics = Metrics(width: 1280, height: 720)
        let template = try shipped(name)
        var facts = Self.facts([PictureLabel(name: "Hill", x: 900, y: 300)])
        facts.wantsLabels = true
        let without = try Self.overlay(name, facts)
        facts.pictureOrigin = "simulated picture"
        let with = try Self.overlay(name, facts)
        // The mark is in the colours of what asks for attention, and nothing else is there that was not.
        let added = with.differences(from: without)
        #expect(added.contains { with.pixel($0.x, $0.y).prefix(3).elementsEqual([242, 182, 60]) }, "no plate")
        #expect(added.allSatisfy { $0.x < 640 && $0.y < 200 } && added.count > 2000, "\(added.count)")
        // Names that would stand there are somewhere else.
        facts.labels = (0..<12).map {
            PictureLabel(name: "A long name \($0)", x: 60 + 30 * Double($0), y: 60 + 20 * Double($0))
        }
        let layer = LabelsLayer.standard
        let box = layer.corner(
            for: facts.pictureOrigin, in: layer.open(metrics.whole, metrics), layer.text.size.pixels(metrics))
        let placed = layer.placed(facts.labels, facts.pictureOrigin, in: metrics.whole, metrics)
        #expect(placed.count > 2)
        for one in placed.map(\.box) {
            #expect(one.left >= box.right || one.right <= box.left || one.top >= box.bottom || one.bottom <= box.top)
        }
        // Without names it stands there all the same, whether or not any were asked for.
        facts.labels = []
        for wantsLabels in [true, false] {
            facts.wantsLabels = wantsLabels
            facts.pictureOrigin = ""
            let bare = try Self.overlay(name, facts)
            facts.pictureOrigin = "simulated picture"
            let marked = try Self.overlay(name, facts)
            #expect(marked.differences(from: bare) == added, "another mark")
        }
        #expect(template.drawnLabels(facts, width: 1280, height: 720).isEmpty)
    }

    @Test("a caption has the trail, where it is known")
    func trail() throws {
        var facts = wholeFacts
        let pattern = try Pattern(parsing: "on {trail}")
        #expect(throws: Pattern.MissingValue.self) { try pattern.filled(with: facts).get() }
        facts.trail = "Kings Creek Loop"
        #expect(try pattern.filled(with: facts).get() == "on Kings Creek Loop")
        #expect(throws: Pattern.SyntaxError.self) { try Pattern(parsing: "{trail:x}") }
        let metrics = Metrics(width: 1280, height: 720)
        #expect(facts.fulfils(Condition(subject: .trail, isNegated: false), metrics))
        #expect(wholeFacts.fulfils(Condition(subject: .labels, isNegated: true), metrics))
    }
}
