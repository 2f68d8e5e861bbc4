internal import Certificates
internal import HTTPTransfer
internal import KonzaModel
internal import KonzaSystem

/// Renews the box's certificate at half of its life. The old one is used until the broker has taken the new one.
final class IdentityRenewal {
    /// How often to look, seconds; twice as long after each failure, up to the longest.
    private static let period = 600.0
    private static let longest = 6 * 3600.0

    private let identity: BoxIdentity
    private let name: () -> FleetName
    private let log: Log
    private let cancellation: TransferCancellation
    private let clock = SystemClock()

    init(identity: BoxIdentity, name: @escaping () -> FleetName, log: Log, cancellation: TransferCancellation) {
        self.identity = identity
        self.name = name
        self.log = log
        self.cancellation = cancellation
    }

    /// Goes on until it is cancelled.
    func run() {
        var pause = 5.0
        var failures = 0
        while !cancellation.isCancelled {
            let due = clock.monotonic().advanced(bySeconds: pause)
            while !cancellation.isCancelled, clock.monotonic() < due { Pause.seconds(0.5) }
            guard !cancellation.isCancelled else { return }
            pause = Self.period
            guard !identity.hasNext, let address = identity.address, let pair = identity.certificate,
                Self.isDue(pair, at: clock.utc())
            else { continue }
            do {
                let client = try EnrolmentClient(address, identity: identity, cancellation: cancellation)
                let until = try client.renew(name().box)
                log(.notice, "the station's certificate is renewed until \(until.rfc3339)")
                failures = 0
            } catch {
                failures += 1
                // Full jitter: many boxes of one day have many due at one time.
                pause = min(Self.longest, Self.period * Double(1 << min(failures, 6))) * .random(in: 0.5...1)
                log(.warning, "cannot renew the station's certificate: \(error)")
            }
        }
    }

    /// Whether half of a certificate's life is over, earlier or later by a tenth of it, which its serial number decides.
    static func isDue(_ pair: CertificatePair, at now: UTCInstant) -> Bool {
        guard let (from, until) = pair.validity, let facts = try? CertificateFacts(pair.certificate) else {
            return false
        }
        let life = until.seconds(since: from)
        let share = Double(facts.serial.utf8.reduce(0) { ($0 &* 31 &+ UInt64($1)) % 1000 }) / 1000
        return now.seconds(since: from) >= life * (0.45 + 0.1 * share) && now < until
    }
}
