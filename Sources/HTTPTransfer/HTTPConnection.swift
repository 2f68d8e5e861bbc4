internal import Synchronization

/// Ends a transfer from elsewhere, within a second.
public final class TransferCancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    public init() {}

    public var isCancelled: Bool { flag.load(ordering: .relaxed) }

    public func cancel() { flag.store(true, ordering: .relaxed) }
}

/// Sends requests, one at a time, and keeps the connection open between them. The calls block.
public final class HTTPConnection: Sendable {
    private let handle: Mutex<CurlHandle>

    public init() throws(TransferError) {
        handle = Mutex(try CurlHandle())
    }

    /// Sends a request and waits for the whole answer.
    ///
    /// - Parameters:
    ///   - request: what to send.
    ///   - cancellation: ends the transfer from elsewhere.
    ///   - onSent: gets the number of bytes of the body that are sent, whenever it has grown.
    /// - Returns: the answer, good or bad. A redirection is an answer too: none is followed.
    /// - Throws: ``TransferError`` if no whole answer came.
    public func send(
        _ request: HTTPRequest, cancellation: TransferCancellation? = nil, onSent: ((Int) -> Void)? = nil
    ) throws(TransferError) -> HTTPAnswer {
        let receiver = Receiver(limit: request.maximumBytes, cancellation: cancellation)
        receiver.upload = request.upload?.reader()
        receiver.onSent = onSent
        try perform(request, receiver)
        return HTTPAnswer(status: receiver.status, headers: receiver.headers, body: receiver.body)
    }

    /// Sends a request and hands on the body of a good answer (2xx) as it comes. The body of any other answer is in
    /// the result.
    ///
    /// - Parameters:
    ///   - request: what to send.
    ///   - cancellation: ends the transfer from elsewhere.
    ///   - onHead: gets the status and the headers before the first byte of the body.
    ///   - onChunk: returns false to end the transfer, which is no error then.
    /// - Returns: the answer without the body that was handed on.
    /// - Throws: ``TransferError`` if no whole answer came.
    public func stream(
        _ request: HTTPRequest, cancellation: TransferCancellation? = nil,
        onHead: @escaping (HTTPAnswer) -> Void = { _ in }, onChunk: @escaping ([UInt8]) -> Bool
    ) throws(TransferError) -> HTTPAnswer {
        let receiver = Receiver(limit: request.maximumBytes, cancellation: cancellation)
        receiver.onHead = onHead
        receiver.onChunk = onChunk
        do {
            try perform(request, receiver)
        } catch {
            guard error.reason == .cancelled, receiver.hasEnough else { throw error }
        }
        return HTTPAnswer(status: receiver.status, headers: receiver.headers, body: receiver.body)
    }

    private func perform(_ request: HTTPRequest, _ receiver: Receiver) throws(TransferError) {
        try handle.withLock { (handle) throws(TransferError) in try handle.perform(request, receiver) }
    }
}
