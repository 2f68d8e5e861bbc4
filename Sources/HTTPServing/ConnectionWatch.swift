internal import CMicroHTTPD
internal import Glibc
internal import KonzaSystem

/// Notices what libmicrohttpd does not: that the client of a suspended connection has gone, and that a phase of a
/// connection has lasted too long. It waits on a thread of its own, and for ever while no connection is open.
final class ConnectionWatch: Sendable {
    private let epoll: Int32
    private let wakeup: Wakeup
    /// The identity of the wakeup among the connections', which begin at 1.
    private static let wakeupID: UInt64 = 0

    init() throws(SystemError) {
        let wakeup = try Wakeup()
        let epoll = konza_watch_create()
        guard epoll >= 0 else { throw SystemError("create an epoll instance") }
        let events = UInt32(KONZA_WATCH_READABLE)
        guard konza_watch_add(epoll, wakeup.descriptor, events, Self.wakeupID) == 0 else {
            close(epoll)
            throw SystemError("watch an event descriptor")
        }
        self.wakeup = wakeup
        self.epoll = epoll
    }

    deinit { close(epoll) }

    /// Reports the connection once when its client hangs up. Half-closed is not hung up: the client still reads.
    /// With TLS it is: nobody can send what ends an encrypted stream and go on reading.
    func add(_ id: UInt64, socket: Int32, isEncrypted: Bool) {
        // Error and hang-up are always reported.
        let events = UInt32(KONZA_WATCH_HANGUP_ONCE) | (isEncrypted ? UInt32(KONZA_WATCH_HALF_CLOSE) : 0)
        _ = konza_watch_add(epoll, socket, events, id)
    }

    func remove(socket: Int32) {
        _ = konza_watch_remove(epoll, socket)
    }

    /// Makes `wait` return.
    func wake() { wakeup.signal() }

    /// Waits for hang-ups, for so long at most; a negative limit waits for ever.
    ///
    /// - Parameter milliseconds: the limit.
    /// - Returns: the connections whose clients have gone.
    func wait(milliseconds: Int32) -> [UInt64] {
        var identities = [UInt64](repeating: 0, count: 64)
        let count = unsafe konza_watch_wait(epoll, &identities, milliseconds)
        guard count > 0 else { return [] }
        let ids = identities.prefix(Int(count))
        if ids.contains(Self.wakeupID) { wakeup.clear() }
        return ids.filter { $0 != Self.wakeupID }
    }
}
