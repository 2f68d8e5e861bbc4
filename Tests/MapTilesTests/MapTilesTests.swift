import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import MapTiles

@Suite("A file of map tiles")
struct MapTilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A file made by sqlite3, with tiles given as zoom, column, row from the south, and hexadecimal bytes.
    private func make(
        _ metadata: [String: String] = [:], _ tiles: [(Int, Int, Int, String)], view: Bool = false
    ) throws -> String {
        let table = view ? "pictures" : "tiles"
        var script = """
            CREATE TABLE metadata (name TEXT, value TEXT);
            CREATE TABLE \(table) (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
            """
        if view { script += "CREATE VIEW tiles AS SELECT * FROM pictures;" }
        for (name, value) in metadata { script += "INSERT INTO metadata VALUES ('\(name)', '\(value)');" }
        for tile in tiles { script += "INSERT INTO \(table) VALUES (\(tile.0), \(tile.1), \(tile.2), x'\(tile.3)');" }
        let path = "\(folder.path)/map.mbtiles"
        _ = try run("/usr/bin/sqlite3", [path, script])
        return path
    }

    private static let jpeg = "ffd8ffe000"
    private static let png = "89504e470d0a1a0a"

    @Test("has its rows counted from the north, whatever the file does", arguments: [false, true])
    func rows(view: Bool) throws {
        let path = try make([:], [(2, 1, 0, Self.jpeg), (2, 1, 3, Self.png)], view: view)
        let archive = try TileArchive(path: path)
        #expect(try archive.tile(zoom: 2, column: 1, row: 3)?.mediaType == "image/jpeg")
        #expect(try archive.tile(zoom: 2, column: 1, row: 0)?.mediaType == "image/png")
        #expect(try archive.tile(zoom: 2, column: 1, row: 1) == nil)
        #expect(archive.facts.zooms == 2...2)
        #expect(archive.facts.name == "map.mbtiles")
    }

    @Test("has no tile where the world has none")
    func outside() throws {
        let archive = try TileArchive(path: try make([:], [(1, 0, 0, Self.jpeg)]))
        for place in [(1, -1, 0), (1, 0, 2), (1, 2, 0), (-1, 0, 0), (23, 0, 0), (64, 0, 0), (1, Int.max, Int.min)] {
            #expect(try archive.tile(zoom: place.0, column: place.1, row: place.2) == nil, "\(place)")
        }
    }

    @Test("says what it covers, and nothing that it does not know")
    func facts() throws {
        let whole = try TileArchive(
            path: try make(
                ["name": "Relief", "bounds": "-96.7, 39.0,-96.5,39.2", "attribution": "USGS"],
                [(11, 3, 4, Self.jpeg), (14, 3, 4, Self.jpeg)]))
        #expect(whole.facts.name == "Relief" && whole.facts.attribution == "USGS" && whole.facts.zooms == 11...14)
        #expect(whole.facts.bounds == GeographicBox(west: -96.7, south: 39, east: -96.5, north: 39.2))
        try FileManager.default.removeItem(atPath: "\(folder.path)/map.mbtiles")
        let odd = try TileArchive(
            path: try make(["bounds": "9,9,nan"], [(-7, 0, 0, Self.jpeg), (900, 0, 0, Self.jpeg)]))
        #expect(odd.facts.bounds == nil && odd.facts.zooms == 0...22)
    }

    @Test("that is no map is refused with the reason and the remedy")
    func refusals() throws {
        #expect(complaint(of: "\(folder.path)/none.mbtiles").contains("there is no file"))
        try Data("not a database".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/a.mbtiles"))
        #expect(complaint(of: "\(folder.path)/a.mbtiles").contains("is no MBTiles"))
        // Vector tiles are compressed.
        #expect(complaint(of: try make(["format": "pbf"], [(1, 0, 0, "1f8b0800")])).contains("JPEG, PNG or WebP"))
        try FileManager.default.removeItem(atPath: "\(folder.path)/map.mbtiles")
        _ = try run("/usr/bin/sqlite3", ["\(folder.path)/b.mbtiles", "CREATE TABLE metadata (name TEXT, value TEXT)"])
        #expect(complaint(of: "\(folder.path)/b.mbtiles").contains("no such table: tiles"))
        #expect(complaint(of: "\(folder.path)/b.mbtiles").contains("[Portal] Map="))
    }

    @Test("never gives a tile of more than a megabyte")
    func sizes() throws {
        let path = try make([:], [(1, 0, 0, Self.jpeg)])
        _ = try run(
            "/usr/bin/sqlite3",
            [
                path,
                """
                INSERT INTO tiles VALUES (1, 1, 0, CAST(x'ffd8ff' || zeroblob(1048576) AS BLOB));
                INSERT INTO tiles VALUES (1, 1, 1, CAST(x'ffd8ff' || zeroblob(9000000) AS BLOB));
                INSERT INTO metadata VALUES ('json', hex(zeroblob(2000000)));
                """,
            ])
        let archive = try TileArchive(path: path)
        for row in 0...1 { #expect(try archive.tile(zoom: 1, column: 1, row: row) == nil) }
        #expect(try archive.tile(zoom: 1, column: 0, row: 1) != nil)
    }

    @Test("whose value claims to have a gigabyte is refused, or read without it")
    func longValue() throws {
        let folder = URL(fileURLWithPath: #filePath).pathComponents.dropLast(2).joined(separator: "/")
        let path = "\(folder)/Fuzz/corpus/tiles/long-value.mbtiles"
        let growth = try PeakMemory.growth { _ = try? TileArchive(path: path) }
        #expect(growth < 64 << 20)
    }

    @Test("damaged anywhere gives tiles, none, or an error", arguments: 1...40)
    func damage(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let path = try make(["name": "n"], (0..<40).map { (6, $0, 5, Self.jpeg + String(repeating: "41", count: 300)) })
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for _ in 0..<Int.random(in: 1...30, using: &generator) {
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
        }
        try bytes.write(to: URL(fileURLWithPath: path))
        guard let archive = try? TileArchive(path: path) else { return }
        for column in 0..<40 {
            let tile = try? archive.tile(zoom: 6, column: column, row: 58)
            if let tile { #expect(tile.bytes.count <= TileArchive.largestTile, "seed \(seed)") }
        }
    }

    @Test("of the relief that comes along covers the trailhead at every zoom, as gdalinfo reads it too")
    func relief() throws {
        let path =
            URL(fileURLWithPath: #filePath).pathComponents.dropLast(3).joined(separator: "/")
            + "/config/terrain/relief.mbtiles"
        let archive = try TileArchive(path: path)
        let bounds = try #require(archive.facts.bounds)
        let place = try #require(Coordinate(latitude: 39.1069, longitude: -96.6091))
        #expect(bounds.contains(place))
        for zoom in archive.facts.zooms {
            let tiles = Double(1 << zoom)
            let column = Int((place.longitude + 180) / 360 * tiles)
            // The row by the formula of the web Mercator projection, at 39.1069 degrees north.
            let row = Int((1 - 0.742_692_7 / .pi) / 2 * tiles)
            #expect(try archive.tile(zoom: zoom, column: column, row: row)?.mediaType == "image/jpeg", "zoom \(zoom)")
        }
        let described = try run("/usr/bin/gdalinfo", [path])
        #expect(described.contains("Driver: MBTiles") && described.contains("ZOOM_LEVEL=15"))
    }

    /// What a program writes.
    private func run(_ program: String, _ arguments: [String]) throws -> String {
        let run = try ProgramRun(program, arguments)
        try #require(run.status == 0, "\(program) \(arguments): \(run.errors)")
        return run.text
    }

    private func complaint(of path: String) -> String {
        do throws(TileError) {
            _ = try TileArchive(path: path)
            return ""
        } catch {
            return error.description
        }
    }
}
