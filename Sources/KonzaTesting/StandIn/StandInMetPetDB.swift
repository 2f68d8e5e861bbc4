internal import Glibc
internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// A stand-in for MetPetDB's server on a loopback port: real HTTP/1.1, its hazards included.
///
/// It keeps what it is sent, and behaves as api_v2 v2.1 was observed to: rows stay behind some 4xx and 5xx answers, a
/// search without hits gives a bare list, names filter as regular expressions, and so on. What goes wrong beyond that is
/// told it by ``setFaults(_:)`` and ``quirks``.
public final class StandInMetPetDB: Sendable {
    /// The account that may write, and another one.
    public static let email = "collector@example.org"
    public static let password = "correct horse battery staple"
    public static let otherEmail = "colleague@example.org"

    let core: StandInCore

    /// - Parameter port: 0 for any free one.
    /// - Throws: ``SetUpError``, or the system's error.
    public init(port: UInt16 = 0) throws {
        core = StandInCore(listener: try LoopbackSocket.listen(port: port), wakeup: try Wakeup())
    }

    deinit { core.stop() }

    public var port: UInt16 { core.port }

    /// What to set as the base URL.
    public var baseURL: String { "http://127.0.0.1:\(core.port)" }

    /// Begins to answer, on a thread of its own.
    public func start() {
        let core = self.core
        Task.detached { try? await onDedicatedThread(named: "stand-in") { core.serve() } }
    }

    /// Ends all connections and the thread.
    public func stop() { core.stop() }

    /// Chooses what goes wrong with each request; nil for nothing. It is called on the stand-in's thread.
    public func setFaults(_ choose: (@Sendable (StandInRequest) -> StandInFault)?) {
        core.state.withLock { $0.chooseFault = choose }
    }

    public var quirks: StandInQuirks {
        get { core.state.withLock { $0.quirks } }
        set { core.state.withLock { $0.quirks = newValue } }
    }

    /// Makes every token worthless, as logging out elsewhere does.
    public func revokeTokens() { core.state.withLock { $0.store.tokens.removeAll() } }

    /// Forgets all samples and images, and what was asked.
    public func clear() {
        core.state.withLock { state in
            state.store.samples.removeAll()
            state.store.sesar.samples.removeAll()
            state.requests.removeAll()
        }
    }

    /// Makes the older servlet answer so, whatever it is asked.
    public func setLegacyReply(_ text: String) { setLegacyReply(bytes: Array(text.utf8)) }

    /// Makes the older servlet answer so, whatever it is asked; nil for its own answers.
    public func setLegacyReply(bytes: [UInt8]?) { core.state.withLock { $0.store.legacyReply = bytes } }

    /// What it holds.
    public var samples: [StandInSample] { core.state.withLock { $0.store.samples } }

    /// Changes what it holds, as somebody else would.
    public func change(_ body: (inout [StandInSample]) -> Void) {
        core.state.withLock { body(&$0.store.samples) }
    }

    /// The ids of the two accounts.
    public var ownerID: String { core.state.withLock { $0.store.users[0].id } }
    public var otherOwnerID: String { core.state.withLock { $0.store.users[1].id } }

    /// The last requests, at most 2000.
    public var requests: [StandInRequest] { core.state.withLock { $0.requests } }

    /// The most requests that were under way at one time: taken, and their answers not yet wholly given.
    public var mostAtOnce: Int { core.state.withLock { $0.mostAtOnce } }

    /// How many entries its vocabulary has gained since it was made.
    public var addedTerms: Int { core.state.withLock { $0.store.addedTerms } }

    /// The id of a name in one of its lists, such as `rock_types`.
    public func termID(_ list: String, _ name: String) -> String? {
        core.state.withLock { $0.store.vocabulary.id(list, name) }
    }
}

/// The part that the thread keeps alive until it is stopped. One thread serves all clients, one request after another.
final class StandInCore: Sendable {
    struct State {
        var store = StandInStore()
        var quirks = StandInQuirks()
        var chooseFault: (@Sendable (StandInRequest) -> StandInFault)?
        var requests: [StandInRequest] = []
        var mostAtOnce = 0
        var isStopped = false
    }

    private static let mostRequests = 2000

    let state = Mutex(State())
    let port: UInt16
    private let listener: Int32
    private let wakeup: Wakeup

    init(listener: consuming FileDescriptor, wakeup: Wakeup) {
        port = LoopbackSocket.port(of: listener.number)
        self.listener = listener.release()
        self.wakeup = wakeup
    }

    deinit { close(listener) }

    func stop() {
        state.withLock { $0.isStopped = true }
        wakeup.signal()
    }

    func serve() {
        var connections: [StandInConnection] = []
        while !state.withLock({ $0.isStopped }) {
            let now = Self.milliseconds()
            var descriptors = [
                pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            for connection in connections {
                let wantsOut = connection.hasOutput && connection.notBefore <= now
                descriptors.append(
                    pollfd(
                        fd: connection.descriptor, events: Int16(POLLIN) | (wantsOut ? Int16(POLLOUT) : 0), revents: 0))
            }
            let wait = connections.filter(\.hasOutput).map { max(0, $0.notBefore - now) }.min() ?? 1000
            _ = unsafe poll(&descriptors, nfds_t(descriptors.count), Int32(min(1000, wait)))
            if descriptors[1].revents != 0 { wakeup.clear() }
            connections = zip(connections, descriptors.dropFirst(2)).compactMap { connection, entry in
                serve(connection, entry.revents) ? connection : nil
            }
            let busy = connections.count { $0.hasOutput }
            state.withLock { $0.mostAtOnce = max($0.mostAtOnce, busy) }
            if descriptors[0].revents != 0, let connection = accept() { connections.append(connection) }
        }
    }

    private func accept() -> StandInConnection? {
        let number = Glibc.accept(listener, nil, nil)
        guard number >= 0 else { return nil }
        var one: Int32 = 1
        _ = unsafe setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        return StandInConnection(number)
    }

    /// - Returns: whether to keep it.
    private func serve(_ connection: StandInConnection, _ events: Int16) -> Bool {
        if events & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
            guard connection.receive() else { return false }
            while !connection.isSilent, !connection.isEnding {
                guard case .request(let request) = connection.next() else { break }
                answer(request, on: connection)
            }
        }
        return connection.notBefore > Self.milliseconds() || connection.flush()
    }

    private func answer(_ request: StandInRequest, on connection: StandInConnection) {
        let (fault, answer, delay) = state.withLock { state in
            if state.requests.count == Self.mostRequests { state.requests.removeFirst() }
            state.requests.append(request)
            let fault = state.chooseFault?(request) ?? .none
            return (fault, state.answer(request, fault), state.quirks.delaySeconds)
        }
        connection.notBefore = Self.milliseconds() + Int64(delay * 1000)
        switch fault {
        case .dropBefore, .dropAfter: connection.end()
        case .silentBefore, .silentAfter: connection.isSilent = true
        case .cutAnswer:
            let bytes = answer.bytes
            connection.queue(Array(bytes.prefix(bytes.count - max(1, answer.body.count / 2))), thenEnd: true)
        default: connection.queue(answer.bytes, thenEnd: false)
        }
    }

    private static func milliseconds() -> Int64 { SystemClock().monotonic().nanoseconds / 1_000_000 }
}

extension StandInCore.State {
    /// Does what is asked, as far as the fault lets it.
    mutating func answer(_ request: StandInRequest, _ fault: StandInFault) -> StandInAnswer {
        switch fault {
        case .failBefore: return .traceback("OperationalError", request)
        case .badGateway: return .page(502)
        case .busy:
            var answer = StandInAnswer.page(503)
            answer.headers = [("Retry-After", "1")]
            return answer
        case .redirect:
            return StandInAnswer(
                status: 302, headers: [("Location", "http://127.0.0.2:9/elsewhere/")], body: [])
        case .dropBefore, .silentBefore: return .empty
        case .revokeToken: store.tokens.removeAll()
        default: break
        }
        let answer = store.handle(request, quirks: quirks, isHalfway: fault == .refuseHalfway)
        switch fault {
        case .failAfter: return .traceback("AttributeError", request)
        case .gatewayTimeout: return .page(504)
        default: return answer
        }
    }
}
