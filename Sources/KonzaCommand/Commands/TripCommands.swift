internal import KonzaModel
internal import KonzaSystem

// trips: who is still out.

extension CommandContext {
    private struct Wish: Encodable {
        struct Contact: Encodable {
            var name: String?
            var phone: String?
            var email: String?
            var language: String?
        }

        var leader: String?
        var party: [String]?
        var destination: String?
        var route: [String]?
        var vehicle: String?
        var contact: Contact?
        var note: String?
        var expectedAt: String?
        var how: String?
        var by: String?
    }

    private func ask(
        _ method: StationRequest.Method, _ path: String, _ wish: Wish? = nil,
        query: [(name: String, value: String)] = []
    ) async throws(CommandFailure) -> [UInt8] {
        var request = StationRequest(path: path, query: query)
        request.method = method
        if let wish { request.body = try StationWriting.bytes(wish) }
        return try await portal.send(request).body
    }

    private var tripPath: String { "/v1/trips/\(percentEncoded(invocation.operands.first ?? ""))" }

    private func expectedReturn() throws(CommandFailure) -> String {
        if let text = invocation.text("expected") { return text }
        if let hours = invocation.measure("in") { return clock.utc().advanced(bySeconds: hours * 3600).rfc3339 }
        throw CommandFailure("cannot tell when the party will be back: add --in HOURS or --expected TIME", .usage)
    }

    func trips() async throws(CommandFailure) -> ExitCode {
        let body = try await ask(
            .get, "/v1/trips", query: invocation.has("returned") ? [("state", "returned"), ("limit", "50")] : [])
        let _: TripScreens.List = try present(body) { TripScreens.list($0) }
        return .ok
    }

    func trip() async throws(CommandFailure) -> ExitCode {
        let _: TripScreens.Trip = try present(try await ask(.get, tripPath)) { TripScreens.one($0) }
        return .ok
    }

    func startTrip() async throws(CommandFailure) -> ExitCode {
        guard let leader = invocation.text("leader"), let place = invocation.text("to") else {
            throw CommandFailure("cannot sign a party out without --leader NAME and --to PLACE", .usage)
        }
        var wish = Wish(leader: leader, destination: place, expectedAt: try expectedReturn(), by: invocation.text("by"))
        wish.party = invocation.all("with")
        wish.route = invocation.all("route")
        wish.vehicle = invocation.text("vehicle")
        wish.note = invocation.text("note")
        let contact = Wish.Contact(
            name: invocation.text("contact"), phone: invocation.text("phone"), email: invocation.text("email"),
            language: invocation.text("language"))
        if [contact.name, contact.phone, contact.email, contact.language].contains(where: { $0 != nil }) {
            wish.contact = contact
        }
        return try told(try await ask(.post, "/v1/trips", wish)) {
            "is out, expected \(TripScreens.expected($0))."
        }
    }

    func extendTrip() async throws(CommandFailure) -> ExitCode {
        let wish = Wish(expectedAt: try expectedReturn(), by: invocation.text("by"))
        return try told(try await ask(.post, "\(tripPath)/extend", wish)) {
            "is expected \(TripScreens.expected($0))."
        }
    }

    func endTrip() async throws(CommandFailure) -> ExitCode {
        let wish = Wish(how: invocation.text("how"), by: invocation.text("by"))
        return try told(try await ask(.post, "\(tripPath)/return", wish)) { _ in "is back." }
    }

    func acknowledgeTrip() async throws(CommandFailure) -> ExitCode {
        let wish = Wish(by: invocation.text("by"))
        return try told(try await ask(.post, "\(tripPath)/acknowledge", wish)) {
            "is taken care of by \(TextSafety.cleaned($0.acknowledgedBy ?? ""))."
        }
    }

    func messages() async throws(CommandFailure) -> ExitCode {
        let _: TripScreens.Messages = try present(try await ask(.get, "/v1/messages"), TripScreens.messages)
        return .ok
    }

    private func told(_ body: [UInt8], _ words: (TripScreens.Trip) -> String) throws(CommandFailure) -> ExitCode {
        let _: TripScreens.Trip = try present(body) {
            [Line($0.id, .strong) + " (\(TextSafety.cleaned($0.leader))) \(words($0))"]
                + TripScreens.unknownTrails(of: $0)
        }
        return .ok
    }
}
