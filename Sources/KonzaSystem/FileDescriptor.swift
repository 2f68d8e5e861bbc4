internal import CLinux
internal import Glibc

/// Owns an open file descriptor and closes it.
public struct FileDescriptor: ~Copyable, Sendable {
    public let number: Int32

    /// Takes over an open descriptor.
    public init(owning number: Int32) {
        self.number = number
    }

    deinit { close(number) }

    /// Gives the descriptor up without closing it.
    public consuming func release() -> Int32 {
        let number = self.number
        discard self
        return number
    }
}

/// What to wait for on a descriptor: the `poll(2)` events.
public struct PollEvents: OptionSet, Sendable {
    public let rawValue: Int16
    public init(rawValue: Int16) { self.rawValue = rawValue }

    public static let readable = PollEvents(rawValue: Int16(POLLIN))
    public static let urgent = PollEvents(rawValue: Int16(POLLPRI))
    public static let writable = PollEvents(rawValue: Int16(POLLOUT))
    public static let error = PollEvents(rawValue: Int16(POLLERR))
    public static let hangup = PollEvents(rawValue: Int16(POLLHUP))
    public static let invalid = PollEvents(rawValue: Int16(POLLNVAL))
}

/// Waits until a descriptor has one of the events or the time is over.
///
/// - Parameters:
///   - interests: the descriptors with their events.
///   - milliseconds: the limit; negative waits for ever.
/// - Returns: the events of each descriptor, empty for all after a time-out. A signal ends the wait like a time-out.
/// - Throws: what poll(2) says, but for an interruption.
public func waitForEvents(
    on interests: [(descriptor: Int32, events: PollEvents)], milliseconds: Int32
) throws(SystemError) -> [PollEvents] {
    var descriptors = interests.map { pollfd(fd: $0.descriptor, events: $0.events.rawValue, revents: 0) }
    let count = unsafe poll(&descriptors, nfds_t(descriptors.count), milliseconds)
    guard count >= 0 else {
        let error = SystemError("wait for events")
        if error.code == EINTR { return interests.map { _ in [] } }
        throw error
    }
    return descriptors.map { PollEvents(rawValue: $0.revents) }
}

/// Wakes a thread that waits in `waitForEvents`. Any number of signals before the wait count as one.
public final class Wakeup: Sendable {
    /// The descriptor to wait on; readable after `signal()`.
    public let descriptor: Int32

    public init() throws(SystemError) {
        descriptor = konza_eventfd()
        if descriptor < 0 { throw SystemError("create an event descriptor") }
    }

    deinit { close(descriptor) }

    public func signal() {
        var one: UInt64 = 1
        _ = unsafe write(descriptor, &one, 8)
    }

    /// Takes the signal back, so that the next wait blocks again.
    public func clear() {
        var count: UInt64 = 0
        _ = unsafe read(descriptor, &count, 8)
    }
}
