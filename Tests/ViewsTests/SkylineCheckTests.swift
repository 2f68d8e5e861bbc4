import Foundation
import Geodesy
import KonzaModel
import KonzaTesting
import Terrain
import Testing

@testable import Views

/// A scene that is drawn ray by ray over the real ground from a known pose: what a pixel shows is found by its direction, never by
/// projecting anything.
private struct DrawnScene {
    static let folder =
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .path + "/config/terrain"
    static let terrain = TerrainModel.load(folder: folder).model
    let pose: CameraPose
    let viewpoint: Viewpoint

    init(pose: CameraPose) throws {
        self.pose = pose
        let place = try #require(Coordinate(latitude: 39.1069, longitude: -96.6091))
        let ground = try #require(Self.terrain.height(at: place))
        viewpoint = Viewpoint(place: place, height: ground + 2.5, horizontalError: 0.5, verticalError: 0.5)
    }

    private func direction(_ x: Double, _ y: Double) -> (azimuth: Double, elevation: Double) {
        pose.direction(of: PicturePoint(x: x, y: y)).map(Viewpoint.direction) ?? (0, 90)
    }

    /// The row of a column in which the ground begins.
    private func ground(_ x: Double) -> Double {
        var row = Double(pose.height) / 2
        for _ in 0..<2 {
            let azimuth = direction(x, row).azimuth
            let elevation =
                viewpoint.place.flatMap { Self.terrain.horizon(from: $0, height: viewpoint.height, azimuth: azimuth) }?
                .elevation ?? -90
            var (top, bottom) = (-200.0, Double(pose.height) + 200)
            for _ in 0..<40 {
                let middle = (top + bottom) / 2
                if direction(x, middle).elevation > elevation { top = middle } else { bottom = middle }
            }
            row = top
        }
        return row
    }

    /// The same for the columns that moved pictures show, once.
    private static let margin = 20
    var rows: [Double] {
        (-Self.margin..<(pose.width + Self.margin)).map { ground(Double($0) + 0.5) }
    }

    /// A bright sky over darker ground, with trees and noise, shown moved by so many pixels.
    func picture(
        _ rows: [Double], right: Int = 0, down: Int = 0, noise: Int = 6, using random: inout SeededGenerator
    ) -> GrayPicture? {
        var pixels = [UInt8](repeating: 0, count: pose.width * pose.height)
        for column in 0..<pose.width {
            var row = rows[column - right + Self.margin] + Double(down)
            // A tree of ten pixels here and there.
            if column % 97 < 6 { row -= 10 }
            for line in 0..<pose.height {
                let level = Double(line) + 0.5 < row ? 190 - line / 12 : 95 + (column * 7 + line * 13) % 23
                pixels[line * pose.width + column] = UInt8(
                    min(255, max(0, level + Int.random(in: -noise...noise, using: &random))))
            }
        }
        return GrayPicture(width: pose.width, height: pose.height, pixels: pixels)
    }

    /// The pixel that shows a direction, by looking.
    func pixel(azimuth: Double, elevation: Double) -> (x: Double, y: Double) {
        var best = (x: Double(pose.width) / 2, y: Double(pose.height) / 2, off: Double.infinity)
        // Every 32nd pixel of all, and ever nearer ones about the best.
        for (step, reach) in [(32.0, Double(pose.width)), (8, 40), (1, 10)] {
            let (middleX, middleY) = (best.x, best.y)
            for x in stride(from: middleX - reach, through: middleX + reach, by: step) {
                for y in stride(from: middleY - reach, through: middleY + reach, by: step) {
                    let seen = direction(x, y)
                    let off = hypot((seen.azimuth - azimuth) * cos(elevation * .pi / 180), seen.elevation - elevation)
                    if off < best.off { best = (x, y, off) }
                }
            }
        }
        return (best.x, best.y)
    }

    /// As if five landmarks had been clicked on exactly.
    func calibration() throws -> Calibration {
        let clicks = try [(0.1, 0.46), (0.36, 0.4), (0.62, 0.52), (0.88, 0.43), (0.5, 0.28)].enumerated().map {
            index, part in
            let point = PicturePoint(x: part.0 * Double(pose.width), y: part.1 * Double(pose.height))
            let direction = try #require(pose.direction(of: point))
            return Click(name: "landmark \(index)", point: point, target: direction * 3000, placeError: 1)
        }
        let priors = PosePriors(focal: pose.focal, horizontalError: 0.5, verticalError: 0.5)
        let solved = try PoseSolver.solve(clicks, width: pose.width, height: pose.height, priors: priors)
        return Calibration(
            createdAt: "2026-05-30T14:03:07Z", viewpoint: viewpoint, solved: solved, clicks: clicks,
            judgement: PoseSolver.judge(clicks, solved, priors: priors))
    }
}

@Suite("The skyline in a picture")
struct SkylineCheckTests {
    private static let pose = CameraPose(
        width: 800, height: 450, azimuth: 118, pitch: 2, roll: 0.5, focal: 571, k1: -0.05)

    @Test("is found where it is, and a camera that was moved is noticed")
    func moved() throws {
        var random = SeededGenerator(seed: 7)
        let scene = try DrawnScene(pose: Self.pose)
        let rows = scene.rows
        let check = SkylineCheck(try scene.calibration(), terrain: DrawnScene.terrain)
        for (right, down) in [(0, 0), (0, 2), (0, 5), (0, -6), (12, 0), (-15, 4)] {
            let picture = try #require(scene.picture(rows, right: right, down: down, using: &random))
            let found = try #require(check.compare(picture))
            let off = hypot(Double(right), Double(down))
            #expect(abs(found.deviation - off) < max(1.2, 0.45 * off), "\(right), \(down): \(found)")
            #expect((found.deviation > SkylineCheck.mostDeviation) == (off > 3), "\(right), \(down): \(found)")
            #expect(found.share > 0.8)
        }
    }

    @Test("is not judged where there is none: in fog, at night")
    func fog() throws {
        let scene = try DrawnScene(pose: Self.pose)
        let check = SkylineCheck(try scene.calibration(), terrain: DrawnScene.terrain)
        var random = SeededGenerator(seed: 7)
        let fog = (0..<(800 * 450)).map { _ in UInt8.random(in: 170...180, using: &random) }
        #expect(check.compare(try #require(GrayPicture(width: 800, height: 450, pixels: fog))) == nil)
        let night = [UInt8](repeating: 0, count: 800 * 450)
        #expect(check.compare(try #require(GrayPicture(width: 800, height: 450, pixels: night))) == nil)
    }

    @Test("labels of the drawn scene are within 2 pixels of what they name")
    func labels() throws {
        let scene = try DrawnScene(pose: Self.pose)
        let calibration = try scene.calibration()
        let labeller = Labeller(calibration, terrain: DrawnScene.terrain)
        let labels = labeller.labels(try Landmark.read("\(DrawnScene.folder)/landmarks.geojson"))
        let tower = try #require(labels.first { abs($0.azimuth - 127.733) < 0.01 })
        // The published direction of FAA 20-001751, as that of one pixel.
        let seen = scene.pixel(azimuth: 127.733, elevation: 1.590)
        #expect(hypot(tower.point.x - seen.x, tower.point.y - seen.y) < 2)
        #expect(labels.count > 1)
        for label in labels.prefix(5) {
            let seen = scene.pixel(azimuth: label.azimuth, elevation: label.elevation)
            #expect(hypot(label.point.x - seen.x, label.point.y - seen.y) < 2, "\(label)")
        }
    }

    @Test("a line on the ground is labelled once, where most of it is to be seen, and not behind a ridge")
    func lines() throws {
        let scene = try DrawnScene(pose: Self.pose)
        let labeller = Labeller(try scene.calibration(), terrain: DrawnScene.terrain)
        func place(_ east: Double, _ north: Double) throws -> Coordinate {
            try #require(Coordinate(latitude: 39.1069 + north / 111_010, longitude: -96.6091 + east / 86_500))
        }
        // 100 to 500 m to the south-east, and one as far to the north-west, which the camera has behind it.
        let seen = try (4...20).map { try place(Double($0) * 22, -Double($0) * 12) }
        let behind = try (4...20).map { try place(-Double($0) * 22, Double($0) * 12) }
        let labels = labeller.labels([
            NamedLine(name: "Seen", kind: "trail", pieces: [seen], placeError: 5),
            NamedLine(name: "Behind", kind: "trail", pieces: [behind], placeError: 5),
        ])
        #expect(labels.map(\.name) == ["Seen"] && labels[0].kind == "trail")
        #expect((100...500).contains(try #require(labels[0].distance)))
        // Lines that go the same way are labelled beside each other; one that also goes alone, where it does.
        let across = try (10...20).map { try place(Double($0) * 22, -200) }
        let apart = labeller.labels(
            ["First", "Second", "Third"].map { NamedLine(name: $0, kind: "trail", pieces: [across], placeError: 5) })
        let places = apart.map(\.point.x).sorted()
        #expect(apart.count == 3 && zip(places, places.dropFirst()).allSatisfy { $1 - $0 > 30 }, "\(places)")
        let alone = labeller.labels([
            NamedLine(name: "Long", kind: "trail", pieces: [across], shared: [seen], placeError: 5)
        ])
        let distance = try #require(alone.first?.distance)
        #expect(abs(distance - 386) < 60)
    }
}
