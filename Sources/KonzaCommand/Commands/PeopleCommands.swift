internal import Glibc
internal import KonzaModel
internal import KonzaSystem

// people: accounts, which the portal keeps.

extension CommandContext {
    private struct Wish: Encodable {
        var name: String?
        var role: String?
        var arrives: String?
        var departs: String?
    }

    private func askPeople(
        _ method: StationRequest.Method, _ path: String, _ wish: Wish? = nil,
        query: [(name: String, value: String)] = []
    ) async throws(CommandFailure) -> [UInt8] {
        var request = StationRequest(path: path, query: query)
        request.method = method
        if let wish { request.body = try StationWriting.bytes(wish) }
        return try await portal.send(request).body
    }

    /// The last keeper goes where that is meant.
    private var force: [(name: String, value: String)] { invocation.has("force") ? [("force", "true")] : [] }

    private var personPath: String { "/v1/people/\(percentEncoded(invocation.operands.first ?? ""))" }

    func people() async throws(CommandFailure) -> ExitCode {
        let _: PeopleScreens.People = try present(try await askPeople(.get, "/v1/people")) {
            PeopleScreens.people($0.people)
        }
        return .ok
    }

    func addPerson() async throws(CommandFailure) -> ExitCode {
        let wish = Wish(
            name: invocation.operands.first, role: invocation.text("role") ?? "crew",
            arrives: invocation.text("arrives"), departs: invocation.text("departs"))
        let body = try await askPeople(.post, "/v1/people", wish)
        let _: PeopleScreens.Credentials = try present(body) {
            PeopleScreens.credentials($0, isTerminal: console.isTerminal)
        }
        return .ok
    }

    func changePersonRole() async throws(CommandFailure) -> ExitCode {
        let role = invocation.operands.count > 1 ? invocation.operands[1] : ""
        let _: PeopleScreens.Person = try present(
            try await askPeople(.patch, personPath, Wish(role: role), query: force)
        ) {
            [Line("\(TextSafety.cleaned($0.name)) is \($0.role) now.")]
        }
        return .ok
    }

    func resetPerson() async throws(CommandFailure) -> ExitCode {
        let body = try await askPeople(.post, "\(personPath)/reset")
        let _: PeopleScreens.Credentials = try present(body) {
            PeopleScreens.credentials($0, isTerminal: console.isTerminal)
        }
        return .ok
    }

    func removePerson() async throws(CommandFailure) -> ExitCode {
        _ = try await askPeople(.delete, personPath, query: force)
        try show(Line("The account is removed; the audits keep its number."))
        return .ok
    }

    /// The size of a file that is to be sent.
    func byteCount(of file: String) throws(CommandFailure) -> Int {
        var facts = stat()
        guard unsafe stat(file, &facts) == 0 else {
            throw CommandFailure("cannot import \(file): \(SystemError.text(errno))", .noInput)
        }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure("cannot import \(file): it is no file", .noInput)
        }
        guard facts.st_size > 0 else { throw CommandFailure("cannot import \(file): it is empty", .data) }
        return Int(facts.st_size)
    }

    func importPeople() async throws(CommandFailure) -> ExitCode {
        let file = invocation.operands.first ?? ""
        var request = StationRequest(path: "/v1/people/import")
        request.method = .post
        request.upload = .init(file: file, byteCount: try byteCount(of: file), mediaType: "text/csv")
        let body: [UInt8]
        do throws(CommandFailure) {
            body = try await portal.send(request).body
        } catch {
            throw CommandFailure("\(file): \(error.message)", error.code)
        }
        let _: PeopleScreens.Import = try present(body) {
            [
                Line("\(Figures.count($0.added, "account")) \($0.added == 1 ? "was" : "were") made."),
                $0.unchanged.flatMap { $0 > 0 ? Line("\($0) were there already, and are unchanged.") : nil },
                Line("Give each a passphrase, a PIN and a badge: konza people reset NAME", .quiet),
            ].compactMap { $0 }
        }
        return .ok
    }

    func exportPeople() async throws(CommandFailure) -> ExitCode {
        let file = try OutputFile(invocation, standard: "-")
        let request = StationRequest(path: "/v1/people", query: [("form", "csv")])
        try file.write(try await portal.send(request).body, console: console)
        return .ok
    }
}
