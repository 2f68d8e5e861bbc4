public import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
package import People
internal import QRCoding
internal import Storage

/// `/v1/muster`: who is there today.
public struct MusterRoutes: Sendable {
    static let bodyLimit = 2048
    static let longestReason = 300
    /// Rows of one export.
    static let mostRecords = 200_000

    let ledger: MusterLedger
    let gate: PeopleGate
    let register: PeopleRegister
    let link: @Sendable (String) -> String
    let note: @Sendable (String) -> Void

    /// - Parameters:
    ///   - ledger: the musters.
    ///   - register: the accounts.
    ///   - link: makes of a code the address that its QR code opens on a telephone.
    ///   - note: takes a line for the log: numbers, never names.
    package init(
        _ ledger: MusterLedger, people register: PeopleRegister, link: @escaping @Sendable (String) -> String,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.ledger = ledger
        self.register = register
        gate = PeopleGate(register)
        self.link = link
        self.note = note
    }

    public var routes: [Route] { ownRoutes + officerRoutes }

    func body(_ schema: String) -> RequestBody {
        RequestBody(schema: schema, isRequired: true, limit: Self.bodyLimit)
    }

    // MARK: - One's own day

    private static let language = QueryParameter(
        "language", "The language of the announcements' titles, where there are some in it (RFC 5646).", .string)

    private var ownRoutes: [Route] {
        [
            Route(
                .get, "/v1/muster", access: .everyone, operation: "getMuster",
                summary: "Today: how one is oneself, and for officers everybody by name",
                query: [Self.language],
                replies: [Reply(200, "The day.", schema: "MusterDay")],
                handler: .asynchronous { request in try day(request) }
            ).failing(.forbidden, .archiveUnavailable),
            Route(
                .post, "/v1/muster", access: .everyone, operation: "muster",
                summary:
                    "Muster oneself: at the kiosk {}, elsewhere {\"ticket\": …}; by hand, after a login of the last five minutes "
                    + "and when every active announcement is read",
                query: [Self.language], body: body("MusterRequest"),
                replies: [
                    Reply(201, "It is written down.", schema: "MusterMade"),
                    Reply(200, "One is mustered already: the first record of the day.", schema: "MusterMade"),
                ],
                handler: .asynchronous { request in try muster(request) }
            ).failing(.forbidden, .conflict, .archiveUnavailable),
            Route(
                .get, "/v1/muster/challenge", access: .only(.kiosk), operation: "getMusterChallenge",
                summary: "The code of these thirty seconds, for the kiosk's screen alone",
                replies: [Reply(200, "The code.", schema: "MusterChallenge")],
                handler: .immediate { request throws(Problem) in
                    guard PeopleGate.isKiosk(request) else {
                        throw Problem(.forbidden, "cannot show the code here: only the kiosk's own screen does")
                    }
                    let shown = ledger.challenge.shown()
                    let link = link(shown.code)
                    return try .json(
                        ChallengeReply(
                            code: shown.code, digits: shown.digits, link: link, qr: (try? QRCode(link))?.rows ?? [],
                            secondsLeft: shown.secondsLeft, periodSeconds: Int(MusterChallenge.period)))
                }),
            Route(
                .post, "/v1/muster/tickets", access: .everyone, operation: "getMusterTicket",
                summary: "Exchange the kiosk's code or its eight digits for a ticket of two minutes: {\"code\": …}",
                body: body("MusterTicketRequest"),
                replies: [Reply(201, "The ticket, good once.", schema: "MusterTicket")],
                handler: .asynchronous { request in
                    var members = RequestMembers(try request.json())
                    let code = members.string("code") ?? ""
                    try members.finish()
                    let address = request.principal.account.address ?? "local"
                    let ticket = try ledger.challenge.ticket(code, from: address)
                    return try .json(
                        TicketReply(ticket: ticket, expiresInSeconds: Int(MusterChallenge.ticketSeconds)), status: 201)
                }
            ).failing(.forbidden, .tooManyRequests),
            Route(
                .get, "/v1/muster/records", access: .everyone, operation: "listMusterRecords",
                summary: "One's own records and corrections; for officers anybody's",
                query: [
                    QueryParameter("person", "Whose, by number or name; for officers."),
                    QueryParameter("limit", "The most records.", .count(1...1000)),
                ],
                replies: [Reply(200, "The newest first.", schema: "MusterRecordList")],
                handler: .asynchronous { request in
                    let caller = try gate.require(.crew, request)
                    var number = caller.number
                    if let wanted = request.query("person") {
                        guard caller.may(.officer) else {
                            throw Problem(.forbidden, "cannot show others' records: it takes the role officer")
                        }
                        number = try person(wanted).number
                    }
                    let records = try kept { () throws(StorageError) in
                        try ledger.records(of: number, limit: request.queryInteger("limit") ?? 100)
                    }
                    return try .json(RecordList(records: records.map(MusterRecordReply.init)))
                }
            ).failing(.notFound, .archiveUnavailable),
        ]
    }

    private func day(_ request: Request) throws -> Response {
        let caller = try gate.require(.crew, request)
        let roster = try kept { () throws(StorageError) in try ledger.roster() }
        let isKiosk = PeopleGate.isKiosk(request)
        var you: OwnMusterReply?
        if let person = caller.person { you = try own(person, caller, roster, isKiosk, request.query("language")) }
        return try .json(
            MusterDayReply(
                day: roster.day.description, madeAt: roster.madeAt, offsetSeconds: roster.offsetSeconds,
                clock: roster.trust.rawValue, isWorkday: roster.dayOff == nil, dayOff: roster.dayOff?.text,
                from: Self.time(ledger.rules.from), until: Self.time(ledger.rules.until),
                allowsNetwork: ledger.rules.allowsNetwork,
                needsPosition: !isKiosk && !ledger.rules.fences.isEmpty, isKiosk: isKiosk, you: you,
                people: caller.may(.officer) ? roster.lines.map(RosterLineReply.init) : nil, head: roster.heads.text))
    }

    private func own(
        _ person: Person, _ caller: Caller, _ roster: Roster, _ isKiosk: Bool, _ language: String?
    ) throws -> OwnMusterReply? {
        guard let line = roster.lines.first(where: { $0.person.number == person.number }) else { return nil }
        let isMustered = line.record != nil || line.correction?.state == .mustered || line.correction?.state == .late
        var missing: [String] = []
        var unread: [UnreadAnnouncement] = []
        if line.record == nil {
            unread = try kept { () throws(StorageError) in try ledger.reading(of: person.number).unread }
            if !caller.isFresh { missing.append("login") }
            if !unread.isEmpty { missing.append("announcements") }
            if !isKiosk { missing.append("challenge") }
            if roster.trust != .unbelieved, ledger.rules.local(roster.madeAt).minute < ledger.rules.from {
                missing.append("window")
            }
        }
        return OwnMusterReply(
            number: person.number, name: person.name, state: line.state.rawValue, isMustered: isMustered,
            isExpected: roster.dayOff == nil && line.state != .notExpected, isOverdue: line.isOverdue,
            at: line.record?.at, correction: line.correction.map(MusterRecordReply.init), missing: missing,
            unread: unread.map { UnreadReply($0, language: language) })
    }

    private func muster(_ request: Request) throws -> Response {
        let caller = try gate.require(.crew, request)
        let (ticket, position) = try Self.wish(try request.json())
        let language = request.query("language")
        let fault = { (one: UnreadAnnouncement) in
            Problem.Fault(
                path: "/announcements/\(one.id)",
                detail: "\(UnreadReply(one, language: language).title) is not read yet")
        }
        guard let person = caller.person, let session = caller.session else {
            throw Problem(.forbidden, "cannot muster the box: sign in as a person, or write a correction as an officer")
        }
        let isKiosk = PeopleGate.isKiosk(request)
        var missing: [Problem.Fault] = []
        if !caller.isFresh {
            missing.append(Problem.Fault(path: "/login", detail: "the login is older than five minutes: sign in again"))
        }
        var evidence = isKiosk ? Evidence(.kiosk, Self.kioskVerdict(request)) : try network(request)
        if !isKiosk, !ledger.rules.fences.isEmpty {
            if let why = Self.objection(position, ledger.rules.fences) {
                missing.append(.init(path: "/position", detail: "\(why): use the kiosk"))
            } else {
                evidence.verdict += ", inside the fence"
            }
        }
        var isTaken = false
        if !isKiosk {
            isTaken = ticket.map(ledger.challenge.take) ?? false
            if !isTaken {
                missing.append(
                    .init(path: "/ticket", detail: "no ticket that is good: take the code that the kiosk shows now"))
            }
        }
        var isUsed = false
        defer { if isTaken, let ticket { ledger.challenge.finish(ticket, isUsed: isUsed) } }
        // Whoever is mustered already gets the first record, whatever is missing now.
        if !missing.isEmpty {
            let line = try kept { () throws(StorageError) in try ledger.roster() }
                .lines.first { $0.person.number == person.number }
            if let record = line?.record, let state = line?.state {
                return try .json(MusterReply(record: MusterRecordReply(record), isNew: false, state: state.rawValue))
            }
            let unread = try kept { () throws(StorageError) in try ledger.reading(of: person.number).unread }
            throw Self.refusal(missing + unread.map(fault))
        }
        let device = Secret.hash("\(ledger.box) \(session.device)").prefix(16)
        let outcome = try kept { () throws(StorageError) in
            try ledger.muster(person.number, evidence, device: String(device))
        }
        switch outcome {
        case .made(let record):
            isUsed = true
            note("person \(person.number) mustered, record \(record.sequence)")
            return try .json(try reply(record, isNew: true), status: 201)
        case .already(let record): return try .json(try reply(record, isNew: false))
        case .unread(let unread): throw Self.refusal(unread.map(fault))
        case .tooEarly:
            throw Self.refusal([
                .init(path: "/window", detail: "the muster begins at \(Self.time(ledger.rules.from)), local time")
            ])
        case .unknown: throw Problem(.forbidden, "cannot muster: the account is gone")
        }
    }

    /// What a request says of a muster.
    private static func wish(_ json: JSONValue?) throws(Problem) -> (ticket: String?, MusterFence.Position?) {
        var rest = json
        var inner: JSONValue?
        if case .object(var members) = json {
            inner = members.removeValue(forKey: "position")
            rest = .object(members)
        }
        var members = RequestMembers(rest)
        let ticket = members.string("ticket")
        try members.finish()
        guard let inner, inner != .null else { return (ticket, nil) }
        var place = RequestMembers(inner, prefix: "/position")
        let latitude = place.number("latitude", in: -90...90)
        let longitude = place.number("longitude", in: -180...180)
        let accuracy = place.number("accuracy", in: 0...10_000_000)
        let age = place.number("ageSeconds", in: -86_400...86_400_000)
        let isSimulated = place.bool("isSimulated") ?? false
        if latitude == nil || longitude == nil { place.fault("latitude", "latitude and longitude come together") }
        try place.finish()
        guard let coordinate = Coordinate(latitude: latitude ?? 0, longitude: longitude ?? 0) else {
            return (ticket, nil)
        }
        return (
            ticket,
            MusterFence.Position(place: coordinate, accuracy: accuracy, ageSeconds: age, isSimulated: isSimulated)
        )
    }

    /// Why a position does not do; nil if it does.
    private static func objection(_ position: MusterFence.Position?, _ fences: [MusterFence]) -> String? {
        guard let position else { return "the device does not say where it is" }
        switch MusterFence.verdict(position, of: fences) {
        case .inside: return nil
        case .outside: return "the device is not at the station"
        case .unclear: return "it cannot be told whether the device is at the station"
        case .refused(let why): return "the device's position does not count, as \(why)"
        }
    }

    private func reply(_ record: MusterRecord, isNew: Bool) throws -> MusterReply {
        let roster = try kept { () throws(StorageError) in try ledger.roster() }
        let state = roster.lines.first { $0.person.number == record.person }?.state ?? .mustered
        return MusterReply(record: MusterRecordReply(record), isNew: isNew, state: state.rawValue)
    }

    private static func refusal(_ faults: [Problem.Fault]) -> Problem {
        Problem(
            .conflict, "cannot muster yet: \(faults.prefix(5).map(\.detail).joined(separator: "; "))", errors: faults)
    }

    private static func kioskVerdict(_ request: Request) -> String {
        request.principal.client == "kiosk-screen"
            ? "proved" : request.principal.client == "kiosk" ? "loopback" : "paired"
    }

    /// What is seen of the network that a request came over.
    private func network(_ request: Request) throws(Problem) -> Evidence {
        guard ledger.rules.allowsNetwork else {
            throw Problem(.forbidden, "cannot muster here: this station takes musters at its kiosk alone")
        }
        let isPassedOn = ["forwarded", "x-forwarded-for", "x-forwarded-proto", "x-real-ip", "via"].contains {
            request.headers[$0] != nil
        }
        switch request.principal.channel {
        case .unixSocket: return Evidence(.network, "this machine, code")
        case .tcp(let address, _):
            guard !isPassedOn, let interface = StationNetwork.interface(of: address) else {
                throw Problem(
                    .forbidden,
                    "cannot muster from here: this device is not seen on the station's own network; use the kiosk")
            }
            return Evidence(.network, "\(interface), code")
        }
    }

    // MARK: - Shared

    static func time(_ minutes: Int) -> String {
        let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(minutes / 60)):\(two(minutes % 60))"
    }

    func person(_ text: String) throws -> Person {
        guard let person = try kept({ () throws(StorageError) in try register.find(text) }) else {
            throw Problem(.notFound, "cannot find the person: no account has this name or number; konza people list")
        }
        return person
    }

    func kept<Value>(_ body: () throws(StorageError) -> Value) throws(Problem) -> Value {
        do throws(StorageError) {
            return try body()
        } catch {
            throw Problem(.archiveUnavailable, "cannot keep the muster: \(error); free or mend the disk")
        }
    }
}
