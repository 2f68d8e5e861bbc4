internal import Glibc
internal import KonzaSystem
internal import Synchronization

/// A link of the field between clients and a server on loopback: slow, with loss, cut at any byte, or silent in one direction. Loss
/// is what TCP makes of it: a segment that comes a retransmission time later, and all behind it.
public final class LossyLink: Sendable {
    /// How it is now.
    public struct Condition: Sendable {
        /// Of each direction; nil for no bound.
        public var bytesPerSecond: Double?
        /// One segment in so many is lost; nil for none.
        public var lossOneIn: Int?
        /// What the server says does not arrive.
        public var losesAnswers = false
        /// The link is cut when so many bytes have passed; nil for never.
        public var cutAfterBytes: Int?

        public init() {}
    }

    private struct State {
        var condition = Condition()
        var passed = 0
        var generator: SeededGenerator
        var cuts = 0
        /// Grows when all connections are to be cut.
        var epoch = 0
        var isOver = false
    }

    private static let segmentBytes = 1200
    private static let retransmissionSeconds = 0.2

    /// Where clients connect to.
    public let port: Int
    private let target: UInt16
    private let state: Mutex<State>

    /// - Parameters:
    ///   - target: the server's port on loopback.
    ///   - seed: of the losses.
    /// - Throws: ``SetUpError``, or that there is no thread left.
    public init(to target: Int, seed: UInt64) throws {
        self.target = UInt16(target)
        state = Mutex(State(generator: SeededGenerator(seed: seed)))
        let listener = try LoopbackSocket.listen()
        port = Int(LoopbackSocket.port(of: listener.number))
        let number = dup(listener.number)
        try startThread(named: "lossy-link") { [weak self] in
            let owner = FileDescriptor(owning: number)
            while true {
                let ready = (try? waitForEvents(on: [(owner.number, .readable)], milliseconds: 200)) ?? []
                guard let self, !self.state.withLock({ $0.isOver }) else { return }
                guard ready.first?.contains(.readable) == true else { continue }
                let client = accept(owner.number, nil, nil)
                if client >= 0 { self.serve(client) }
            }
        }
    }

    deinit { end() }

    /// Cuts all connections, and takes no more.
    public func end() { state.withLock { $0.isOver = true } }

    /// Changes how it is.
    public func set(_ change: (inout Condition) -> Void) { state.withLock { change(&$0.condition) } }

    /// Cuts all connections; others may come at once.
    public func cut() { state.withLock { $0.epoch += 1 } }

    /// How often it was cut by ``Condition/cutAfterBytes``.
    public var cuts: Int { state.withLock { $0.cuts } }

    private func serve(_ client: Int32) {
        guard let server = try? LoopbackSocket.connect(port: target) else {
            close(client)
            return
        }
        let epoch = state.withLock { $0.epoch }
        let isStarted: Void? = try? startThread(named: "lossy-pair") { [weak self] in
            let near = FileDescriptor(owning: client)
            let far = FileDescriptor(owning: server)
            while let self, self.pass(near.number, far.number, epoch) {}
        }
        if isStarted == nil {
            close(client)
            close(server)
        }
    }

    /// Passes what is there on.
    ///
    /// - Returns: false if the connection is over.
    private func pass(_ client: Int32, _ server: Int32, _ epoch: Int) -> Bool {
        let events =
            (try? waitForEvents(on: [(client, .readable), (server, .readable)], milliseconds: 50)) ?? [[], []]
        guard state.withLock({ $0.epoch == epoch && !$0.isOver }) else { return false }
        for (index, found) in events.enumerated() where !found.isEmpty {
            var bytes = [UInt8](repeating: 0, count: Self.segmentBytes)
            let count = unsafe read(index == 0 ? client : server, &bytes, bytes.count)
            guard count > 0 else { return false }
            let (pause, isLost, isCut) = weigh(count, isAnswer: index == 1)
            if pause > 0 { usleep(UInt32(pause * 1e6)) }
            if !isLost, (try? writeAll(Array(bytes[..<count]), to: index == 0 ? server : client)) == nil {
                return false
            }
            if isCut { return false }
        }
        return true
    }

    private func weigh(_ count: Int, isAnswer: Bool) -> (pause: Double, isLost: Bool, isCut: Bool) {
        state.withLock { state in
            let condition = state.condition
            var pause = condition.bytesPerSecond.map { Double(count) / $0 } ?? 0
            if let rate = condition.lossOneIn, Int.random(in: 0..<rate, using: &state.generator) == 0 {
                pause += Self.retransmissionSeconds
            }
            state.passed += count
            let isCut = condition.cutAfterBytes.map { state.passed >= $0 } ?? false
            if isCut {
                state.passed = 0
                state.cuts += 1
                state.epoch += 1
            }
            return (pause, isAnswer && condition.losesAnswers, isCut)
        }
    }
}
