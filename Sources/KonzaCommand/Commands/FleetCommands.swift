internal import KonzaAPI

// The station as one of many.

extension CommandContext {
    func fleet() async throws(CommandFailure) -> ExitCode {
        let dates = self.dates
        let columns = self.columns
        let reply: FleetReply = try await answer("/v1/fleet") { FleetScreen.lines($0, dates: dates, columns: columns) }
        return !reply.enabled || reply.connection?.state == .connected ? .ok : .unavailable
    }
}
