internal import Glibc
internal import KonzaModel
internal import KonzaSystem

/// One epoch of a recording. Its arrival means nothing until it is replayed.
struct RecordedEpoch: Sendable, Equatable {
    var fix: Fix?
    var sky: Sky?
    var hasSatellites: Bool
    var seconds = 0.0
}

/// What a receiver or gpsd once said, read whole and checked: NMEA 0183 sentences, or gpsd's JSON lines. Lines that
/// begin with `#` are comments.
public struct Recording: Sendable {
    /// A recording that cannot be replayed, with the place of the fault.
    public struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
        public let file: String
        /// From 1; 0 where the file as a whole is meant.
        public let line: Int
        public let cause: String

        public var description: String {
            let place = line > 0 ? "\(file), line \(line)" : file
            return "cannot replay \(place): \(cause)"
        }
    }

    /// Longer files are refused, bytes: some 15 hours of NMEA at 1 Hz.
    public static let largestFile = 16 << 20
    /// Longer pauses between two epochs are shortened to this, seconds.
    static let longestPause = 60.0

    /// The file's name, for messages.
    public let name: String
    let epochs: [RecordedEpoch]

    /// The time that one round takes at true speed, seconds.
    public var durationSeconds: Double { (epochs.last?.seconds ?? 0) + interval }

    /// How many reports of a position there are.
    public var fixCount: Int { epochs.count { ($0.fix?.mode ?? .notSeen) >= .twoDimensional } }

    /// From the last epoch to the first of the next round: the usual pause between two.
    private let interval: Double

    /// Reads a file.
    ///
    /// - Throws: ``Fault``.
    public init(file path: String) throws(Fault) {
        let name = String(path.split(separator: "/").last ?? "recording")
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Self.contents(of: path)
        } catch {
            throw Fault(file: path, line: 0, cause: SystemError.text(error.code))
        }
        guard bytes.count <= Self.largestFile else {
            throw Fault(file: path, line: 0, cause: "it is larger than 16 MiB; cut it into shorter pieces")
        }
        try self.init(bytes, name: name)
    }

    /// Reads a recording from memory.
    ///
    /// - Throws: ``Fault``.
    public init(_ bytes: some Collection<UInt8>, name: String) throws(Fault) {
        var reader = RecordingReader(name: name)
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            var text = Array(line)
            while let last = text.last, last == 0x0D || last == 0x20 { text.removeLast() }
            guard let first = text.first, first != UInt8(ascii: "#") else { continue }
            try reader.take(text, line: number)
        }
        let epochs = try reader.finish()
        let pauses = zip(epochs.dropFirst(), epochs).map { $0.seconds - $1.seconds }.filter { $0 > 0 }.sorted()
        self.name = name
        self.epochs = epochs
        interval = pauses.isEmpty ? 1 : pauses[pauses.count / 2]
    }

    private static func contents(of path: String) throws(SystemError) -> [UInt8] {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("open \(path)") }
        let file = FileDescriptor(owning: number)
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= largestFile {
            let count = unsafe block.withUnsafeMutableBytes { unsafe read(file.number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError("read \(path)") }
            if count == 0 { break }
            bytes.append(contentsOf: block[..<count])
        }
        return bytes
    }
}

/// Reads a recording's lines, of either kind.
private struct RecordingReader: ~Copyable {
    private let name: String
    private var nmea: NMEAEpochs?
    private var decoder: GPSDDecoder?
    private var epochs: [RecordedEpoch] = []
    private var lastTime: UTCInstant?
    private var lastLine = 0

    init(name: String) { self.name = name }

    mutating func take(_ text: [UInt8], line: Int) throws(Recording.Fault) {
        lastLine = line
        if nmea == nil, decoder == nil {
            switch text.first {
            case UInt8(ascii: "{"): decoder = GPSDDecoder()
            case UInt8(ascii: "$"), UInt8(ascii: "!"): nmea = NMEAEpochs()
            default: throw fault(line, "it begins neither with an NMEA sentence nor with gpsd's JSON")
            }
        }
        if nmea != nil { try takeSentence(text, line) } else { try takeJSON(text, line) }
    }

    private mutating func takeSentence(_ text: [UInt8], _ line: Int) throws(Recording.Fault) {
        // AIS sentences begin with "!" and say nothing of this receiver.
        if text.first == UInt8(ascii: "!") { return }
        do throws(NMEAError) {
            let sentence = try NMEASentence(text)
            if let epoch = try nmea?.take(sentence) { try add(epoch, line) }
        } catch {
            throw fault(line, error.text)
        }
    }

    private mutating func takeJSON(_ text: [UInt8], _ line: Int) throws(Recording.Fault) {
        let report: GPSDReport?
        do throws(LineRejection) {
            report = try decoder?.decode(text, arrival: MonotonicInstant(nanoseconds: 0), source: .recorded)
        } catch {
            throw fault(line, error == .notJSON ? "it is not one JSON object" : "gpsd's library does not take it")
        }
        switch report {
        case .fix(let fix): try addChecked(RecordedEpoch(fix: fix, sky: nil, hasSatellites: false), line)
        case .sky(let sky, let hasSatellites):
            try addChecked(RecordedEpoch(fix: nil, sky: sky, hasSatellites: hasSatellites), line)
        default: break
        }
    }

    mutating func finish() throws(Recording.Fault) -> [RecordedEpoch] {
        if let epoch = nmea?.finish() { try addChecked(epoch, lastLine) }
        guard epochs.contains(where: { ($0.fix?.mode ?? .notSeen) >= .twoDimensional }) else {
            throw fault(0, "it holds no fix with a time; record RMC and GGA sentences or gpsd's TPV reports")
        }
        return epochs
    }

    private mutating func add(_ epoch: RecordedEpoch, _ line: Int) throws(NMEAError) {
        guard append(epoch) else { throw .field("time, which is before the one of the line above,") }
    }

    private mutating func addChecked(_ epoch: RecordedEpoch, _ line: Int) throws(Recording.Fault) {
        guard append(epoch) else { throw fault(line, "its time is before the one of a line above") }
    }

    /// - Returns: false if time goes back.
    private mutating func append(_ epoch: RecordedEpoch) -> Bool {
        var epoch = epoch
        var seconds = epochs.last?.seconds ?? 0
        if let time = epoch.fix?.time {
            if let lastTime {
                let pause = time.seconds(since: lastTime)
                guard pause >= 0 else { return false }
                seconds += min(pause, Recording.longestPause)
            }
            lastTime = time
        }
        epoch.seconds = seconds
        epochs.append(epoch)
        return true
    }

    private func fault(_ line: Int, _ cause: String) -> Recording.Fault {
        Recording.Fault(file: name, line: line, cause: cause)
    }
}
