internal import Drawing
internal import Glibc
internal import KonzaModel
internal import KonzaSystem
internal import Stamping

/// How long it takes to put an overlay on a frame, each way there is, all on the same frames and drawings.
struct StampingPart: ~Copyable {
    /// When so much time has gone, what takes longest is left out, seconds: a run ends within some ten minutes even on a
    /// machine that is busy with other things.
    private static let patience = 480.0

    private let begin = steadySeconds()
    private let options: BenchOptions
    private let memory: MemoryMeter
    private let folder: TemporaryFolder
    private let overlays: OverlayStudio
    private var frames: FrameStudio
    private let counter: InstructionCounter?
    /// Median milliseconds of each program on a picture of 64x64.
    private var startUp: [String: Double] = [:]
    /// What the first postcard of a process takes.
    private var firstMilliseconds: Double?
    private var ratios: [StampingCase: [String: Double]] = [:]
    /// Shown after the cases.
    private var lastRows: [Row] = []
    private var instructions = InstructionTable()
    /// Cases whose programs or instructions were left out.
    private var shortened = 0
    private var report: PartReport

    static func run(_ options: BenchOptions, _ memory: MemoryMeter) throws -> PartReport {
        var part = try StampingPart(options, memory)
        try part.measureStartUp()
        let cases = StampingCase.all(templates: part.overlays.templates.map(\.name), options)
        var drawn: (drawing: OverlayChoice, overlay: Overlay)?
        for (index, each) in cases.enumerated() {
            part.tellProgress("\(index + 1) of \(cases.count): \(each.name)")
            do {
                if drawn?.drawing != each.drawing || drawn?.overlay.width != each.kind.size.width {
                    drawn = (each.drawing, try part.drawing(each.drawing, each.kind.size))
                }
                if let drawn { try part.measure(each, drawn.overlay) }
            } catch {
                part.report.failures.append("cannot measure the stamping of \(each.name): \(error)")
            }
        }
        part.tellProgress("")
        return part.finished()
    }

    private init(_ options: BenchOptions, _ memory: MemoryMeter) throws {
        let folder = try TemporaryFolder(in: Files.environment("TMPDIR") ?? "/tmp")
        let overlays = try OverlayStudio(folder: try Files.dataFolder())
        let counter = options.countsInstructions ? InstructionCounter(folder: folder.path) : nil
        let frames = try FrameStudio(photograph: options.photograph)
        var table = StampingTable.empty(subject: frames.subject)
        var missing = options.runsPrograms ? ProgramContestant.installed(folder: folder.path).missing : []
        if options.countsInstructions, counter == nil { missing.append("valgrind") }
        if !missing.isEmpty { table.notes.append("Not installed: \(missing.joined(separator: ", ")).") }
        report = PartReport(table: table)
        self.overlays = overlays
        self.frames = frames
        self.counter = counter
        self.folder = folder
        self.options = options
        self.memory = memory
    }

    private consuming func finished() -> PartReport {
        report.table.rows += lastRows
        report.table.gatherGroups()
        if shortened > 0 {
            report.table.notes.append(
                "The machine was slow: in \(shortened) of the cases no programs were started and nothing was counted.")
        }
        if !instructions.table.rows.isEmpty { report.more.append(instructions.table) }
        let ratios = ratios
        report.goals = StampingGoal.judged { ratios[$0]?[$1] }
        report.goals.append(
            Goal("\(StampingGoal.first.shortName), first of a process", firstMilliseconds, .atMost(60), "ms"))
        return report
    }

    /// On a terminal only, and on one line that is written over.
    private func tellProgress(_ text: String) {
        guard isatty(2) == 1 else { return }
        try? writeAll(Array("\r\u{1B}[K\(text)".utf8), to: 2)
    }

    // MARK: One case

    private mutating func drawing(_ drawing: OverlayChoice, _ size: PixelSize) throws -> Overlay {
        let overlay = try overlays.draw(drawing, size)
        guard drawing.change == .none else { return overlay }
        let times = try interleavedRounds(RoundLimits(seconds: 0.3, fewest: 3, most: 10), count: 1) { _ in
            try milliseconds { _ = try overlays.draw(drawing, size) }
        }
        if let summary = Summary(times[0]) {
            lastRows.append(
                Row(
                    group: "drawing the overlay anew with Cairo and Pango",
                    StampingTable.timing("\(drawing.name), \(size)", summary)))
        }
        return overlay
    }

    private mutating func measure(_ each: StampingCase, _ overlay: Overlay) throws {
        let frame = try frames.frame(each.kind)
        var task = StampingTask(frame: frame, overlay: overlay, kind: each.kind)
        let isLate = steadySeconds() - begin > Self.patience
        let runsPrograms = each.suitsPrograms && options.runsPrograms
        let isGoal = StampingGoal.all.contains { $0.stampingCase == each }
        let counts = counter != nil && (isGoal || each.isUsual && !options.isQuick)
        if isLate, runsPrograms || counts { shortened += 1 }
        if runsPrograms, !isLate {
            let paths = (frame: "\(folder.path)/frame.jpg", overlay: "\(folder.path)/overlay.png")
            try Files.write(frame.array, to: paths.frame)
            try Files.write(try overlay.pngBytes(), to: paths.overlay)
            task.files = paths
        }
        try race(each, task)
        if counts, !isLate, let counter {
            let ways = options.isQuick ? InstructionTable.fewWays : InstructionTable.ways
            instructions.add(each.shortName, frameBytes: frame.count, try counter.count(task, ways))
        }
    }

    private mutating func race(_ each: StampingCase, _ task: StampingTask) throws {
        var contestants = Contestants.inProcess(task)
        if each.drawing.change == .none,
            let template = overlays.templates.first(where: { $0.name == each.drawing.template })
        {
            contestants.append(NewWords(template))
            if each == StampingGoal.first {
                contestants.append(FirstStamp(template: template.name, folder: folder.path))
            }
        }
        if task.files != nil {
            contestants += ProgramContestant.installed(folder: folder.path).found
            if PillowContestant.python() != nil { contestants.append(PillowContestant(folder: folder.path)) }
        }
        var race = Race(contestants: contestants, task: task, isQuick: options.isQuick)
        race.run(memory)
        let fidelity = try Fidelity(frame: task.frame, kind: each.kind, overlay: task.overlay)
        let group = "\(each.name), \(task.frame.count) bytes"
        for (index, contestant) in contestants.enumerated() {
            do {
                guard let summary = try race.summary(index) else { continue }
                if contestant.name == FirstStamp.name { firstMilliseconds = summary.median }
                var values = StampingTable.timing(contestant.name, summary)
                if let start = startUp[contestant.name] { values["netMs"] = .figure(summary.median - start) }
                if let library = race.median(LibraryContestant.name) {
                    values["toLibrary"] = .ratio(summary.median / library)
                    ratios[each, default: [:]][contestant.name] = summary.median / library
                }
                if let copy = race.median(CopyContestant.name) { values["toCopy"] = .ratio(summary.median / copy) }
                if let peak = race.peakBytes(index) { values["peakMegabytes"] = .figure(Double(peak) / 1e6) }
                if let result = try race.result(index) {
                    values.merge(try StampingTable.quality(result, fidelity)) { $1 }
                }
                values.merge(StampingTable.about(each, frameBytes: task.frame.count)) { $1 }
                report.table.rows.append(Row(group: group, values))
            } catch {
                report.failures.append("cannot measure \(contestant.name) on \(group): \(error)")
            }
        }
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
        let task = StampingTask(frame: frame, overlay: overlay, kind: kind, files: paths)
        let programs = ProgramContestant.installed(folder: folder.path).found
        // A program that fails is reported where it counts.
        let limits = RoundLimits(seconds: options.isQuick ? 2 : 5, fewest: 3, most: 15)
        let times = interleavedRounds(limits, count: programs.count) { try? programs[$0].measure(task) }
        for (program, times) in zip(programs, times) {
            guard let summary = Summary(times) else { continue }
            startUp[program.name] = summary.median
            lastRows.append(
                Row(group: "start-up: a picture of 64x64", StampingTable.timing(program.name, summary)))
        }
    }
}
