internal import Glibc
internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Terrain
internal import Trails

@main
enum Main {
    private static let usage = """
        usage: konza-trail [--gpsd] [--seconds N] [--terrain FOLDER]
               konza-trail --network

        Writes a made-up walk on the demonstration's Nature Trail to the standard output, the same at every run: NMEA 0183
        sentences, or with --gpsd the JSON lines of gpsd. --seconds is the length of the walk, 10 or more; a walk that is shorter
        than the trail turns round half way. Heights are those of the files of elevations in FOLDER, config/terrain by default.
        With --network it writes the demonstration's trails as GeoJSON.

        """

    static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        var isGPSD = false
        var seconds: Int?
        var folder = "config/terrain"
        while let argument = arguments.popFirst() {
            switch argument {
            case "--gpsd": isGPSD = true
            case "--network":
                let network = TrailNetwork([DemonstrationTrails.source])
                let none = ClosedEdges(network, [], at: UTCInstant(nanoseconds: 0))
                return write(TrailEncoding.geoJSON(network, closed: none), to: STDOUT_FILENO)
            case "--terrain":
                guard let path = arguments.popFirst() else { return fail("--terrain takes a folder") }
                folder = path
            case "--seconds":
                guard let text = arguments.popFirst(), let number = Int(text), (10...86_400).contains(number) else {
                    return fail("--seconds takes a number from 10 to 86400")
                }
                seconds = number
            case "--help": return write(Array(usage.utf8), to: STDOUT_FILENO)
            default: return fail("\(argument) is not an option")
            }
        }
        let (terrain, findings) = TerrainModel.load(folder: folder)
        guard let path = DemonstrationTrails.walk(height: terrain.height(at:)) else {
            let reason = findings.first ?? "its elevations do not cover the trail"
            return fail("the heights of the trail are not known: \(reason)")
        }
        let trail = SyntheticTrail(
            path: path.map { SyntheticTrail.Vertex($0.place, altitude: $0.height) }, seconds: seconds)
        write(isGPSD ? trail.gpsdJSON() : trail.nmea(), to: STDOUT_FILENO)
    }

    private static func fail(_ cause: String) {
        write(Array("konza-trail: \(cause)\n\(usage)".utf8), to: STDERR_FILENO)
        exit(ExitCode.usage.rawValue)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        do {
            try writeAll(bytes, to: descriptor)
        } catch {
            exit(ExitCode.io.rawValue)
        }
    }
}
