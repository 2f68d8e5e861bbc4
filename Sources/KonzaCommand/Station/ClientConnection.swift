/// Placeholder until KonzaClient is here.
struct ClientConnection: StationConnection {
    let socketPath: String
    let reconnects = true
    func send(_ request: StationRequest) async throws(CommandFailure) -> StationReply {
        throw CommandFailure("cannot reach the station", .unavailable)
    }
    func events(_ query: [(name: String, value: String)]) -> AsyncThrowingStream<StationEvent, any Error> {
        AsyncThrowingStream { $0.finish() }
    }
}
