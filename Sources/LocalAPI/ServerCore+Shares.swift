internal import Glibc
internal import KonzaAPI
internal import KonzaSystem
internal import Synchronization

/// What clients hold of the server: their connections, and the memory of the answers that they do not read.
extension ServerCore {
    // MARK: connections

    /// Takes a connection in, or turns it away.
    func open(socket: Int32) -> Connection {
        let nobody = PeerCredentials(processID: 0, userID: 65_534, groupID: 65_534)
        let peer = peerOf(socket) ?? nobody
        let (connection, open) = table.add(
            socket: socket, peer: peer, standing: Self.standing(of: peer), deadline: deadline(limits.idleSeconds))
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
        table.remove(connection) { watch.remove(socket: $0) }
    }

    private static func standing(of peer: PeerCredentials) -> Connection.Standing {
        if peer.processID == getpid() { return .ourselves }
        return peer.userID == 0 || peer.userID == geteuid() ? .trusted : .stranger
    }

    private func turnAway(_ connection: Connection) {
        count { $0.refusedConnections += 1 }
        let user = connection.peer.userID
        let problem = Problem(
            .unavailable,
            "cannot take another connection: user \(user) has \(table.places(of: user)) of \(limits.connections), and "
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

    // MARK: unread answers

    /// Takes the memory that an answer holds until its client has read it, or finds that there is none for it. The
    /// answer of a route that writes is never refused: what it tells of has been done.
    ///
    /// - Returns: an answer instead if the memory is held by answers that were not read.
    func refusal(ofReply bytes: Int, _ exchange: Exchange, connection: Connection) -> Response? {
        guard bytes > limits.uncountedReplyBytes else { return nil }
        let user = connection.peer.userID
        let isBound = connection.standing == .stranger && exchange.state.route?.access != .write
        let (isTaken, held) = unread.withLock { unread in
            let isTaken = isBound ? unread.takeFairly(bytes, for: user) : unread.take(bytes, for: user)
            return (isTaken, unread.held(by: user))
        }
        guard !isTaken else {
            exchange.state.heldReply = (user, bytes)
            return nil
        }
        count { $0.refusedReplies += 1 }
        return .problem(
            Problem(
                .unavailable,
                "cannot send \(bytes) bytes now: answers that were not read yet hold the memory for them, \(held) bytes "
                    + "of them for user \(user); read those or close their connections, then try again"),
            headers: ["retry-after": "5"])
    }

    /// Gives back the memory of an answer that is sent, or that cannot be sent any more.
    func giveBackReply(of exchange: Exchange) {
        guard let held = exchange.state.heldReply else { return }
        exchange.state.heldReply = nil
        unread.withLock { $0.giveBack(held.bytes, of: held.user) }
    }
}
