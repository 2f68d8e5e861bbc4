internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import MQTTTransfer
internal import Synchronization

/// What operators signed, on its way to the broker: the routes put it in, the first worker publishes it. Nothing of it
/// outlives the process: whoever put it in waits for the broker's word.
final class HubPost: Sendable {
    /// What became of a message.
    enum Outcome: Sendable, Equatable {
        case taken
        /// The broker has it, and nobody has subscribed to its topic (MQTT 5 section 3.4.2.1, 0x10).
        case unheard
        case refused(Int32)
        /// The connection to the broker ended first.
        case lost
    }

    struct Item: Sendable {
        let number: Int
        let publication: MQTTPublication
    }

    /// The most that wait at one time.
    private static let most = 64
    /// The longest wait for the broker's word, seconds.
    static let patience = 10.0

    private struct State {
        var isOpen = false
        /// Counts the connections to the broker.
        var connections = 0
        var next = 0
        var waiting: [Item] = []
        /// By number; nil while nothing is known.
        var outcomes: [Int: Outcome?] = [:]
    }

    private let state = Mutex(State())
    private let clock = SystemClock()
    /// Wakes the worker.
    private let wakeup: Wakeup
    /// Publishes what the broker is to keep, where the worker's connection cannot.
    private let retaining: HubRetaining?

    init(wakeup: Wakeup, retaining: HubRetaining? = nil) {
        self.wakeup = wakeup
        self.retaining = retaining
    }

    // MARK: - For routes

    /// The number of the connection to the broker, from 1; nil while there is none.
    var connection: Int? { state.withLock { $0.isOpen ? $0.connections : nil } }

    /// Has a message published.
    ///
    /// - Returns: whether somebody has subscribed to its topic, as far as the broker says.
    /// - Throws: a problem if the broker does not have it for sure.
    func send(_ publication: MQTTPublication) async throws(Problem) -> Bool {
        if publication.isRetained, let retaining { return try await retaining.send(publication) }
        let number = try put(publication)
        defer { forget(number) }
        let end = clock.monotonic().advanced(bySeconds: Self.patience)
        while !Task.isCancelled, clock.monotonic() < end {
            switch state.withLock({ $0.outcomes[number] ?? nil }) {
            case .taken: return true
            case .unheard: return false
            case .refused(let reason): throw Self.refused(publication, reason)
            case .lost: throw Self.away
            case nil: break
            }
            try? await clock.sleep(until: clock.monotonic().advanced(bySeconds: 0.02))
        }
        throw Self.silent
    }

    static func refused(_ publication: MQTTPublication, _ reason: Int32) -> Problem {
        Problem(
            .unavailable,
            "cannot publish on \(publication.topic): the broker refuses it (reason \(reason)); let konza-hub's user "
                + "write konza/1/+/+/command and konza/1/+/+/desired")
    }

    static let silent = Problem(
        .unavailable,
        "cannot say whether the broker has the message: it has not answered in \(Int(patience)) s; look at "
            + "konza hub, and send the same again: a station does it once")

    private func put(_ publication: MQTTPublication) throws(Problem) -> Int {
        let number = state.withLock { state -> Int? in
            guard state.isOpen, state.outcomes.count < Self.most else { return nil }
            state.next += 1
            state.waiting.append(Item(number: state.next, publication: publication))
            state.outcomes[state.next] = .some(nil)
            return state.next
        }
        guard let number else { throw Self.away }
        wakeup.signal()
        return number
    }

    private func forget(_ number: Int) {
        state.withLock { state in
            state.outcomes[number] = nil
            state.waiting.removeAll { $0.number == number }
        }
    }

    private static let away = Problem(
        .unavailable,
        "cannot publish: konza-hub has no connection to the broker, or too much to send at once; konza hub says how it is"
    )

    // MARK: - For the worker

    /// The broker takes messages from now on.
    func open() {
        state.withLock { state in
            state.isOpen = true
            state.connections += 1
        }
    }

    /// It does not any more.
    func close() {
        state.withLock { state in
            state.isOpen = false
            state.waiting = []
            for (number, outcome) in state.outcomes where outcome == nil { state.outcomes[number] = .lost }
        }
    }

    /// What is to be published.
    func take() -> [Item] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    /// - Parameters:
    ///   - number: of the message.
    ///   - reason: the broker's word.
    func settle(_ number: Int, _ reason: Int32) {
        let outcome: Outcome = reason >= 0x80 ? .refused(reason) : reason == 0x10 ? .unheard : .taken
        state.withLock { state in
            if state.outcomes[number] != nil { state.outcomes[number] = outcome }
        }
    }
}
