internal import CMicroHTTPD
internal import KonzaAPI
internal import Synchronization

/// One call of libmicrohttpd's for one request.
@safe struct RequestStep {
    let core: ServerCore
    let pointer: OpaquePointer
    let connection: Connection
    let exchange: Exchange

    /// The head is there. An answer at this point closes the connection, so it waits for the next call, unless a
    /// body follows that nobody wants.
    func takeHead() -> MHD_Result {
        exchange.state.stage = .body
        core.check(exchange, connection: connection)
        if let problem = exchange.state.unreadable {
            // libmicrohttpd may have no memory left for an answer, or take the rest of the head for another request.
            cut(problem)
            return .NO
        }
        guard let early = exchange.state.early else {
            connection.enter(.body, until: core.deadline(core.limits.bodySeconds))
            return .YES
        }
        let expects = exchange.state.headers.first(lowercased: "expect") != nil
        switch exchange.state.framing {
        case .none: return .YES
        case .length(let length) where length <= core.limits.discardedBytes && !expects: break
        case .chunked where !expects: break
        default: return send(early)
        }
        connection.enter(.body, until: core.deadline(core.limits.bodySeconds))
        return .YES
    }

    /// A part of the body is there. Nothing can be answered while one is.
    func takeBody(_ part: UnsafeRawBufferPointer) -> MHD_Result {
        let count = (exchange.state.spool?.count ?? exchange.state.body.count) + part.count
        if exchange.state.early == nil, count > exchange.state.bodyLimit { core.refuseBody(exchange) }
        guard let early = exchange.state.early else {
            let isSpooled = unsafe core.spool(part, exchange, connection: connection) {
                unsafe SuspendedConnection(suspending: pointer)
            }
            guard !isSpooled else { return .YES }
            if exchange.state.body.isEmpty, case .length(let length) = exchange.state.framing {
                exchange.state.body.reserveCapacity(min(length, exchange.state.bodyLimit, core.inMemory(exchange)))
            }
            unsafe exchange.state.body.append(contentsOf: part)
            unsafe exchange.state.reading?.add(part)
            core.hold(body: exchange, connection: connection)
            return .YES
        }
        exchange.state.discarded += part.count
        guard exchange.state.discarded > core.limits.discardedBytes else { return .YES }
        let limit = core.limits.discardedBytes
        let problem = Problem(
            .bodyTooLarge, "cannot take the request: its body goes on after \(limit) bytes that nobody wants",
            status: early.status == 413 ? 413 : early.status)
        cut(problem)
        return .NO
    }

    /// Answers without libmicrohttpd, and ends the connection.
    private func cut(_ problem: Problem) {
        core.count { $0.countAnswer(problem.status) }
        let answer = ServerCore.bareAnswer(problem)
        if connection.tls != nil, let session = unsafe konza_http_tls_session(pointer) {
            unsafe TLSCredentials.send(answer, on: OpaquePointer(session))
        }
        core.table.cut(connection.id, message: answer)
    }

    /// The request is whole.
    func answer() -> MHD_Result {
        if let early = exchange.state.early { return send(early) }
        guard let route = exchange.state.route else { return .NO }
        let request = core.request(exchange, connection: connection)
        exchange.state.body = []
        let spool = exchange.state.spool
        exchange.dropSpool()
        switch route.handler {
        case .immediate(let handler): return send(core.run(handler, request))
        case .asynchronous(let handler):
            exchange.state.stage = .handling
            connection.enter(.handling, until: .max)
            let refusal = core.start(
                handler, request, spool, suspend: { unsafe SuspendedConnection(suspending: pointer) },
                exchange: exchange,
                connection: connection)
            guard let refusal else { return .YES }
            return send(refusal)
        }
    }

    func send(_ response: Response) -> MHD_Result {
        exchange.state.stage = .answered
        var judged = JudgedResponse(response, exchange.state, core.answerFields)
        if let refusal = core.refusal(ofReply: judged.heldBytes, exchange, connection: connection) {
            judged = JudgedResponse(refusal, exchange.state, core.answerFields)
        }
        if case .stream(let stream) = response.body {
            beginStream(stream)
        } else {
            connection.enter(.reply, until: core.deadline(core.limits.replySeconds(forBytes: response.length ?? 0)))
        }
        core.count { $0.countAnswer(judged.status) }
        return unsafe judged.queue(on: pointer)
    }

    /// A stream is no request under way any more: it ends when one of the two sides wants it to.
    private func beginStream(_ stream: ResponseStream) {
        let core = core
        let id = connection.id
        connection.enter(.handling, until: .max)
        exchange.state.stream = stream
        exchange.waitingStream.withLock { $0 = stream }
        core.ended()
        core.count { $0.openStreams += 1 }
        stream.connect { [weak core] in
            core?.count { $0.droppedStreams += 1 }
            core?.table.cut(id)
        }
        stream.onEnd { [weak core] in core?.count { $0.openStreams -= 1 } }
        core.follow(exchange, connection: connection)
        if core.endsStreams { stream.finish() }
    }
}
