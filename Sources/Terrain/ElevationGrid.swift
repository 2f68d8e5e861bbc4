public import KonzaModel
internal import KonzaSystem

/// Why a file of elevations cannot be used, with what to do about it.
public struct TerrainError: Error, Sendable, Equatable, CustomStringConvertible {
    public let path: String
    public let reason: String

    public var description: String {
        "cannot use the elevations in \(path): \(reason); install the file again, or make it anew with "
            + "config/terrain/make-heights"
    }
}

/// Heights above mean sea level on a grid of latitudes and longitudes.
///
/// The samples stay in the file, which is mapped: what is resident are the pages read lately. A value is a sample at a point,
/// not the mean of a cell; between samples the height is bilinear. The file's form is in `config/terrain/SOURCES.md`.
public final class ElevationGrid: Sendable {
    /// Degrees. The samples lie on the edges too.
    public struct Bounds: Sendable, Equatable {
        public let south: Double
        public let west: Double
        public let north: Double
        public let east: Double
    }

    /// The largest file, bytes: a degree by a degree at one arc second has 26 MB.
    static let largestFile = 64 << 20
    static let headerBytes = 64

    public let path: String
    public let bounds: Bounds
    /// The distance between samples, degrees.
    public let latitudeStep: Double
    public let longitudeStep: Double
    public let columns: Int
    public let rows: Int
    /// What the heights are measured from, such as `NAVD88`, which is mean sea level as far as this station is concerned.
    public let datum: String
    private let noData: Int16
    private let file: MappedFile

    /// - Parameter path: of a file as `config/terrain/make-heights` writes it.
    /// - Throws: why it cannot be used.
    public init(path: String) throws(TerrainError) {
        do throws(SystemError) {
            file = try MappedFile(path, limit: Self.largestFile)
        } catch {
            throw TerrainError(path: path, reason: SystemError.text(error.code))
        }
        let header = try GridHeader(file, path: path)
        self.path = path
        (columns, rows) = (header.columns, header.rows)
        (latitudeStep, longitudeStep) = (header.latitudeStep, header.longitudeStep)
        (noData, datum) = (header.noData, header.datum)
        bounds = Bounds(
            south: header.north - header.latitudeStep * Double(rows - 1), west: header.west, north: header.north,
            east: header.west + header.longitudeStep * Double(columns - 1))
    }

    /// The height above mean sea level, metres.
    ///
    /// - Parameters:
    ///   - latitude: degrees, north positive, WGS 84 (NAD 83 is taken as the same: they differ by less than 2 m here).
    ///   - longitude: degrees, east positive.
    /// - Returns: nil outside the grid, and where one of the samples around is missing.
    public func height(latitude: Double, longitude: Double) -> Double? {
        // Rounding must not exclude a place on the edge.
        let x = Self.snapped((longitude - bounds.west) / longitudeStep, last: columns - 1)
        let y = Self.snapped((bounds.north - latitude) / latitudeStep, last: rows - 1)
        guard let x, let y else { return nil }
        let column = min(Int(x), columns - 2)
        let row = min(Int(y), rows - 2)
        let (right, down) = (x - Double(column), y - Double(row))
        guard let top = between(column, row, right), let bottom = between(column, row + 1, right) else {
            // A row of no weight may be missing.
            if down == 0 { return between(column, row, right).map { $0 / 10 } }
            if down == 1 { return between(column, row + 1, right).map { $0 / 10 } }
            return nil
        }
        return (top + (bottom - top) * down) / 10
    }

    /// Decimetres between a sample and the next one of its row.
    private func between(_ column: Int, _ row: Int, _ right: Double) -> Double? {
        let offset = Self.headerBytes + (row * columns + column) * 2
        guard let left = file.int16(at: offset), let next = file.int16(at: offset + 2) else { return nil }
        guard left != noData else { return right == 1 && next != noData ? Double(next) : nil }
        guard next != noData else { return right == 0 ? Double(left) : nil }
        return Double(left) + (Double(next) - Double(left)) * right
    }

    private static func snapped(_ index: Double, last: Int) -> Double? {
        guard index > -1e-6, index < Double(last) + 1e-6 else { return nil }
        return min(max(index, 0), Double(last))
    }

    /// Whether a place is within the bounds, though its samples may be missing.
    public func covers(_ place: Coordinate) -> Bool {
        (bounds.south...bounds.north).contains(place.latitude) && (bounds.west...bounds.east).contains(place.longitude)
    }
}

/// The first 64 bytes of a file of elevations; numbers are little-endian.
struct GridHeader {
    static let magic = Array("KZHEIGHT".utf8)

    let columns: Int
    let rows: Int
    let west: Double
    let north: Double
    let longitudeStep: Double
    let latitudeStep: Double
    let noData: Int16
    let datum: String

    init(_ file: MappedFile, path: String) throws(TerrainError) {
        func fault(_ reason: String) -> TerrainError { TerrainError(path: path, reason: reason) }
        func float(_ offset: Int) -> Double {
            file.number(UInt64.self, at: offset).map(Double.init(bitPattern:)) ?? .nan
        }
        guard file.bytes(0..<8) == Self.magic else { throw fault("it does not begin as such a file does") }
        guard file.count >= ElevationGrid.headerBytes, let version = file.number(UInt16.self, at: 50),
            let columns = file.number(UInt32.self, at: 8), let rows = file.number(UInt32.self, at: 12),
            let noData = file.number(Int16.self, at: 48)
        else { throw fault("it ends within its header") }
        guard version == 1 else { throw fault("it has version \(version) of the form, and only 1 is known") }
        guard (2...100_000).contains(columns), (2...100_000).contains(rows) else {
            throw fault("a grid of \(columns) by \(rows) samples is none")
        }
        (self.columns, self.rows, self.noData) = (Int(columns), Int(rows), noData)
        (west, north, longitudeStep, latitudeStep) = (float(16), float(24), float(32), float(40))
        guard (-180...180).contains(west), (-90...90).contains(north), (1e-6...1).contains(longitudeStep),
            (1e-6...1).contains(latitudeStep), north - latitudeStep * Double(rows - 1) >= -90,
            west + longitudeStep * Double(columns - 1) <= 180
        else { throw fault("its bounds are not on the Earth") }
        let expected = ElevationGrid.headerBytes + self.columns * self.rows * 2
        guard file.count == expected else {
            throw fault("it has \(file.count) bytes where its header asks for \(expected)")
        }
        let name = file.bytes(52..<64).prefix { $0 != 0 }
        guard !name.isEmpty, name.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw fault("it does not name its vertical datum")
        }
        datum = String(decoding: name, as: UTF8.self)
    }
}
