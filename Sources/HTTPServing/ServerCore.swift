internal import Glibc
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// Everything behind the callbacks that is not libmicrohttpd: what a request must be, who answers it, when it is
/// given up.
final class ServerCore: Sendable {
    let router: Router
    let limits: ServerLimits
    let origins: OriginPolicy
    /// What every answer has in its head that does not say otherwise itself.
    let answerFields: HeaderFields
    let access: AccessPolicy
    let authentication: (any Authentication)?
    let table: ConnectionTable
    let watch: ConnectionWatch
    private let onInternalError: @Sendable (String) -> Void
    let peerOf: @Sendable (Int32) -> PeerCredentials?
    private let statistics = Mutex(ServerStatistics())
    /// Asynchronous handlers under way.
    private let handlers: Mutex<FairShares>
    /// Where the memory of bodies and of answers that are not taken yet is reserved.
    let memory: MemoryBudget
    private let isStopping = Atomic<Bool>(false)
    /// Handlers, bodies on their way to the disk and streams are no longer waited for.
    private let abandoned = Atomic<Bool>(false)
    private let isStopped = Atomic<Bool>(false)
    /// Requests between the end of their head and the end of their answer, streams not counted.
    private let inFlight = Atomic<Int>(0)
    let clock = SystemClock()
    /// What connections with TLS begin with; nil without TLS. Set before the first of them.
    let tls = Mutex<TLSListener?>(nil)
    private let transportLines = Mutex(LineLimit())
    private let onTransportError: @Sendable (String) -> Void
    private let handlerThreads: BlockingThreads
    let uploads: (any UploadStore)?
    let uploadSpace: DiskShares
    /// Threads that write bodies: a disk that stands still takes none of the handlers'.
    let uploadThreads: BlockingThreads

    init(
        router: Router, limits: ServerLimits, memory: MemoryBudget, uploads: (any UploadStore)?,
        origins: OriginPolicy, access: AccessPolicy, authentication: (any Authentication)? = nil,
        answerFields: HeaderFields = [:],
        onInternalError: @escaping @Sendable (String) -> Void, onTransportError: @escaping @Sendable (String) -> Void,
        peerOf: @escaping @Sendable (Int32) -> PeerCredentials? = { try? PeerCredentials(ofSocket: $0) }
    ) throws(SystemError) {
        watch = try ConnectionWatch()
        table = ConnectionTable(
            capacity: limits.connections, reserve: limits.reservedConnections, perAddress: limits.connectionsOfAddress)
        handlers = Mutex(FairShares(capacity: limits.asynchronousRequests))
        self.memory = memory
        self.uploads = uploads
        uploadSpace = DiskShares(bytes: limits.uploadBytes)
        uploadThreads = BlockingThreads(named: "upload", limit: 4)
        self.peerOf = peerOf
        self.router = router
        self.limits = limits
        handlerThreads = BlockingThreads(named: "handler", limit: limits.asynchronousRequests)
        self.origins = origins
        self.answerFields = answerFields
        self.access = access
        self.authentication = authentication
        self.onInternalError = onInternalError
        self.onTransportError = onTransportError
    }

    var now: Int64 { clock.monotonic().nanoseconds }

    /// The instant so many seconds from now.
    func deadline(_ seconds: Double) -> Int64 { clock.monotonic().advanced(bySeconds: seconds).nanoseconds }

    func count(_ change: (inout ServerStatistics) -> Void) { statistics.withLock { change(&$0) } }

    /// Hands a line of the libraries' to the log, if it has not had many of late.
    func noteTransportError(_ line: String) {
        let passed = transportLines.withLock { $0.pass(line, at: clock.monotonic()) }
        if let passed { onTransportError(passed) }
    }

    var snapshot: ServerStatistics {
        var snapshot = statistics.withLock { $0 }
        snapshot.openConnections = table.count
        snapshot.asynchronousRequests = handlers.withLock { $0.taken }
        let reserved = memory.figures.reserved
        snapshot.uploadBytes = uploadSpace.taken
        snapshot.heldBytes = reserved[.bodies, default: 0] + reserved[.answers, default: 0]
        return snapshot
    }

    // MARK: requests

    func began() { inFlight.add(1, ordering: .relaxed) }

    func ended() { inFlight.subtract(1, ordering: .relaxed) }

    /// Checks the head. What it is refused for becomes `early`.
    func check(_ exchange: Exchange, connection: Connection) {
        do throws(Refusal) {
            try examine(exchange, connection: connection)
        } catch {
            exchange.state.early = .problem(error.problem, headers: error.headers)
            if exchange.state.framing == .unknown { exchange.state.unreadable = error.problem }
            count { $0.refusals[error.problem.kind.rawValue, default: 0] += 1 }
        }
    }

    private struct Refusal: Error {
        var problem: Problem
        var headers: HeaderFields = [:]
    }

    private func refusing<Value>(_ body: () throws(Problem) -> Value) throws(Refusal) -> Value {
        do throws(Problem) {
            return try body()
        } catch {
            throw Refusal(problem: error)
        }
    }

    private func examine(_ exchange: Exchange, connection: Connection) throws(Refusal) {
        let headers = exchange.state.headers
        exchange.state.framing = .unknown
        exchange.state.framing = try refusing { () throws(Problem) in
            try checkHead(exchange.state)
            return try BodyFraming(headers, isVersion10: exchange.state.isVersion10)
        }
        guard !isStopping.load(ordering: .relaxed) else {
            throw Refusal(
                problem: Problem(.unavailable, "cannot take the request: konzad is stopping; try again"),
                headers: ["connection": "close", "retry-after": "2"])
        }
        let target = try refusing { () throws(Problem) in
            guard exchange.state.target.count <= limits.targetBytes else {
                throw Problem(
                    .uriTooLong, "cannot take the request: its target is longer than \(limits.targetBytes) bytes")
            }
            try headers.checkSingles()
            try headers.checkExpectations()
            let target = try RequestTarget(exchange.state.target)
            try origins.check(headers, authority: target.authority, isVersion10: exchange.state.isVersion10)
            return target
        }
        switch router.resolve(method: exchange.state.method, target: target) {
        case .refused(let problem, let headers): throw Refusal(problem: problem, headers: headers)
        case .options(let allow):
            exchange.state.bodyLimit = limits.bodyBytes
            exchange.state.early = Response(status: 204, headers: ["allow": allow])
        case .route(let route, let parameters):
            exchange.state.route = route
            exchange.state.parameters = parameters
            try refusing { () throws(Problem) in try checkRoute(route, exchange, connection, target) }
        }
    }

    /// Whether the head is what libmicrohttpd made of it, and leaves room for an answer's.
    private func checkHead(_ state: Exchange.State) throws(Problem) {
        let fields = state.headers.fields.count
        guard state.headBytes <= limits.headerBytes, fields <= limits.fields(inHeadOf: state.headBytes) else {
            throw Problem(
                .headersTooLarge,
                "cannot take the request: its head has \(state.headBytes) bytes in \(fields) fields; at most "
                    + "\(limits.headerBytes) bytes in \(limits.fields(inHeadOf: limits.headerBytes)) fields are taken")
        }
        if let fault = state.headFault { throw RawHead.problem(fault) }
    }

    private func checkRoute(
        _ route: Route, _ exchange: Exchange, _ connection: Connection, _ target: RequestTarget
    ) throws(Problem) {
        let headers = exchange.state.headers
        var principal = try access.principal(for: connection.principal(by: access), headers)
        if let authentication {
            principal = try authentication.principal(principal, changes: route.changes, headers)
        }
        exchange.state.principal = principal
        guard principal.has(route.access.roles) else { throw access.refusal(of: route.access, to: principal) }
        exchange.state.query = try route.checkedQuery(target.query)
        exchange.state.acceptedType = try route.checkedType(accept: headers.list("accept"))
        exchange.state.bodyLimit = try route.checkedBodyLimit(
            exchange.state.framing, headers, standard: limits.bodyBytes)
        let type = headers.first(lowercased: "content-type").map(MediaType.essence)
        if (type ?? route.body?.types.first)?.hasSuffix("json") == true { exchange.state.reading = JSONCost() }
    }

    /// A body outgrew its limit under way.
    func refuseBody(_ exchange: Exchange) {
        let limit = exchange.state.bodyLimit
        drop(
            body: exchange, kind: .bodyTooLarge,
            .problem(
                Problem(
                    .bodyTooLarge, "cannot take the body: at most \(limit) bytes are taken",
                    figures: ["limitBytes": Double(limit)])))
    }

    /// The rest of the body is read and dropped, then the refusal is sent.
    func drop(body exchange: Exchange, kind: ProblemKind, _ refusal: Response) {
        exchange.state.early = refusal
        exchange.state.body = []
        exchange.dropSpool()
        giveBackMemory(of: exchange)
        count { $0.refusals[kind.rawValue, default: 0] += 1 }
    }

    func request(_ exchange: Exchange, connection: Connection) -> Request {
        let state = exchange.state
        let target = RequestTarget.origin(state.target)
        let end = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        var request = Request(
            method: state.method ?? .get,
            path: end == target.startIndex ? "/" : String(decoding: target[..<end], as: UTF8.self),
            parameters: state.parameters, query: state.query, headers: state.headers, body: state.body,
            principal: principal(of: exchange, connection), acceptedType: state.acceptedType)
        request.certificate = connection.tls?.certificate
        if end < target.endIndex {
            request.queryText = String(decoding: target[(end + 1)...], as: UTF8.self)
        }
        return request
    }

    /// Who asks; before the head was judged the process at the other end.
    func principal(of exchange: Exchange, _ connection: Connection) -> Principal {
        exchange.state.principal ?? connection.principal(by: access)
    }

    /// Runs an immediate handler.
    func run(_ handler: (Request) throws -> Response, _ request: Request) -> Response {
        do {
            return try handler(request)
        } catch {
            return answer(to: error, request)
        }
    }

    /// Starts an asynchronous handler, whose answer settles the exchange.
    ///
    /// - Returns: an answer instead if too many are under way.
    func start(
        _ handler: @escaping @Sendable (Request) async throws -> Response, _ request: Request, _ spool: BodySpool?,
        suspend: () -> SuspendedConnection, exchange: Exchange, connection: Connection
    ) -> Response? {
        let account = request.principal.account
        let isTaken = handlers.withLock { handlers in
            connection.standing == .stranger
                ? handlers.takeFairly(1, for: account) : handlers.take(1, for: account, upTo: handlers.capacity)
        }
        guard isTaken else { return Self.busy(handlers.withLock { $0.taken }) }
        exchange.suspend(suspend())
        follow(exchange, connection: connection)
        // A connection that sleeps when the server stops would never wake: whoever comes after the sweep of
        // abandonAll sees the flag here.
        guard !isAbandoned else {
            handlers.withLock { $0.giveBack(1, of: account) }
            exchange.abandon(Self.stopped)
            return nil
        }
        // Most of them read or write the disk, which may stand still.
        let task = Task(executorPreference: handlerThreads) { [self] in
            let response: Response
            do {
                var request = request
                if let spool { request.upload = try await spool.finish() }
                response = try await handler(request)
                // Here, for the one thread of libmicrohttpd must wait for no disk.
                if case .file(let file) = response.body,
                    let part = Conditions.sent(response, method: request.method, headers: request.headers)
                {
                    file.readAhead(from: part.offset, count: part.count)
                }
            } catch {
                response = answer(to: error, request)
            }
            handlers.withLock { $0.giveBack(1, of: account) }
            exchange.settle(response)
        }
        exchange.attach(task)
        return nil
    }

    private static func busy(_ underWay: Int) -> Response {
        .problem(
            Problem(.unavailable, "cannot take the request: \(underWay) are under way; try again"),
            headers: ["retry-after": "1"])
    }

    /// Has the exchange told when the client goes.
    func follow(_ exchange: Exchange, connection: Connection) {
        connection.waiting.withLock { $0 = exchange }
        watch.add(connection.id, socket: connection.socket, isEncrypted: connection.tls != nil)
    }

    func unfollow(connection: Connection) {
        let wasFollowed = connection.waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting != nil
        }
        if wasFollowed { watch.remove(socket: connection.socket) }
    }

    func answer(to error: any Error, _ request: Request) -> Response {
        if let problem = error as? Problem {
            return .problem(problem, headers: problem.status == 503 ? ["retry-after": "5"] : [:])
        }
        if error is CancellationError {
            return .problem(
                Problem(.unavailable, "cannot finish the request: it was given up; try again"),
                headers: ["retry-after": "1"])
        }
        count { $0.internalErrors += 1 }
        onInternalError("cannot answer \(request.method.rawValue) \(request.path): \(error)")
        return .problem(Problem(.internalError, "cannot answer: \(error)"))
    }

    // MARK: time

    /// Looks after the connections until ``endWatch()``; on a thread of its own.
    func runWatch() {
        var lastSweep: Int64 = 0
        while !isStopped.load(ordering: .acquiring) {
            let gone = watch.wait(milliseconds: table.count > 0 ? 1000 : -1)
            for id in gone {
                table.find(id)?.waiting.withLock { $0 }?.hangUp()
            }
            guard now - lastSweep > 900_000_000 else { continue }
            lastSweep = now
            sweep(at: lastSweep)
        }
    }

    func endWatch() {
        isStopped.store(true, ordering: .releasing)
        watch.wake()
    }

    /// Ends what has lasted too long, and keeps quiet streams alive.
    private func sweep(at now: Int64) {
        for connection in table.all {
            if let stream = connection.waiting.withLock({ $0 })?.waitingStream.withLock({ $0 }) {
                stream.tick(MonotonicInstant(nanoseconds: now))
            }
            let idleFor = Double(now - connection.idleSince(limitSeconds: limits.idleSeconds, now: now)) / 1e9
            if idleFor > 1, table.isHalfClosed(connection.id) {
                // libmicrohttpd would wait out the limit for the rest of a request that cannot come.
                table.cut(connection.id)
                continue
            }
            guard let phase = connection.overdue(at: now) else { continue }
            guard phase != .handling else { continue }
            // Before the client can see the end of it.
            count { $0.timedOutConnections += 1 }
            switch phase {
            case .handling: break
            case .handshake, .idle, .reply: table.cut(connection.id)
            case .head, .body:
                let problem = Problem(.requestTimeout, "cannot wait for the request any longer: send it faster")
                table.cut(connection.id, message: Self.bareAnswer(problem))
            }
        }
    }

    // MARK: the end

    /// Refuses new requests and lets those under way finish; ends the streams.
    func beginStop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        for connection in table.all {
            connection.waiting.withLock { $0 }?.waitingStream.withLock { $0 }?.finish()
        }
    }

    /// Waits for the requests under way.
    func drain(seconds: Double) {
        let end = deadline(seconds)
        while inFlight.load(ordering: .relaxed) > 0, now < end { usleep(2000) }
    }

    /// Waits until the clients of ended streams have taken the end.
    func drainStreams(seconds: Double) {
        let end = deadline(seconds)
        while statistics.withLock({ $0.openStreams }) > 0, now < end { usleep(2000) }
    }

    /// Answers in the place of handlers that are still at work, and cuts all streams.
    func abandonAll() {
        abandoned.store(true, ordering: .sequentiallyConsistent)
        for connection in table.all { connection.waiting.withLock { $0 }?.abandon(Self.stopped) }
    }

    /// Whether ``abandonAll()`` has begun: what is put to sleep from now on, it may have passed by.
    var isAbandoned: Bool { abandoned.load(ordering: .sequentiallyConsistent) }

    /// Whether new streams are to end at once.
    var endsStreams: Bool { isStopping.load(ordering: .sequentiallyConsistent) }

    private static var stopped: Response {
        .problem(
            Problem(.unavailable, "cannot finish the request: konzad is stopping; try again"),
            headers: ["connection": "close"])
    }
}
