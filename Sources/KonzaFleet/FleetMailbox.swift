internal import FleetMessaging
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import MQTTTransfer
internal import Synchronization

/// What the threads of `konza-fleet` tell each other: messages for the broker, receipts from it, and how it is.
final class FleetMailbox: Sendable {
    /// The most messages that wait for the broker; who has more waits.
    static let mostOutgoing = 256

    /// The most commands that wait to be judged; more are not taken.
    private static let mostCommands = 32
    /// The most messages with settings that wait to be judged; more are not taken, the broker keeps the last.
    private static let mostDesired = 8
    /// The most receipts of answers that are remembered; one that is forgotten comes again.
    private static let mostAnswers = 1024

    /// A message on the topic of commands.
    struct Command: Sendable, Equatable {
        let payload: [UInt8]
        let isRetained: Bool
    }

    /// Why messages of a kind do not reach the fleet although the broker is connected.
    struct Complaint: Sendable, Equatable {
        /// A stable word.
        let kind: String
        let reason: String

        init(_ kind: String, _ reason: String) {
            self.kind = kind
            self.reason = reason
        }
    }

    private struct State {
        var commands: [Command] = []
        var desired: [[UInt8]] = []
        /// What was confirmed, by id. Ids are unique among all kinds of records.
        var answers: [String: Int64] = [:]
        var outgoing: [MQTTPublication] = []
        var receipts: Set<FleetReceipts.Pair> = []
        var isConnected = false
        /// Counts the connections.
        var connections = 0
        var report = FleetConnection(.connecting)
        /// What is wrong with a connection that is up, by the kind of message.
        var complaints: [FleetKind: Complaint] = [:]
        var storeReport: FleetStoreReport?
    }

    private let state = Mutex(State())
    /// Wakes the thread that has the connection.
    let wakeup: Wakeup
    /// Wakes the thread that waits for receipts.
    let news: Wakeup

    init() throws(SystemError) {
        wakeup = try Wakeup()
        news = try Wakeup()
    }

    // MARK: - To the broker

    /// Puts a message up for the broker.
    ///
    /// - Returns: false if there is no room, or no connection.
    @discardableResult
    func send(_ publication: MQTTPublication) -> Bool {
        let isTaken = state.withLock { state in
            guard state.isConnected, state.outgoing.count < Self.mostOutgoing else { return false }
            state.outgoing.append(publication)
            return true
        }
        if isTaken { wakeup.signal() }
        return isTaken
    }

    /// The messages that may go now.
    func takeOutgoing(_ most: Int) -> [MQTTPublication] {
        state.withLock { state in
            let taken = Array(state.outgoing.prefix(most))
            state.outgoing.removeFirst(taken.count)
            return taken
        }
    }

    // MARK: - From the broker

    func put(_ receipts: FleetReceipts) {
        state.withLock { state in
            state.receipts.formUnion(receipts.pairs)
            if state.answers.count + receipts.pairs.count > Self.mostAnswers { state.answers = [:] }
            for pair in receipts.pairs { state.answers[pair.id] = max(pair.rev, state.answers[pair.id] ?? 0) }
        }
        news.signal()
    }

    /// What was confirmed of these. Receipts for anything else are of no use any more.
    func takeReceipts() -> Set<FleetReceipts.Pair> {
        state.withLock { state in
            defer { state.receipts = [] }
            return state.receipts
        }
    }

    /// The revision of each record that was confirmed since the last call.
    func takeAnswerReceipts() -> [String: Int64] {
        state.withLock { state in
            defer { state.answers = [:] }
            return state.answers
        }
    }

    /// - Returns: false if too many wait already.
    func put(_ command: Command) -> Bool {
        state.withLock { state in
            guard state.commands.count < Self.mostCommands else { return false }
            state.commands.append(command)
            return true
        }
    }

    func takeCommands() -> [Command] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Settings that are wanted.
    ///
    /// - Returns: false if too many wait already.
    func put(desired message: [UInt8]) -> Bool {
        state.withLock { state in
            guard state.desired.count < Self.mostDesired else { return false }
            state.desired.append(message)
            return true
        }
    }

    func takeDesired() -> [[UInt8]] {
        state.withLock { state in
            defer { state.desired = [] }
            return state.desired
        }
    }

    // MARK: - How it is

    /// A new connection is up: what was meant for the one before is made anew by whoever sent it.
    func connected() {
        state.withLock { state in
            state.isConnected = true
            state.connections += 1
            state.outgoing = []
            state.receipts = []
            state.complaints = [:]
            state.report = FleetConnection(.connected)
        }
        news.signal()
    }

    /// - Parameters:
    ///   - error: why; nil where it was ended on purpose.
    ///   - trouble: with the station's certificate, which says more.
    func disconnected(_ error: MQTTError?, _ trouble: IdentityTrouble? = nil) {
        state.withLock { state in
            state.isConnected = false
            state.outgoing = []
            guard let error else { return state.report = FleetConnection(.connecting) }
            state.report = FleetConnection(
                .failed, kind: trouble?.kind ?? error.reason.rawValue,
                reason: String((trouble?.reason ?? error.description).prefix(480)))
        }
        news.signal()
    }

    /// The broker is tried again then.
    func rests(until instant: UTCInstant) {
        state.withLock { if $0.report.state == .failed { $0.report.nextTryAt = instant } }
    }

    /// What is wrong with messages of a kind, of a connection that is up; nil for nothing.
    func complain(_ complaint: Complaint?, about kind: FleetKind) {
        state.withLock { state in
            guard state.isConnected else { return }
            state.complaints[kind] = complaint
            // The first in the order of the kinds, so that it does not change from one message to the next.
            let first = FleetKind.allCases.first { state.complaints[$0] != nil }.flatMap { state.complaints[$0] }
            state.report = FleetConnection(
                .connected, kind: first?.kind, reason: first.map { String($0.reason.prefix(480)) })
        }
    }

    /// The kinds that the broker does not take.
    var refusedKinds: Set<FleetKind> {
        state.withLock { state in Set(state.complaints.filter { $0.value.kind != "unheard" }.keys) }
    }

    var report: FleetConnection { state.withLock { $0.report } }

    /// How the object store is; nil without one.
    var storeReport: FleetStoreReport? {
        get { state.withLock { $0.storeReport } }
        set { state.withLock { $0.storeReport = newValue } }
    }

    /// The number of the connection that is up; nil without one.
    var connection: Int? { state.withLock { $0.isConnected ? $0.connections : nil } }
}
