internal import HTTPServing
internal import Synchronization

/// The server's counters, for a route that is made before the server that serves it.
final class StatisticsBox: Sendable {
    private let source = Mutex<(@Sendable () -> ServerStatistics)?>(nil)

    func attach(_ server: HTTPServer) {
        source.withLock { $0 = { [weak server] in server?.statistics ?? ServerStatistics() } }
    }

    var current: ServerStatistics { source.withLock { $0 }?() ?? ServerStatistics() }
}
