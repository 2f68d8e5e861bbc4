internal import Glibc
internal import KonzaAPI
internal import KonzaSystem
internal import Synchronization

/// What clients hold of the server: their connections, and the memory of what they send and do not read.
extension ServerCore {
    // MARK: connections

    /// Takes a connection in, or turns it away.
    func open(socket: Int32) -> Connection {
        let nobody = PeerCredentials(processID: 0, userID: 65_534, groupID: 65_534)
        let tls = beginTLS()
        let channel = Channel(ofSocket: socket, isEncrypted: tls != nil)
        let peer = channel == .unixSocket ? peerOf(socket) ?? nobody : nobody
        let (connection, open) = table.add(
            socket: socket, peer: peer, standing: Self.standing(of: peer), channel: channel, tls: tls,
            deadline: deadline(tls == nil ? limits.idleSeconds : limits.handshakeSeconds))
        if open == 1 { watch.wake() }
        count { $0.acceptedConnections += 1 }
        if !connection.isAdmitted {
            turnAway(connection)
        } else if open > limits.roomyConnections {
            var size = Int32(clamping: limits.tightSendBuffer)
            unsafe setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        return connection
    }

    func close(_ connection: Connection) {
        if !connection.hasAsked { count { $0.silentConnections += 1 } }
        if connection.tls?.isEstablished == false { count { $0.failedHandshakes += 1 } }
        table.remove(connection) { watch.remove(socket: $0) }
    }

    private func beginTLS() -> TLSSession? {
        guard let listener = tls.withLock({ $0 }) else { return nil }
        let (credentials, ticketKey) = listener.begin(at: clock.monotonic())
        return TLSSession(
            credentials: credentials, ticketKey: ticketKey, asksForCertificate: listener.asksForCertificate
        ) { [unowned self] isResumed, connection in
            connection.enter(.idle, until: deadline(limits.idleSeconds))
            count { statistics in
                statistics.handshakes += 1
                if isResumed { statistics.resumedHandshakes += 1 }
            }
        }
    }

    private static func standing(of peer: PeerCredentials) -> Connection.Standing {
        if peer.processID == getpid() { return .ourselves }
        return peer.userID == 0 || peer.userID == geteuid() ? .trusted : .stranger
    }

    private func turnAway(_ connection: Connection) {
        count { $0.refusedConnections += 1 }
        let account = connection.account
        let problem = Problem(
            .unavailable,
            "cannot take another connection: \(account) has \(table.places(of: account)) of \(limits.connections), and "
                + "no more than are left for the others; close some")
        table.cut(connection.id, message: Self.bareAnswer(problem))
    }

    /// A whole answer for a connection that libmicrohttpd has nothing to say on yet.
    static func bareAnswer(_ problem: Problem) -> [UInt8] {
        let body = (try? Response.encode(problem)) ?? []
        let head =
            "HTTP/1.1 \(problem.status) \(problem.title)\r\nConnection: close\r\n"
            + "Content-Type: application/problem+json\r\nContent-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }

    // MARK: memory

    /// Reserves what a body takes so far, and what its handler will take to read it if it is JSON; both until the answer.
    /// The body is refused if others hold the memory, or its values are too many for any memory there is.
    func hold(body exchange: Exchange, connection: Connection) {
        // An array that grows takes more than what is in it.
        let text = exchange.state.body.capacity
        let reading = exchange.state.reading?.bytes ?? 0
        guard text > limits.uncountedBytes || reading > limits.uncountedReading else { return }
        let bytes = text + reading
        let most = memory.capacity / 2
        guard reading == 0 || bytes <= most else {
            let problem = Problem(
                .bodyTooLarge,
                "cannot read the body: its JSON has so many values that reading it takes more than \(most) bytes of memory; "
                    + "send less at once")
            return drop(body: exchange, kind: .bodyTooLarge, .problem(problem))
        }
        let reservation =
            exchange.state.held ?? memory.reserve(0, for: .bodies, account: account(of: exchange, connection))
        exchange.state.held = reservation
        guard reservation?.grow(to: bytes) != true else { return }
        drop(body: exchange, kind: .unavailable, noMemory(for: bytes, exchange, connection))
    }

    /// Takes a part of a body that is too large for memory.
    ///
    /// - Returns: false if the body is small so far, or not to be spooled.
    func spool(
        _ part: UnsafeRawBufferPointer, _ exchange: Exchange, connection: Connection,
        suspend: () -> SuspendedConnection
    ) -> Bool {
        guard let spool = exchange.state.spool ?? makeSpool(part.count, exchange, connection: connection) else {
            return exchange.state.early != nil
        }
        let isTaken = unsafe spool.append(part, suspend: suspend)
        if let failure = spool.failure {
            drop(body: exchange, kind: .unavailable, answer(to: failure, request(exchange, connection: connection)))
        } else if !isTaken {
            count { $0.memoryRefusals += 1 }
            let problem = Problem(
                .unavailable,
                "cannot find disk space for the body now: other bodies that are not whole hold it; finish those or close "
                    + "their connections, then try again")
            drop(body: exchange, kind: .unavailable, .problem(problem, headers: ["retry-after": "5"]))
        }
        return true
    }

    /// Bytes of a body that go to memory.
    func inMemory(_ exchange: Exchange) -> Int {
        exchange.state.route?.body?.isSpooled == true && uploads != nil ? limits.unspooledBytes : .max
    }

    /// Begins to spool a body that grows too large for memory, with what came of it.
    private func makeSpool(_ more: Int, _ exchange: Exchange, connection: Connection) -> BodySpool? {
        let bytes = exchange.state.body.count + more
        guard bytes > inMemory(exchange), let uploads else { return nil }
        let pieces = 2 * BodySpool.pieceBytes
        guard let reservation = memory.reserve(pieces, for: .bodies, account: account(of: exchange, connection)) else {
            drop(body: exchange, kind: .unavailable, noMemory(for: pieces, exchange, connection))
            return nil
        }
        let spool = BodySpool(
            store: uploads, limit: exchange.state.bodyLimit, threads: uploadThreads, space: uploadSpace,
            account: connection.standing == .stranger ? account(of: exchange, connection) : nil,
            reservation: reservation)
        let body = exchange.state.body
        exchange.state.body = []
        giveBackMemory(of: exchange)
        exchange.state.spool = spool
        exchange.waitingSpool.withLock { $0 = spool }
        // Whoever stops the server wakes the connection.
        follow(exchange, connection: connection)
        spool.begin(with: body)
        if isAbandoned { spool.giveUp() }
        return spool
    }

    /// Reserves the memory that an answer takes until its client has read it; that of the request's body is free then.
    /// The answer of a route that writes is never refused: it tells what has been done.
    ///
    /// - Returns: an answer instead if others hold the memory for it.
    func refusal(ofReply bytes: Int, _ exchange: Exchange, connection: Connection) -> Response? {
        giveBackMemory(of: exchange)
        guard bytes > limits.uncountedBytes else { return nil }
        let reservation = memory.reserve(0, for: .answers, account: account(of: exchange, connection))
        exchange.state.held = reservation
        guard reservation?.grow(to: bytes, isForced: exchange.state.route?.changes == true) != true else {
            return nil
        }
        giveBackMemory(of: exchange)
        return noMemory(for: bytes, exchange, connection)
    }

    private func account(of exchange: Exchange, _ connection: Connection) -> Account {
        principal(of: exchange, connection).account
    }

    private func noMemory(for bytes: Int, _ exchange: Exchange, _ connection: Connection) -> Response {
        count { $0.memoryRefusals += 1 }
        let account = account(of: exchange, connection)
        let held = memory.held(by: account)
        return .problem(
            Problem(
                .unavailable,
                "cannot find memory for \(bytes) bytes now: requests that are not whole, answers that were not read and "
                    + "pictures at work hold it, \(held) bytes of it for \(account); finish those or close their "
                    + "connections, then try again"),
            headers: ["retry-after": "5"])
    }

    /// Gives back the memory of a body that is done with, or of an answer that is sent or cannot be sent any more.
    func giveBackMemory(of exchange: Exchange) {
        exchange.state.held?.release()
        exchange.state.held = nil
    }
}
