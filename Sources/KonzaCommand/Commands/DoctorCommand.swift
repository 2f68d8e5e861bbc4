internal import KonzaAPI
internal import KonzaSystem

extension CommandContext {
    func doctor() async throws(CommandFailure) -> ExitCode {
        let machine = machine()
        var station = await stationFacts()
        station.portal = await portalFacts(machine)
        let findings = Diagnosis(machine: machine, station: station).findings
        if invocation.has("json") {
            try console.write(JSONText.indented(try StationWriting.bytes(findings)) + "\n")
        } else {
            try show(DoctorScreen.lines(findings, columns: columns))
        }
        return findings.contains { $0.level == .fail } ? .unavailable : .ok
    }

    private func portalFacts(_ machine: MachineFacts) async -> Result<PortalScreens.Health, CommandFailure>? {
        do throws(CommandFailure) {
            return .success(try await portal.get("/health"))
        } catch {
            // Where it was never installed nobody misses it.
            return machine.hasPortal ? .failure(error) : nil
        }
    }

    /// A daemon that does not answer is a finding, not an error.
    private func stationFacts() async -> StationFacts {
        do throws(CommandFailure) {
            let status: StatusReply = try await connection.get("/v1/status")
            return StationFacts(
                status: .success(status), position: try? await connection.get("/v1/position"),
                sky: try? await connection.get("/v1/satellites"),
                courier: (try? await connection.get("/v1/outbox", OutboxReply.self, query: [("limit", "1")]))?.courier)
        } catch {
            return StationFacts(status: .failure(error))
        }
    }
}
