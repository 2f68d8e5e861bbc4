import KonzaTesting
import Printing
import Synchronization

/// A printer in memory that can do all that printers do at the wrong moment. The document is the card's name.
final class FakePrinter: Printer {
    struct Job {
        let name: String
        var card: String?
        var state = PrinterJob.State.incoming
        /// What the printer says about its sheets; it may count none.
        var sheets = 0
    }

    struct State {
        var jobs: [Int: Job] = [:]
        var last = 0
        /// Sheets that came out, by card.
        var printed: [String: Int] = [:]
        var attributes = PrinterAttributes()
        var isReachable = true
        /// Answers are lost with this probability, what was asked being done or not.
        var loss = 0.0
        /// The program ends at this call from now.
        var crashAt: Int?
        var isCrashed = false
        /// Whether jobs go on by themselves between two calls.
        var isAtWork = false
        var resumed = 0
        var generator = SeededGenerator(seed: 1)
    }

    let state: Mutex<State>
    private let onCrash: @Sendable () -> Void
    private let onDocument: @Sendable (String) -> Void

    init(
        seed: UInt64 = 1, onDocument: @escaping @Sendable (String) -> Void = { _ in },
        onCrash: @escaping @Sendable () -> Void = {}
    ) {
        var state = State()
        state.generator = SeededGenerator(seed: seed)
        self.state = Mutex(state)
        self.onDocument = onDocument
        self.onCrash = onCrash
    }

    func attributes() throws(PrinterError) -> PrinterAttributes { try call { $0.attributes } }

    func createJob(named name: String) throws(PrinterError) -> Int {
        try call { state in
            state.last += 1
            state.jobs[state.last] = Job(name: name)
            return state.last
        }
    }

    func send(_ document: [UInt8], to id: Int) throws(PrinterError) {
        try call { [onDocument] state in
            guard var job = state.jobs[id], job.state == .incoming else { return }
            onDocument(job.name)
            job.card = String(decoding: document, as: UTF8.self)
            job.state = .open
            state.jobs[id] = job
        }
    }

    func job(_ id: Int) throws(PrinterError) -> PrinterJob? {
        try call { state in state.jobs[id].map { PrinterJob(id: id, state: $0.state, sheets: $0.sheets) } }
    }

    func openJobs(named name: String) throws(PrinterError) -> [PrinterJob] {
        try call { state in
            state.jobs.filter { $0.value.name == name && $0.value.isOpen }
                .map { PrinterJob(id: $0.key, state: $0.value.state) }
        }
    }

    func cancel(_ id: Int) throws(PrinterError) {
        try call { state in
            guard var job = state.jobs[id], job.isOpen else { return }
            // What moves already may come out.
            let moves = job.state == .printing && PrinterCondition(state.attributes).takesJobs
            if moves, Bool.random(using: &state.generator), let card = job.card {
                state.printed[card, default: 0] += 1
            }
            job.state = .ended
            state.jobs[id] = job
            Self.tell(&state)
        }
    }

    func resume() throws(PrinterError) {
        try call { state in
            state.attributes = PrinterAttributes()
            state.resumed += 1
        }
    }

    /// Goes on with the first job that has its document.
    func work(completes: Bool = true) { state.withLock { Self.work(&$0, completes: completes) } }

    private static func work(_ state: inout State, completes: Bool) {
        guard PrinterCondition(state.attributes).takesJobs else { return }
        let next = state.jobs.filter { $0.value.card != nil && $0.value.isOpen }.min { $0.key < $1.key }
        guard let (id, first) = next, let card = first.card else { return }
        var job = first
        if job.state == .open {
            job.state = .printing
        } else if completes {
            job.state = .completed
            job.sheets = Bool.random(using: &state.generator) ? 1 : 0
            state.printed[card, default: 0] += 1
        } else {
            job.state = .ended
        }
        state.jobs[id] = job
        tell(&state)
    }

    private static func tell(_ state: inout State) {
        let isBusy = state.jobs.values.contains { $0.state == .printing }
        state.attributes.activity = isBusy ? .processing : .idle
    }

    private func call<Result>(_ body: (inout State) -> Result) throws(PrinterError) -> Result {
        let silence = PrinterError(.unreachable, "no answer")
        let outcome = state.withLock { state -> (result: Result?, crashes: Bool) in
            guard !state.isCrashed, state.isReachable else { return (nil, false) }
            if state.isAtWork, Bool.random(using: &state.generator) { Self.work(&state, completes: true) }
            if let count = state.crashAt {
                state.crashAt = count - 1
                if count <= 0 {
                    state.crashAt = nil
                    state.isCrashed = true
                    // The request arrived, or it did not; nobody hears the answer.
                    if Bool.random(using: &state.generator) { _ = body(&state) }
                    return (nil, true)
                }
            }
            let isLost = Double.random(in: 0..<1, using: &state.generator) < state.loss
            if isLost, Bool.random(using: &state.generator) { return (nil, false) }
            let result = body(&state)
            return (isLost ? nil : result, false)
        }
        if outcome.crashes { onCrash() }
        guard let result = outcome.result else { throw silence }
        return result
    }
}

extension FakePrinter.Job {
    var isOpen: Bool { [.incoming, .open, .printing].contains(state) }
}
