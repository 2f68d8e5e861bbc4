internal import Foundation

/// Hundreds of connections that take their time, in one thread. One that konzad has given up comes back.
final class SlowClients: Sendable {
    enum Manner: Sendable {
        /// Says nothing.
        case idle
        /// Sends its head byte by byte.
        case sending
        /// Has asked for much and reads byte by byte.
        case reading
        /// Has asked for 50 positions a second and never reads.
        case deaf
    }

    private let socket: String
    private let isDone = LockedValue(false)
    private let counts = LockedValue((open: 0, returns: 0))
    private let ended = DispatchSemaphore(value: 0)

    /// They come.
    ///
    /// - Parameters:
    ///   - count: how many.
    ///   - manner: what all of them do.
    ///   - socket: where konzad listens.
    init(_ count: Int, _ manner: Manner, _ socket: String) {
        self.socket = socket
        Thread.detachNewThread { [self] in
            var connections: [UnixConnection?] = (0..<count).map { _ in open(manner) }
            while !isDone.value {
                counts.change { $0.open = connections.count { $0 != nil } }
                for index in connections.indices where !isDone.value {
                    if let connection = connections[index], step(connection, manner) { continue }
                    connections[index] = open(manner)
                    counts.change { $0.returns += 1 }
                }
                usleep(200_000)
            }
            connections = []
            ended.signal()
        }
    }

    /// How many are connected.
    var open: Int { counts.value.open }

    /// How often one came back.
    var returns: Int { counts.value.returns }

    /// They go.
    func end() {
        isDone.set(true)
        ended.wait()
    }

    private func open(_ manner: Manner) -> UnixConnection? {
        guard let connection = try? UnixConnection(path: socket, seconds: 1) else { return nil }
        let request =
            switch manner {
            case .idle: ""
            case .sending: "GET /v1/position HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
            case .reading: String(repeating: "GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 20)
            case .deaf: "GET /v1/events?positionRate=50 HTTP/1.1\r\nHost: localhost\r\n\r\n"
            }
        try? connection.send(Array(request.utf8))
        return connection
    }

    /// - Returns: false once the connection is of no use any more.
    private func step(_ connection: UnixConnection, _ manner: Manner) -> Bool {
        switch manner {
        case .idle: !connection.hasEnded
        case .sending: (try? connection.send(Array("x".utf8))) != nil
        case .reading: (try? connection.read(upTo: 1))?.isEmpty == false
        case .deaf: true
        }
    }
}
