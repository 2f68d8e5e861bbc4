internal import KonzaModel
internal import KonzaSystem

/// What the source's thread does: connect, talk, pause, again.
struct GPSDWorker: Sendable {
    let endpoint: GPSDEndpoint
    let board: PositionBoard
    let settings: GPSDSource.Settings
    let stop: StopSignal

    /// The board is judged anew at least this often, milliseconds.
    private static let tick: Int32 = 500
    /// How often a connection that says nothing is looked at, seconds.
    private static let silenceCheck = 0.1

    private var now: MonotonicInstant { board.clock.monotonic() }

    init(endpoint: GPSDEndpoint, board: PositionBoard, settings: GPSDSource.Settings, stop: StopSignal) {
        self.endpoint = endpoint
        self.board = board
        self.settings = settings
        self.stop = stop
    }

    mutating func run() throws {
        var generator = SystemRandomNumberGenerator()
        var backoff = Backoff(first: settings.firstPauseSeconds, cap: settings.longestPauseSeconds)
        board.report(link: .starting(endpoint: "\(endpoint)"))
        while !stop.isSet {
            let (failure, wasEstablished) = try connectAndTalk()
            if stop.isSet { return }
            board.report(link: .down(failure))
            if wasEstablished { backoff.reset() }
            try pause(until: now.advanced(bySeconds: backoff.pause(using: &generator)))
        }
    }

    private func pause(until deadline: MonotonicInstant) throws {
        while !stop.isSet, now < deadline {
            _ = try wait(until: deadline)
            board.refresh()
        }
    }

    /// Waits for the stop signal, and for a socket if there is one.
    private func wait(
        until deadline: MonotonicInstant, socket: Int32? = nil, for events: PollEvents = .readable
    ) throws -> PollEvents {
        let remaining = deadline.seconds(since: now)
        let milliseconds = min(Self.tick, Int32(max(1, min(60, remaining) * 1000).rounded(.up)))
        var interests = [(descriptor: stop.wakeup.descriptor, events: PollEvents.readable)]
        if let socket { interests.append((socket, events)) }
        let ready = try waitForEvents(on: interests, milliseconds: milliseconds)
        if ready.first?.isEmpty == false { stop.wakeup.clear() }
        return ready.count > 1 ? ready[1] : []
    }

    private func connectAndTalk() throws -> (LinkFailure, wasEstablished: Bool) {
        let addresses: [SocketAddress]
        switch try addressesOfHost() {
        case .success(let found): addresses = found
        case .failure(let error): return (unreachable(error.cause), false)
        }
        var cause = "it has no address"
        let deadline = now.advanced(bySeconds: settings.connectSeconds)
        for address in addresses where !stop.isSet {
            do {
                let connection = try TCPConnection(to: address)
                if let failure = try outcome(of: connection, until: deadline) {
                    cause = failure
                } else {
                    return try talk(on: connection)
                }
            } catch let error as SystemError {
                cause = SystemError.text(error.code)
            }
        }
        return (unreachable(cause), false)
    }

    private func unreachable(_ cause: String) -> LinkFailure {
        .unreachable(endpoint: "\(endpoint)", cause: cause.prefix(1).lowercased() + cause.dropFirst())
    }

    private func addressesOfHost() throws -> Result<[SocketAddress], ResolveError> {
        if case .success(let addresses) = SocketAddress.resolve(endpoint, numericOnly: true) {
            return .success(addresses)
        }
        let lookup = HostLookup(endpoint, done: stop.wakeup)
        let deadline = now.advanced(bySeconds: settings.connectSeconds)
        while !stop.isSet, now < deadline {
            if let answer = lookup.answer { return answer }
            _ = try wait(until: deadline)
            board.refresh()
        }
        return lookup.answer ?? .failure(ResolveError(cause: "the name server does not answer"))
    }

    /// - Returns: why there is no connection, or nil.
    private func outcome(of connection: borrowing TCPConnection, until deadline: MonotonicInstant) throws -> String? {
        while !stop.isSet {
            let events = try wait(until: deadline, socket: connection.descriptor, for: .writable)
            if !events.isEmpty {
                let code = connection.connectError()
                return code == 0 ? nil : SystemError.text(code)
            }
            if now >= deadline { return "no answer" }
            board.refresh()
        }
        return "stopped"
    }

    private func talk(on connection: consuming TCPConnection) throws -> (LinkFailure, wasEstablished: Bool) {
        var session = GPSDSession(
            endpoint: "\(endpoint)", silentAfter: board.settings.silentAfterSeconds, at: now)
        var reader = GPSDReader(board: board)
        while !stop.isSet {
            if reader.isFlooded { _ = try waitForEvents(on: [], milliseconds: GPSDReader.pause) }
            let due = max(session.deadline, now.advanced(bySeconds: Self.silenceCheck))
            let events = try wait(until: due, socket: connection.descriptor)
            if !events.isEmpty {
                if let failure = reader.read(connection, &session, clock: board.clock) {
                    return (failure, session.isEstablished)
                }
            }
            for step in session.tick(at: now) {
                if let failure = reader.perform(step, on: connection) { return (failure, session.isEstablished) }
            }
            board.refresh()
        }
        return (.closed(endpoint: "\(endpoint)"), session.isEstablished)
    }
}

/// Turns what a connection brings into steps, and the steps into entries on the board.
private struct GPSDReader: ~Copyable {
    /// At most this many reads before the rest of the world is looked at again.
    private static let readsAtOnce = 8
    /// The pause after which a gpsd that sends too much is read again, milliseconds.
    static let pause: Int32 = 20

    private let board: PositionBoard
    private var decoder = GPSDDecoder()
    private var lines = LineBuffer()
    private var buffer = [UInt8](repeating: 0, count: 16_384)
    private var budget = LineBudget()
    /// Whether gpsd sends more than is read.
    private(set) var isFlooded = false

    init(board: PositionBoard) { self.board = board }

    /// - Returns: why the connection is to be given up, if it is.
    mutating func read(
        _ connection: borrowing TCPConnection, _ session: inout GPSDSession, clock: any StationClock
    ) -> LinkFailure? {
        for _ in 0..<Self.readsAtOnce {
            switch connection.read(into: &buffer) {
            case .nothingNow: return nil
            case .ended, .failed: return .closed(endpoint: session.endpoint)
            case .bytes(let count):
                for step in take(count, &session, at: clock.monotonic()) {
                    if let failure = perform(step, on: connection) { return failure }
                }
            }
        }
        return nil
    }

    private mutating func take(_ count: Int, _ session: inout GPSDSession, at now: MonotonicInstant) -> [GPSDSession
        .Step]
    {
        var steps: [GPSDSession.Step] = []
        var cut: [Result<[UInt8], LineRejection>] = []
        lines.append(buffer[..<count]) { cut.append($0.map { Array($0) }) }
        var skipped = 0
        isFlooded = false
        for line in cut {
            board.reportLine()
            guard budget.take(at: now) else {
                skipped += 1
                continue
            }
            steps += session.receive(decode(line, at: now), at: now)
            if case .end = steps.last { break }
        }
        if skipped > 0 {
            isFlooded = true
            board.reportSkipped(lines: skipped)
        }
        return steps
    }

    private mutating func decode(
        _ line: Result<[UInt8], LineRejection>, at now: MonotonicInstant
    ) -> Result<GPSDReport, RefusedLine> {
        do throws(LineRejection) {
            return .success(try decoder.decode(line.get(), arrival: now, source: .live))
        } catch {
            return .failure(GPSDDecoder.refused((try? line.get()) ?? [], error))
        }
    }

    func perform(_ step: GPSDSession.Step, on connection: borrowing TCPConnection) -> LinkFailure? {
        if case .send(let text) = step { _ = connection.send(text) }
        return board.take(step)
    }
}

extension PositionBoard {
    /// Enters what a line of gpsd's came to.
    ///
    /// - Returns: why the connection is to be given up, if it is.
    func take(_ step: GPSDSession.Step) -> LinkFailure? {
        switch step {
        case .send: break
        case .link(let link): report(link: link)
        case .recovered(let link): reportRecovered(link: link)
        case .receivers(let receivers): report(receivers: receivers)
        case .receiver(let receiver): report(receiver: receiver)
        case .fix(let fix): report(fix)
        case .sky(let sky, let hasSatellites): report(sky, hasSatellites: hasSatellites)
        case .statement(let statement, let device):
            if let statement { report(statement, of: device) } else { reportWord(class: "GST", of: device) }
        case .word(let kind, let device): reportWord(class: kind, of: device)
        case .gpsdError: reportGPSDError()
        case .rejected(let refused): report(refused: refused)
        case .end(let failure): return failure
        }
        return nil
    }
}
