public import KonzaModel
internal import Synchronization

/// The bytes of an answer that has no end yet: a bounded queue between a producer on any thread and one client.
///
/// A client that reads too slowly fills the queue and is dropped; nobody ever waits for it. A producer that keeps what it
/// sends anyway is asked for more when the queue is empty, and queues nothing.
public final class ResponseStream: Sendable {
    private enum Ending {
        /// The producer is done: what is queued is still sent.
        case finished
        /// The client is gone or was dropped: nothing more is sent.
        case cut
    }

    private struct State {
        var queue: [FrameData] = []
        /// The index of the first chunk not yet sent, and how much of it is.
        var head = 0
        var offset = 0
        var pending = 0
        var ending: Ending?
        var wasDropped = false
        var resume: (@Sendable () -> Void)?
        var onEnd: [@Sendable () -> Void] = []
        var cutConnection: (@Sendable () -> Void)?
        var lastPush: MonotonicInstant?
    }

    /// Bytes that may wait for the client.
    public let limit: Int
    private let more: (@Sendable () -> FrameData?)?
    let heartbeat: (bytes: FrameData, seconds: Double)?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: bytes that may wait for the client before it is dropped.
    ///   - heartbeat: bytes to send when nothing else was sent for so many seconds.
    ///   - more: asked for the next bytes on the server's thread when the client has taken everything; nil for now. It
    ///     must return at once, and not touch the stream. `wake()` has it asked again.
    public init(
        limit: Int = 1_048_576, heartbeat: (bytes: [UInt8], seconds: Double)? = nil,
        more: (@Sendable () -> FrameData?)? = nil
    ) {
        self.limit = limit
        self.more = more
        self.heartbeat = heartbeat.map { (FrameData($0.bytes), $0.seconds) }
    }

    /// Bytes that wait for the client.
    public var pendingBytes: Int { state.withLock { $0.pending } }

    /// Whether the client was cut off for reading too slowly.
    public var wasDropped: Bool { state.withLock { $0.wasDropped } }

    /// Adds bytes, without copying them.
    ///
    /// - Returns: false if the client is gone, or is dropped now because too much waits for it.
    @discardableResult
    public func push(_ data: FrameData) -> Bool {
        let (isTaken, cut) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard state.ending == nil else { return (false, nil) }
            guard data.count > 0 else { return (true, nil) }
            guard state.pending <= limit - min(limit, data.count) || state.pending == 0 else {
                state.ending = .cut
                state.wasDropped = true
                return (false, state.cutConnection)
            }
            state.queue.append(data)
            state.pending += data.count
            state.lastPush = nil
            return (true, nil)
        }
        if !isTaken { cut?() }
        wake()
        return isTaken
    }

    /// Adds bytes.
    ///
    /// - Returns: false if the client is gone, or is dropped now because too much waits for it.
    @discardableResult
    public func push(_ bytes: [UInt8]) -> Bool { push(FrameData(bytes)) }

    /// Ends the answer once everything queued is sent.
    public func finish() {
        state.withLock { state in
            if state.ending == nil { state.ending = .finished }
        }
        wake()
    }

    /// Calls the handler once, when the client is gone or the answer is complete; at once if it is already so.
    /// It runs on the server's thread and must return at once.
    public func onEnd(_ handler: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if state.ending == .cut { return true }
            state.onEnd.append(handler)
            return false
        }
        if isOver { handler() }
    }

    // MARK: the server's side

    /// How to end a connection whose client does not even take what is on its way.
    func connect(cut: @escaping @Sendable () -> Void) {
        state.withLock { $0.cutConnection = cut }
    }

    enum Reading {
        case bytes(Int)
        /// Nothing to send: the connection sleeps until `resume` is called.
        case nothing
        case end
        case cut
    }

    /// Copies what is queued into the buffer. With nothing queued, `suspend` puts the connection to sleep and
    /// returns what wakes it.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, suspend: () -> @Sendable () -> Void
    ) -> Reading {
        state.withLock { state in
            if state.ending == .cut { return .cut }
            var filled = 0
            while filled < buffer.count, fetch(&state) {
                let chunk = state.queue[state.head]
                let count = min(buffer.count - filled, chunk.count - state.offset)
                unsafe chunk.withBytes { source in
                    let part = unsafe UnsafeRawBufferPointer(rebasing: source[state.offset..<state.offset + count])
                    unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(from: part)
                }
                filled += count
                state.offset += count
                if state.offset == chunk.count {
                    state.head += 1
                    state.offset = 0
                }
            }
            state.pending -= filled
            if state.head == state.queue.count {
                state.queue.removeAll(keepingCapacity: true)
                state.head = 0
            } else if state.head > 32 {
                state.queue.removeFirst(state.head)
                state.head = 0
            }
            if filled > 0 { return .bytes(filled) }
            if state.ending == .finished { return .end }
            state.resume = suspend()
            return .nothing
        }
    }

    /// Whether there are bytes to send; asks for more if the queue is empty.
    private func fetch(_ state: inout State) -> Bool {
        while state.head == state.queue.count {
            guard let chunk = more?() else { return false }
            guard chunk.count > 0 else { continue }
            state.queue.append(chunk)
            state.pending += chunk.count
            state.lastPush = nil
        }
        return true
    }

    /// The client is too slow for what is kept elsewhere: cuts it off.
    public func drop() {
        let cut = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.ending == nil else { return nil }
            state.ending = .cut
            state.wasDropped = true
            return state.cutConnection
        }
        cut?()
        wake()
    }

    /// Sends what has become ready.
    func wake() {
        state.withLock { state in
            state.resume?()
            state.resume = nil
        }
    }

    /// Called once a second or so: sends the heartbeat when it is due.
    func tick(_ now: MonotonicInstant) {
        guard let heartbeat else { return }
        let isDue = state.withLock { state in
            guard let last = state.lastPush else {
                state.lastPush = now
                return false
            }
            return now.seconds(since: last) >= heartbeat.seconds
        }
        if isDue { push(heartbeat.bytes) }
    }

    /// The client is gone: wakes the connection, which then finds it out by itself.
    func hangUp() {
        state.withLock { $0.ending = .cut }
        wake()
    }

    /// The server has let go of the answer.
    func end() {
        let handlers = state.withLock { state in
            defer {
                state.onEnd = []
                state.queue = []
                state.head = 0
                state.offset = 0
                state.pending = 0
                state.ending = .cut
                state.resume = nil
                state.cutConnection = nil
            }
            return state.onEnd
        }
        for handler in handlers { handler() }
    }
}
