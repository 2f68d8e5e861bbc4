import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Terrain

/// The elevations that the repository carries.
private enum Carried {
    static let folder =
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .path + "/config/terrain"
    static let model = TerrainModel.load(folder: folder).model
    /// Where the recorded walk begins.
    static let trailhead = (latitude: 39.1069, longitude: -96.6091)
}

/// A small grid: 3 columns and 2 rows, 0.001 degree apart, with heights in decimetres.
private func grid(
    _ samples: [Int16], west: Double = -96.6, north: Double = 39.1, step: Double = 0.001, columns: UInt32 = 3,
    rows: UInt32 = 2, version: UInt16 = 1
) -> [UInt8] {
    var bytes = Array("KZHEIGHT".utf8)
    func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes += Array($0) }
    }
    append(columns)
    append(rows)
    for number in [west, north, step, step] { append(number.bitPattern) }
    append(Int16.min)
    append(version)
    bytes += Array("NAVD88".utf8) + [UInt8](repeating: 0, count: 6)
    for sample in samples { append(sample) }
    return bytes
}

private func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    try #require(Coordinate(latitude: latitude, longitude: longitude))
}

@Suite("A grid of elevations")
struct ElevationGridTests {
    private func opened(_ bytes: [UInt8]) throws -> ElevationGrid {
        let folder = try TemporaryFolder()
        try Data(bytes).write(to: URL(filePath: "\(folder.path)/made.heights"))
        return try ElevationGrid(path: "\(folder.path)/made.heights")
    }

    @Test(
        "is bilinear between its samples, exact at them, and has nothing outside",
        arguments: [
            (39.1, -96.6, 100.0), (39.1, -96.599, 110), (39.1, -96.598, 130), (39.099, -96.6, 140),
            (39.099, -96.598, 200), (39.1, -96.5995, 105), (39.0995, -96.6, 120),
            // (100 + 110 + 140 + 170) / 4
            (39.0995, -96.5995, 130), (39.1001, -96.6, nil), (39.0989, -96.6, nil), (39.1, -96.6001, nil),
            (39.1, -96.5979, nil), (.nan, -96.6, nil), (39.1, .infinity, nil),
        ] as [(Double, Double, Double?)])
    func bilinear(latitude: Double, longitude: Double, height: Double?) throws {
        let grid = try opened(grid([1000, 1100, 1300, 1400, 1700, 2000]))
        let found = grid.height(latitude: latitude, longitude: longitude)
        #expect((found == nil) == (height == nil))
        if let found, let height { #expect(abs(found - height) < 1e-6) }
    }

    @Test("has no height beside a missing sample, and the samples' own where that has no weight")
    func missing() throws {
        let grid = try opened(grid([1000, .min, 1300, 1400, 1700, 2000]))
        #expect(grid.height(latitude: 39.0995, longitude: -96.5995) == nil)
        #expect(grid.height(latitude: 39.1, longitude: -96.599) == nil)
        #expect(abs(try #require(grid.height(latitude: 39.1, longitude: -96.6)) - 100) < 1e-6)
        #expect(abs(try #require(grid.height(latitude: 39.099, longitude: -96.599)) - 170) < 1e-4)
    }

    @Test("tells its bounds, steps and datum")
    func facts() throws {
        let grid = try opened(grid([1000, 1100, 1300, 1400, 1700, 2000]))
        #expect(grid.datum == "NAVD88")
        #expect((grid.columns, grid.rows) == (3, 2))
        #expect(grid.bounds.west == -96.6 && grid.bounds.north == 39.1)
        #expect(abs(grid.bounds.south - 39.099) < 1e-9 && abs(grid.bounds.east + 96.598) < 1e-9)
    }

    @Test(
        "that is damaged is refused with the reason",
        arguments: [
            ([UInt8](), "Invalid argument"),
            (Array("PK".utf8), "does not begin"),
            (Array("KZHEIGHT".utf8), "ends within its header"),
            (grid([1, 2, 3, 4, 5]), "has 74 bytes where its header asks for 76"),
            (grid([1, 2, 3, 4, 5, 6, 7]), "has 78 bytes"),
            (grid([1, 2, 3, 4, 5, 6], version: 2), "version 2"),
            (grid([1, 2], columns: 1, rows: 2), "a grid of 1 by 2"),
            (grid([], columns: .max, rows: .max), "a grid of 4294967295"),
            (grid([1, 2, 3, 4, 5, 6], west: 179.999), "bounds"),
            (grid([1, 2, 3, 4, 5, 6], north: .nan), "bounds"),
            (grid([1, 2, 3, 4, 5, 6], step: 0), "bounds"),
        ])
    func refused(bytes: [UInt8], words: String) throws {
        let error = try #require(throws: TerrainError.self) { try opened(bytes) }
        #expect("\(error)".contains(words))
        #expect("\(error)".contains("make-heights"))
    }
}

@Suite("The terrain")
struct TerrainModelTests {
    @Test("of a folder takes the finest grid that has a height, and says which files it cannot use")
    func joined() throws {
        let folder = try TemporaryFolder()
        func write(_ bytes: [UInt8], _ name: String) throws {
            try Data(bytes).write(to: URL(filePath: "\(folder.path)/\(name)"))
        }
        try write(grid([1000, 1000, 1000, 1000, 1000, 1000], north: 39.101, step: 0.002), "a.heights")
        try write(grid([2000, .min, 2000, 2000, 2000, 2000]), "b.heights")
        try write(Array("bad".utf8), "c.heights")
        try write(Array("bad".utf8), "notes.txt")
        let (model, findings) = TerrainModel.load(folder: folder.path)
        #expect(model.grids.map(\.latitudeStep) == [0.001, 0.002])
        #expect(findings.count == 1 && findings[0].contains("c.heights"))
        #expect(model.height(latitude: 39.1, longitude: -96.6) == 200)
        // Missing in the fine one; outside of it.
        #expect(model.height(latitude: 39.1, longitude: -96.599) == 100)
        #expect(model.height(latitude: 39.1, longitude: -96.5965) == 100)
        #expect(model.height(latitude: 38, longitude: -96.6) == nil)
        #expect(model.grid(at: try place(39.1, -96.5965))?.latitudeStep == 0.002)
    }

    @Test("of a folder without elevations, or of none, is empty and says what to do")
    func nothing() throws {
        let folder = try TemporaryFolder()
        for path in [folder.path, "\(folder.path)/none"] {
            let (model, findings) = TerrainModel.load(folder: path)
            #expect(model.grids.isEmpty && findings.count == 1)
            #expect(findings[0].contains("[Terrain] Folder="))
            #expect(model.height(latitude: 39.1, longitude: -96.6) == nil)
            #expect(model.skyline(from: try place(39.1, -96.6)) == nil)
        }
    }

    /// The FAA's tower of accuracy code 1A and published ground heights.
    @Test(
        "that is carried has the heights of known places",
        arguments: [
            (39.1069, -96.6091, 328.0, 1.0), (39.110446, -96.612935, 326.3, 1.5), (39.100774, -96.563075, 417.1, 1.5),
            (39.0804, -96.5599, 444, 1.5),
        ])
    func known(latitude: Double, longitude: Double, height: Double, tolerance: Double) throws {
        let found = try #require(Carried.model.height(latitude: latitude, longitude: longitude))
        #expect(abs(found - height) < tolerance)
    }

    @Test("that is carried has grids that agree where both have heights")
    func agreement() throws {
        let model = Carried.model
        try #require(model.grids.count == 2)
        var sum = 0.0
        for row in 0..<30 {
            for column in 0..<30 {
                let latitude = 39.075 + Double(row) * 0.001
                let longitude = -96.61 + Double(column) * 0.0015
                let fine = try #require(model.grids[0].height(latitude: latitude, longitude: longitude))
                let wide = try #require(model.grids[1].height(latitude: latitude, longitude: longitude))
                sum += (fine - wide) * (fine - wide)
            }
        }
        #expect((sum / 900).squareRoot() < 1)
    }
}

@Suite("The skyline")
struct SkylineTests {
    /// Computed by another program from the same elevations: `azimuth_deg,elevation_deg,distance_m,reach_m`.
    private static func golden() throws -> [(azimuth: Double, elevation: Double, distance: Double, reach: Double)] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "horizon-trailhead.csv")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst().map { line in
            let values = line.split(separator: ",").compactMap { Double($0) }
            try #require(values.count == 4)
            return (values[0], values[1], values[2], values[3])
        }
    }

    @Test("at the trailhead is that of the reference to 0.05 degrees")
    func goldenFile() throws {
        let rows = try Self.golden()
        #expect(rows.count == 180)
        let from = try place(Carried.trailhead.latitude, Carried.trailhead.longitude)
        let skyline = try #require(Carried.model.skyline(from: from))
        #expect(skyline.points.count == 720)
        var worst = 0.0
        for row in rows {
            let point = try #require(skyline.points[Int(row.azimuth * 2)])
            worst = max(worst, abs(point.elevation - row.elevation))
            #expect(abs(point.elevation - row.elevation) < 0.05, "azimuth \(row.azimuth)")
            #expect(abs(point.reach - row.reach) <= 30, "azimuth \(row.azimuth)")
            let turned = try #require(skyline.elevation(azimuth: row.azimuth - 360))
            #expect(abs(turned - point.elevation) < 1e-9)
        }
        print("skyline: worst difference \(worst) degrees")
    }

    @Test(
        "hides the tower KONZ behind a ridge and shows the tower 20-001751",
        arguments: [
            ("KONZ", 39.100774, -96.563075, 1.343, true), ("20-001751", 39.06621, -96.54168, 1.590, false),
            ("20-001631", 39.16729, -96.62411, 0.838, false),
        ])
    func towers(name: String, latitude: Double, longitude: Double, elevation: Double, isHidden: Bool) throws {
        let from = try place(Carried.trailhead.latitude, Carried.trailhead.longitude)
        let ground = try #require(Carried.model.height(at: from))
        let before = try #require(
            Carried.model.groundElevation(
                from: from, height: ground + 2.5, towards: try place(latitude, longitude)))
        // The tops' elevations are published with the vectors of the local frame.
        #expect((elevation < before - 0.05) == isHidden, "the ground rises to \(before) before \(name)")
    }

    @Test("is kept: the same request gives the same value again")
    func kept() throws {
        let folder = try TemporaryFolder()
        let flat = [Int16](repeating: 3000, count: 6)
        try Data(grid(flat)).write(to: URL(filePath: "\(folder.path)/flat.heights"))
        let model = TerrainModel.load(folder: folder.path).model
        let first = try #require(model.skyline(from: try place(39.0995, -96.599), azimuths: 8))
        #expect(model.skyline(from: try place(39.0995, -96.599), azimuths: 8) == first)
        for eye in 1...20 {
            #expect(model.skyline(from: try place(39.0995, -96.599), eye: Double(eye), azimuths: 8)?.points.count == 8)
        }
        // Flat ground, looked at from 2.5 m: the farthest is the highest, and below the horizontal.
        for point in first.points {
            let point = try #require(point)
            #expect(point.distance == point.reach && point.elevation < 0)
        }
        // A place beside the grid, and one whose next step leaves it.
        #expect(model.skyline(from: try place(39.2, -96.599)) == nil)
        #expect(model.skyline(from: try place(39.1, -96.599), azimuths: 4)?.points[0] == nil)
    }
}
