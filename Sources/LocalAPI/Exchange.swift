internal import KonzaAPI
internal import KonzaSystem
internal import Synchronization

/// One request and its answer.
///
/// Sendable: `state` belongs to the thread of libmicrohttpd, which alone calls what touches it; `outcome` is
/// shared and locked.
final class Exchange: @unchecked Sendable {
    /// How far the request has come.
    enum Stage {
        case target
        /// The head is checked; the body comes in, if there is one.
        case body
        /// A handler works on it.
        case handling
        case answered
    }

    struct State {
        var stage = Stage.target
        let target: [UInt8]
        var method: HTTPMethod?
        var isVersion10 = false
        var headers = HeaderFields()
        var route: Route?
        var parameters: [String: String] = [:]
        var query: [String: [String]] = [:]
        var acceptedType = ""
        var bodyLimit = 0
        var framing = BodyFraming.none
        var body: [UInt8] = []
        /// Bytes of the body that were dropped, since the request is refused anyway.
        var discarded = 0
        /// The answer that no handler is needed for.
        var early: Response?
        var stream: ResponseStream?
        /// The memory of the body, later of the answer.
        var held: MemoryReservation?
    }

    private struct Outcome {
        var response: Response?
        var isSettled = false
        var suspended: SuspendedConnection?
        var task: Task<Void, Never>?
    }

    /// Only for libmicrohttpd's thread.
    var state: State
    private let outcome = Mutex(Outcome())

    init(target: [UInt8]) { state = State(target: target) }

    /// Takes the answer of an asynchronous handler out, once it is there.
    func takeResponse() -> Response? { outcome.withLock { $0.response.take() } }

    /// Notes that the connection sleeps until ``settle(_:)``.
    func suspend(_ connection: SuspendedConnection) {
        outcome.withLock { $0.suspended = connection }
    }

    /// Keeps the task, to cancel it when the client goes.
    func attach(_ task: Task<Void, Never>) {
        outcome.withLock { outcome in
            if !outcome.isSettled { outcome.task = task }
        }
    }

    /// Takes the first answer that is given and wakes the connection to send it; a later one is dropped.
    func settle(_ response: Response) {
        outcome.withLock { outcome in
            guard !outcome.isSettled else { return }
            outcome.isSettled = true
            outcome.response = response
            outcome.task = nil
            outcome.suspended?.resume()
            outcome.suspended = nil
        }
    }

    /// The client has gone: whoever still works for it may stop.
    func hangUp() {
        outcome.withLock { $0.task }?.cancel()
        waitingStream.withLock { $0 }?.hangUp()
    }

    /// The server stops: cancels the handler and answers in its place.
    func abandon(_ response: Response) {
        outcome.withLock { $0.task }?.cancel()
        settle(response)
        waitingStream.withLock { $0 }?.hangUp()
    }

    /// The stream under way.
    let waitingStream = Mutex<ResponseStream?>(nil)
}
