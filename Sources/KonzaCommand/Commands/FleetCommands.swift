internal import Glibc
internal import KonzaAPI
internal import KonzaSystem

// The station as one of many.

extension CommandContext {
    func fleet() async throws(CommandFailure) -> ExitCode {
        let dates = self.dates
        let columns = self.columns
        let reply: FleetReply = try await answer("/v1/fleet") { FleetScreen.lines($0, dates: dates, columns: columns) }
        return !reply.enabled || reply.connection?.state == .connected ? .ok : .unavailable
    }
}

extension CommandContext {
    /// With a key, signs; without, shows what is set from afar, or drops it.
    func fleetDesired() async throws(CommandFailure) -> ExitCode {
        if invocation.text("key") != nil || !invocation.operands.isEmpty {
            guard !invocation.has("clear") else {
                throw CommandFailure("cannot sign and clear at one time: leave out --clear or --key", .usage)
            }
            return try await signFleetSettings()
        }
        let method: StationRequest.Method = invocation.has("clear") ? .delete : .get
        let body = try await connection.send(StationRequest(method: method, path: "/v1/fleet/desired")).body
        let dates = self.dates
        let columns = self.columns
        let _: FleetDesiredReply = try present(body) {
            FleetScreen.desired($0, dates: dates, columns: columns)
        }
        return .ok
    }
}

extension CommandContext {
    /// The program that has the key does it: konza-fleet.
    func fleetEnrol() async throws(CommandFailure) -> ExitCode {
        guard let program = ProgramFiles.sibling("konza-fleet") else {
            throw CommandFailure(
                "cannot enrol: konza-fleet is not beside konza; install the package again", .unavailable)
        }
        var words = [program, "--enrol", invocation.operands.first ?? ""]
        for name in ["hub", "config", "state"] {
            if let value = invocation.text(name) { words += ["--\(name)", value] }
        }
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        unsafe execv(program, &arguments)
        throw CommandFailure("cannot run \(program): \(SystemError.text(errno))", .unavailable)
    }
}
