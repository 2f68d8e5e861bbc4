import Drawing
import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import KonzaDaemon

@Suite struct OverlayCacheTests {
    private static func cache(in folder: TemporaryFolder) throws -> OverlayCache {
        let panel =
            ##"{"type":"panel","at":["50w","50h"],"anchor":"center","width":"10w","height":"10h","paint":[{"fill":"#204030"}]}"##
        let words = #"{"type":"text","text":"{place}","font":"Cabin","size":"10s","at":["50w","20h"],"paint":[]}"#
        let template = #"{"name":"panel","title":"Panel","layers":[\#(panel),\#(words)]}"#
        try Data(template.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/panel.json"))
        return OverlayCache(library: TemplateLibrary(folders: [folder.path]), artist: PostcardArtist())
    }

    private static func facts(_ place: String, minute: Int = 0) -> PostcardFacts {
        let time = CivilTime(year: 2026, month: 5, day: 3, hour: 12, minute: minute)
        return PostcardFacts(place: place, time: time, zone: "CDT", message: "")
    }

    @Test(arguments: [(320, 240, 2), (2560, 1600, 1)])
    func `overlays that say the same are one, and the last few are kept`(width: Int, height: Int, limit: Int) throws {
        let folder = try TemporaryFolder()
        let cache = try Self.cache(in: folder)
        func overlay(_ place: String, minute: Int = 0) throws -> ObjectIdentifier {
            let overlay = try cache.overlay(
                template: "panel", width: width, height: height, facts: Self.facts(place, minute: minute))
            held.append(overlay)
            return ObjectIdentifier(overlay)
        }
        // Held, so that no other takes its address.
        var held: [AnyObject] = []
        let first = try overlay("Konza")
        #expect(try overlay("Konza", minute: 7) == first, "the time is not written")
        let second = try overlay("Kings Creek")
        #expect(second != first)
        #expect(try overlay("Kings Creek") == second)
        #expect(try (overlay("Konza") == first) == (limit == 2))
        cache.forget()
        #expect(try overlay("Konza") != first)
    }
}
