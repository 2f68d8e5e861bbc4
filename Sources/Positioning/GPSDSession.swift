internal import KonzaModel

/// One connection's talk with gpsd, as a value: what came, when, and what follows. It never reads a clock.
struct GPSDSession {
    enum Step: Equatable {
        case send(String)
        case link(PositionLink)
        /// The same connection speaks again after it was silent.
        case recovered(PositionLink)
        case receivers([Receiver])
        case receiver(Receiver)
        case fix(Fix)
        case sky(Sky, hasSatellites: Bool)
        case statement(ErrorStatement?, device: String?)
        /// The receiver said something that tells no position.
        case word(class: String, device: String?)
        case gpsdError
        case rejected(RefusedLine)
        /// The connection is of no use; connect again.
        case end(LinkFailure)
    }

    static let watch = "?WATCH={\"enable\":true,\"json\":true};\n"
    static let ping = "?VERSION;\n"

    /// This many bad lines in a row are not a damaged line but something else than gpsd.
    private static let badLines = 8
    /// A silent connection is given up after this many times the limit. gpsd itself says nothing for up to 3 s
    /// while it opens a receiver, so silence is reported at once and the connection kept for a while.
    private static let patience = 3.0

    let endpoint: String
    private let silentAfter: Double
    private let connectedAt: MonotonicInstant
    private var release: String?
    private var lastLine: MonotonicInstant
    private var pingedAt: MonotonicInstant?
    private var isSilent = false
    private var badLines = 0

    init(endpoint: String, silentAfter: Double, at now: MonotonicInstant) {
        self.endpoint = endpoint
        self.silentAfter = silentAfter
        connectedAt = now
        lastLine = now
    }

    /// Whether gpsd has introduced itself.
    var isEstablished: Bool { release != nil }

    /// When `tick` is first due after the last line.
    var deadline: MonotonicInstant { lastLine.advanced(bySeconds: silentAfter / 3) }

    /// Takes one decoded line.
    mutating func receive(_ result: Result<GPSDReport, RefusedLine>, at now: MonotonicInstant) -> [Step] {
        switch result {
        case .failure(let refused): return reject(refused, at: now)
        case .success(let report):
            var steps = heard(at: now)
            badLines = 0
            steps += release == nil ? introduce(report) : take(report)
            return steps
        }
    }

    private mutating func reject(_ refused: RefusedLine, at now: MonotonicInstant) -> [Step] {
        badLines += 1
        guard let release else {
            let cause = "its first line is \(refused.rejection == .tooLong ? "endless" : "no gpsd VERSION")"
            return [.rejected(refused), .end(.nonsense(endpoint: endpoint, cause: cause))]
        }
        // A damaged line is a sign of life too, but not of a gpsd once there are many.
        guard badLines >= Self.badLines else { return [.rejected(refused)] + heard(at: now) }
        let cause = "gpsd \(release) sent \(badLines) lines in a row that are not its protocol"
        return [.rejected(refused), .end(.nonsense(endpoint: endpoint, cause: cause))]
    }

    private mutating func heard(at now: MonotonicInstant) -> [Step] {
        lastLine = now
        pingedAt = nil
        guard isSilent else { return [] }
        isSilent = false
        guard let release else { return [] }
        return [.recovered(.connected(endpoint: endpoint, release: release))]
    }

    private mutating func introduce(_ report: GPSDReport) -> [Step] {
        guard case .version(let name, let major, _) = report else {
            return [.end(.nonsense(endpoint: endpoint, cause: "its first line is no gpsd VERSION"))]
        }
        guard major >= 3 else { return [.end(.tooOld(endpoint: endpoint, release: name))] }
        release = name
        return [.link(.connected(endpoint: endpoint, release: name)), .send(Self.watch)]
    }

    private func take(_ report: GPSDReport) -> [Step] {
        switch report {
        case .devices(let receivers): [.receivers(receivers)]
        case .device(let receiver): [.receiver(receiver)]
        case .fix(let fix): [.fix(fix)]
        case .sky(let sky, let hasSatellites): [.sky(sky, hasSatellites: hasSatellites)]
        case .statement(let statement, let device): [.statement(statement, device: device)]
        case .other(let kind, let device): device == nil ? [] : [.word(class: kind, device: device)]
        case .error: [.gpsdError]
        case .version, .watch: []
        }
    }

    /// What silence has come to mean. A gpsd without a working receiver has nothing to say, so it is asked for its
    /// version before it is called silent.
    mutating func tick(at now: MonotonicInstant) -> [Step] {
        let quiet = now.seconds(since: lastLine)
        if quiet > silentAfter * Self.patience { return [.end(.silent(endpoint: endpoint))] }
        if quiet > silentAfter * 0.9, !isSilent, release == nil || pingedAt != nil {
            isSilent = true
            return [.link(.down(.silent(endpoint: endpoint)))]
        }
        guard quiet > silentAfter / 3, release != nil, pingedAt == nil else { return [] }
        pingedAt = now
        return [.send(Self.ping)]
    }
}
