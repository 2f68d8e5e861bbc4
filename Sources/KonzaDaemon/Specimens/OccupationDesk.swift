internal import FoundationEssentials
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Settings
internal import Specimens
internal import Synchronization

/// Runs occupations: feeds them fixes, tells how they settle, and gives their result to the specimen when they end.
///
/// The average lives in memory. When konzad stops, every occupation ends and its specimen gets what was averaged so
/// far. When konzad is cut off, the average is lost and the specimen keeps the position it had: that the occupation
/// began is on the disk, and so it is known to have ended.
final class OccupationDesk: Sendable {
    /// Occupations at one time, of all accounts, which share them by `FairShares`: one has sixteen while nobody else has any.
    static let limit = 32
    /// Seconds between two looks at the time.
    private static let tick = 0.5
    /// Seconds between two looks at one that is ending.
    private static let look = 0.02
    /// Seconds between two events.
    private static let pace = 1.0

    /// An occupation, and the epoch that may still be told more of.
    private struct Running {
        let number: UInt64
        /// Who started it, by number.
        let account: Account
        var occupation: Occupation
        var epoch: Fix?
        let reply: OccupationReply

        /// Takes a report. An epoch comes as several, each richer; it counts once, when the next one begins.
        mutating func take(_ fix: Fix) {
            if let epoch, epoch.sequence != fix.sequence { occupation.add(epoch) }
            epoch = fix
        }

        /// Tells the present. An epoch that is not told more of soon is complete.
        mutating func tick(_ now: MonotonicInstant) {
            if let epoch, now.seconds(since: epoch.arrival) > OccupationDesk.tick / 2 {
                occupation.add(epoch)
                self.epoch = nil
            }
            occupation.tick(now)
        }

        mutating func end() {
            if let epoch { occupation.add(epoch) }
            epoch = nil
            occupation.end()
        }
    }

    private struct State {
        var nextNumber: UInt64 = 0
        var running: [SpecimenID: Running] = [:]
        /// Those that are over, until that is on the disk: they are told to run still.
        var ending: [SpecimenID: Running] = [:]
        /// Of those that run.
        var shares = FairShares(capacity: OccupationDesk.limit)

        /// Takes one out of those that run.
        mutating func remove(_ id: SpecimenID) -> Running? {
            guard let one = running.removeValue(forKey: id) else { return nil }
            shares.giveBack(1, of: one.account)
            return one
        }

        /// Has one that runs come to its end.
        mutating func end(_ id: SpecimenID) -> Running? {
            guard let one = remove(id) else { return nil }
            ending[id] = one
            return one
        }
    }

    private enum Signal: Sendable {
        case fix(Fix)
        case tick
    }

    private let specimens: SpecimenDesk
    private let state = Mutex(State())

    init(specimens: SpecimenDesk) {
        self.specimens = specimens
    }

    private var parts: StationParts { specimens.parts }

    /// How many run.
    var count: Int { state.withLock { $0.running.count } }

    // MARK: Requests

    /// Starts an occupation.
    ///
    /// - Parameters:
    ///   - id: of the specimen.
    ///   - request: how long and how well.
    ///   - account: in whose name.
    /// - Returns: how it stands.
    /// - Throws: `conflict` while one of this specimen runs, `too-many-requests`, `not-found`.
    func start(
        _ id: SpecimenID, _ request: OccupationRequest, account: Account
    ) async throws(Problem) -> OccupationReply {
        let settings = parts.settings.current
        let wanted = request.wantedAccuracy ?? settings.specimens.wantedAccuracy
        let reply = OccupationReply(
            specimen: id, startedAt: specimens.now, wantedAccuracy: wanted, timeLimitSeconds: request.timeLimit)
        // A recording is there to practise with, also one that a simulator made; the position says what it is.
        let occupation = Occupation(
            settings: OccupationSettings(
                wantedAccuracy: wanted, timeLimit: request.timeLimit, minimumDuration: request.minimumDuration,
                acceptsSimulated: settings.position.source == .recorded),
            knowledge: parts.standing.knowledge, now: parts.clock.monotonic())
        let number = try state.withLock { state throws(Problem) in
            try Self.takePlace(&state, for: id, account)
            state.nextNumber += 1
            state.running[id] = Running(
                number: state.nextNumber, account: account, occupation: occupation, reply: reply)
            return state.nextNumber
        }
        do throws(Problem) {
            try await keep(reply)
        } catch {
            state.withLock { _ = $0.remove(id) }
            throw error
        }
        parts.events.post(reply)
        Task { await self.run(id, number) }
        return reply
    }

    private static func takePlace(_ state: inout State, for id: SpecimenID, _ account: Account) throws(Problem) {
        guard state.running[id] == nil, state.ending[id] == nil else {
            throw Problem(
                .conflict, "cannot start the occupation: one of this specimen runs already; end it by DELETE first")
        }
        guard state.shares.takeFairly(1, for: account) else {
            throw Problem(
                .tooManyRequests,
                "cannot start the occupation: \(state.shares.held(by: account)) of yours run already, of "
                    + "\(state.shares.taken) in all; try again when one has ended")
        }
    }

    /// How the occupation of a specimen stands, or how it ended.
    ///
    /// - Throws: `not-found` if there was none.
    func reply(_ id: SpecimenID) async throws(Problem) -> OccupationReply {
        if let running = state.withLock({ $0.running[id] ?? $0.ending[id] }) { return reply(running) }
        let text = try await specimens.onDisk { [archive = parts.specimens] () throws(SpecimenError) in
            try archive.occupation(of: id)
        }
        guard let text, var reply = try? JSONDecoder().decode(OccupationReply.self, from: Data(text)) else {
            throw Problem(.notFound, "cannot find an occupation of \(id): none was started; POST starts one")
        }
        if reply.state == .running {
            reply.state = .ended
            reply.remainingSeconds = 0
            reply.problem = Problem(
                .unavailable,
                "cannot tell what the occupation came to: konzad was cut off before its end; start it again")
        }
        return reply
    }

    /// Ends an occupation, and gives its average to the specimen.
    func end(_ id: SpecimenID) async throws(Problem) -> OccupationReply {
        if let running = state.withLock({ $0.end(id) }) { return await finish(running) }
        // It may just be ending by itself.
        while state.withLock({ $0.ending[id] != nil }), !Task.isCancelled {
            try? await parts.clock.sleep(until: parts.clock.monotonic().advanced(bySeconds: Self.look))
        }
        return try await reply(id)
    }

    /// Ends all, as konzad stops.
    func close() async {
        for running in state.withLock({ state in state.running.keys.compactMap { state.end($0) } }) {
            _ = await finish(running)
        }
    }

    // MARK: The life of one

    private func run(_ id: SpecimenID, _ number: UInt64) async {
        // A minute of fixes at 1 Hz may wait; of a quicker receiver the newest ones.
        let (signals, continuation) = AsyncStream<Signal>.makeStream(bufferingPolicy: .bufferingNewest(64))
        let subscription = parts.board.changes.subscribe { change in
            switch change {
            case .epoch(let fix), .enriched(let fix): continuation.yield(.fix(fix))
            case .sky, .state: break
            }
        }
        let ticker = Task { [clock = parts.clock] in
            while (try? await clock.sleep(until: clock.monotonic().advanced(bySeconds: Self.tick))) != nil {
                continuation.yield(.tick)
            }
        }
        defer {
            subscription.cancel()
            ticker.cancel()
        }
        var nextEvent = parts.clock.monotonic()
        for await signal in signals {
            let now = parts.clock.monotonic()
            switch step(id, number, signal, now) {
            case .gone: return
            case .over(let running):
                _ = await finish(running)
                return
            case .settles(let running):
                guard now >= nextEvent, parts.events.listenerCount > 0 else { continue }
                parts.events.post(reply(running))
                nextEvent = now.advanced(bySeconds: Self.pace)
            }
        }
    }

    private enum Step {
        case settles(Running)
        case over(Running)
        /// Somebody ended it.
        case gone
    }

    private func step(_ id: SpecimenID, _ number: UInt64, _ signal: Signal, _ now: MonotonicInstant) -> Step {
        let knowledge = parts.standing.knowledge
        return state.withLock { state in
            // Taken out while it changes, so that its epochs are not copied.
            guard var running = state.running.removeValue(forKey: id) else { return .gone }
            guard running.number == number else {
                state.running[id] = running
                return .gone
            }
            running.occupation.knowledge = knowledge
            switch signal {
            case .fix(let fix): running.take(fix)
            case .tick: running.tick(now)
            }
            state.running[id] = running
            guard running.occupation.state == .running else {
                _ = state.end(id)
                return .over(running)
            }
            return .settles(running)
        }
    }

    /// Gives the average to the specimen, durably, and reports the end.
    private func finish(_ running: Running) async -> OccupationReply {
        var running = running
        running.end()
        var reply = reply(running)
        reply.state = .ended
        reply.remainingSeconds = 0
        if case .ended(let reason) = running.occupation.state { reply.end = reason.words }
        if let position = reply.position {
            do throws(Problem) {
                try await specimens.adopt(position, for: reply.specimen)
            } catch {
                reply.problem = error
            }
        } else {
            reply.problem = Problem(
                .noPosition,
                "cannot tell where the specimen is from: the occupation ended without one usable fix; see GET "
                    + "/v1/position for what the receiver lacks")
        }
        do throws(Problem) {
            try await keep(reply)
        } catch {
            parts.log(.warning, "cannot keep how the occupation of \(reply.specimen) ended: \(error.detail), ignoring")
        }
        state.withLock { $0.ending[reply.specimen] = nil }
        parts.events.post(reply)
        return reply
    }

    private func keep(_ reply: OccupationReply) async throws(Problem) {
        let text = try Response.encode(reply)
        try await specimens.onDisk { [archive = parts.specimens] () throws(SpecimenError) in
            try archive.keepOccupation(text, of: reply.specimen)
        }
    }

    private func reply(_ running: Running) -> OccupationReply {
        var reply = running.reply
        let occupation = running.occupation
        reply.elapsedSeconds = (occupation.elapsed * 10).rounded() / 10
        reply.remainingSeconds = max(0, reply.timeLimitSeconds - reply.elapsedSeconds)
        reply.fixesRefused = Dictionary(
            occupation.refused.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +)
        guard let result = occupation.estimate else { return reply }
        reply.fixesUsed = result.fixesUsed
        reply.fixesRejected = result.fixesRejected
        reply.effectiveFixes = (result.effectiveFixes * 10).rounded() / 10
        let position = SpecimenPosition(result, startedAt: reply.startedAt)
        reply.accuracy = position.accuracy
        reply.position = position
        reply.errorBasis = result.errorBasis.rawValue
        return reply
    }
}
