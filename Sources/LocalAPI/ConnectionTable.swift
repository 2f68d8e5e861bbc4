internal import Glibc
internal import KonzaSystem
internal import Synchronization

/// All open connections. A socket is shut down only under the table's lock, and leaves the table before
/// libmicrohttpd closes it: so a descriptor that was closed and given out again is never touched.
final class ConnectionTable: Sendable {
    private struct State {
        var nextID: UInt64 = 0
        var connections: [UInt64: Connection] = [:]
        var countByUser: [UInt32: Int] = [:]
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.connections.count } }

    var all: [Connection] { state.withLock { Array($0.connections.values) } }

    func find(_ id: UInt64) -> Connection? { state.withLock { $0.connections[id] } }

    /// - Returns: the connection, and whether its user has no more than the limit with it.
    func add(
        socket: Int32, peer: PeerCredentials, limitPerUser: Int, deadline: Int64
    ) -> (connection: Connection, isWithinLimit: Bool) {
        state.withLock { state in
            state.nextID += 1
            let connection = Connection(id: state.nextID, socket: socket, peer: peer, deadline: deadline)
            state.connections[connection.id] = connection
            state.countByUser[peer.userID, default: 0] += 1
            return (connection, state.countByUser[peer.userID, default: 0] <= limitPerUser)
        }
    }

    /// Forgets the connection, after `beforeClose` has run while the socket is surely open.
    func remove(_ connection: Connection, beforeClose: (Int32) -> Void) {
        state.withLock { state in
            guard state.connections.removeValue(forKey: connection.id) != nil else { return }
            beforeClose(connection.socket)
            let left = state.countByUser[connection.peer.userID, default: 1] - 1
            state.countByUser[connection.peer.userID] = left > 0 ? left : nil
        }
    }

    /// Runs the body while the socket is surely open; not at all once the connection is closed.
    func whileOpen(_ id: UInt64, _ body: (Int32) -> Void) {
        state.withLock { state in
            if let connection = state.connections[id] { body(connection.socket) }
        }
    }

    /// Whether the client has said that it sends no more, and everything that it sent was read.
    func isHalfClosed(_ id: UInt64) -> Bool {
        var isHalfClosed = false
        whileOpen(id) { socket in
            var byte: UInt8 = 0
            isHalfClosed = unsafe recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
        }
        return isHalfClosed
    }

    /// Shuts a connection down, after a last message if the socket takes it at once.
    func cut(_ id: UInt64, message: [UInt8] = []) {
        whileOpen(id) { socket in
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            if !message.isEmpty { _ = unsafe send(socket, message, message.count, flags) }
            shutdown(socket, Int32(SHUT_RDWR))
        }
    }
}
