internal import Glibc
internal import KonzaSystem
internal import Synchronization

/// All open connections. A socket is shut down only under the table's lock, and leaves the table before
/// libmicrohttpd closes it: so a descriptor that was closed and given out again is never touched.
final class ConnectionTable: Sendable {
    private struct State {
        var nextID: UInt64 = 0
        var connections: [UInt64: Connection] = [:]
        /// The places of those that were admitted.
        var places: FairShares
    }

    private let state: Mutex<State>
    /// Places for trusted users beyond everybody's.
    private let reserve: Int
    private let perAddress: Int

    /// - Parameters:
    ///   - capacity: places for everybody.
    ///   - reserve: places for trusted users beyond that.
    ///   - perAddress: places that one address of the network has at the most.
    init(capacity: Int, reserve: Int, perAddress: Int) {
        state = Mutex(State(places: FairShares(capacity: capacity)))
        self.reserve = reserve
        self.perAddress = perAddress
    }

    var count: Int { state.withLock { $0.connections.count } }

    var all: [Connection] { state.withLock { Array($0.connections.values) } }

    func find(_ id: UInt64) -> Connection? { state.withLock { $0.connections[id] } }

    /// Takes a connection in. One that there is no place for is in the table, too, until it is closed.
    ///
    /// - Returns: the connection, and how many are open with it.
    func add(
        socket: Int32, peer: PeerCredentials, standing: Connection.Standing, channel: Channel, tls: TLSSession?,
        deadline: Int64
    ) -> (connection: Connection, count: Int) {
        state.withLock { state in
            let account = Account(user: peer.userID, address: channel.network)
            let isOverLimit = account.address != nil && state.places.held(by: account) >= perAddress
            let isAdmitted =
                switch standing {
                case .stranger:
                    !isOverLimit && (state.places.takeFairly(1, for: account) || Self.takeOver(for: account, &state))
                case .trusted: state.places.take(1, for: account, upTo: state.places.capacity + reserve)
                case .ourselves: state.places.take(1, for: account)
                }
            state.nextID += 1
            let connection = Connection(
                id: state.nextID, socket: socket, peer: peer, standing: standing, channel: channel, tls: tls,
                isAdmitted: isAdmitted, deadline: deadline)
            state.connections[connection.id] = connection
            return (connection, state.connections.count)
        }
    }

    /// Gives an address of the network a place on which another one lets the server wait: several of them could hold all
    /// places otherwise, each within its share, and who comes then finds none. The address that holds most of them so
    /// loses its oldest, as long as it has more than the newcomer comes to; those on which nothing was ever asked go
    /// first (a browser opens one that was idle anew: RFC 9112, section 9.3).
    private static func takeOver(for account: Account, _ state: inout State) -> Bool {
        guard account.address != nil else { return false }
        let held = state.places.held(by: account)
        let waiting = Dictionary(
            grouping: state.connections.values.filter {
                $0.isAdmitted && $0.standing == .stranger && $0.account.address != nil && $0.isWaiting
            }, by: \.hasAsked)
        for hasAsked in [false, true] {
            let byAccount = Dictionary(grouping: waiting[hasAsked] ?? [], by: \.account)
            guard let most = byAccount.max(by: { $0.value.count < $1.value.count }),
                most.value.count > held + 1, let oldest = most.value.min(by: { $0.id < $1.id })
            else { continue }
            oldest.losePlace()
            state.places.giveBack(1, of: most.key)
            shutdown(oldest.socket, Int32(SHUT_RDWR))
            return state.places.take(1, for: account, upTo: state.places.capacity)
        }
        return false
    }

    /// The places that an account holds.
    func places(of account: Account) -> Int { state.withLock { $0.places.held(by: account) } }

    /// Forgets the connection, after `beforeClose` has run while the socket is surely open.
    func remove(_ connection: Connection, beforeClose: (Int32) -> Void) {
        state.withLock { state in
            guard state.connections.removeValue(forKey: connection.id) != nil else { return }
            beforeClose(connection.socket)
            if connection.isAdmitted { state.places.giveBack(1, of: connection.account) }
        }
    }

    /// Runs the body while the socket is surely open; not at all once the connection is closed.
    func whileOpen(_ id: UInt64, _ body: (Connection) -> Void) {
        state.withLock { state in
            if let connection = state.connections[id] { body(connection) }
        }
    }

    /// Whether the client has said that it sends no more, and everything that it sent was read.
    func isHalfClosed(_ id: UInt64) -> Bool {
        var isHalfClosed = false
        whileOpen(id) { connection in
            var byte: UInt8 = 0
            isHalfClosed = unsafe recv(connection.socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
        }
        return isHalfClosed
    }

    /// Shuts a connection down, after a last message if the socket takes it at once. With TLS the message is left out: it
    /// would have to be encrypted, which libmicrohttpd's thread alone can do.
    func cut(_ id: UInt64, message: [UInt8] = []) {
        whileOpen(id) { connection in
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            if !message.isEmpty, connection.tls == nil {
                _ = unsafe send(connection.socket, message, message.count, flags)
            }
            shutdown(connection.socket, Int32(SHUT_RDWR))
        }
    }
}
