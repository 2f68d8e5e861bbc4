internal import HTTPTransfer
internal import KonzaClient
internal import KonzaSystem

/// The way to the station over its socket.
struct ClientConnection: StationConnection {
    let socketPath: String
    let reconnects = true

    func send(_ request: StationRequest) async throws(CommandFailure) -> StationReply {
        do throws(ClientError) {
            let client = try StationClient(socketPath: socketPath)
            guard let upload = request.upload else {
                return Self.reply(
                    try client.send(request.method.rawValue, target: request.target, json: request.body))
            }
            let body = UploadBody([.file(path: upload.file, byteCount: upload.byteCount)])
            return Self.reply(
                try client.send(request.method.rawValue, target: request.target, body, type: upload.mediaType))
        } catch {
            throw CommandFailure(error)
        }
    }

    func fetch(
        _ request: StationRequest, _ take: @escaping ([UInt8]) -> Bool
    ) async throws(CommandFailure) -> StationReply {
        do throws(ClientError) {
            return Self.reply(try StationClient(socketPath: socketPath).fetch(target: request.target, take))
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func reply(_ answer: HTTPAnswer) -> StationReply {
        StationReply(
            status: answer.status,
            headers: Dictionary(answer.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }),
            body: answer.body)
    }

    func events(_ query: [(name: String, value: String)]) -> AsyncThrowingStream<StationEvent, any Error> {
        let socketPath = socketPath
        let cancellation = TransferCancellation()
        return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
            continuation.onTermination = { _ in cancellation.cancel() }
            Task.detached {
                let outcome = await Self.follow(socketPath, query, cancellation) { continuation.yield($0) }
                continuation.finish(throwing: outcome)
            }
        }
    }

    /// Follows the events on a thread of its own until they end.
    ///
    /// - Returns: why they ended, if not by themselves.
    private static func follow(
        _ socketPath: String, _ query: [(name: String, value: String)], _ cancellation: TransferCancellation,
        _ take: @escaping @Sendable (StationEvent) -> Void
    ) async -> CommandFailure? {
        do {
            try await onDedicatedThread(named: "events", onCancel: { cancellation.cancel() }) {
                let client = try StationClient(socketPath: socketPath)
                try client.events(query: query, cancellation: cancellation) { event in
                    take(StationEvent(name: event.name, data: Array(event.data.utf8)))
                    return true
                }
            }
            return nil
        } catch let error as ClientError {
            return CommandFailure(error)
        } catch {
            return CommandFailure("cannot follow the events: \(error)", .unavailable)
        }
    }
}

extension CommandFailure {
    /// Why the station could not be asked.
    init(_ error: ClientError) {
        switch error {
        case .problem(let problem): self.init(problem)
        case .transfer(let error): self.init(error.description, Self.code(error.reason))
        case .unexpected(let text): self.init(text, .protocol)
        case .file(let text): self.init(text, .noInput)
        }
    }

    /// An answer that broke off may be whole the next time: the daemon may have been restarted.
    private static func code(_ reason: TransferError.Reason) -> ExitCode {
        switch reason {
        case .socketMissing, .notConnected: .unavailable
        case .permissionDenied: .permission
        case .timedOut, .cancelled, .broken: .temporary
        case .tooLarge: .protocol
        case .badRequest: .software
        case .unreadableBody: .noInput
        case .untrusted: .protocol
        }
    }
}
