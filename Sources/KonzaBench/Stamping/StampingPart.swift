internal import Drawing
internal import JPEGCoding
internal import KonzaModel
internal import Stamping

/// How long it takes to put an overlay on a frame, each way there is, all on the same frames and drawings.
struct StampingPart: ~Copyable {
    private static let sizes = [(640, 480), (1280, 720), (1920, 1080), (3840, 2160)].map {
        PixelSize(width: $0.0, height: $0.1)
    }
    private static let inProcess = RoundLimits(seconds: 1.5, fewest: 5, most: 40)
    private static let programs = RoundLimits(seconds: 4, fewest: 5, most: 15)

    private let options: BenchOptions
    private let folder: TemporaryFolder
    private let overlays: OverlayStudio
    private var frames = FrameStudio()
    private let missing: [String]
    /// Median milliseconds of each program on a picture of 64x64.
    private var startUp: [String: Double] = [:]
    private var report: PartReport

    static func run(_ options: BenchOptions) throws -> PartReport {
        var part = try StampingPart(options)
        try part.measureStartUp()
        for template in part.overlays.templates where options.wants(template: template.name) {
            for size in sizes where options.wants(size: "\(size)") { part.measure(template, size) }
        }
        return part.report
    }

    private init(_ options: BenchOptions) throws {
        let folder = try TemporaryFolder(in: Files.environment("TMPDIR") ?? "/tmp")
        overlays = try OverlayStudio(folder: try Files.dataFolder())
        missing = ProgramContestant.installed(folder: folder.path).missing
        self.folder = folder
        self.options = options
        report = PartReport(table: Self.emptyTable)
        if !missing.isEmpty { report.table.notes.append("Not installed: \(missing.joined(separator: ", ")).") }
    }

    private static var emptyTable: Table {
        Table(
            name: "stamping", title: "Stamping a JPEG",
            columns: [
                Column("way", "way"), Column("engine", "engine"), Column("medianMs", "ms"),
                Column("netMs", "less start"), Column("spreadPercent", "±%"), Column("rounds", "n"),
                Column("toLibrary", "/libjpeg"), Column("toCopy", "/memcpy"), Column("bytes", "bytes"),
                Column("outsideDecibels", "dB outside"), Column("insideDecibels", "dB inside"),
                Column("peakMegabytes", "peak MB"),
            ],
            notes: [
                "ms: median of interleaved rounds; ±%: between the quartiles, as a share of the median; less start: "
                    + "without what the same program takes for a picture of 64x64.",
                "/libjpeg: to \(LibraryContestant.name), decode + blend + encode in process; /memcpy: to copying the "
                    + "frame once, in warm caches.",
                "dB outside: PSNR against the frame, beyond the MCUs that the overlay touches and the two pixels that "
                    + "chroma is smoothed over; dB inside: the inked pixels against the drawing laid on the frame.",
                "Frames are painted, with noise, quality \(FrameStudio.quality); cold: the first stamp with a drawing; "
                    + "cached: a later one; programs get frame and overlay as files.",
            ])
    }

    // MARK: One template at one size

    private mutating func measure(_ template: Template, _ size: PixelSize) {
        let what = "\(template.name) \(size)"
        do {
            let overlay = try measureDrawing(template, size)
            for isHalfHeight in [false, true] {
                for hasRestarts in [true, false] {
                    let kind = FrameKind(size: size, isHalfHeight: isHalfHeight, hasRestarts: hasRestarts)
                    // Programs do not care for restart markers, and little for the subsampling.
                    let runsPrograms = !isHalfHeight && !hasRestarts && options.runsPrograms
                    try measure(what, kind, overlay, runsPrograms: runsPrograms)
                }
            }
        } catch {
            report.failures.append("cannot measure the stamping of \(what): \(error)")
        }
    }

    private mutating func measureDrawing(_ template: Template, _ size: PixelSize) throws -> Overlay {
        let overlay = try overlays.draw(template, size)
        let times = try interleavedRounds(RoundLimits(seconds: 0.5, fewest: 3, most: 10), count: 1) { _ in
            try milliseconds { _ = try overlays.draw(template, size) }
        }
        if let summary = Summary(times[0]) {
            report.table.rows.append(
                Row(group: "\(template.name) \(size), drawing", Self.timing("Cairo and Pango, anew", summary)))
        }
        return overlay
    }

    private mutating func measure(
        _ what: String, _ kind: FrameKind, _ overlay: Overlay, runsPrograms: Bool
    ) throws {
        let frame = try frames.frame(kind)
        var files: (frame: String, overlay: String)?
        if runsPrograms {
            let paths = (frame: "\(folder.path)/frame.jpg", overlay: "\(folder.path)/overlay.png")
            try Files.write(frame.array, to: paths.frame)
            try Files.write(try overlay.pngBytes(), to: paths.overlay)
            files = paths
        }
        let task = StampingTask(kind: kind, frame: frame, overlay: overlay, files: files)
        let group =
            "\(what), \(kind.subsamplingName), \(kind.hasRestarts ? "restart markers" : "no restart markers"), "
            + "\(frame.count) bytes"
        try measure(task, group: group)
    }

    private mutating func measure(_ task: StampingTask, group: String) throws {
        var contestants = EngineContestant.all(overlay: task.overlay)
        contestants += [
            LibraryContestant(overlay: task.overlay), TranscodeContestant(), CopyContestant(frame: task.frame),
        ]
        if task.files != nil {
            if !missing.contains("Pillow") { contestants.append(PillowContestant(folder: folder.path)) }
            contestants += ProgramContestant.installed(folder: folder.path).found
        }
        let fidelity = try Fidelity(frame: task.frame, kind: task.kind, overlay: task.overlay)
        // The first time is not counted: it fills caches and gives the picture to judge.
        let results = contestants.map { contestant in Result { try contestant.result(task) } }
        let isProgram = contestants.map { $0 is ProgramContestant }
        func rounds(_ limits: RoundLimits, programs: Bool) -> [[Double]] {
            interleavedRounds(limits, count: contestants.count) { index in
                guard isProgram[index] == programs else { return nil }
                guard (try? results[index].get()) != nil || !contestants[index].givesPicture else { return nil }
                return try? contestants[index].measure(task)
            }
        }
        // Programs apart: one that has just ended leaves the caches to whoever comes next.
        var times = rounds(Self.inProcess, programs: false)
        if isProgram.contains(true) {
            times = zip(times, rounds(Self.programs, programs: true)).map { $0.isEmpty ? $1 : $0 }
        }
        let summaries = times.map(Summary.init)
        func median(_ name: String) -> Double? {
            zip(contestants, summaries).first { $0.0.name == name }?.1?.median
        }
        let (library, copy) = (median(LibraryContestant.name), median(CopyContestant.name))
        for (index, contestant) in contestants.enumerated() {
            do {
                let result = try results[index].get()
                guard let summary = summaries[index] else {
                    if contestant.givesPicture, result == nil { continue }
                    throw BenchError("it could not be timed")
                }
                var values = Self.timing(contestant.name, summary)
                if let start = startUp[contestant.name] { values["netMs"] = .figure(summary.median - start) }
                if let library { values["toLibrary"] = .figure(summary.median / library) }
                if let copy { values["toCopy"] = .figure(summary.median / copy) }
                if let result { values.merge(try Self.quality(result, fidelity)) { $1 } }
                report.table.rows.append(Row(group: group, values))
            } catch {
                report.failures.append("cannot measure \(contestant.name) on \(group): \(error)")
            }
        }
    }

    // MARK: Figures

    private static func timing(_ way: String, _ summary: Summary) -> [String: Value] {
        [
            "way": .text(way), "medianMs": .figure(summary.median),
            "spreadPercent": .number(summary.spread * 100, decimals: 0), "rounds": .count(summary.count),
        ]
    }

    private static func quality(_ result: ContestResult, _ fidelity: borrowing Fidelity) throws -> [String: Value] {
        let verdict = try fidelity.judge(result.picture)
        var values: [String: Value] = ["bytes": .count(result.picture.count)]
        if let way = result.way { values["engine"] = .text(way) }
        if let outside = verdict.outside { values["outsideDecibels"] = .number(outside, decimals: 1) }
        if let inside = verdict.inside { values["insideDecibels"] = .number(inside, decimals: 1) }
        if let peak = result.peakBytes { values["peakMegabytes"] = .number(Double(peak) / 1e6, decimals: 0) }
        return values
    }

    /// Times each program on a picture with next to nothing in it.
    private mutating func measureStartUp() throws {
        guard options.runsPrograms else { return }
        let kind = FrameKind(size: PixelSize(width: 64, height: 64), isHalfHeight: false, hasRestarts: false)
        let ink = [UInt8](repeating: 255, count: 16 * 16 * 4)
        let overlay = Overlay(
            width: 64, height: 64, patches: [.init(x: 8, y: 40, width: 16, height: 16, pixels: ink)])
        let frame = try frames.frame(kind)
        let paths = (frame: "\(folder.path)/tiny.jpg", overlay: "\(folder.path)/tiny.png")
        try Files.write(frame.array, to: paths.frame)
        try Files.write(try overlay.pngBytes(), to: paths.overlay)
        let task = StampingTask(kind: kind, frame: frame, overlay: overlay, files: paths)
        let programs = ProgramContestant.installed(folder: folder.path).found
        // A program that fails is told of where it counts.
        let times = interleavedRounds(RoundLimits(seconds: 5, fewest: 5, most: 15), count: programs.count) { index in
            try? programs[index].measure(task)
        }
        for (program, times) in zip(programs, times) {
            guard let summary = Summary(times) else { continue }
            startUp[program.name] = summary.median
            report.table.rows.append(
                Row(group: "start-up: a picture of 64x64", Self.timing(program.name, summary)))
        }
    }
}
