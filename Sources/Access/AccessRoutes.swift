public import HTTPServing
public import KonzaAPI
public import KonzaModel
internal import KonzaSystem
internal import QRCoding
internal import Storage

/// `/v1/session`, `/v1/invitations`, `/v1/pairing-requests`, `/v1/devices`: who a browser is, and how it becomes that.
public struct AccessRoutes: Sendable {
    /// What the page of a device is told of itself.
    public typealias Session = @Sendable (Principal, Device?) throws(Problem) -> Response

    private static let bodyLimit = 4096
    /// Attempts of one address in a minute.
    private static let attempts = 20

    private let register: DeviceRegister
    private let door: KioskDoor
    private let attempts: AttemptLimit
    private let clock: any StationClock
    private let address: @Sendable (Role) -> String
    private let session: Session
    private let ended: @Sendable (String) -> Void
    private let note: @Sendable (String) -> Void

    /// - Parameters:
    ///   - register: the devices.
    ///   - door: the PIN of the kiosk.
    ///   - clock: the time.
    ///   - address: where a device of a role finds the pages, such as `https://konza.lan:8443`.
    ///   - session: what a browser is told of who it is.
    ///   - ended: told the id of a device that may no longer do what it could: what it still reads is to end.
    ///   - note: takes a line for the log: who was let in by whom, and who was sent away.
    public init(
        _ register: DeviceRegister, door: KioskDoor, clock: any StationClock,
        address: @escaping @Sendable (Role) -> String,
        session: @escaping Session, ended: @escaping @Sendable (String) -> Void,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.register = register
        self.door = door
        self.clock = clock
        attempts = AttemptLimit(Self.attempts, clock: clock)
        self.address = address
        self.session = session
        self.ended = ended
        self.note = note
    }

    public var routes: [Route] { sessionRoutes + doorRoutes + invitationRoutes + requestRoutes + deviceRoutes }

    // MARK: - The session

    private var sessionRoutes: [Route] {
        [
            Route(
                .get, "/v1/session", access: .everyone, operation: "getSession", summary: "Who the browser is here",
                replies: [Reply(200, "The session.")],
                handler: .asynchronous { request in try current(request) }),
            Route(
                .post, "/v1/session", access: .everyone, operation: "pairByLink",
                summary: "Be paired by the secret of a link: {\"token\": …, \"name\": …}", body: body,
                replies: [Reply(201, "The session of the device, which has a cookie now.")],
                handler: .asynchronous { request in
                    try limited(request)
                    return try reading(request) { members throws in
                        let token = members.string("token")
                        let name = members.string("name")
                        try members.finish()
                        return try begin(try register.accept(token ?? "", name: name), request)
                    }
                }
            ).failing(.notFound, .tooManyRequests),
            Route(
                .delete, "/v1/session", access: .everyone, operation: "endSession",
                summary: "Be forgotten: the device is no longer paired",
                replies: [Reply(204, "It is a visitor's.")],
                handler: .asynchronous { request in
                    if let device = device(request) {
                        try judged { try register.revoke(device.id) }
                        ended(device.id)
                    }
                    return Response(status: 204, headers: ["set-cookie": SessionCookie.removal])
                }),
        ]
    }

    private var body: RequestBody { RequestBody(isRequired: true, limit: Self.bodyLimit) }

    private func device(_ request: Request) -> Device? {
        SessionCookie.value(in: request.headers).flatMap { register.device(secret: $0) }
    }

    private func current(_ request: Request) throws -> Response {
        guard let secret = SessionCookie.value(in: request.headers) else {
            return try session(request.principal, nil)
        }
        guard let device = register.device(secret: secret) else {
            // The cookie stays: it opens nothing, and a disk or a clock that is mended knows it again.
            return try session(request.principal, nil)
        }
        var response = try session(request.principal, device)
        // A full disk is no reason to send anybody away.
        if (try? register.noteSeen(device)) == true {
            response.headers.append("set-cookie", SessionCookie.field(secret))
        }
        return response
    }

    private func begin(_ paired: (device: Device, secret: String), _ request: Request) throws(Problem) -> Response {
        let device = paired.device
        note("\(device.name) (\(device.id)) is paired as \(device.role.rawValue)\(whence(request))")
        let principal = Principal(
            peer: request.principal.peer, roles: [device.role, .visitor], client: device.id,
            channel: request.principal.channel)
        var response = try session(principal, device)
        response.status = 201
        response.headers.append("set-cookie", SessionCookie.field(paired.secret))
        return response
    }

    private func whence(_ request: Request) -> String {
        if case .tcp(let address, _) = request.principal.channel { ", from \(address)" } else { "" }
    }

    private func who(_ request: Request) -> String {
        guard let client = request.principal.client else { return "user \(request.principal.peer.userID)" }
        return register.devices.first { $0.id == client }.map { "\($0.name) (\(client))" } ?? client
    }

    /// - Throws: a problem if the client tries too often.
    private func limited(_ request: Request) throws(Problem) {
        guard case .tcp(let address, _) = request.principal.channel, let wait = attempts.refuses(address) else {
            return
        }
        throw Problem(
            .tooManyRequests,
            "cannot try again yet: at most \(Self.attempts) attempts a minute are taken from one address; wait "
                + "\(Int(wait.rounded(.up))) s")
    }

    // MARK: - The kiosk's door

    private var doorRoutes: [Route] {
        [
            Route(
                .post, "/v1/kiosk/door", access: .only(.kiosk), operation: "openDoor",
                summary: "Make the kiosk's browser a ranger's for a while: {\"pin\": …}", body: body,
                replies: [Reply(201, "The session of a ranger, which has a cookie now.")],
                handler: .asynchronous { request in
                    try reading(request) { members throws in
                        let pin = members.string("pin")
                        try members.finish()
                        guard door.hasPIN else {
                            throw Problem(
                                .notFound, "cannot open the door: it has no PIN; set one with konza portal pin")
                        }
                        if let wait = door.refuses(pin ?? "") {
                            note("a wrong PIN was tried at the kiosk")
                            let seconds = Int(wait.rounded(.up))
                            throw Problem(
                                seconds > 0 ? .tooManyRequests : .forbidden,
                                "cannot open the door: that is not its PIN"
                                    + (seconds > 0 ? "; the next may be tried in \(seconds) s" : ""))
                        }
                        return try begin(register.visit("the kiosk's door"), request)
                    }
                }
            ).failing(.notFound, .tooManyRequests),
            Route(
                .put, "/v1/kiosk/door", access: .only(.keeper), operation: "setPIN",
                summary: "Set the PIN of the kiosk's door: {\"pin\": …}, or take it away: {}", body: body,
                replies: [Reply(204, "It is set.")],
                handler: .asynchronous { request in
                    try reading(request) { members throws in
                        let pin = members.string("pin")
                        try members.finish()
                        try door.set(pin)
                        note("\(who(request)) \(pin == nil ? "took the kiosk's PIN away" : "set the kiosk's PIN")")
                        return Response(status: 204)
                    }
                }),
        ]
    }

    // MARK: - Links

    private struct Invitation: Encodable {
        let role: String
        /// Opens the pages and pairs whoever opens it first.
        let link: String
        let expiresInSeconds: Int
        /// The link's QR code (ISO/IEC 18004), a text of 0 and 1 for each row.
        let qr: [String]
    }

    private var invitationRoutes: [Route] {
        [
            Route(
                .post, "/v1/invitations", access: .only(.keeper), operation: "invite",
                summary: "Make a link that pairs one device: {\"role\": …, \"name\": …}", body: body,
                replies: [Reply(201, "The link and its QR code, good for five minutes and one device.")],
                handler: .asynchronous { request in
                    try reading(request) { members throws in
                        let role = role(&members)
                        let name = members.string("name")
                        try members.finish()
                        let secret = try register.invite(role, name: name)
                        let link = "\(address(role))/pair#\(secret)"
                        note("\(who(request)) made a link that pairs a \(role.rawValue)")
                        return try Response.json(
                            Invitation(
                                role: role.rawValue, link: link, expiresInSeconds: Int(DeviceRegister.patience),
                                qr: (try? QRCode(link))?.rows ?? []), status: 201)
                    }
                })
        ]
    }

    private func role(_ members: inout RequestMembers) -> Role {
        let names = Device.roles.map(\.rawValue)
        guard let text = members.string("role"), names.contains(text), let role = Role(rawValue: text) else {
            members.fault("role", "expected one of \(names.joined(separator: ", "))")
            return .visitor
        }
        return role
    }

    // MARK: - Letters

    private struct Asked: Encodable {
        let letters: String
        let token: String
        let expiresInSeconds: Int
        let intervalSeconds: Int
    }

    private struct Waiting: Encodable {
        let letters: String
        let name: String
        let address: String
        /// waiting, denied, or the role that it was let in for.
        let state: String
        let secondsLeft: Int
    }

    private struct WaitingList: Encodable { let requests: [Waiting] }

    private var requestRoutes: [Route] {
        [
            Route(
                .post, "/v1/pairing-requests", access: .everyone, operation: "askToBePaired",
                summary: "Ask to be paired, by letters that the keeper approves: {\"name\": …}", body: body,
                replies: [Reply(201, "The letters to show, and the token to ask with.")],
                handler: .asynchronous { request in
                    try limited(request)
                    return try reading(request) { members throws in
                        let name = members.string("name")
                        try members.finish()
                        var address = ""
                        if case .tcp(let text, _) = request.principal.channel { address = text }
                        let asked = try register.request(name: name ?? "", from: address)
                        return try Response.json(
                            Asked(
                                letters: asked.letters, token: asked.secret,
                                expiresInSeconds: Int(DeviceRegister.patience),
                                intervalSeconds: Int(DeviceRegister.pollSeconds)), status: 201)
                    }
                }
            ).failing(.tooManyRequests),
            Route(
                .post, "/v1/pairing-requests/session", access: .everyone, operation: "collectSession",
                summary: "Ask whether the device was let in: {\"token\": …}", body: body,
                replies: [
                    Reply(201, "It was: the session of the device, which has a cookie now."),
                    Reply(202, "Nobody has decided yet."),
                ],
                handler: .asynchronous { request in
                    try reading(request) { members throws in
                        let token = members.string("token")
                        try members.finish()
                        do {
                            return try begin(try register.collect(token ?? ""), request)
                        } catch PairingError.undecided {
                            return try Response.json(["state": "waiting"], status: 202)
                        }
                    }
                }
            ).failing(.notFound, .tooManyRequests),
            Route(
                .get, "/v1/pairing-requests", access: .only(.keeper), operation: "listPairingRequests",
                summary: "The devices that ask to be let in", replies: [Reply(200, "The requests.")],
                handler: .asynchronous { _ in
                    let requests = try judged { try register.requests() }
                    return try Response.json(
                        WaitingList(
                            requests: requests.map { one in
                                let state =
                                    switch one.state {
                                    case .waiting: "waiting"
                                    case .denied: "denied"
                                    case .approved(let role): role.rawValue
                                    }
                                return Waiting(
                                    letters: one.letters, name: one.name, address: one.address, state: state,
                                    secondsLeft: Int(one.secondsLeft))
                            }))
                }),
            Route(
                .post, "/v1/pairing-requests/{letters}", access: .only(.keeper), operation: "approvePairingRequest",
                summary: "Let a device in: {\"role\": …}", body: body, replies: [Reply(204, "It is let in.")],
                handler: .asynchronous { request in
                    try reading(request) { members throws in
                        let role = role(&members)
                        try members.finish()
                        try register.decide(request.parameter("letters"), role)
                        note("\(who(request)) let \(request.parameter("letters").prefix(20)) in as \(role.rawValue)")
                        return Response(status: 204)
                    }
                }
            ).failing(.notFound).taking("letters", .string),
            Route(
                .delete, "/v1/pairing-requests/{letters}", access: .only(.keeper), operation: "denyPairingRequest",
                summary: "Turn a device away", replies: [Reply(204, "It is turned away.")],
                handler: .asynchronous { request in
                    try judged { try register.decide(request.parameter("letters"), nil) }
                    note("\(who(request)) turned \(request.parameter("letters").prefix(20)) away")
                    return Response(status: 204)
                }
            ).failing(.notFound).taking("letters", .string),
        ]
    }

    // MARK: - Devices

    private struct DeviceReply: Encodable {
        let id: String
        let name: String
        let role: String
        let createdAt: String
        let seenAt: String
        /// Whether it is the one that asks.
        let isThis: Bool

        init(_ device: Device, asking principal: Principal) {
            id = device.id
            name = device.name
            role = device.role.rawValue
            createdAt = device.createdAt.rfc3339
            seenAt = device.seenAt.rfc3339
            isThis = device.id == principal.client
        }
    }

    private struct DeviceList: Encodable { let devices: [DeviceReply] }

    private var deviceRoutes: [Route] {
        [
            Route(
                .get, "/v1/devices", access: .only(.keeper), operation: "listDevices",
                summary: "The devices that are paired", replies: [Reply(200, "The devices.")],
                handler: .immediate { request in
                    try Response.json(
                        DeviceList(devices: register.devices.map { DeviceReply($0, asking: request.principal) }))
                }),
            Route(
                .patch, "/v1/devices/{id}", access: .only(.keeper), operation: "changeDevice",
                summary: "Give a device another name or role", body: body, replies: [Reply(200, "The device.")],
                handler: .asynchronous { request in
                    try reading(request) { members throws in
                        let wanted = members.has("role") ? role(&members) : nil
                        let name = members.string("name")
                        try members.finish()
                        let device = try register.change(request.parameter("id"), name: name, role: wanted)
                        ended(device.id)
                        note("\(who(request)) changed \(device.id) to \(device.name), \(device.role.rawValue)")
                        return try Response.json(DeviceReply(device, asking: request.principal))
                    }
                }
            ).failing(.notFound).taking("id", .string),
            Route(
                .delete, "/v1/devices/{id}", access: .only(.keeper), operation: "revokeDevice",
                summary: "Send a device away, at once", replies: [Reply(204, "It is a visitor's.")],
                handler: .asynchronous { request in
                    try judged { try register.revoke(request.parameter("id")) }
                    ended(request.parameter("id"))
                    note("\(who(request)) sent the device \(request.parameter("id").prefix(20)) away")
                    return Response(status: 204)
                }
            ).failing(.notFound).taking("id", .string),
        ]
    }

    // MARK: - Errors

    private func reading(_ request: Request, _ body: (inout RequestMembers) throws -> Response) throws -> Response {
        var members = RequestMembers(try request.json())
        return try judged { try body(&members) }
    }

    private func judged<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as PairingError {
            throw Problem(error)
        } catch let error as StorageError {
            throw Problem(.archiveUnavailable, "cannot write down who is paired: \(error); free or mend the disk")
        }
    }
}

extension Problem {
    init(_ error: PairingError) {
        switch error {
        case .unknown:
            self.init(
                .notFound,
                "cannot find it: a link or letters are good for five minutes and one device, and a device until it is "
                    + "sent away; ask the keeper for new ones")
        case .denied: self.init(.forbidden, "cannot pair this device: the keeper turned it away")
        case .undecided: self.init(.conflict, "cannot pair this device yet: nobody has decided")
        case .tooSoon:
            self.init(
                .tooManyRequests, "cannot answer so often: ask every \(Int(DeviceRegister.pollSeconds)) seconds")
        case .tooMany(let what, let limit):
            self.init(.tooManyRequests, "cannot take another: \(limit) \(what) already; remove one, or wait")
        case .invalid(let words): self.init(.invalidRequest, "cannot take it: \(words)")
        }
    }
}
