internal import CSystemd
internal import Glibc
public import KonzaModel
public import KonzaSystem

/// A stream socket that systemd listens on for this process.
public struct PassedSocket: Sendable, Equatable {
    public let descriptor: Int32
    /// Of a TCP socket; nil of a Unix socket.
    public let port: UInt16?
}

/// What systemd is told and asked (sd_notify(3), sd_listen_fds(3), systemd.exec(5)). Where no systemd started the
/// process every call does nothing. What is told goes out on a thread of its own: a manager that reads nothing for a while
/// holds nobody up.
public struct ServiceManager: Sendable {
    /// How often the watchdog wants to be fed at least, seconds; nil where there is none.
    public let watchdogSeconds: Double?
    /// Whether standard error goes to the journal, which reads a priority at the start of each line (sd-daemon(3)).
    public let logsToJournal: Bool
    private let notifier = Notifier()

    /// Reads the environment that systemd set.
    public init() {
        var microseconds: UInt64 = 0
        let isEnabled = unsafe sd_watchdog_enabled(0, &microseconds) > 0
        watchdogSeconds = isEnabled ? Double(microseconds) / 1e6 : nil
        logsToJournal = Self.standardErrorIsJournal()
    }

    /// Startup is done, or a reload is.
    public func tellReady() { notify("READY=1") }

    /// A reload begins.
    ///
    /// - Parameter clock: tells when, as systemd asks (`MONOTONIC_USEC=`).
    public func tellReloading(clock: some StationClock) {
        notify("RELOADING=1\nMONOTONIC_USEC=\(clock.monotonic().nanoseconds / 1000)")
    }

    public func tellStopping() { notify("STOPPING=1") }

    /// One line for `systemctl status`.
    public func tellStatus(_ text: String) {
        let line = text.unicodeScalars.map { $0.value < 32 ? " " : Character($0) }
        notify("STATUS=\(String(line))")
    }

    /// The daemon lives. Call it on evidence only.
    public func feedWatchdog() { notify("WATCHDOG=1") }

    /// Waits until systemd has been told everything, at most for so long; before the process ends.
    public func finish(withinSeconds limit: Double) { notifier.finish(withinSeconds: limit) }

    private func notify(_ state: String) { notifier.send(state) }

    /// The Unix stream sockets that systemd listens on for this process. The environment is cleared, so that children
    /// do not take them for theirs.
    ///
    /// - Throws: `SystemError` if something else than a listening Unix socket was passed.
    public func passedSockets() throws(SystemError) -> [Int32] {
        var sockets: [Int32] = []
        for socket in try passedListeners() {
            guard socket.port == nil else {
                throw SystemError(
                    code: EINVAL,
                    action: "serve descriptor \(socket.descriptor) that systemd passed: konzad.socket must have "
                        + "ListenStream= with the path of a Unix socket")
            }
            sockets.append(socket.descriptor)
        }
        return sockets
    }

    /// The stream sockets that systemd listens on for this process, Unix sockets and TCP ports. The environment is cleared,
    /// so that children do not take them for theirs: they are passed once.
    ///
    /// - Throws: `SystemError` if something else than a listening stream socket was passed.
    public func passedListeners() throws(SystemError) -> [PassedSocket] {
        let count = sd_listen_fds(1)
        guard count >= 0 else { throw SystemError(code: -count, action: "take the sockets that systemd passed") }
        var sockets: [PassedSocket] = []
        // SD_LISTEN_FDS_START: the first passed descriptor is number 3 (sd_listen_fds(3)).
        for descriptor in 3..<(3 + count) {
            let stream = Int32(SOCK_STREAM.rawValue)
            if sd_is_socket_unix(descriptor, stream, 1, nil, 0) > 0 {
                sockets.append(PassedSocket(descriptor: descriptor, port: nil))
            } else if sd_is_socket_inet(descriptor, AF_UNSPEC, stream, 1, 0) > 0 {
                sockets.append(PassedSocket(descriptor: descriptor, port: Self.port(of: descriptor)))
            } else {
                throw SystemError(
                    code: EINVAL,
                    action:
                        "serve descriptor \(descriptor) that systemd passed: the socket unit must have ListenStream= "
                        + "with the path of a Unix socket or a port")
            }
        }
        return sockets
    }

    /// The number of a TCP socket's port, which stands at the same place for IPv4 and IPv6, in network order.
    private static func port(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isKnown else { return nil }
        return unsafe withUnsafeBytes(of: &address) { unsafe UInt16($0[2]) << 8 | UInt16($0[3]) }
    }

    /// `JOURNAL_STREAM` names the device and inode of the journal's socket (systemd.exec(5)).
    private static func standardErrorIsJournal() -> Bool {
        guard let value = unsafe getenv("JOURNAL_STREAM") else { return false }
        let parts = unsafe String(cString: value).split(separator: ":")
        var status = stat()
        guard parts.count == 2, unsafe fstat(STDERR_FILENO, &status) == 0 else { return false }
        return UInt64(parts[0]) == UInt64(status.st_dev) && UInt64(parts[1]) == UInt64(status.st_ino)
    }
}
