public import HTTPServing
package import KonzaAPI
package import KonzaModel
internal import Storage

/// `/v1/people`: accounts, and who is signed in.
public struct PeopleRoutes: Sendable {
    static let bodyLimit = 4096
    static let importLimit = 256 << 10

    let register: PeopleRegister
    let gate: PeopleGate
    let note: @Sendable (String) -> Void

    /// - Parameters:
    ///   - register: the accounts.
    ///   - note: takes a line for the log: numbers, never names or secrets.
    public init(_ register: PeopleRegister, note: @escaping @Sendable (String) -> Void) {
        self.register = register
        gate = PeopleGate(register)
        self.note = note
    }

    public var routes: [Route] { listRoutes + accountRoutes + sessionRoutes + ownRoutes }

    func body(_ schema: String) -> RequestBody {
        RequestBody(schema: schema, isRequired: true, limit: Self.bodyLimit)
    }

    // MARK: - All

    private var listRoutes: [Route] {
        [
            Route(
                .get, "/v1/people", access: .everyone, operation: "listPeople",
                summary: "The accounts, for officers; as CSV without what opens them",
                query: [QueryParameter("form", "json, or csv as Accept: text/csv has it.", values: ["json", "csv"])],
                produces: ["application/json", "text/csv"],
                replies: [Reply(200, "The people, by name.", schema: "PersonList")],
                handler: .asynchronous { request in
                    _ = try gate.require(.officer, request)
                    let people = try judged { try register.people() }
                    guard request.acceptedType == "text/csv" || request.query("form") == "csv" else {
                        return try .json(PeopleList(people: people.map(PersonReply.init)))
                    }
                    return .text(PeopleCSV.text(people), type: "text/csv; charset=utf-8; header=present")
                }
            ).failing(.archiveUnavailable),
            Route(
                .post, "/v1/people", access: .everyone, operation: "addPerson",
                summary: "Make an account: {\"name\": …, \"role\": \"crew\", \"officer\" or \"keeper\"}; for keepers",
                body: body("PersonRequest"),
                replies: [
                    Reply(
                        201, "The person, with the passphrase, PIN and badge that only this answer has.",
                        schema: "Credentials")
                ],
                handler: .asynchronous { request in
                    let caller = try gate.require(.keeper, request)
                    var members = RequestMembers(try request.json())
                    let name = members.string("name") ?? ""
                    let role = PersonRole.read(&members)
                    let arrives = members.date("arrives")
                    let departs = members.date("departs")
                    if Person.checkedName(name) == nil { members.fault("name", PersonDetails.nameRule) }
                    if role == nil { members.fault("role", PersonRole.rule) }
                    try members.finish()
                    let details = PersonDetails(name: name, role: role ?? .crew, arrives: arrives, departs: departs)
                    let added = try judged {
                        try details.check()
                        return try register.add(details, by: caller.number)
                    }
                    note("person \(added.person.number) was added as \(details.role.rawValue) by \(caller.number)")
                    return try .created(
                        CredentialsReply(added.person, added.credentials), location: "/v1/people/\(added.person.number)"
                    )
                }
            ).failing(.conflict, .tooManyRequests, .archiveUnavailable),
            Route(
                .post, "/v1/people/import", access: .everyone, operation: "importPeople",
                summary:
                    "Make accounts of a CSV with name, role, arrives and departs; nobody can sign in before a reset. Rows that an "
                    + "account has already are unchanged",
                body: RequestBody(types: ["text/csv"], limit: Self.importLimit),
                replies: [Reply(201, "All of them are there.", schema: "ImportedPeople")],
                handler: .asynchronous { request in
                    let caller = try gate.require(.keeper, request)
                    let people = try judged { try PeopleCSV.details(Array(request.body)) }
                    let numbers = try judged { try register.importing(people, by: caller.number) }
                    note("\(numbers.count) people were imported by \(caller.number)")
                    return try .json(
                        ImportReply(added: numbers.count, unchanged: people.count - numbers.count), status: 201)
                }
            ).failing(.conflict, .tooManyRequests, .archiveUnavailable),
            Route(
                .get, "/v1/people/audit", access: .everyone, operation: "auditPeople",
                summary: "What was done with accounts, by number; for keepers",
                replies: [
                    Reply(200, "The newest first, and whether the chain of all of them holds.", schema: "PeopleAudit")
                ],
                handler: .asynchronous { request in
                    _ = try gate.require(.keeper, request)
                    let entries = try judged { try register.audit(limit: 500) }
                    return try .json(
                        AuditReply(
                            entries: entries.map {
                                AuditEntryReply(
                                    number: $0.number, at: $0.at, actor: $0.actor, action: $0.action, person: $0.person,
                                    detail: $0.detail, hash: $0.hash)
                            }, brokenAt: try judged { try register.firstBrokenEntry() }))
                }
            ).failing(.archiveUnavailable),
        ]
    }

    // MARK: - One

    private static let force = QueryParameter(
        "force", "For the box alone: true leaves the station without a keeper.", values: ["true", "false"])

    /// Whether the last keeper may be taken away: people who signed in have nobody left then who could undo it.
    private static func isForced(_ request: Request, by caller: Caller) throws(Problem) -> Bool {
        guard request.query("force") == "true" else { return false }
        guard caller.number == 0 else {
            throw Problem(
                .forbidden, "cannot leave the station without a keeper from here: use konza people --force on the box")
        }
        return true
    }

    private var accountRoutes: [Route] {
        [
            Route(
                .get, "/v1/people/{person}", access: .everyone, operation: "getPerson",
                summary: "One account, by number or name; for officers",
                replies: [Reply(200, "The person.", schema: "Person")],
                handler: .asynchronous { request in
                    _ = try gate.require(.officer, request)
                    return try .json(PersonReply(try named(request)))
                }
            ).failing(.notFound, .archiveUnavailable).taking("person", .string),
            Route(
                .patch, "/v1/people/{person}", access: .everyone, operation: "changePerson",
                summary: "Give somebody another name, role, arrival or departure; for keepers",
                query: [Self.force], body: body("PersonChange"),
                replies: [Reply(200, "The person.", schema: "Person")],
                handler: .asynchronous { request in
                    let caller = try gate.require(.keeper, request)
                    let person = try named(request)
                    var members = RequestMembers(try request.json())
                    let wish = PersonChange(&members)
                    try members.finish()
                    let isForced = try Self.isForced(request, by: caller)
                    let changed = try judged {
                        try register.change(person.number, wish.apply(to:), by: caller.number, isForced: isForced)
                    }
                    note("person \(person.number) was changed by \(caller.number)")
                    return try .json(PersonReply(changed))
                }
            ).failing(.notFound, .conflict, .archiveUnavailable).taking("person", .string),
            Route(
                .delete, "/v1/people/{person}", access: .everyone, operation: "removePerson",
                summary: "Remove an account and all that is known of it; the audits keep the number; for keepers",
                query: [Self.force], replies: [Reply(204, "It is removed.")],
                handler: .asynchronous { request in
                    let caller = try gate.require(.keeper, request)
                    let person = try named(request)
                    let isForced = try Self.isForced(request, by: caller)
                    try judged { try register.remove(person.number, by: caller.number, isForced: isForced) }
                    note("person \(person.number) was removed by \(caller.number)")
                    return .noContent
                }
            ).failing(.notFound, .conflict, .archiveUnavailable).taking("person", .string),
            Route(
                .post, "/v1/people/{person}/reset", access: .everyone, operation: "resetPerson",
                summary: "Make a new passphrase, PIN and badge, and end all sessions; for keepers",
                replies: [Reply(200, "The person, with what only this answer has.", schema: "Credentials")],
                handler: .asynchronous { request in
                    let caller = try gate.require(.keeper, request)
                    let person = try named(request)
                    let credentials = try judged { try register.reset(person.number, by: caller.number) }
                    note("person \(person.number) was reset by \(caller.number)")
                    guard let after = try judged({ try register.person(person.number) }) else {
                        throw Problem(PeopleError.unknown)
                    }
                    return try .json(CredentialsReply(after, credentials))
                }
            ).failing(.notFound, .tooManyRequests, .archiveUnavailable).taking("person", .string),
        ]
    }

    private func named(_ request: Request) throws -> Person {
        guard let person = try judged({ try register.find(request.parameter("person")) }) else {
            throw Problem(PeopleError.unknown)
        }
        return person
    }

    func judged<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as PeopleError {
            throw Problem(error)
        } catch let error as StorageError {
            throw Problem(.archiveUnavailable, "cannot keep the accounts: \(error); free or mend the disk")
        }
    }
}

/// What is to be changed of a person.
private struct PersonChange: Sendable {
    let name: String?
    let role: PersonRole?
    let hasArrival: Bool
    let arrives: CalendarDate?
    let hasDeparture: Bool
    let departs: CalendarDate?

    init(_ members: inout RequestMembers) {
        hasArrival = members.has("arrives")
        hasDeparture = members.has("departs")
        name = members.string("name")
        let hasRole = members.has("role")
        role = PersonRole.read(&members)
        arrives = members.date("arrives")
        departs = members.date("departs")
        if hasRole, role == nil { members.fault("role", PersonRole.rule) }
    }

    @Sendable func apply(to details: inout PersonDetails) {
        if let name { details.name = name }
        if let role { details.role = role }
        if hasArrival { details.arrives = arrives }
        if hasDeparture { details.departs = departs }
    }
}

extension PersonRole {
    static let rule = "expected one of \(allCases.map(\.rawValue).joined(separator: ", "))"

    static func read(_ members: inout RequestMembers) -> PersonRole? {
        members.string("role").flatMap(PersonRole.init(rawValue:))
    }
}

extension RequestMembers {
    /// A day, `YYYY-MM-DD`.
    package mutating func date(_ name: String) -> CalendarDate? {
        guard let text = string(name) else { return nil }
        guard let date = CalendarDate(text) else {
            fault(name, "expected a date such as 2026-06-01")
            return nil
        }
        return date
    }
}

extension Problem {
    init(_ error: PeopleError) {
        switch error {
        case .unknown:
            self.init(.notFound, "cannot find the person: no account has this name or number; konza people list")
        case .taken(let name): self.init(.conflict, "cannot call two people \(name): another account has the name")
        case .refused: self.init(.forbidden, "cannot sign in: the name or what was typed with it is wrong")
        case .tooSoon(let seconds):
            let seconds = Int(seconds.rounded(.up))
            self.init(
                .tooManyRequests, "cannot try again yet: there were too many tries; wait \(seconds) s",
                figures: ["retrySeconds": Double(seconds)])
        case .exhausted:
            self.init(
                .forbidden,
                "cannot sign in: \(PeopleRegister.mostFailures) tries in a row were wrong; a keeper has to reset the account, and an officer can say that somebody is back"
            )
        case .busy:
            self.init(
                .tooManyRequests,
                "cannot check what was typed now: \(PassphraseHashing.queue) wait already; try again in some seconds",
                figures: ["retrySeconds": 3])
        case .noMemory: self.init(.unavailable, "cannot check what was typed now: there is no memory for it")
        case .tooMany(let limit): self.init(.conflict, "cannot make another account: \(limit) already; remove one")
        case .lastKeeper:
            self.init(
                .conflict,
                "cannot take away the last keeper: nobody could make accounts but the box itself; make another one with a "
                    + "passphrase first (konza people role NAME keeper), or use konza people with --force on the box")
        case .invalid(let words): self.init(.invalidRequest, "cannot take it: \(words)", status: 422)
        }
    }
}
