internal import KonzaAPI
internal import KonzaModel
internal import Synchronization

/// Searches that clients asked for and the courier is to make. Identical requests are coalesced; an answer that comes when
/// its client waits no longer is cached for the next request.
final class CourierQuestions: Sendable {
    typealias Outcome = Result<ErrandReport, Problem>

    /// The most at one time; of pictures, which come nine at a time, more.
    static let limit = 16
    static let pictureLimit = 120
    /// A courier that took one and said nothing for so long has died, seconds.
    private static let patience = 60.0
    /// One that nobody waits for is forgotten after so long, seconds.
    private static let longest = 600.0

    private struct Question {
        let errand: Errand
        let askedAt: MonotonicInstant
        var takenAt: MonotonicInstant?
        var waiting: [UInt64: AsyncStream<Outcome>.Continuation]
        /// Done although nobody waits for it.
        var isBeforehand = false
        let keep: @Sendable (ErrandReport) async throws(Problem) -> Void

        func isSame(as other: Errand) -> Bool {
            errand.kind == other.kind && errand.sample == other.sample && errand.picture == other.picture
                && errand.query?.canonical == other.query?.canonical
        }

        /// The lowest comes first.
        var rank: Int { waiting.isEmpty ? 2 : errand.picture == nil ? 0 : 1 }
    }

    private struct State {
        var nextNumber: UInt64 = 1
        var questions: [Question] = []

        static func limit(of errand: Errand) -> Int {
            errand.picture == nil ? CourierQuestions.limit : CourierQuestions.pictureLimit
        }

        func hasRoom(for errand: Errand) -> Bool {
            questions.count { ($0.errand.picture == nil) == (errand.picture == nil) } < Self.limit(of: errand)
        }
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

    /// The oldest that no courier is after: words before pictures, and last what nobody waits for.
    func take() -> Errand? {
        let now = clock.monotonic()
        return state.withLock { state in
            state.questions.removeAll { $0.waiting.isEmpty && now.seconds(since: $0.askedAt) > Self.longest }
            let open = state.questions.indices.filter { index in
                state.questions[index].takenAt.map { now.seconds(since: $0) > Self.patience } ?? true
            }
            guard let index = open.min(by: { state.questions[$0].rank < state.questions[$1].rank }) else { return nil }
            state.questions[index].takenAt = now
            return state.questions[index].errand
        }
    }

    /// An errand that is under way.
    func errand(_ id: String) -> Errand? {
        state.withLock { state in state.questions.first { $0.errand.id == id }?.errand }
    }

    /// Has the courier do an errand that nobody waits for, unless it is under way or there are too many.
    ///
    /// - Parameter errand: it gets an id.
    func order(_ errand: Errand) {
        let now = clock.monotonic()
        let isNew = state.withLock { state in
            guard !state.questions.contains(where: { $0.isSame(as: errand) }), state.hasRoom(for: errand) else {
                return false
            }
            add(errand, now, [:], isBeforehand: true, &state) { _ throws(Problem) in }
            return true
        }
        if isNew { bell.ring() }
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
            if let same = state.questions.firstIndex(where: { $0.isSame(as: errand) }) {
                let number = state.nextNumber
                state.nextNumber += 1
                state.questions[same].waiting[number] = continuation
                return number
            }
            guard state.hasRoom(for: errand) else {
                throw Problem(
                    .tooManyRequests,
                    "cannot ask for this: \(State.limit(of: errand)) questions wait for the courier already; ask again "
                        + "later")
            }
            let number = state.nextNumber
            add(errand, now, [number: continuation], isBeforehand: false, &state, keep)
            return number
        }
    }

    private func add(
        _ errand: Errand, _ now: MonotonicInstant, _ waiting: [UInt64: AsyncStream<Outcome>.Continuation],
        isBeforehand: Bool, _ state: inout State,
        _ keep: @escaping @Sendable (ErrandReport) async throws(Problem) -> Void
    ) {
        var errand = errand
        errand.id = "\(errand.kind)-\(mark)-\(state.nextNumber)"
        state.nextNumber += 1
        state.questions.append(
            Question(errand: errand, askedAt: now, waiting: waiting, isBeforehand: isBeforehand, keep: keep))
    }

    /// A question that nobody waits for and no courier is after is dropped, unless nobody ever did.
    private func leave(_ token: UInt64) {
        state.withLock { state in
            for index in state.questions.indices { state.questions[index].waiting[token] = nil }
            state.questions.removeAll { $0.waiting.isEmpty && $0.takenAt == nil && !$0.isBeforehand }
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
