internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// One open connection, from accept to close.
final class Connection: Sendable {
    /// What the connection is doing; each has its own time limit.
    enum Phase: UInt8, AtomicRepresentable {
        case handshake
        case idle
        case head
        case body
        case handling
        case reply
    }

    /// What a client is to the server.
    enum Standing {
        /// Any user who reaches the socket: held to a fair share.
        case stranger
        /// Root, or the daemon's own user: places are kept for both.
        case trusted
        /// The daemon, which asks whether it still answers: never turned away.
        case ourselves
    }

    /// Never used twice, unlike the descriptor.
    let id: UInt64
    /// Valid for as long as the connection is in the ``ConnectionTable``.
    let socket: Int32
    let peer: PeerCredentials
    let standing: Standing
    let channel: Channel
    /// What encrypts it; nil without TLS.
    let tls: TLSSession?
    private let admitted: Atomic<Bool>
    private let process = Mutex<Principal?>(nil)
    private let phase: Atomic<Phase>
    private let asked = Atomic<Bool>(false)
    /// Monotonic nanoseconds.
    private let deadline: Atomic<Int64>
    /// The exchange that waits for something other than the client, which is notified when the client goes.
    let waiting = Mutex<Exchange?>(nil)

    init(
        id: UInt64, socket: Int32, peer: PeerCredentials, standing: Standing, channel: Channel, tls: TLSSession?,
        isAdmitted: Bool, deadline: Int64
    ) {
        self.id = id
        self.socket = socket
        self.peer = peer
        self.standing = standing
        self.channel = channel
        self.tls = tls
        admitted = Atomic(isAdmitted)
        phase = Atomic(tls == nil ? .idle : .handshake)
        self.deadline = Atomic(deadline)
    }

    /// Whether it holds a place among the connections, or is to be turned away.
    var isAdmitted: Bool { admitted.load(ordering: .relaxed) }

    /// Notes that its place went to another, under the lock of the ``ConnectionTable``.
    func losePlace() { admitted.store(false, ordering: .relaxed) }

    /// Whether nothing is under way on it: the server waits for a handshake or a request.
    var isWaiting: Bool {
        let phase = phase.load(ordering: .relaxed)
        return phase == .handshake || phase == .idle
    }

    /// Whether a request line was read on it.
    var hasAsked: Bool { asked.load(ordering: .relaxed) }

    /// Notes that a request line was read.
    func noteRequest() { asked.store(true, ordering: .relaxed) }

    /// Begins a phase that ends at the deadline at the latest (monotonic nanoseconds).
    func enter(_ phase: Phase, until deadline: Int64) {
        self.deadline.store(deadline, ordering: .relaxed)
        self.phase.store(phase, ordering: .relaxed)
    }

    /// The phase that has lasted too long, if one has.
    func overdue(at now: Int64) -> Phase? {
        deadline.load(ordering: .relaxed) < now ? phase.load(ordering: .relaxed) : nil
    }

    /// When the connection began to be idle; now if it is not.
    func idleSince(limitSeconds: Double, now: Int64) -> Int64 {
        guard phase.load(ordering: .relaxed) == .idle else { return now }
        return deadline.load(ordering: .relaxed) - Int64(limitSeconds * 1e9)
    }

    /// Who is at the other end. Asks the policy once in the connection's life.
    func principal(by policy: AccessPolicy) -> Principal {
        process.withLock { known in
            if let known { return known }
            let answer = policy.principal(of: peer, over: channel, groups: { Self.groups(ofPeer: socket) })
            known = answer
            return answer
        }
    }

    /// In whose name the connection itself takes its place.
    var account: Account { Account(user: peer.userID, address: channel.network) }

    /// The supplementary groups that the peer had when it connected (socket(7), `SO_PEERGROUPS`). The kernel has them at
    /// hand; the group database may be on a disk or a network that does not answer.
    private static func groups(ofPeer socket: Int32) -> [UInt32] {
        do throws(SystemError) {
            return try PeerCredentials.groups(ofSocket: socket)
        } catch {
            return []
        }
    }
}
