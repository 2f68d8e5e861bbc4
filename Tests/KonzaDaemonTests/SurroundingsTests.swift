import Drawing
import KonzaAPI
import Testing

@testable import KonzaDaemon
@testable import Views

@Suite("The names of a postcard")
struct SurroundingsTests {
    private static func label(_ own: String?, _ kind: String, x: Double, y: Double) -> ViewLabel {
        ViewLabel(
            called: SightName(own: own, kind: kind, top: own == nil ? 430 : nil), point: PicturePoint(x: x, y: y),
            sigma: 2,
            azimuth: 118, elevation: 1, distance: 2000)
    }

    private static let sight = Surroundings.Sight(
        width: 1280, height: 720,
        labels: [
            label("Nature Trail (made up)", "trail", x: 300, y: 300), label(nil, "hilltop", x: 304, y: 302),
            label(nil, "tower", x: 312, y: 300),
        ])

    @Test("are the page's, in every language", arguments: ["en", "es"])
    func languages(language: String) throws {
        let names = try #require(Self.sight.names(width: 1280, height: 720, language: language)).map(\.name)
        let shown = Self.sight.labels.map { ViewReply.Label($0, language).name }
        #expect(names == [shown[0], shown[2]])
        #expect(names[1] == (language == "es" ? "torre de 430 m" : "tower of 430 m"))
    }

    @Test(
        "are of the same spots in every size: the nearest thing of a spot has its name", arguments: [320, 1280, 3840])
    func spots(width: Int) throws {
        let names = try #require(Self.sight.names(width: width, height: width * 9 / 16, language: "en")).map(\.name)
        #expect(names == ["Nature Trail (made up)", "tower of 430 m"])
    }
}
