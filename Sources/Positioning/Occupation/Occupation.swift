public import KonzaModel

/// An occupation: a receiver stands still, and its fixes become one position with an honest error.
///
/// It is a value without a clock: fixes carry the steady clock's reading of their arrival, and ``tick(_:)`` brings the
/// present. It keeps at most ``mostEpochs`` epochs. When these are full, every second one is left out, and from then on only
/// every second, fourth... new one is kept: neighbours resemble each other, and the mean of an occupation that long hardly
/// changes. How it estimates is described in the article "Averaging".
public struct Occupation: Sendable {
    public enum State: Sendable, Equatable {
        case running
        case ended(OccupationEnd)
    }

    /// The most epochs that are kept, whatever the duration and the rate.
    public static let mostEpochs = 1024
    /// Reports without a time belong to one epoch if they arrive within this, seconds.
    private static let sameEpoch = 0.3
    /// A report at most this much older than the newest epoch is a straggler, seconds; one older yet is of a clock that was
    /// set back, and counts.
    private static let straggling = 2.0

    public let settings: OccupationSettings
    /// What was learned of the receiver while the station stood still; nil without, or when that is in doubt.
    public var knowledge: StandingKnowledge?
    public let began: MonotonicInstant
    public private(set) var state = State.running
    /// What was offered and not taken, by reason.
    public private(set) var refused: [OccupationRefusal: Int] = [:]
    /// How many epochs were good, whether kept or thinned out.
    public private(set) var accepted = 0

    private var epochs: [OccupationEpoch] = []
    /// Every so many-th epoch is kept: a power of two.
    private var stride = 1
    private var newest: Fix?
    private var source: SourceKind?
    /// The receiver that the fixes come from, as far as they name one.
    private var device: String?
    private var lastUsable: MonotonicInstant
    private var present: MonotonicInstant
    private var nextJudgement = 0.0

    /// Begins an occupation.
    ///
    /// - Parameters:
    ///   - settings: when it ends and what it assumes.
    ///   - knowledge: what was learned of the receiver while the station stood still.
    ///   - now: the present on the steady clock.
    public init(
        settings: OccupationSettings = OccupationSettings(), knowledge: StandingKnowledge? = nil, now: MonotonicInstant
    ) {
        self.settings = settings
        self.knowledge = knowledge
        began = now
        lastUsable = now
        present = now
    }

    /// How long it has lasted, seconds.
    public var elapsed: Double { present.seconds(since: began) }
    /// How many epochs are kept for the average, outliers included.
    public var kept: Int { epochs.count }

    /// The mean as it stands, with what is claimed for it; nil before the first usable fix. It is worked out anew at every call, in about
    /// a millisecond.
    public var estimate: OccupationResult? {
        guard let source else { return nil }
        let estimator = OccupationEstimator(
            epochs: epochs, systematic: settings.systematic, knowledge: knowledge, device: newest?.device,
            driver: newest?.driver)
        guard var result = estimator.result(source: source) else { return nil }
        result.fixesThinned = accepted - epochs.count
        result.fixesRefused = refused
        result.receiver = receiver
        if case .ended(let reason) = state { result.endReason = reason }
        return result
    }

    /// Takes a fix, or counts why not. After the end nothing is taken.
    ///
    /// - Returns: nil if it was taken, else why not.
    @discardableResult
    public mutating func add(_ fix: Fix) -> OccupationRefusal? {
        guard state == .running else { return .stale }
        let previous = present
        present = max(present, fix.arrival)
        if let reason = refusal(of: fix, at: previous) {
            refused[reason, default: 0] += 1
            if reason == .otherReceiver { state = .ended(.receiverChanged) } else { endIfDue() }
            return reason
        }
        device = device ?? fix.device
        if source == nil { source = fix.source }
        newest = fix
        lastUsable = fix.arrival
        keep(fix)
        endIfDue()
        return nil
    }

    /// Tells the present, so that the occupation can end without a fix. Twice a second is often enough.
    public mutating func tick(_ now: MonotonicInstant) {
        guard state == .running else { return }
        present = max(present, now)
        endIfDue()
    }

    /// Ends it as the user wants; what ended otherwise stays so.
    public mutating func end() {
        if state == .running { state = .ended(.endedByUser) }
    }

    // MARK: Admission

    private func refusal(of fix: Fix, at now: MonotonicInstant) -> OccupationRefusal? {
        guard fix.mode >= .twoDimensional, fix.coordinate != nil else { return .noFix }
        if fix.source == .simulated || fix.status == .simulated, !settings.acceptsSimulated { return .simulated }
        if fix.status == .deadReckoning || fix.status == .timeOnly { return .estimated }
        if let source, source != fix.source { return .otherSource }
        if let device, let other = fix.device, device != other { return .otherReceiver }
        if fix.arrival < began || now.seconds(since: fix.arrival) > settings.staleAfter { return .stale }
        return isRepeated(fix) ? .repeated : nil
    }

    /// Whether the fix is a further report of the newest epoch, or of one just before it.
    private func isRepeated(_ fix: Fix) -> Bool {
        guard let newest else { return false }
        guard let time = fix.time, let newestTime = newest.time else {
            return fix.arrival.seconds(since: newest.arrival) < Self.sameEpoch
        }
        let step = time.seconds(since: newestTime)
        return step <= 0 && step > -Self.straggling
    }

    private mutating func keep(_ fix: Fix) {
        defer { accepted += 1 }
        guard accepted % stride == 0, let epoch = OccupationEpoch(fix, seconds: fix.arrival.seconds(since: began))
        else { return }
        if epochs.count == Self.mostEpochs {
            epochs = epochs.indices.filter { $0 % 2 == 0 }.map { epochs[$0] }
            stride *= 2
            guard accepted % stride == 0 else { return }
        }
        epochs.append(epoch)
    }

    private var receiver: String? {
        let words = [newest?.driver, newest?.device].compactMap { $0 }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    // MARK: The end

    private mutating func endIfDue() {
        if isAccurate { return state = .ended(.accuracyReached) }
        if elapsed >= settings.timeLimit { return state = .ended(.timeOut) }
        if present.seconds(since: lastUsable) >= settings.lostAfter { state = .ended(.receiverLost) }
    }

    /// Judged once a second at most, and ever more rarely, each time after 2 % of the duration: the error comes down slowly.
    private var isAccurate: Bool {
        mutating get {
            guard let wanted = settings.wantedAccuracy, elapsed >= settings.minimumDuration, !epochs.isEmpty,
                elapsed >= nextJudgement
            else { return false }
            nextJudgement = elapsed + max(1, elapsed / 50)
            return (estimate?.horizontalError ?? .infinity) <= wanted
        }
    }
}
