internal import KonzaModel

// hub: the fleet as its database knows it.

extension CommandContext {
    func askHub(_ request: StationRequest) async throws(CommandFailure) -> StationReply {
        do throws(CommandFailure) {
            return try await hub.send(request)
        } catch {
            guard error.message.hasPrefix("cannot reach konzad") else { throw error }
            throw CommandFailure(
                "cannot reach konza-hub: nobody answers on \(hub.socketPath); on the machine at home try: "
                    + "systemctl status konza-hub", error.code)
        }
    }

    func hubStatus() async throws(CommandFailure) -> ExitCode {
        let body = try await askHub(StationRequest(path: "/v1/status")).body
        let status: HubScreens.Status = try present(body, HubScreens.status)
        return status.health.level == .ok ? .ok : .unavailable
    }

    func hubBoxes() async throws(CommandFailure) -> ExitCode {
        let query = ["state", "site"].compactMap { name in invocation.text(name).map { (name: name, value: $0) } }
        let body = try await askHub(StationRequest(path: "/v1/boxes", query: query)).body
        let _: HubScreens.Boxes = try present(body) { HubScreens.boxes($0, isFiltered: !query.isEmpty) }
        return .ok
    }

    func hubShow() async throws(CommandFailure) -> ExitCode {
        let name = percentEncoded(invocation.operands.first ?? "")
        let body = try await askHub(StationRequest(path: "/v1/boxes/\(name)")).body
        let _: HubScreens.Box = try present(body) { HubScreens.box($0, columns: columns) }
        return .ok
    }
}
