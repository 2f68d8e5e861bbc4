internal import KonzaModel
internal import KonzaSystem

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

    /// Page by page, so that no more than one is in memory.
    func hubExport() async throws(CommandFailure) -> ExitCode {
        guard invocation.has("sensorthings") else {
            throw CommandFailure("cannot export the fleet: say in which form, with --sensorthings", .usage)
        }
        let names = ["box", "from", "to"]
        let chosen = names.compactMap { name in invocation.text(name).map { (name: name, value: $0) } }
        let destination = try Destination(invocation, standard: "konza-fleet-\(dates.date(clock.utc())).jsonl")
        console.holdInterrupts()
        defer { console.releaseInterrupts() }
        let delivery = try Delivery(destination, isText: true, console: console)
        var after: String?
        repeat {
            let query = chosen + (after.map { [(name: "after", value: $0)] } ?? [])
            var page = try await askHub(StationRequest(path: "/v1/sensorthings", query: query)).body
            after = Self.cutNext(&page)
            guard delivery.take(page) else { break }
        } while after != nil
        let bytes = try delivery.finish()
        if !destination.isStandardOutput {
            try show(Line("The fleet saved as \(destination.path), \(Figures.bytes(Int64(bytes)))"))
        }
        return .ok
    }

    /// Takes the page's last line off where it says how to go on.
    private static func cutNext(_ page: inout [UInt8]) -> String? {
        struct Next: Decodable { let next: String }
        let start = page.dropLast().lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        guard page[start...].starts(with: Array("{\"next\":".utf8)),
            let next: Next = try? StationReading.read(Array(page[start...]))
        else { return nil }
        page.removeSubrange(start...)
        return next.next
    }
}
