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

    // A class: a structure in a property of a class is copied, all its parts counted, wherever it is handed on.
    final class State {
        var stage = Stage.target
        let target: [UInt8]
        var method: HTTPMethod?
        var isVersion10 = false
        var headers = HeaderFields()
        /// Bytes of the head as it was sent, and what is wrong with its lines.
        var headBytes = 0
        var headFault: RawHead.Fault?
        var route: Route?
        /// Who asks.
        var principal: Principal?
        var parameters: [String: String] = [:]
        var query: [String: [String]] = [:]
        var acceptedType = ""
        var bodyLimit = 0
        var framing = BodyFraming.none
        var body: [UInt8] = []
        /// What reading the body will take, if it is JSON.
        var reading: JSONCost?
        /// Where the body goes once it is large.
        var spool: BodySpool?
        /// Bytes of the body that were dropped, since the request is refused anyway.
        var discarded = 0
        /// Why the head cannot be relied on: the connection is closed.
        var unreadable: Problem?
        /// The answer that no handler is needed for.
        var early: Response?
        var stream: ResponseStream?
        /// The memory of the body, later of the answer.
        var held: MemoryReservation?

        init(target: [UInt8]) { self.target = target }
    }

    private struct Outcome {
        var response: Response?
        var isSettled = false
        /// The client has gone, or the server stops.
        var isGivenUp = false
        var suspended: SuspendedConnection?
        var task: Task<Void, Never>?
    }

    /// Only for libmicrohttpd's thread.
    let state: State
    private let outcome = Mutex(Outcome())

    init(target: [UInt8]) { state = State(target: target) }

    /// Takes the answer of an asynchronous handler out, once it is there.
    func takeResponse() -> Response? { outcome.withLock { $0.response.take() } }

    /// Notes that the connection sleeps until ``settle(_:)``. One that was settled before, as the server's stop does while a
    /// body comes in, wakes at once.
    func suspend(_ connection: SuspendedConnection) {
        outcome.withLock { outcome in
            if outcome.isSettled { connection.resume() } else { outcome.suspended = connection }
        }
    }

    /// Keeps the task, to cancel it when the client goes; at once if it has gone meanwhile.
    func attach(_ task: Task<Void, Never>) {
        let isGivenUp = outcome.withLock { outcome in
            if !outcome.isSettled { outcome.task = task }
            return outcome.isGivenUp
        }
        if isGivenUp { task.cancel() }
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
        giveUp()
        waitingStream.withLock { $0 }?.hangUp()
    }

    private func giveUp() {
        let task = outcome.withLock { outcome in
            outcome.isGivenUp = true
            return outcome.task
        }
        task?.cancel()
    }

    /// The server stops: cancels the handler and answers in its place.
    func abandon(_ response: Response) {
        giveUp()
        settle(response)
        waitingSpool.withLock { $0 }?.giveUp()
        waitingStream.withLock { $0 }?.hangUp()
    }

    /// The body on its way to the disk.
    let waitingSpool = Mutex<BodySpool?>(nil)

    /// Lets go of the body on its way to the disk; on libmicrohttpd's thread only.
    func dropSpool() {
        state.spool = nil
        waitingSpool.withLock { $0 = nil }
    }

    /// The stream under way.
    let waitingStream = Mutex<ResponseStream?>(nil)
}
