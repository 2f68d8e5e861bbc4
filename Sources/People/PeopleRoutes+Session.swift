internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Storage

/// `/v1/people/session`: who is signed in on a device; `/v1/people/me`: what people do with their own account.
extension PeopleRoutes {
    /// How long a name is filled in, seconds.
    private static let nameSeconds = 180.0 * 86_400

    var sessionRoutes: [Route] {
        [
            Route(
                .get, "/v1/people/session", access: .everyone, operation: "getPersonSession",
                summary: "Who is signed in on this device",
                replies: [Reply(200, "The person, if somebody is.", schema: "PersonSession")],
                handler: .asynchronous { request in try .json(try reply(request)) }
            ).failing(.archiveUnavailable),
            Route(
                .post, "/v1/people/session", access: .everyone, operation: "signIn",
                summary:
                    "Sign in: {\"name\": …, \"passphrase\": …, \"keep\": \"nothing\", \"name\" or \"device\"}, at the kiosk "
                    + "{\"name\": … or \"badge\": …, \"pin\": …}; with \"purpose\": \"return\" only to say that one is back",
                body: body("SignInRequest"),
                replies: [Reply(201, "Who is signed in, with a cookie now.", schema: "PersonSession")],
                handler: .asynchronous { request in try signIn(request) }
            ).failing(.forbidden, .tooManyRequests, .unavailable, .archiveUnavailable),
            Route(
                .delete, "/v1/people/session", access: .everyone, operation: "signOut", summary: "Sign out",
                replies: [Reply(204, "Nobody is signed in on this device.")],
                handler: .asynchronous { request in
                    if let caller = try gate.caller(of: request), let session = caller.session {
                        _ = try judged { try register.endSession(session.id, of: session.person) }
                    }
                    return Response(status: 204, headers: ["set-cookie": PersonCookie.session.removal])
                }
            ).failing(.archiveUnavailable),
        ]
    }

    private func reply(_ request: Request) throws -> PersonSessionReply {
        var reply = PersonSessionReply(isKiosk: PeopleGate.isKiosk(request))
        if let kept = PersonCookie.name.value(in: request.headers), let name = PercentName.decoded(kept) {
            reply.keptName = name
        }
        guard let caller = try gate.caller(of: request), let person = caller.person, let session = caller.session else {
            return reply
        }
        reply.person = PersonReply(person)
        reply.isFresh = caller.isFresh
        reply.isForReturn = session.isForReturn
        reply.expiresAt = session.expiresAt
        reply.keeps = session.keeps.rawValue
        return reply
    }

    private func signIn(_ request: Request) throws -> Response {
        let isKiosk = PeopleGate.isKiosk(request)
        var members = RequestMembers(try request.json())
        let name = members.string("name")
        let passphrase = members.string("passphrase")
        let pin = members.string("pin")
        let badge = members.string("badge")
        let keep = members.string("keep").map { (KeptLogin(rawValue: $0), $0) }
        let purpose = members.string("purpose")
        if let keep, keep.0 == nil {
            members.fault("keep", "expected one of \(KeptLogin.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        if let purpose, purpose != "return" { members.fault("purpose", "expected return, or nothing") }
        for (member, text) in [("name", name), ("passphrase", passphrase), ("pin", pin), ("badge", badge)] {
            if let text, text.utf8.count > 1024 { members.fault(member, "at most 1024 bytes") }
        }
        let proof: Proof? =
            switch (name, passphrase, pin, badge) {
            case (let name?, let passphrase?, nil, nil): .passphrase(name: name, passphrase)
            case (let name?, nil, let pin?, nil): .pin(name: name, pin)
            case (nil, nil, let pin?, let badge?): .badge(badge, pin: pin)
            default: nil
            }
        if proof == nil { members.fault("name", "expected with passphrase, or at the kiosk name or badge with pin") }
        try members.finish()
        guard let proof else { throw Problem(.invalidRequest, "cannot sign in: nothing to sign in with") }
        if pin != nil, !isKiosk {
            throw Problem(.forbidden, "cannot take a PIN here: it is for the kiosk alone; sign in with the passphrase")
        }
        var wish = SigningIn(proof)
        wish.isAtKiosk = isKiosk
        wish.keeps = keep?.0 ?? .nothing
        if isKiosk, wish.keeps != .nothing {
            throw Problem(
                .invalidRequest, "cannot keep a login at the kiosk: many use it; leave keep out", status: 422)
        }
        wish.isForReturn = purpose != nil
        wish.device = request.principal.client ?? request.principal.account.address ?? "this machine"
        let isReturning = wish.isForReturn && isKiosk
        if !isReturning, case .tcp(let address, _) = request.principal.channel,
            let wait = register.limit.refuses(address: address)
        {
            throw Problem(PeopleError.tooSoon(seconds: wait))
        }
        // A session that was open here ends with the next one.
        let before = try gate.caller(of: request)?.session
        let (session, secret) = try judged { try register.signIn(wish) }
        if let before { _ = try judged { try register.endSession(before.id, of: before.person) } }
        guard let person = try judged({ try register.person(session.person) }) else {
            throw Problem(PeopleError.refused)
        }
        note("person \(person.number) signed in\(isKiosk ? " at the kiosk" : "")")
        var reply = PersonSessionReply(isKiosk: isKiosk)
        reply.person = PersonReply(person)
        reply.isFresh = true
        reply.isForReturn = session.isForReturn
        reply.expiresAt = session.expiresAt
        reply.keeps = session.keeps.rawValue
        reply.keptName = session.keeps == .nothing ? nil : person.name
        var response = try Response.json(reply, status: 201)
        response.headers.append(
            "set-cookie",
            PersonCookie.session.field(
                secret, seconds: session.keeps == .device ? PersonSession.deviceSeconds : nil))
        response.headers.append(
            "set-cookie",
            session.keeps == .nothing
                ? PersonCookie.name.removal
                : PersonCookie.name.field(PercentName.encoded(person.name), seconds: Self.nameSeconds))
        return response
    }

    // MARK: - One's own account

    var ownRoutes: [Route] {
        [
            Route(
                .put, "/v1/people/me/passphrase", access: .everyone, operation: "setOwnPassphrase",
                summary: "Take another passphrase: {\"current\": …, \"passphrase\": …}; all other sessions end",
                body: body("PassphraseRequest"),
                replies: [Reply(204, "It is set.")],
                handler: .asynchronous { request in
                    let (person, session) = try own(request)
                    var members = RequestMembers(try request.json())
                    let current = members.string("current") ?? ""
                    let passphrase = members.string("passphrase") ?? ""
                    try members.finish()
                    try judged {
                        try register.setPassphrase(
                            person.number, current: current, to: passphrase, keeping: session.id)
                    }
                    note("person \(person.number) took another passphrase")
                    return .noContent
                }
            ).failing(.forbidden, .tooManyRequests, .archiveUnavailable),
            Route(
                .post, "/v1/people/me/pin", access: .everyone, operation: "renewOwnPIN",
                summary: "Get a new PIN for the kiosk, after a fresh login",
                replies: [Reply(200, "Six digits, which only this answer has.", schema: "PIN")],
                handler: .asynchronous { request in
                    let (person, _) = try own(request, fresh: true)
                    let pin = try judged { try register.renewPIN(person.number, by: person.number) }
                    note("person \(person.number) got a new PIN")
                    return try .json(PINReply(pin: pin))
                }
            ).failing(.tooManyRequests, .archiveUnavailable),
            Route(
                .post, "/v1/people/me/badge", access: .everyone, operation: "renewOwnBadge",
                summary: "Get a new badge, after a fresh login; the one so far opens nothing any more",
                replies: [Reply(200, "What the badge says, which only this answer has.", schema: "Badge")],
                handler: .asynchronous { request in
                    let (person, _) = try own(request, fresh: true)
                    let badge = try judged { try register.renewBadge(person.number, by: person.number) }
                    note("person \(person.number) got a new badge")
                    return try .json(BadgeReply(badge))
                }
            ).failing(.archiveUnavailable),
            Route(
                .get, "/v1/people/me/sessions", access: .everyone, operation: "listOwnSessions",
                summary: "Where one is signed in",
                replies: [Reply(200, "The sessions, the newest first.", schema: "PersonSessionList")],
                handler: .asynchronous { request in
                    let (person, session) = try own(request)
                    return try .json(
                        OwnSessionList(
                            sessions: register.sessions(of: person.number).map {
                                OwnSessionReply(
                                    id: $0.id, device: $0.device, madeAt: $0.madeAt, expiresAt: $0.expiresAt,
                                    keeps: $0.keeps.rawValue, isThis: $0.id == session.id)
                            }))
                }
            ).failing(.archiveUnavailable),
            Route(
                .delete, "/v1/people/me/sessions/{session}", access: .everyone, operation: "endOwnSession",
                summary: "End one of one's sessions, at once", replies: [Reply(204, "It is over.")],
                handler: .asynchronous { request in
                    let (person, _) = try own(request)
                    let isEnded = try judged {
                        try register.endSession(request.parameter("session"), of: person.number)
                    }
                    guard isEnded else { throw Problem(.notFound, "cannot end the session: there is none of this id") }
                    return .noContent
                }
            ).failing(.notFound, .archiveUnavailable).taking("session", .string),
        ]
    }

    private func own(_ request: Request, fresh: Bool = false) throws(Problem) -> (Person, PersonSession) {
        let caller = try gate.require(.crew, request)
        guard let person = caller.person, let session = caller.session else {
            throw Problem(.forbidden, "cannot do this as the box: it is about a person's own account")
        }
        guard !fresh || caller.isFresh else {
            throw Problem(.forbidden, "cannot do this: the login is older than five minutes; sign in again")
        }
        return (person, session)
    }
}

/// A name in a cookie: percent-encoded, as cookies hold ASCII alone.
enum PercentName {
    static func encoded(_ name: String) -> String {
        name.utf8.map { byte in
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
        }.joined()
    }

    static func decoded(_ text: String) -> String? {
        guard text.utf8.count <= 1024 else { return nil }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return Person.checkedName(String(decoding: bytes, as: UTF8.self))
    }
}
