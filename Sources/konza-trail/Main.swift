internal import Glibc
internal import KonzaSystem
internal import Positioning

@main
enum Main {
    private static let usage = """
        usage: konza-trail [--gpsd] [--seconds N]

        Writes a made-up walk near the Konza Nature Trail to the standard output, the same at every run: NMEA 0183
        sentences, or with --gpsd the JSON lines of gpsd. --seconds is the length of the walk, 10 to \
        \(SyntheticTrail.wholeLoopSeconds) (the whole loop).

        """

    static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        var isGPSD = false
        var seconds = SyntheticTrail.wholeLoopSeconds
        while let argument = arguments.popFirst() {
            switch argument {
            case "--gpsd": isGPSD = true
            case "--seconds":
                guard let text = arguments.popFirst(), let number = Int(text),
                    (10...SyntheticTrail.wholeLoopSeconds).contains(number)
                else { return fail("--seconds takes a number from 10 to \(SyntheticTrail.wholeLoopSeconds)") }
                seconds = number
            case "--help": return write(Array(usage.utf8), to: STDOUT_FILENO)
            default: return fail("\(argument) is not an option")
            }
        }
        let trail = SyntheticTrail(seconds: seconds)
        write(isGPSD ? trail.gpsdJSON() : trail.nmea(), to: STDOUT_FILENO)
    }

    private static func fail(_ cause: String) {
        write(Array("konza-trail: \(cause)\n\(usage)".utf8), to: STDERR_FILENO)
        exit(EX_USAGE)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        do {
            try writeAll(bytes, to: descriptor)
        } catch {
            exit(EX_IOERR)
        }
    }
}
