internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Samples
internal import Settings
internal import Specimens
internal import Storage
internal import Synchronization

/// Answers questions about samples: from what is kept while it is fresh, else from the server by way of the courier, and
/// where neither is to be had, from what is kept however old it is. What an answer is, it says.
final class SampleDesk: Sendable {
    /// How fresh an answer has to be.
    struct Wishes: Sendable {
        /// Seconds; nil for the setting.
        var maxAge: Double?
        /// The server's answer or none.
        var refreshes = false
        /// What is kept, at any age: the network is for the station's people.
        var isKeptOnly = false
        /// The longest wait for the server, seconds.
        var waitingSeconds = 20.0
    }

    struct Answer<Value: Sendable>: Sendable {
        let value: Value
        let origin: AnswerOrigin
        /// Tells two answers to a question apart.
        let stamp: Int64
    }

    /// A courier asks at least so often, seconds, unless it is busy with something long.
    private static let courierSilence = 120.0
    /// What a courier gets to be heard of after konzad's start, seconds.
    private static let courierStart = 40.0
    /// A courier without a network looks for one at least so often, seconds.
    private static let networkSilence = 45.0

    let parts: StationParts
    let outbox: OutboxDesk
    private let opened = Mutex<(origin: String, cache: SampleCache?)?>(nil)

    init(outbox: OutboxDesk) {
        self.outbox = outbox
        parts = outbox.specimens.parts
    }

    private var now: UTCInstant { parts.time.now().instant }

    // MARK: Answering

    func answer<Value>(_ question: SampleQuestion<Value>, _ wishes: Wishes) async throws(Problem) -> Answer<Value> {
        let kept = await onCache(question.kept)
        let maxAge = wishes.maxAge ?? parts.settings.current.metPetDB.samplesMaxAge
        if !wishes.refreshes, let kept, isFresh(kept.at, maxAge) { return answer(kept, .cache, .answer) }
        do throws(Problem) {
            guard !wishes.isKeptOnly else {
                throw Problem(
                    .unavailable,
                    "cannot \(question.what) at MetPetDB: only the station's people have it asked, on devices that are "
                        + "paired as theirs")
            }
            try checkCourier(question.what)
            return try await ask(question, wishes.waitingSeconds)
        } catch {
            let isOutOfReach = error.kind == .unavailable || error.kind == .tooManyRequests
            guard isOutOfReach, !wishes.refreshes else { throw error }
            if let kept { return answer(kept, .cache, .answer, reason: error.detail) }
            if let known = await onCache(question.known) {
                return answer(known.value, .cache, .known, reason: error.detail, stamp: known.stamp)
            }
            throw Problem(error.kind, "\(error.detail); and nothing about this is kept here")
        }
    }

    /// The answer that a page was cut from before, whatever its age.
    ///
    /// - Returns: nil if it is not there any more, or another one is in its place.
    func again<Value>(_ question: SampleQuestion<Value>, stamp: Int64, isKnown: Bool) async -> Answer<Value>? {
        if isKnown {
            guard let known = await onCache(question.known), known.stamp == stamp else { return nil }
            return answer(known.value, .cache, .known, stamp: known.stamp)
        }
        guard let kept = await onCache(question.kept), kept.at.nanoseconds == stamp else { return nil }
        return answer(kept, .cache, .answer)
    }

    private func ask<Value>(
        _ question: SampleQuestion<Value>, _ seconds: Double
    ) async throws(Problem) -> Answer<Value> {
        let report = try await outbox.questions.ask(question.errand, waitingSeconds: seconds) {
            [self] report throws(Problem) in
            let value = try value(of: report, question)
            let instant = now
            _ = await onCache { cache throws(DatabaseError) in try question.keep(value, cache, instant) }
        }
        // As it is kept, so that the next page is one of the same answer.
        if let kept = await onCache(question.kept) { return answer(kept, .server, .answer) }
        return answer(Kept(try value(of: report, question), at: now), .server, .answer)
    }

    private func value<Value>(of report: ErrandReport, _ question: SampleQuestion<Value>) throws(Problem) -> Value {
        guard report.origin == parts.settings.current.metPetDB.samplesOrigin else {
            throw Problem(
                .unavailable,
                "cannot \(question.what): the courier asked another server or account than konzad's settings name; "
                    + "reload konzad")
        }
        guard let value = question.value(report) else {
            throw Problem(
                .unavailable,
                "cannot \(question.what): the courier reports something else; install konzad and konza-courier of one "
                    + "version")
        }
        return value
    }

    private func answer<Value>(
        _ kept: Kept<Value>, _ source: AnswerOrigin.Source, _ coverage: AnswerOrigin.Coverage, reason: String? = nil,
        stamp: Int64? = nil
    ) -> Answer<Value> {
        let age = now.seconds(since: kept.at)
        return Answer(
            value: kept.value,
            origin: AnswerOrigin(
                source: source, coverage: coverage, fetchedAt: kept.at, ageSeconds: age < -1 ? nil : Int(max(0, age)),
                reason: reason), stamp: stamp ?? kept.at.nanoseconds)
    }

    /// An answer of the future is as good as one of an unknown age.
    private func isFresh(_ instant: UTCInstant, _ maxAge: Double) -> Bool {
        (-1..<maxAge).contains(now.seconds(since: instant))
    }

    /// - Throws: `unavailable` where waiting for the courier is in vain.
    func checkCourier(_ what: String) throws(Problem) {
        let now = parts.clock.monotonic()
        guard let courier = outbox.courier else {
            guard now.seconds(since: parts.startedAt) > Self.courierStart else { return }
            throw Problem(
                .unavailable,
                "cannot \(what): konza-courier, which goes to the network, does not run; start it "
                    + "(systemctl start konza-courier)")
        }
        let silence = Double(courier.seenSecondsAgo)
        if !courier.hasNetwork, silence < Self.networkSilence {
            throw Problem(.unavailable, "cannot \(what): there is no network that konza-courier may use")
        }
        if silence > Self.courierSilence {
            throw Problem(
                .unavailable,
                "cannot \(what): konza-courier has asked for nothing to do for \(courier.seenSecondsAgo) s; it is busy, or "
                    + "does not run (systemctl status konza-courier)")
        }
    }

    // MARK: The cache

    /// Works on the cache, where waiting for the disk holds nobody up.
    ///
    /// - Returns: nil if there is no cache, or it fails, which the log says.
    func onCache<Result: Sendable>(
        _ body: @escaping @Sendable (SampleCache) throws(DatabaseError) -> Result?
    ) async -> Result? {
        await onBlockingThread { [self] () -> Result? in
            guard let cache = cache() else { return nil }
            do throws(DatabaseError) {
                return try body(cache)
            } catch {
                parts.log(.warning, "cannot use the samples that are kept: \(error), ignoring")
                return nil
            }
        }
    }

    /// The cache of the server and the account that the settings name now.
    private func cache() -> SampleCache? {
        let settings = parts.settings.current
        let origin = settings.metPetDB.samplesOrigin
        return opened.withLock { opened in
            if let opened, opened.origin == origin { return opened.cache }
            var cache: SampleCache?
            do throws(DatabaseError) {
                cache = try SampleCache(folder: "\(settings.general.state)/samples", origin: origin)
            } catch {
                parts.log(.warning, "cannot keep samples: \(error); they are asked for each time")
            }
            opened = (origin, cache)
            return cache
        }
    }
}
