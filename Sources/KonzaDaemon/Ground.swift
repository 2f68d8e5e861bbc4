internal import Geodesy
internal import KonzaModel
internal import KonzaSystem
internal import Terrain

/// The ground around the station, and how its files do.
struct Ground: Sendable {
    let folder: String
    let model: TerrainModel
    /// Of the magnetic field; the newest that the folder has.
    let magnetic: MagneticModel?
    let health: PartHealth

    /// Opens the files of a folder. What cannot be used is said in the log and in the health; all else goes on without it.
    ///
    /// - Parameters:
    ///   - folder: with elevations.
    ///   - log: of the daemon.
    init(folder: String, log: Log) {
        self.folder = folder
        var findings: [String]
        (model, findings) = TerrainModel.load(folder: folder)
        magnetic = Self.magneticModel(folder)
        if magnetic == nil {
            findings.append(
                "cannot tell the magnetic declination: there is no model of the magnetic field (.COF) in \(folder); install "
                    + "the package again, or take the file from NOAA")
        }
        for finding in findings { log(.warning, finding) }
        health = Self.health(model, findings)
    }

    static func health(_ model: TerrainModel, _ findings: [String]) -> PartHealth {
        guard let first = findings.first else {
            return .ok("\(counted(model.grids.count, "file of elevations is", "files of elevations are")) in use")
        }
        let more = findings.count > 1 ? "; and \(findings.count - 1) more, see the log" : ""
        return PartHealth(level: .degraded, kind: "terrain-incomplete", reason: first + more)
    }

    private static func magneticModel(_ folder: String) -> MagneticModel? {
        let names = ((try? folderEntries(of: folder)) ?? []).map(\.name).filter { $0.uppercased().hasSuffix(".COF") }
        return names.sorted().prefix(16).compactMap { name -> MagneticModel? in
            guard let file = try? MappedFile("\(folder)/\(name)", limit: 1 << 16) else { return nil }
            return MagneticModel(coefficients: String(decoding: file.bytes(0..<file.count), as: UTF8.self))
        }.max { $0.epoch < $1.epoch }
    }
}
