internal import Glibc
internal import KonzaSystem
internal import Synchronization

/// A server on a loopback port that says what a test tells it to say, good or bad.
public final class ScriptedGPSD: Sendable {
    /// What gpsd 3.22 says first.
    public static let version = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#

    private let core: Core

    /// Listens on a free port.
    ///
    /// - Parameter greeting: said to everyone who connects; a line end is added. Empty: nothing is said.
    /// - Throws: ``SetUpError``, or the system's error.
    public init(greeting: String = version) throws {
        core = Core(listener: try LoopbackSocket.listen(), greeting: greeting, wakeup: try Wakeup())
        let core = self.core
        Task.detached { try? await onDedicatedThread(named: "scripted gpsd") { try core.serve() } }
    }

    deinit { core.stop() }

    public var port: UInt16 { core.port }

    /// How many connections there were.
    public var connectionCount: Int { core.state.withLock { $0.accepted } }

    /// What all clients said.
    public var requests: String { core.state.withLock { String(decoding: $0.requests, as: UTF8.self) } }

    /// Says text to all who are connected, as it is.
    public func say(_ text: String) { say(Array(text.utf8)) }

    /// Says bytes to all who are connected.
    public func say(_ bytes: [UInt8]) {
        core.state.withLock { state in
            for client in state.clients { Core.send(bytes, to: client) }
        }
    }

    /// Says lines, each with its end.
    public func say(lines: [String]) { say(lines.map { $0 + "\r\n" }.joined()) }

    /// Ends all connections.
    public func hangUp() { core.hangUp() }
}

/// The part that the thread keeps alive until it is stopped.
private final class Core: Sendable {
    struct State {
        var clients: [Int32] = []
        var accepted = 0
        var requests: [UInt8] = []
        var isStopped = false
    }

    private static let mostRequests = 1 << 16

    let state = Mutex(State())
    let port: UInt16
    private let listener: Int32
    private let greeting: String
    private let wakeup: Wakeup

    init(listener: consuming FileDescriptor, greeting: String, wakeup: Wakeup) {
        port = LoopbackSocket.port(of: listener.number)
        self.listener = listener.release()
        self.greeting = greeting
        self.wakeup = wakeup
    }

    deinit { close(listener) }

    func stop() {
        state.withLock { $0.isStopped = true }
        wakeup.signal()
    }

    func hangUp() {
        state.withLock { state in
            for client in state.clients { close(client) }
            state.clients.removeAll()
        }
        wakeup.signal()
    }

    func serve() throws {
        while !state.withLock({ $0.isStopped }) {
            let clients = state.withLock { $0.clients }
            let descriptors = [listener, wakeup.descriptor] + clients.suffix(12)
            let ready = try waitForEvents(on: descriptors.map { ($0, .readable) }, milliseconds: 1000)
            if !ready[1].isEmpty { wakeup.clear() }
            if !ready[0].isEmpty { accept() }
            for (client, events) in zip(descriptors, ready).dropFirst(2) where !events.isEmpty { listen(to: client) }
        }
        hangUp()
    }

    private func accept() {
        let client = Glibc.accept(listener, nil, nil)
        guard client >= 0 else { return }
        state.withLock { state in
            state.clients.append(client)
            state.accepted += 1
            if !greeting.isEmpty { Self.send(Array((greeting + "\r\n").utf8), to: client) }
        }
    }

    private func listen(to client: Int32) {
        state.withLock { state in
            // It may have been hung up since.
            guard state.clients.contains(client) else { return }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe recv(client, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
            }
            if count > 0 {
                if state.requests.count < Self.mostRequests { state.requests += buffer[..<count] }
            } else if count == 0 || errno != EAGAIN {
                close(client)
                state.clients.removeAll { $0 == client }
            }
        }
    }

    static func send(_ bytes: [UInt8], to client: Int32) {
        _ = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }
}
