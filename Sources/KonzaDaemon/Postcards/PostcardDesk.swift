internal import Capture
internal import Drawing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Postcards
internal import Settings
internal import Storage
internal import Synchronization

/// Takes orders for postcards: checks them, counts down, has them made one frame at a time, and reports each step.
final class PostcardDesk: Sendable {
    /// Postcards under way at once: a bound on memory, since each holds a frame and its stamped copy.
    static let limit = 8
    /// How long a postcard whose countdown has ended waits for its turn to be made, seconds.
    private static let turnSeconds = 30.0

    private let parts: StationParts
    private let overlays: OverlayCache
    private let maker: PostcardMaker
    private let limiter = Limiter(PostcardDesk.limit, of: "a postcard")
    /// What a countdown holds while it runs; the place of a postcard is taken when it has ended.
    private let places = CountdownPlaces()
    private let countdowns = CountdownDesk()
    /// The pictures of collages.
    let shots: ShotDesk
    private let counts = Mutex(Tally())
    private let keys = Mutex<[String: (key: IdempotencyKey, id: PostcardID)]>([:])
    private let tasks = Mutex((isClosed: false, running: [PostcardID: Task<Void, Never>]()))

    init(parts: StationParts) {
        self.parts = parts
        overlays = OverlayCache(library: parts.library, artist: parts.artist)
        maker = PostcardMaker(parts: parts, overlays: overlays)
        shots = ShotDesk(parts: parts)
    }

    enum Answer: Sendable {
        case kept(PostcardRecord)
        /// The same request was done before.
        case known(PostcardRecord)
        case counting(PendingPostcardReply)
    }

    /// What came of the postcards, since the start.
    struct Tally: Sendable {
        var ways: [String: UInt64] = [:]
        var failures: [String: UInt64] = [:]
    }

    var tally: Tally { counts.withLock { $0 } }

    /// How many postcards are under way, their countdowns among them.
    var underWay: Int { limiter.count + places.count }

    /// Whether nothing is left of any postcard: no place, no wait, no key, no task.
    var isIdle: Bool {
        underWay == 0 && limiter.waitingCount == 0 && keys.withLock { $0.isEmpty }
            && tasks.withLock { $0.running.isEmpty }
    }

    /// Takes a request for a postcard.
    ///
    /// - Parameters:
    ///   - request: what is wanted.
    ///   - key: of the request, if it has one.
    ///   - account: in whose name, by which countdowns are shared.
    /// - Returns: the postcard, or the countdown that has begun.
    /// - Throws: a problem with what is asked, or why it cannot be done now.
    func take(_ request: PostcardRequest, key: IdempotencyKey?, account: Account) async throws(Problem) -> Answer {
        guard request.pictures == nil else {
            throw Problem(
                .invalidRequest, "cannot count the pictures of a postcard: name its shots, which are its pictures",
                errors: [.init(path: "/pictures", detail: "of a preview alone: leave it out")])
        }
        var order = try settle(request, key: key)
        if let key, let pending = counting(key) { return .counting(pending) }
        let counts = order.countdownSeconds > 0
        if counts { try places.enter(account) } else { try limiter.enter() }
        do throws(Problem) {
            if let key, let known = try reserve(key) {
                if counts { places.leave(account) } else { limiter.leave() }
                return .known(known)
            }
        } catch {
            if counts { places.leave(account) } else { limiter.leave() }
            throw error
        }
        if counts { return .counting(try startCountdown(order, account)) }
        defer { limiter.leave() }
        if let ids = request.shots { order.collage = try collage(of: ids, request.layout, order, account) }
        let record = try await makeTelling(order, trigger: parts.clock.monotonic())
        for id in request.shots ?? [] { _ = ShotID(id).map { shots.delete($0, account: account) } }
        return .kept(record)
    }

    /// The shots that a request names, which a repeated request need not have any more.
    private func collage(
        of ids: [String], _ layout: String?, _ order: PostcardOrder, _ account: Account
    ) throws(Problem) -> CollageOrder {
        do throws(Problem) {
            return CollageOrder(
                layout: Self.layout(layout),
                shots: try shots.exposures(ids, account: account))
        } catch {
            abandon(order)
            throw error
        }
    }

    private static func layout(_ name: String?) -> CollageLayout { name.flatMap(CollageLayout.init) ?? .grid }

    /// A frame with the overlay that a request would get, or the collage of several like it, not kept.
    func preview(_ request: PostcardRequest) async throws(Problem) -> [UInt8] {
        guard request.countdownSeconds == nil else {
            throw Problem(
                .invalidRequest, "cannot count down before a preview: it shows the current frame, at once",
                errors: [.init(path: "/countdownSeconds", detail: "leave it out")])
        }
        guard request.shots == nil, request.burstSeconds == nil else {
            throw Problem(
                .invalidRequest,
                "cannot preview shots or a burst: a preview shows the current frame; pictures says how often, as in a collage",
                errors: [.init(path: request.shots == nil ? "/burstSeconds" : "/shots", detail: "leave it out")])
        }
        let order = try settle(request, key: nil)
        try limiter.enter()
        defer { limiter.leave() }
        return try await maker.preview(order, pictures: request.pictures ?? 1, Self.layout(request.layout))
    }

    /// Lets go of what is kept for the next postcard.
    func releaseMemory() { overlays.forget() }

    func pending(_ id: PostcardID) -> PendingPostcardReply? { countdowns.reply(id) }

    /// Refuses new orders, ends the countdowns, and waits until the postcards under way are on disk.
    func close(graceSeconds: Double) async {
        places.close()
        limiter.close()
        shots.close()
        let running = tasks.withLock { tasks in
            tasks.isClosed = true
            return Array(tasks.running.values)
        }
        for task in running { task.cancel() }
        let deadline = parts.clock.monotonic().advanced(bySeconds: graceSeconds)
        while underWay > 0, parts.clock.monotonic() < deadline {
            try? await parts.clock.sleep(until: parts.clock.monotonic().advanced(bySeconds: 0.01))
        }
    }

    // MARK: Orders

    private func settle(_ request: PostcardRequest, key: IdempotencyKey?) throws(Problem) -> PostcardOrder {
        let settings = parts.settings.current.postcards
        try request.checkWords(messageLimit: settings.messageLimit)
        let template = request.template ?? settings.template
        try checkCountdown(request.countdownSeconds ?? 0)
        do throws(DrawingError) { _ = try parts.library.template(named: template) } catch { throw Problem(error) }
        if request.labels == true, case .failure(let problem) = parts.surroundings.sight(at: parts.time.now().instant) {
            throw problem
        }
        let message = request.message.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
        var order = PostcardOrder(
            id: parts.archive.newID(), template: template,
            place: request.place ?? parts.settings.current.general.place, message: message,
            countdownSeconds: request.countdownSeconds ?? 0, idempotency: key,
            burstSeconds: request.burstSeconds ?? 0)
        order.labels = request.labels ?? false
        order.language = request.language ?? ""
        return order
    }

    private func checkCountdown(_ seconds: Int) throws(Problem) {
        let longest = Int(parts.settings.current.postcards.maxCountdown)
        guard seconds <= longest else {
            throw Problem(
                .invalidRequest, "cannot count down \(seconds) s: at most \(longest) s ([Postcards] MaxCountdown=)",
                status: 422,
                errors: [.init(path: "/countdownSeconds", detail: "expected 0 to \(longest)")])
        }
    }

    /// Claims an idempotency key.
    ///
    /// - Returns: the postcard that the same request made before, if it did.
    private func reserve(_ key: IdempotencyKey) throws(Problem) -> PostcardRecord? {
        let outcome: IdempotencyOutcome<PostcardRecord>
        do throws(StorageError) {
            outcome = try parts.archive.reserve(key)
        } catch {
            throw Problem(error)
        }
        switch outcome {
        case .new: return nil
        case .existing(let id):
            do throws(PostcardError) { return try parts.archive.record(id) } catch { throw Problem(error) }
        case .conflict:
            throw Problem(
                .idempotencyConflict,
                "cannot take the request: its Idempotency-Key was used for another one; use a new key")
        case .inProgress: break
        }
        throw Problem(
            .idempotencyConflict, "cannot take the request: the same one is still under way; ask again in a moment")
    }

    // MARK: Countdown

    /// The countdown that the same request has started before, for a client that lost the answer.
    private func counting(_ key: IdempotencyKey) -> PendingPostcardReply? {
        guard let known = keys.withLock({ $0[key.key] }), known.key == key else { return nil }
        return countdowns.reply(known.id)
    }

    private func startCountdown(_ order: PostcardOrder, _ account: Account) throws(Problem) -> PendingPostcardReply {
        let start = parts.clock.monotonic()
        let dueAt = parts.time.reading(at: start.advanced(bySeconds: Double(order.countdownSeconds))).instant
        let first = PendingPostcardReply(
            id: order.id.description, state: "counting", dueAt: dueAt, remainingSeconds: order.countdownSeconds)
        countdowns.set(order.id, first)
        if let key = order.idempotency { keys.withLock { $0[key.key] = (key, order.id) } }
        // The task waits for the lock to take itself out of the list.
        let hasStarted = tasks.withLock { tasks in
            guard !tasks.isClosed else { return false }
            tasks.running[order.id] = Task { await self.countDown(order, account, from: start, first) }
            return true
        }
        if hasStarted { return first }
        forget(order)
        abandon(order)
        countdowns.forget(order.id)
        places.leave(account)
        throw Problem(.unavailable, "cannot start a countdown: konzad is stopping; try again in a moment")
    }

    private func forget(_ order: PostcardOrder) {
        tasks.withLock { $0.running[order.id] = nil }
        if let key = order.idempotency { keys.withLock { $0[key.key] = nil } }
    }

    private func countDown(
        _ order: PostcardOrder, _ account: Account, from start: MonotonicInstant, _ first: PendingPostcardReply
    ) async {
        defer { forget(order) }
        do throws(Problem) {
            // The stream is on from the first second, so that the exposure has settled when the countdown ends.
            let warm = parts.hub.watch()
            defer { warm.cancel() }
            try await count(order, account, from: start, first)
            defer { limiter.leave() }
            countdowns.set(order.id, PendingPostcardReply(id: first.id, state: "capturing", dueAt: first.dueAt))
            let trigger = start.advanced(bySeconds: Double(order.countdownSeconds))
            _ = try await makeTelling(order, trigger: trigger)
            countdowns.forget(order.id)
        } catch {
            var reply = PendingPostcardReply(id: first.id, state: "failed", dueAt: first.dueAt)
            reply.problem = error
            countdowns.set(order.id, reply, hasEnded: true)
        }
    }

    /// Counts down to the instant of the picture, and gives the countdown's place up for one among the postcards.
    private func count(
        _ order: PostcardOrder, _ account: Account, from start: MonotonicInstant, _ first: PendingPostcardReply
    ) async throws(Problem) {
        defer { places.leave(account) }
        do throws(Problem) {
            var reply = first
            for remaining in stride(from: order.countdownSeconds, to: 0, by: -1) {
                reply.remainingSeconds = remaining
                countdowns.set(order.id, reply)
                parts.events.post(PostcardEvent(id: reply.id, state: "counting", remainingSeconds: remaining))
                let next = start.advanced(bySeconds: Double(order.countdownSeconds - remaining + 1))
                do { try await parts.clock.sleep(until: next) } catch {
                    throw Problem(.unavailable, "cannot finish the countdown: konzad is stopping; ask again")
                }
            }
            let deadline = parts.clock.monotonic().advanced(bySeconds: Self.turnSeconds)
            try await limiter.enter(waitingUntil: deadline, clock: parts.clock)
        } catch {
            abandon(order)
            counts.withLock { $0.failures[error.kind.rawValue, default: 0] += 1 }
            parts.events.post(PostcardEvent(id: first.id, state: "failed", problem: error))
            throw error
        }
    }

    // MARK: Making

    private func makeTelling(_ order: PostcardOrder, trigger: MonotonicInstant) async throws(Problem) -> PostcardRecord
    {
        parts.events.post(PostcardEvent(id: order.id.description, state: "capturing"))
        do throws(Problem) {
            let record =
                if let collage = order.collage {
                    try await maker.make(order, collage: collage)
                } else {
                    try await maker.make(order, trigger: trigger)
                }
            counts.withLock { $0.ways[record.stamping, default: 0] += 1 }
            parts.events.post(
                PostcardEvent(id: order.id.description, state: "kept", postcard: PostcardReply(record)))
            return record
        } catch {
            abandon(order)
            counts.withLock { $0.failures[error.kind.rawValue, default: 0] += 1 }
            parts.events.post(PostcardEvent(id: order.id.description, state: "failed", problem: error))
            throw error
        }
    }

    private func abandon(_ order: PostcardOrder) {
        if let key = order.idempotency { parts.archive.abandon(key.key) }
    }
}
