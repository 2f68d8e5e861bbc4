internal import JPEGCoding
internal import KonzaModel
internal import Stamping

/// What it costs to turn a frame, beside jpegtran on the same file.
struct TurningPart: ~Copyable {
    private static let turns: [(name: String, turn: PictureTurn, jpegtran: [String])] = [
        ("turned by 90", PictureTurn(.quarter), ["-rotate", "90"]),
        ("turned by 180", PictureTurn(.half), ["-rotate", "180"]),
        ("mirrored", PictureTurn(.none, isMirrored: true), ["-flip", "horizontal"]),
    ]

    private let options: BenchOptions
    private let memory: MemoryMeter
    private let folder: TemporaryFolder
    private let jpegtran: String?
    private var frames: FrameStudio
    private var report: PartReport

    static func run(_ options: BenchOptions, _ memory: MemoryMeter) throws -> PartReport {
        var part = try TurningPart(options, memory)
        for size in [PixelSize(width: 1920, height: 1080), PixelSize(width: 3840, height: 2160)]
        where options.wants(size: "\(size)") {
            for (isHalfHeight, hasRestarts) in [(false, true), (true, false)] {
                try part.measure(FrameKind(size: size, isHalfHeight: isHalfHeight, hasRestarts: hasRestarts))
            }
            try part.measureRaw(size)
        }
        return part.report
    }

    private init(_ options: BenchOptions, _ memory: MemoryMeter) throws {
        let folder = try TemporaryFolder(in: Files.environment("TMPDIR") ?? "/tmp")
        let frames = try FrameStudio(photograph: options.photograph)
        self.options = options
        self.memory = memory
        jpegtran = options.runsPrograms ? Files.program(["jpegtran"]) : nil
        report = PartReport(
            table: Table(
                name: "turning", title: "Turning a frame",
                columns: [
                    Column("way", "way"), Column("medianMs", "ms"), Column("spreadPercent", "±%"),
                    Column("toProgram", "/jpegtran"), Column("peakMegabytes", "MB"), Column("bytes", "bytes out"),
                ],
                notes: [
                    "Frames are of \(frames.subject), quality \(FrameStudio.quality).",
                    "ms: of the processor in process, of the clock for jpegtran, which starts, reads and writes a file: "
                        + "what one would have who starts it for each frame.",
                    "Raw frames: what compressing a packed 4:2:2 one takes as it is, and turned on the way.",
                ]))
        self.folder = folder
        self.frames = frames
        if options.runsPrograms, jpegtran == nil { report.table.notes.append("Not installed: jpegtran.") }
    }

    private mutating func measure(_ kind: FrameKind) throws {
        let frame = try frames.frame(kind)
        let path = "\(folder.path)/frame.jpg"
        try Files.write(frame.array, to: path)
        let group = "\(kind.size), \(kind.subsamplingName), \(kind.restartName), \(frame.count) bytes"
        let turns = Self.turns
        // Each turn, then jpegtran's.
        let limits = RoundLimits(seconds: options.isQuick ? 2 : 5, fewest: 3, most: 30)
        let times = try interleavedRounds(limits, count: 2 * turns.count) { index in
            let each = turns[index / 2]
            guard index % 2 == 1 else {
                return try processorMilliseconds { _ = try JPEGTurner().turn(frame, by: each.turn) }
            }
            guard let jpegtran else { return nil }
            return try milliseconds {
                var child = try ChildProcess(
                    jpegtran, ["-trim"] + each.jpegtran + ["-outfile", "\(folder.path)/turned.jpg", path])
                guard child.wait(seconds: 60)?.status == 0 else {
                    throw BenchError("cannot measure jpegtran: it did not end well")
                }
            }
        }
        for (index, each) in turns.enumerated() {
            guard let ours = Summary(times[2 * index]) else { continue }
            let theirs = Summary(times[2 * index + 1])
            var values = StampingTable.timing("konzad, \(each.name)", ours)
            if let theirs { values["toProgram"] = .ratio(ours.median / theirs.median) }
            values["bytes"] = .count(try JPEGTurner().turn(frame, by: each.turn).data.count)
            if let peak = try memory.peakBytes(of: { _ = try JPEGTurner().turn(frame, by: each.turn) }) {
                values["peakMegabytes"] = .figure(Double(peak) / 1e6)
            }
            report.table.rows.append(Row(group: group, values))
            guard let theirs else { continue }
            report.table.rows.append(Row(group: group, StampingTable.timing("jpegtran, \(each.name)", theirs)))
        }
    }

    private mutating func measureRaw(_ size: PixelSize) throws {
        let kind = FrameKind(size: size, isHalfHeight: false, hasRestarts: true)
        let decoded = try JPEGDecoder().decode(try frames.frame(kind)).image
        var raw = [UInt8](repeating: 128, count: size.width * size.height * 2)
        for index in 0..<(size.width * size.height) { raw[2 * index] = decoded.pixels[3 * index + 1] }
        let turns: [(String, PictureTurn)] = [("as it is", .none)] + Self.turns.prefix(2).map { ($0.name, $0.turn) }
        let compressor = JPEGCompressor(quality: FrameStudio.quality)
        let limits = RoundLimits(seconds: options.isQuick ? 1 : 2, fewest: 3, most: 30)
        let times = try interleavedRounds(limits, count: turns.count) { index in
            try processorMilliseconds {
                _ = try compressor.compress(
                    raw.span, layout: .yuyv, width: size.width, height: size.height, turn: turns[index].1)
            }
        }
        for (turn, times) in zip(turns, times) {
            guard let summary = Summary(times) else { continue }
            report.table.rows.append(
                Row(group: "\(size), raw, YUYV", StampingTable.timing("compressed, \(turn.0)", summary)))
        }
    }
}
