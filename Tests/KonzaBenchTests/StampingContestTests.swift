import JPEGCoding
import KonzaModel
import Stamping
import Testing

@testable import KonzaBench

@Suite("The contest of stamping") struct StampingContestTests {
    /// A frame of the painted scene, and a half transparent patch whose edges lie within MCUs.
    private func task(_ kind: FrameKind) throws -> StampingTask {
        let ink = (0..<39 * 21).flatMap { _ -> [UInt8] in [90, 60, 30, 128] }
        let overlay = Overlay(
            width: kind.size.width, height: kind.size.height,
            patches: [
                .init(x: 35, y: 50, width: 39, height: 21, pixels: ink),
                .init(x: 0, y: 90, width: 16, height: 6, pixels: [UInt8](repeating: 255, count: 16 * 6 * 4)),
            ])
        var studio = FrameStudio()
        return StampingTask(frame: try studio.frame(kind), overlay: overlay, kind: kind)
    }

    @Test(
        "All ways give the drawing on the frame; konzad's change nothing else, those through RGB do",
        arguments: [false, true], [false, true])
    func pictures(isHalfHeight: Bool, hasRestarts: Bool) throws {
        let kind = FrameKind(
            size: PixelSize(width: 163, height: 117), isHalfHeight: isHalfHeight, hasRestarts: hasRestarts)
        let task = try task(kind)
        let fidelity = try Fidelity(frame: task.frame, kind: kind, overlay: task.overlay)
        var ways: [String?] = []
        for contestant in Contestants.inProcess(task) where contestant.givesPicture {
            let result = try #require(try contestant.result(task))
            #expect(JPEGStructureSummary(result.picture) == JPEGStructureSummary(task.frame))
            let verdict = try fidelity.judge(result.picture)
            #expect(try #require(verdict.inside) > 35, "\(contestant.name)")
            // The planes are quantised as they were: often nothing changes, but nobody promises it.
            if contestant.name != PlanesContestant.name {
                let keeps = result.way != nil && result.way != StampingWay.fullDecode.rawValue
                #expect((verdict.outside == .infinity) == keeps, "\(contestant.name)")
            }
            #expect(try #require(verdict.outside) > 40, "\(contestant.name)")
            ways.append(result.way)
        }
        let splice = hasRestarts ? "restartSplice" : "entropySplice"
        #expect(
            ways == [splice, splice, splice, splice, "coefficients", "coefficients", "fullDecode", nil, nil])
    }

    @Test("The planes as they are lose less than a way through RGB")
    func planes() throws {
        let kind = FrameKind(size: PixelSize(width: 160, height: 112), isHalfHeight: true, hasRestarts: false)
        let task = try task(kind)
        let fidelity = try Fidelity(frame: task.frame, kind: kind, overlay: task.overlay)
        func outside(_ contestant: any Contestant) throws -> Double {
            let result = try #require(try contestant.result(task))
            return try #require(try fidelity.judge(result.picture).outside)
        }
        let (planes, library) = (try outside(PlanesContestant()), try outside(LibraryContestant()))
        #expect(planes > library)
    }

    @Test("A frame that is no JPEG is an error, not a crash")
    func hostile() throws {
        let kind = FrameKind(size: PixelSize(width: 64, height: 64), isHalfHeight: false, hasRestarts: false)
        let overlay = Overlay(width: 64, height: 64, patches: [])
        for bytes in [[UInt8](), [0xFF, 0xD8, 0xFF], [UInt8](repeating: 7, count: 100)] {
            let task = StampingTask(frame: FrameData(bytes), overlay: overlay, kind: kind)
            #expect(throws: (any Error).self) { try LibraryContestant().result(task) }
            #expect(throws: (any Error).self) { try PlanesContestant().result(task) }
        }
    }

    @Test("In a race each has its figures, and the memory of its one stamp")
    func race() throws {
        let kind = FrameKind(size: PixelSize(width: 96, height: 96), isHalfHeight: false, hasRestarts: true)
        let task = try task(kind)
        let contestants: [any Contestant] = [
            EngineContestant("here", RestartSpliceEngine()), EngineContestant("elsewhere", EntropySpliceEngine()),
            CopyContestant(frame: task.frame),
        ]
        var race = Race(contestants: contestants, task: task, isQuick: true)
        race.run(MemoryMeter(begin: {}, end: { 4711 }))
        #expect(try #require(try race.summary(0)).count >= 3)
        #expect(race.peakBytes(0) == 4711)
        #expect(try race.summary(1) == nil)
        #expect(race.peakBytes(1) == nil)
        #expect(race.median(CopyContestant.name) != nil)
        #expect(race.peakBytes(2) == nil)
    }
}

/// What of a JPEG a stamp must not change.
private struct JPEGStructureSummary: Equatable {
    let width: Int?
    let height: Int?
    let sampling: [Int]

    init(_ picture: FrameData) {
        let structure = try? JPEGStructure(parsing: picture)
        width = structure?.width
        height = structure?.height
        sampling = structure?.components.flatMap { [$0.horizontalSampling, $0.verticalSampling] } ?? []
    }
}

@Suite("Cases and goals") struct StampingCaseTests {
    private func cases(_ arguments: [String], templates: [String] = ["band", "frame", "vintage"]) throws
        -> [StampingCase]
    {
        StampingCase.all(templates: templates, try BenchOptions(["stamping"] + arguments))
    }

    @Test("All templates meet all sizes, samplings and restart markers, each once, and each goal has its case")
    func all() throws {
        let all = try cases([])
        // 3 templates, 4 sizes, 2 samplings, with and without markers; a band that shines through, and one at the top.
        #expect(all.count == 3 * 4 * 2 * 2 + 2)
        #expect(Set(all).count == all.count)
        #expect(StampingGoal.all.allSatisfy { all.contains($0.stampingCase) })
    }

    @Test("The quick ones are of the usual size and sampling, and keep the goals")
    func quick() throws {
        let quick = try cases(["--quick"])
        #expect(quick.count == 3 * 2 + 2)
        #expect(quick.allSatisfy { $0.isUsual })
        #expect(StampingGoal.all.allSatisfy { quick.contains($0.stampingCase) })
    }

    @Test("Only what was named is measured")
    func named() throws {
        let named = try cases(["--template", "frame", "--size", "640x480"])
        #expect(named.count == 4)
        #expect(named.allSatisfy { $0.drawing.template == "frame" && $0.kind.size.width == 640 })
        #expect(try cases([], templates: ["other"]).allSatisfy { $0.drawing.change == .none })
    }

    @Test("A goal is met by the ratio of its own case, and not measured without one")
    func goals() throws {
        let band = StampingCase(usual: "band", hasRestarts: true)
        let goals = StampingGoal.judged { stampingCase, way in
            way == Contestants.cached ? (stampingCase == band ? 1.0 / 200 : 1.0 / 4) : nil
        }
        #expect(goals.map(\.isMet) == [true, false, nil, false, nil, false, nil, true, nil, false, false, nil, nil])
        let row = Goal.table(goals).rows[0]
        #expect(row.values["what"] == nil && row.values["goal"]?.text == "band, restart markers, cached")
        #expect(row.values["measured"]?.text == "1/200")
        #expect(row.values["target"]?.text == "at most 1/200")
    }
}

@Suite("What contestants are given") struct StampingMaterialTests {
    private let overlay = Overlay(
        width: 300, height: 70_000,
        patches: [
            .init(x: 1, y: 66_000, width: 2, height: 1, pixels: [200, 100, 50, 255, 1, 2, 3, 4]),
            .init(x: 290, y: 66_010, width: 1, height: 1, pixels: [0, 0, 0, 0]),
        ])

    @Test("An overlay that went through a file is the same")
    func file() throws {
        #expect(try Overlay(fileBytes: overlay.fileBytes) == overlay)
        let empty = Overlay(width: 1, height: 1, patches: [])
        #expect(try Overlay(fileBytes: empty.fileBytes) == empty)
    }

    @Test("A file that is cut, or whose patch lies outside, is refused")
    func cut() {
        let bytes = overlay.fileBytes
        for count in 0..<bytes.count {
            #expect(throws: (any Error).self) { try Overlay(fileBytes: Array(bytes[..<count])) }
        }
        var outside = bytes
        outside[12] = 255
        outside[13] = 255
        #expect(throws: (any Error).self) { try Overlay(fileBytes: outside) }
    }

    @Test("A faded overlay has a share of its alpha and stays premultiplied; one at the top keeps its patches apart")
    func changes() {
        let faded = overlay.faded(to: 0.6)
        #expect(faded.patches[0].pixels == [120, 60, 30, 153, 1, 1, 2, 2])
        #expect(overlay.atTheTop.patches.map(\.y) == [0, 10])
        #expect(overlay.atTheTop.patches.map(\.pixels) == overlay.patches.map(\.pixels))
    }

    @Test("A reduced photograph is the mean of what each pixel covers, of the middle in the new proportions")
    func reduced() {
        // Four columns of 0, 40, 80, 250 by two rows of which the second is 4 brighter.
        let pixels = ([0, 40, 80, 250, 4, 44, 84, 254] as [UInt8]).flatMap { (grey: UInt8) -> [UInt8] in
            [grey, grey, 7]
        }
        let photograph = Photograph(RGBImage(width: 4, height: 2, pixels: pixels))
        #expect(photograph.reduced(to: PixelSize(width: 2, height: 1)).pixels == [22, 22, 7, 167, 167, 7])
        #expect(photograph.reduced(to: PixelSize(width: 1, height: 1)).pixels == [62, 62, 7])
        #expect(photograph.reduced(to: PixelSize(width: 4, height: 2)).pixels == pixels)
    }

    @Test("The shares of a reduction add up to one", arguments: [(640, 4272), (3840, 4272), (7, 10), (5, 5), (9, 4)])
    func shares(count: Int, available: Int) {
        let shares = Photograph.Shares(count: count, of: available, scale: Double(available) / Double(count))
        for index in 0..<count {
            let parts = shares[index]
            #expect(abs(parts.reduce(0) { $0 + $1.1 } - 1) < 1e-4)
            #expect(parts.allSatisfy { (0..<available).contains($0.0) && $0.1 > 0 })
        }
    }
}

@Suite("Counting") struct CountingTests {
    @Test("The count is in callgrind's last words")
    func collected() {
        let said = "==7== Events    : Ir\n==7== Collected : 126467\n==7== \n==7== I   refs:      126,467\n"
        #expect(InstructionCounter.collected(said) == 126_467)
        #expect(InstructionCounter.collected("") == nil)
        #expect(InstructionCounter.collected("==7== Collected : many\n") == nil)
    }

    @Test("A line has millions, the instructions for each byte, and the ratio to libjpeg's")
    func line() throws {
        var table = InstructionTable()
        let counts = [Contestants.cached: Int64(2_000_000), LibraryContestant.name: 100_000_000]
        table.add("one", frameBytes: 400_000, counts)
        let values = try #require(table.table.rows.first).values
        #expect(values["cached"]?.text == "2.00")
        #expect(values["library"]?.text == "100")
        #expect(values["perByte"]?.text == "5.00")
        #expect(values["toLibrary"]?.text == "1/50")
        #expect(values["raw"] == nil)
        // What was not counted has no column.
        #expect(!table.table.text.contains("coefficients"))
    }

    @Test("Work that fails ends the counting of its memory too")
    func meter() {
        // Both are called on this thread only.
        nonisolated(unsafe) var calls: [String] = []
        let meter = MemoryMeter(
            begin: { calls.append("begin") },
            end: {
                calls.append("end")
                return 5
            })
        #expect(meter.peakBytes {} == 5)
        #expect(throws: BenchError.self) { _ = try meter.peakBytes { throw BenchError("cannot") } }
        #expect(calls == ["begin", "end", "begin", "end"])
        #expect(MemoryMeter.none.peakBytes {} == nil)
    }
}
