internal import KonzaAPI
internal import KonzaModel
internal import Synchronization

/// Searches that clients asked for and the courier is to make. Identical requests are coalesced; an answer that comes when
/// its client waits no longer is cached for the next request.
final class CourierQuestions: Sendable {
    typealias Outcome = Result<ErrandReport, Problem>

    /// The most at one time.
    static let limit = 16
    /// A courier that took one and said nothing for so long has died, seconds.
    private static let patience = 60.0
    /// One that nobody waits for is forgotten after so long, seconds.
    private static let longest = 600.0

    private struct Question {
        let errand: Errand
        let askedAt: MonotonicInstant
        var takenAt: MonotonicInstant?
        var waiting: [UInt64: AsyncStream<Outcome>.Continuation]
        let keep: @Sendable (ErrandReport) async throws(Problem) -> Void
    }

    private struct State {
        var nextNumber: UInt64 = 1
        var questions: [Question] = []
    }

    private let clock: any StationClock
    private let bell: Bell
    private let state = Mutex(State())
    /// Tells this run's errands from those that a courier has left from the run before.
    private let mark = String(UInt32.random(in: 0...UInt32.max), radix: 36)

    init(clock: any StationClock, bell: Bell) {
        self.clock = clock
        self.bell = bell
    }

    /// How many wait for an answer.
    var waitingCount: Int { state.withLock { $0.questions.reduce(0) { $0 + $1.waiting.count } } }

    /// The oldest that no courier is after.
    func take() -> Errand? {
        let now = clock.monotonic()
        return state.withLock { state in
            state.questions.removeAll { $0.waiting.isEmpty && now.seconds(since: $0.askedAt) > Self.longest }
            let index = state.questions.firstIndex { question in
                question.takenAt.map { now.seconds(since: $0) > Self.patience } ?? true
            }
            guard let index else { return nil }
            state.questions[index].takenAt = now
            return state.questions[index].errand
        }
    }

    /// Has the courier find something out, and waits for the answer.
    ///
    /// - Parameters:
    ///   - errand: what to find out; it gets an id.
    ///   - seconds: how long to wait.
    ///   - keep: puts the answer where it stays; done before anyone gets it, and also if nobody waits any more.
    /// - Returns: what the courier reports.
    /// - Throws: `unavailable` without an answer in time, or what the courier or `keep` says went wrong.
    func ask(
        _ errand: Errand, waitingSeconds seconds: Double,
        keep: @escaping @Sendable (ErrandReport) async throws(Problem) -> Void
    ) async throws(Problem) -> ErrandReport {
        let (stream, continuation) = AsyncStream<Outcome>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let token = try join(errand, continuation, keep)
        bell.ring()
        defer { leave(token) }
        let deadline = clock.monotonic().advanced(bySeconds: seconds)
        let timer = Task { [clock] in
            try? await clock.sleep(until: deadline)
            continuation.finish()
        }
        defer { timer.cancel() }
        for await outcome in stream { return try outcome.get() }
        throw Problem(
            .unavailable,
            "cannot find this out: the courier has not answered within \(Int(seconds)) s; ask again, with a longer wait, "
                + "and see that konza-courier runs and has a network")
    }

    private func join(
        _ errand: Errand, _ continuation: AsyncStream<Outcome>.Continuation,
        _ keep: @escaping @Sendable (ErrandReport) async throws(Problem) -> Void
    ) throws(Problem) -> UInt64 {
        let now = clock.monotonic()
        return try state.withLock { state throws(Problem) in
            let number = state.nextNumber
            state.nextNumber += 1
            let same = state.questions.firstIndex {
                $0.errand.kind == errand.kind && $0.errand.sample == errand.sample
                    && $0.errand.query?.canonical == errand.query?.canonical
            }
            if let same {
                state.questions[same].waiting[number] = continuation
                return number
            }
            guard state.questions.count < Self.limit else {
                throw Problem(
                    .tooManyRequests,
                    "cannot ask for this: \(Self.limit) questions wait for the courier already; ask again later")
            }
            var errand = errand
            errand.id = "\(errand.kind)-\(mark)-\(number)"
            state.questions.append(
                Question(errand: errand, askedAt: now, waiting: [number: continuation], keep: keep))
            return number
        }
    }

    /// A question that nobody waits for and no courier is after is dropped.
    private func leave(_ token: UInt64) {
        state.withLock { state in
            for index in state.questions.indices { state.questions[index].waiting[token] = nil }
            state.questions.removeAll { $0.waiting.isEmpty && $0.takenAt == nil }
        }
    }

    /// Takes what the courier says about an errand.
    ///
    /// - Throws: `not-found` if no such question is there.
    func report(_ id: String, _ report: ErrandReport) async throws(Problem) {
        guard let question = state.withLock({ state in state.questions.first { $0.errand.id == id } }) else {
            throw Problem(.notFound, "cannot take the report: nobody waits for the errand \(id.prefix(80)) any more")
        }
        let outcome: Outcome
        if let words = report.problem {
            outcome = .failure(Problem(Self.kind(report.reason), String(words.prefix(1000))))
        } else {
            do throws(Problem) {
                try await question.keep(report)
                outcome = .success(report)
            } catch {
                outcome = .failure(error)
            }
        }
        let waiting = state.withLock { state in
            let index = state.questions.firstIndex { $0.errand.id == id }
            return index.map { Array(state.questions.remove(at: $0).waiting.values) } ?? []
        }
        for continuation in waiting { continuation.yield(outcome) }
    }

    private static func kind(_ reason: ErrandReport.Reason?) -> ProblemKind {
        switch reason {
        case .question: .invalidRequest
        case .missing: .notFound
        case .unavailable, nil: .unavailable
        }
    }
}
