internal import Synchronization

/// A few connections that handlers share, made when they are needed. Each call blocks.
public final class PostgresPool: Sendable {
    /// Lends its connection to one thread at a time: whoever has taken it out of the pool.
    private final class Session: @unchecked Sendable {
        // Sendable: a session is in `idle`, behind the lock, or with the one thread that took it out of there.
        var connection: PostgresConnection

        init(_ connection: consuming PostgresConnection) { self.connection = connection }
    }

    private struct State {
        var idle: [Session] = []
        var lent = 0
    }

    private let address: PostgresAddress
    private let program: String
    private let limit: Int
    private let patience: Double
    private let state = Mutex(State())

    /// - Parameters:
    ///   - address: of the database.
    ///   - program: the name that the server shows.
    ///   - limit: the most connections.
    ///   - patience: the longest that a statement may take, seconds; a connection that took longer is not asked again.
    public init(
        _ address: PostgresAddress, program: String, limit: Int, patience: Double = PostgresConnection.usualPatience
    ) {
        self.address = address
        self.program = program
        self.limit = limit
        self.patience = patience
    }

    /// Lends a connection; where one breaks that was idle, the body runs again with another; not where it took too long.
    ///
    /// - Returns: what the body returns.
    /// - Throws: ``PostgresError``; `busy` where all connections are lent.
    public func lend<Value>(
        _ body: (inout PostgresConnection) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        let (session, isNew) = try take()
        do throws(PostgresError) {
            defer { giveBack(session) }
            return try body(&session.connection)
        } catch {
            // The server was started anew while nobody asked: what else is idle broke, too.
            guard error.reason == .lost, !isNew else { throw error }
            state.withLock { $0.idle.removeAll() }
            return try lend(body)
        }
    }

    private func take() throws(PostgresError) -> (Session, isNew: Bool) {
        let (idle, isFull) = state.withLock { state -> (Session?, Bool) in
            guard state.lent < limit else { return (nil, true) }
            state.lent += 1
            return (state.idle.popLast(), false)
        }
        if isFull { throw PostgresError(.busy, "cannot ask now: all \(limit) connections are in use; try again") }
        if let idle { return (idle, false) }
        do throws(PostgresError) {
            return (Session(try PostgresConnection(address, program: program, patience: patience)), true)
        } catch {
            state.withLock { $0.lent -= 1 }
            throw error
        }
    }

    private func giveBack(_ session: Session) {
        let isOver = session.connection.isOver
        state.withLock { state in
            state.lent -= 1
            if !isOver { state.idle.append(session) }
        }
    }
}
