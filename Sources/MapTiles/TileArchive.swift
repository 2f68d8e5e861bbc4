public import KonzaModel
internal import KonzaSystem
internal import Storage
internal import Synchronization

/// A file of raster tiles of a map in MBTiles 1.3 (https://github.com/mapbox/mbtiles-spec), which is only read.
///
/// The operator's file is trusted as far as a map is: its rows and sizes are checked, its schema may have views.
public final class TileArchive: Sendable {
    /// What the file says of itself.
    public struct Facts: Sendable, Equatable {
        public var name: String
        public var attribution: String?
        /// The least and the greatest zoom that has tiles; level 0 shows the world in one.
        public var zooms: ClosedRange<Int>
        /// What is covered; nil if the file does not say.
        public var bounds: GeographicBox?
    }

    /// One picture of 256 by 256 pixels, as a rule.
    public struct Tile: Sendable, Equatable {
        /// By the first bytes, whatever the file says of itself.
        public let mediaType: String
        public let bytes: [UInt8]
    }

    /// No tile is larger, bytes.
    public static let largestTile = 1 << 20
    /// No map has greater zooms: a pixel is then 4 cm.
    static let greatestZoom = 22
    private static let longestText = 1000

    public let facts: Facts
    /// Tells one file from another that has its name, for addresses whose answers never change.
    public let version: String
    private let path: String
    private let connection: Mutex<Connection>

    /// Opens a file.
    ///
    /// - Parameter path: of the file. It stays the map until this value ends, even if another takes its name.
    /// - Throws: `TileError` if it cannot be read, is no MBTiles, or has vector tiles.
    public init(path: String) throws(TileError) {
        self.path = path
        guard let status = Folder.status(path) else { throw TileError("there is no file \(path)") }
        version =
            String(UInt64(bitPattern: status.modified.nanoseconds), radix: 36) + "-"
            + String(status.byteCount, radix: 36)
        do throws(DatabaseError) {
            var connection = try Connection(path: path, access: .readOnly)
            // A damaged file may say that a value has a gigabyte.
            connection.limit(valueBytes: Int32(Self.largestTile) + (1 << 16))
            try connection.script("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cache_size = -512")
            facts = try Self.facts(in: &connection, path)
            self.connection = Mutex(connection)
        } catch {
            throw TileError("\(path) is no MBTiles: \(error.words)")
        }
        // The first picture says whether there are pictures at all.
        guard try tileOfAny() != nil else { throw TileError("\(path) holds no tile that is a JPEG, PNG or WebP") }
    }

    /// A tile.
    ///
    /// - Parameters:
    ///   - zoom: its level.
    ///   - column: from the 180th meridian eastwards.
    ///   - row: from the north, as in addresses of the web; MBTiles counts from the south.
    /// - Returns: nil where the map has none.
    /// - Throws: if the file cannot be read.
    public func tile(zoom: Int, column: Int, row: Int) throws(TileError) -> Tile? {
        guard (0...Self.greatestZoom).contains(zoom), (0..<(1 << zoom)).contains(column),
            (0..<(1 << zoom)).contains(row)
        else { return nil }
        return try picture(
            "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ? LIMIT 1",
            [.integer(Int64(zoom)), .integer(Int64(column)), .integer(Int64((1 << zoom) - 1 - row))])
    }

    private func tileOfAny() throws(TileError) -> Tile? { try picture("SELECT tile_data FROM tiles LIMIT 1", []) }

    private func picture(_ sql: String, _ values: [SQLValue]) throws(TileError) -> Tile? {
        let found: [[UInt8]]
        do throws(DatabaseError) {
            found = try connection.withLock { connection throws(DatabaseError) in
                try connection.rows(sql, values) { $0.bytes(0, limit: Self.largestTile + 1) }
            }
        } catch {
            // SQLITE_TOOBIG: it is larger than any tile.
            if error.code & 0xff == 18 { return nil }
            throw TileError("\(path) cannot be read: \(error.words)")
        }
        guard let bytes = found.first, bytes.count <= Self.largestTile, let kind = PictureKind(bytes) else {
            return nil
        }
        return Tile(mediaType: kind.mediaType, bytes: bytes)
    }

    private static func facts(in connection: inout Connection, _ path: String) throws(DatabaseError) -> Facts {
        let rows = try connection.rows(
            "SELECT name, value FROM metadata WHERE name IN ('name', 'attribution', 'bounds') LIMIT 100"
        ) { ($0.text(0), $0.text(1)) }
        let values = Dictionary(rows.filter { $0.1.utf8.count <= longestText }) { first, _ in first }
        // What the metadata need not say, the tiles do.
        let known =
            try connection.rows("SELECT min(zoom_level), max(zoom_level) FROM tiles") {
                $0.isNull(0) ? nil : (Int(clamping: $0.integer(0)), Int(clamping: $0.integer(1)))
            }.first ?? nil
        let least = min(max(0, known?.0 ?? 0), greatestZoom)
        let fileName = path.split(separator: "/").last.map(String.init) ?? path
        let parts = values["bounds"]?.split(separator: ",").compactMap { Double($0.filter { $0 != " " }) } ?? []
        return Facts(
            name: values["name"] ?? fileName, attribution: values["attribution"],
            zooms: least...min(max(least, known?.1 ?? least), greatestZoom),
            bounds: parts.count == 4
                ? GeographicBox(west: parts[0], south: parts[1], east: parts[2], north: parts[3]) : nil)
    }
}

/// Why there is no map.
public struct TileError: Error, CustomStringConvertible {
    public let description: String

    init(_ reason: String) {
        description = "cannot show the map: \(reason); name a file of raster tiles (MBTiles 1.3) in [Portal] Map="
    }
}
