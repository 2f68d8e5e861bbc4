internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// What the connections of a listener with TLS begin with: the certificate, which may be replaced, and the key of the tickets
/// by which clients resume their sessions (RFC 8446 section 2.2, RFC 5077).
final class TLSListener: Sendable {
    /// TLS 1.3, and TLS 1.2 with forward secrecy and authenticated encryption (the AEAD suites of RFC 9325 section 4.2).
    /// The client chooses among the ciphers: all are strong, and it knows whether its processor has AES.
    static let priorities = [
        "NORMAL", "-VERS-ALL", "+VERS-TLS1.3", "+VERS-TLS1.2", "-KX-ALL", "+ECDHE-ECDSA", "+ECDHE-RSA", "-CIPHER-ALL",
        "+AES-128-GCM", "+AES-256-GCM", "+CHACHA20-POLY1305", "-MAC-ALL", "+AEAD", "-GROUP-ALL", "+GROUP-X25519",
        "+GROUP-SECP256R1", "+GROUP-SECP384R1", "-SIGN-RSA-SHA1", "-SIGN-ECDSA-SHA1",
    ].joined(separator: ":")

    private struct State {
        var identity: TLSIdentity
        var tickets: TicketKeys
    }

    private let state: Mutex<State>
    /// Whether clients are asked for a certificate.
    let asksForCertificate: Bool

    /// - Throws: `SystemError` without randomness.
    init(_ identity: TLSIdentity, asksForCertificate: Bool = false, at now: MonotonicInstant) throws(SystemError) {
        self.asksForCertificate = asksForCertificate
        state = Mutex(State(identity: identity, tickets: try TicketKeys(at: now)))
    }

    /// Serves another certificate from the next connection on. Sessions that began with the old one are not resumed.
    func replace(_ identity: TLSIdentity, at now: MonotonicInstant) {
        state.withLock { state in
            state.identity = identity
            state.tickets.renew(at: now)
        }
    }

    /// What a connection that comes in now begins with.
    func begin(at now: MonotonicInstant) -> (credentials: TLSCredentials, ticketKey: [UInt8]) {
        state.withLock { state in (state.identity.credentials, state.tickets.key(at: now)) }
    }
}

/// The key that tickets are encrypted with, a new one every few hours: whoever comes by one later reads no more of the
/// sessions that were recorded before. A client whose ticket is older makes a whole handshake.
struct TicketKeys {
    static let lifetimeSeconds = 12.0 * 3600

    private var current: [UInt8]
    private var madeAt: MonotonicInstant

    init(at now: MonotonicInstant) throws(SystemError) {
        guard let key = TLSCredentials.makeTicketKey() else { throw SystemError("make a key for session tickets") }
        current = key
        madeAt = now
    }

    /// The key of the present.
    mutating func key(at now: MonotonicInstant) -> [UInt8] {
        if now.seconds(since: madeAt) >= Self.lifetimeSeconds { renew(at: now) }
        return current
    }

    /// Makes another key. Without randomness, which the system does not run out of once it has begun, the old one stays.
    mutating func renew(at now: MonotonicInstant) {
        guard let key = TLSCredentials.makeTicketKey() else { return }
        current = key
        madeAt = now
    }
}

/// The TLS session of one connection.
final class TLSSession: Sendable {
    /// Kept for as long as GnuTLS may read it.
    let credentials: TLSCredentials
    let ticketKey: [UInt8]
    let asksForCertificate: Bool
    private let shown = Mutex<[UInt8]?>(nil)
    private let onHandshake: @Sendable (_ isResumed: Bool, Connection) -> Void
    private let finished = Atomic<Int>(0)

    init(
        credentials: TLSCredentials, ticketKey: [UInt8], asksForCertificate: Bool,
        onHandshake: @escaping @Sendable (_ isResumed: Bool, Connection) -> Void
    ) {
        self.credentials = credentials
        self.ticketKey = ticketKey
        self.asksForCertificate = asksForCertificate
        self.onHandshake = onHandshake
    }

    /// Whether the handshake is over.
    var isEstablished: Bool { finished.load(ordering: .relaxed) >= 2 }

    /// The certificate that the client showed, in DER, and whose key it has; who signed it is not judged.
    var certificate: [UInt8]? { isEstablished ? shown.withLock { $0 } : nil }

    func note(certificate: [UInt8]?) {
        if let certificate { shown.withLock { $0 = certificate } }
    }

    /// One side has sent its last message of the handshake.
    func noteFinished(isResumed: Bool, on connection: Connection) {
        if finished.add(1, ordering: .relaxed).newValue == 2 { onHandshake(isResumed, connection) }
    }
}
