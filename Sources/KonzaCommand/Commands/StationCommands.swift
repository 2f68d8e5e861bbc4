internal import Glibc
internal import KonzaModel
internal import KonzaSystem

// calendar, personnel, pages: what the portal shows of the operator's files.

extension CommandContext {
    private var operand: String { percentEncoded(invocation.operands.first ?? "") }

    private func ask(_ path: String, _ query: [(name: String, value: String)] = []) async throws(CommandFailure)
        -> [UInt8]
    {
        try await portal.send(StationRequest(path: path, query: query)).body
    }

    func calendar() async throws(CommandFailure) -> ExitCode {
        let days = invocation.text("days").flatMap { Int($0) } ?? 60
        let end = clock.utc().advanced(bySeconds: Double(days) * 86_400)
        let body = try await ask("/v1/calendar", [("to", end.rfc3339), ("limit", "500")])
        let _: StationScreens.Events = try present(body, StationScreens.events)
        return .ok
    }

    func showEvent() async throws(CommandFailure) -> ExitCode {
        let body = try await ask("/v1/calendar/\(operand)")
        let _: StationScreens.Event = try present(body) { StationScreens.event($0, isTerminal: console.isTerminal) }
        return .ok
    }

    func exportEvent() async throws(CommandFailure) -> ExitCode {
        let file = try OutputFile(invocation, standard: "-")
        try file.write(try await ask("/v1/calendar/\(operand)/event.ics"), console: console)
        return .ok
    }

    func personnel() async throws(CommandFailure) -> ExitCode {
        let _: StationScreens.People = try present(try await ask("/v1/personnel"), StationScreens.people)
        return .ok
    }

    func showPerson() async throws(CommandFailure) -> ExitCode {
        let body = try await ask("/v1/personnel/\(operand)")
        let _: StationScreens.Person = try present(body) { StationScreens.person($0, isTerminal: console.isTerminal) }
        return .ok
    }

    private var language: [(name: String, value: String)] {
        invocation.text("language").map { [("language", $0)] } ?? []
    }

    func pages() async throws(CommandFailure) -> ExitCode {
        let _: StationScreens.Pages = try present(try await ask("/v1/pages", language), StationScreens.pages)
        return .ok
    }

    func showPage() async throws(CommandFailure) -> ExitCode {
        let body = try await ask("/v1/pages/\(operand)", language)
        let _: StationScreens.Page = try present(body) { StationScreens.page($0, columns: columns) }
        return .ok
    }

    /// The program that reads the folder is the portal's: what it would take is what it takes.
    func checkPages() async throws(CommandFailure) -> ExitCode {
        guard let program = ProgramFiles.sibling("konza-portal") else {
            throw CommandFailure(
                "cannot check the folder: konza-portal is not beside konza; install the package again", .unavailable)
        }
        var words = [program, "--check-content"]
        let standard = "/etc/konza/konzad.conf"
        if unsafe access(standard, R_OK) == 0 { words.insert(contentsOf: ["--config", standard], at: 1) }
        words += invocation.operands.prefix(1)
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        unsafe execv(program, &arguments)
        throw CommandFailure("cannot run \(program): \(SystemError.text(errno))", .unavailable)
    }
}
