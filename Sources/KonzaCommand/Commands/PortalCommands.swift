internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

// pair, devices, portal: what the portal keeps.

extension CommandContext {
    private struct Wish: Encodable {
        var role: String?
        var name: String?
        var pin: String?
        var state: String?
    }

    private func ask(
        _ method: StationRequest.Method, _ path: String, _ wish: Wish? = nil
    ) async throws(CommandFailure) -> [UInt8] {
        var request = StationRequest(path: path)
        request.method = method
        if let wish { request.body = try StationWriting.bytes(wish) }
        return try await portal.send(request).body
    }

    private func operand(_ index: Int) -> String {
        index < invocation.operands.count ? invocation.operands[index] : ""
    }

    /// Whether the QR code is drawn: before a person, or where it is asked for. Says so where it is left out.
    private func drawsCode(_ rows: [String]?) -> Bool {
        if console.isTerminal || invocation.has("qr") { return true }
        guard rows?.isEmpty == false else { return false }
        tell("The QR code is left out, as this is no terminal: --qr draws it nevertheless.")
        return false
    }

    func pair() async throws(CommandFailure) -> ExitCode {
        let body = try await ask(.post, "/v1/invitations", Wish(role: operand(0), name: invocation.text("name")))
        let _: PortalScreens.Invitation = try present(body) {
            PortalScreens.invitation($0, drawsCode: drawsCode($0.qr))
        }
        return .ok
    }

    func devices() async throws(CommandFailure) -> ExitCode {
        let body = try await ask(.get, "/v1/devices")
        let waiting = try await ask(.get, "/v1/pairing-requests")
        if invocation.has("json") {
            for one in [body, waiting] { try console.write(JSONText.indented(one) + "\n") }
            return .ok
        }
        let devices: PortalScreens.Devices = try StationReading.read(body)
        let requests: PortalScreens.Requests = try StationReading.read(waiting)
        try show(PortalScreens.devices(devices.devices, requests.requests, now: clock.utc()))
        return .ok
    }

    func approveDevice() async throws(CommandFailure) -> ExitCode {
        let path = "/v1/pairing-requests/\(percentEncoded(operand(0)))"
        _ = try await ask(.post, path, Wish(role: operand(1)))
        try show(Line("\(operand(0)) is let in as \(operand(1))."))
        return .ok
    }

    func denyDevice() async throws(CommandFailure) -> ExitCode {
        _ = try await ask(.delete, "/v1/pairing-requests/\(percentEncoded(operand(0)))")
        try show(Line("\(operand(0)) is turned away."))
        return .ok
    }

    func renameDevice() async throws(CommandFailure) -> ExitCode {
        _ = try await ask(.patch, "/v1/devices/\(percentEncoded(operand(0)))", Wish(name: operand(1)))
        try show(Line("\(operand(0)) is called \(operand(1))."))
        return .ok
    }

    func revokeDevice() async throws(CommandFailure) -> ExitCode {
        _ = try await ask(.delete, "/v1/devices/\(percentEncoded(operand(0)))")
        try show(Line("\(operand(0)) is sent away: whatever it asks now, it asks as a visitor."))
        return .ok
    }

    func portalHealth() async throws(CommandFailure) -> ExitCode {
        let health: PortalScreens.Health = try present(try await ask(.get, "/health"), PortalScreens.health)
        return health.status == "failed" ? .unavailable : .ok
    }

    func setPIN() async throws(CommandFailure) -> ExitCode {
        if invocation.has("clear") {
            _ = try await ask(.put, "/v1/kiosk/door", Wish())
            try show(Line("The kiosk's door stays shut."))
            return .ok
        }
        if console.canAsk { tell("The new PIN, four to eight digits:") }
        guard let pin = console.readAnswer(), !pin.isEmpty else {
            throw CommandFailure("cannot set the PIN: none was given on the standard input", .usage)
        }
        _ = try await ask(.put, "/v1/kiosk/door", Wish(pin: pin))
        try show(Line("The kiosk's door has a new PIN."))
        return .ok
    }

    func printer() async throws(CommandFailure) -> ExitCode {
        let _: PortalScreens.Printer = try present(try await ask(.get, "/v1/printer"), PortalScreens.printer)
        return .ok
    }

    func resumePrinter() async throws(CommandFailure) -> ExitCode {
        let _: PortalScreens.Printer = try present(try await ask(.post, "/v1/printer/resume"), PortalScreens.printer)
        return .ok
    }

    func prints() async throws(CommandFailure) -> ExitCode {
        let now = clock.utc()
        let _: PortalScreens.Prints = try present(try await ask(.get, "/v1/prints")) {
            PortalScreens.prints($0.prints, now: now)
        }
        return .ok
    }

    /// The last of several goes first: the printer begins none that is to be cancelled as well.
    func cancelPrints() async throws(CommandFailure) -> ExitCode {
        var ids = invocation.operands
        if ids.contains("all") {
            guard ids.count == 1 else {
                throw CommandFailure("cannot cancel all prints and some by their ids: give one or the other", .usage)
            }
            let open: PortalScreens.Prints = try StationReading.read(try await ask(.get, "/v1/prints"))
            ids = open.prints.map(\.id)
            if ids.isEmpty, !invocation.has("json") { try show(Line("Nothing waits for the printer.")) }
        }
        var isTooLate = false
        var cancelled: [JSONValue] = []
        var failure: CommandFailure?
        for id in ids.reversed() {
            // One that cannot be cancelled does not keep the others waiting.
            do throws(CommandFailure) {
                let body = try await ask(.delete, "/v1/prints/\(percentEncoded(id))")
                let print: PortalScreens.Print = try StationReading.read(body)
                if !print.isCancelled { isTooLate = true }
                if invocation.has("json") {
                    cancelled.append(try StationReading.read(body))
                } else {
                    try show(PortalScreens.cancelled(print))
                }
            } catch {
                tell("\(id): \(error.message)")
                failure = error
            }
        }
        if invocation.has("json") {
            try console.write(
                JSONText.indented(try StationWriting.bytes(JSONValue.object(["prints": .array(cancelled)]))) + "\n")
        }
        if let failure { throw CommandFailure("not all prints were cancelled", failure.code) }
        return isTooLate ? .data : .ok
    }

    func gallery() async throws(CommandFailure) -> ExitCode {
        let body = try await ask(.get, "/v1/moderation")
        let _: PortalScreens.Gallery = try present(body, PortalScreens.gallery)
        return .ok
    }

    func showInGallery() async throws(CommandFailure) -> ExitCode { try await moderate("shown") }

    func hideInGallery() async throws(CommandFailure) -> ExitCode { try await moderate("hidden") }

    private func moderate(_ state: String) async throws(CommandFailure) -> ExitCode {
        _ = try await ask(.patch, "/v1/moderation/\(percentEncoded(operand(0)))", Wish(state: state))
        try show(Line("\(operand(0)) is \(state)."))
        return .ok
    }

    func certificate() async throws(CommandFailure) -> ExitCode {
        let file = invocation.has("output") ? try OutputFile(invocation, standard: "-") : nil
        let body = try await ask(.get, "/v1/certificate")
        if let file {
            try file.write(try await ask(.get, "/station-authority.crt"), console: console)
            // It went to the standard output: words would spoil it.
            if file.isStandardOutput { return .ok }
        }
        let _: PortalScreens.Certificate = try present(body) {
            PortalScreens.certificate($0, drawsCode: drawsCode($0.qr))
        }
        return .ok
    }
}
