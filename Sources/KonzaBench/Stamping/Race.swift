internal import KonzaModel

/// All contestants on one task, in turn.
struct Race {
    private let contestants: [any Contestant]
    private let task: StampingTask
    private let isQuick: Bool
    private var results: [Result<ContestResult?, any Error>] = []
    private var summaries: [Summary?] = []
    private var peaks: [Int64?] = []

    /// In process, a measurement below this is too short to stand alone, milliseconds.
    private static let shortest = 2.0

    init(contestants: [any Contestant], task: StampingTask, isQuick: Bool) {
        self.contestants = contestants
        self.task = task
        self.isQuick = isQuick
    }

    mutating func run(_ memory: MemoryMeter) {
        let (contestants, task) = (contestants, task)
        // The first time is not counted: it fills caches and gives the picture to judge.
        results = contestants.map { contestant in Result { try contestant.result(task) } }
        let runners = contestants.indices.map { index in
            (try? results[index].get()) != nil || !contestants[index].givesPicture
        }
        func rounds(_ limits: RoundLimits, inProcess: Bool) -> [[Double]] {
            interleavedRounds(limits, count: contestants.count) { index in
                guard contestants[index].isInProcess == inProcess, runners[index] else { return nil }
                return try? Self.measurement(contestants[index], task)
            }
        }
        var times = rounds(RoundLimits(seconds: 1, fewest: 3, most: 30), inProcess: true)
        if contestants.contains(where: { !$0.isInProcess }) {
            // Apart: a program that has just ended leaves the caches to whoever comes next.
            let others = rounds(RoundLimits(seconds: isQuick ? 1 : 2, fewest: 3, most: 10), inProcess: false)
            times = zip(times, others).map { $0.isEmpty ? $1 : $0 }
        }
        summaries = times.map(Summary.init)
        peaks = contestants.indices.map { index in
            let contestant = contestants[index]
            guard contestant.givesPicture, runners[index] else { return nil }
            guard contestant.isInProcess else { return (try? results[index].get())?.peakBytes }
            return (try? memory.peakBytes { _ = try contestant.result(task) }) ?? nil
        }
    }

    /// One measurement; the median of five at once if one alone is short, so that neither the clock nor what the one
    /// before left in the caches counts much.
    private static func measurement(_ contestant: any Contestant, _ task: StampingTask) throws -> Double? {
        guard let first = try contestant.measure(task) else { return nil }
        guard contestant.isInProcess, first < shortest else { return first }
        var times = [first]
        for _ in 0..<4 {
            if let time = try contestant.measure(task) { times.append(time) }
        }
        return Summary(times)?.median
    }

    /// - Returns: nil if the task is not the contestant's.
    /// - Throws: why it could not be measured.
    func summary(_ index: Int) throws -> Summary? {
        let result = try results[index].get()
        if let summary = summaries[index] { return summary }
        if contestants[index].givesPicture, result == nil { return nil }
        throw BenchError("it could not be timed")
    }

    func result(_ index: Int) throws -> ContestResult? { try results[index].get() }
    func peakBytes(_ index: Int) -> Int64? { peaks[index] }

    /// Of the contestant with a name, milliseconds.
    func median(_ name: String) -> Double? {
        zip(contestants, summaries).first { $0.0.name == name }?.1?.median
    }
}
