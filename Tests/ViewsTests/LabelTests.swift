import Foundation
import Geodesy
import KonzaModel
import Terrain
import Testing

@testable import Views

@Suite("The labels of a view")
struct LabelTests {
    private static let folder =
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .path + "/config/terrain"

    /// A camera at the trailhead that looks to the south-east; its pose is known.
    private static func calibration() throws -> Calibration {
        let place = try #require(Coordinate(latitude: 39.1069, longitude: -96.6091))
        let ground = try #require(TerrainModel.load(folder: folder).model.height(at: place))
        let viewpoint = Viewpoint(place: place, height: ground + 2.5, horizontalError: 1, verticalError: 1)
        let pose = CameraPose(
            width: 1920, height: 1080, azimuth: 118, pitch: 2, roll: 0.5, focal: 1371, k1: -0.05)
        let points = [(200.0, 500.0), (700, 430), (1200, 560), (1700, 470), (950, 300)]
        let clicks = try points.enumerated().map { index, point in
            let point = PicturePoint(x: point.0, y: point.1)
            let direction = try #require(pose.direction(of: point))
            return Click(name: "landmark \(index)", point: point, target: direction * 3000, placeError: 2)
        }
        let priors = PosePriors(focal: 1371, horizontalError: 1, verticalError: 1)
        let solved = try PoseSolver.solve(clicks, width: 1920, height: 1080, priors: priors)
        return Calibration(
            createdAt: "2026-05-30T14:03:07Z", viewpoint: viewpoint, solved: solved, clicks: clicks,
            judgement: PoseSolver.judge(clicks, solved, priors: priors))
    }

    @Test("name the tower that is seen, at its place, and leave out the one behind the ridge")
    func towers() throws {
        let calibration = try Self.calibration()
        let landmarks = try Landmark.read("\(Self.folder)/landmarks.geojson")
        #expect(landmarks.count > 50 && Set(landmarks.map(\.id)).count == landmarks.count)
        let labels = Labeller(calibration, terrain: TerrainModel.load(folder: Self.folder).model).labels(landmarks)
        #expect(!labels.contains { $0.name == "NEON KONZ tower" })
        // FAA 20-001751: 127.73 degrees, 1.59 degrees high, 7.4 km.
        let tower = try #require(labels.first { abs($0.azimuth - 127.733) < 0.01 })
        #expect(abs(tower.elevation - 1.59) < 0.02 && tower.kind == "tower")
        let expected = try #require(
            calibration.pose.project(Viewpoint.vector(azimuth: tower.azimuth, elevation: tower.elevation)))
        #expect(abs(tower.point.x - expected.x) < 2 && abs(tower.point.y - expected.y) < 2)
        #expect(tower.sigma > 0.5 && tower.sigma < 20)
        #expect(labels.map { $0.distance ?? 0 } == labels.map { $0.distance ?? 0 }.sorted())
    }

    @Test("are called the same in one language everywhere; what people call a place is translated nowhere")
    func names() throws {
        let hill = SightName(own: nil, kind: "hilltop", top: 425.6)
        #expect(hill.text() == "hilltop of 426 m" && hill.text("es") == "cerro de 426 m")
        #expect(hill.text("fr") == hill.text() && SightName(own: nil, kind: "sun").text() == "Sun")
        #expect(SightName(own: nil, kind: "moon").text("es") == "Luna")
        #expect(SightName(own: "NEON KONA tower", kind: "research tower", top: 334).text("es") == "NEON KONA tower")
        var trail = SightName(own: "Creek Loop (made up) / Nature Trail (made up)", kind: "trail")
        #expect(trail.text("es") == "Creek Loop (inventado) / Nature Trail (inventado)")
        trail.closed = .part
        #expect(trail.text().hasSuffix("Nature Trail (made up) (partly closed)"))
        #expect(trail.text("es").hasSuffix("Nature Trail (inventado) (cerrado en parte)"))
        // Every kind that the station's landmarks have.
        for landmark in try Landmark.read("\(Self.folder)/landmarks.geojson") where landmark.called.own == nil {
            #expect(landmark.called.text("es") != landmark.name, "\(landmark.name) is not translated")
        }
        // The pages translate the names of trails themselves, as these are what they ask by.
        let words = try JSONSerialization.jsonObject(
            with: Data(contentsOf: URL(filePath: "\(Self.folder)/../../Sources/Pages/words/es.json")))
        #expect((words as? [String: String])?["map.madeUp"] == "inventado")
    }

    @Test("a thing that two lists have at one place by one name is there once, as the better known")
    func onceEach() throws {
        let landmarks = try Landmark.read("\(Self.folder)/landmarks.geojson")
        for name in ["NEON KONA tower", "NEON KONZ tower"] {
            let found = landmarks.filter { $0.name == name }
            #expect(found.map(\.kind) == ["research tower"] && found[0].placeError < 1)
        }
        // Two hills of one height are two.
        #expect(landmarks.filter { $0.name == "hilltop of 426 m" }.count == 3)
    }

    @Test("have the sun where it is, and none behind the hills")
    func sky() throws {
        let calibration = try Self.calibration()
        let labeller = Labeller(calibration, terrain: TerrainModel.load(folder: Self.folder).model)
        let morning = try #require(UTCInstant(rfc3339: "2026-12-21T14:30:00Z"))
        let up = try #require(calibration.viewpoint.vector(toMoon: false, at: morning))
        let label = try #require(labeller.label(kind: "sun", up, angleError: 0.01))
        #expect(abs(label.azimuth - 127.5) < 2 && label.distance == nil)
        // At 14:00 it stands 2.1 degrees high without refraction; half a degree later and lower it is behind the ridge.
        let early = try #require(UTCInstant(rfc3339: "2026-12-21T13:48:00Z"))
        let low = try #require(calibration.viewpoint.vector(toMoon: false, at: early))
        #expect(labeller.label(kind: "sun", low, angleError: 0.01) == nil)
    }

    @Test("of a calibration that was kept are the same, and what is damaged is refused")
    func kept() throws {
        let calibration = try Self.calibration()
        #expect(try Calibration(bytes: calibration.bytes()) == calibration)
        let error = calibration.frameError
        #expect(error.median > 0 && error.median <= error.upper && error.upper < 20)
        for damaged in [[], Array("{}".utf8), Array(try calibration.bytes().dropLast(5))] {
            #expect(throws: (any Error).self) { try Calibration(bytes: damaged) }
        }
        // Back from the picture.
        for point in [PicturePoint(x: 10, y: 20), PicturePoint(x: 960, y: 540), PicturePoint(x: 1900, y: 900)] {
            let direction = try #require(calibration.pose.direction(of: point))
            let back = try #require(calibration.pose.project(direction * 1e9))
            #expect(abs(back.x - point.x) < 0.001 && abs(back.y - point.y) < 0.001)
        }
    }
}
