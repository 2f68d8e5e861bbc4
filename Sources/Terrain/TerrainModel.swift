internal import Geodesy
public import KonzaModel
internal import KonzaSystem

/// The ground around the station: grids of elevations, of which the finest that covers a place counts.
public final class TerrainModel: Sendable {
    /// The suffix of the names of files of elevations.
    public static let suffix = ".heights"
    /// How many grids a folder may have.
    static let mostGrids = 16

    /// Finest first.
    public let grids: [ElevationGrid]
    let skylines = SkylineCache()

    /// - Parameter grids: in any order.
    public init(_ grids: [ElevationGrid]) {
        self.grids = grids.sorted { $0.latitudeStep < $1.latitudeStep }
    }

    /// All grids of a folder that can be used.
    ///
    /// - Parameter folder: with files whose names end in ``suffix``.
    /// - Returns: the model, which is empty if nothing can be used, and one sentence for each file, or for the folder, that
    ///   cannot be.
    public static func load(folder: String) -> (model: TerrainModel, findings: [String]) {
        var grids: [ElevationGrid] = []
        var findings: [String] = []
        do throws(SystemError) {
            let names = try folderEntries(of: folder).map(\.name).filter { $0.hasSuffix(suffix) }.sorted()
            for name in names.prefix(mostGrids) {
                do throws(TerrainError) {
                    grids.append(try ElevationGrid(path: "\(folder)/\(name)"))
                } catch {
                    findings.append("\(error)")
                }
            }
            if names.isEmpty {
                findings.append(
                    "cannot tell any height: there is no file of elevations in \(folder); install the package again, "
                        + "or name the right folder in [Terrain] Folder=")
            } else if names.count > mostGrids {
                findings.append(
                    "cannot use more than \(mostGrids) files of elevations in \(folder), ignoring the others")
            }
        } catch {
            findings.append(
                "cannot tell any height: \(SystemError.text(error.code)): \(folder); install the package again, or name "
                    + "the right folder in [Terrain] Folder=")
        }
        return (TerrainModel(grids), findings)
    }

    /// The height of the ground above mean sea level, metres, by the finest grid that has it.
    ///
    /// - Parameters:
    ///   - latitude: degrees, WGS 84, north positive.
    ///   - longitude: degrees, east positive.
    /// - Returns: nil where no grid has it.
    public func height(latitude: Double, longitude: Double) -> Double? {
        for grid in grids {
            if let height = grid.height(latitude: latitude, longitude: longitude) { return height }
        }
        return nil
    }

    /// The height of the ground above mean sea level, metres; nil where no grid has it.
    public func height(at place: Coordinate) -> Double? {
        height(latitude: place.latitude, longitude: place.longitude)
    }

    /// The grid that ``height(latitude:longitude:)`` takes a place's height from.
    public func grid(at place: Coordinate) -> ElevationGrid? {
        grids.first { $0.height(latitude: place.latitude, longitude: place.longitude) != nil }
    }
}
