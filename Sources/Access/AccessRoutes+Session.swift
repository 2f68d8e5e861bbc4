internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Storage

/// `/v1/session`: who a browser is, and how a link makes it something else.
extension AccessRoutes {
    var sessionRoutes: [Route] {
        [
            Route(
                .get, "/v1/session", access: .everyone, operation: "getSession", summary: "Who the browser is here",
                replies: [Reply(200, "The session.", schema: "Session")],
                handler: .asynchronous { request in try current(request) }),
            Route(
                .post, "/v1/session", access: .everyone, operation: "pairByLink",
                summary: "Be paired by the secret of a link: {\"token\": …, \"name\": …}",
                body: body("TokenRequest"),
                replies: [Reply(201, "The session of the device, which has a cookie now.", schema: "Session")],
                handler: .asynchronous { request in
                    try limited(request)
                    return try reading(request) { members throws in
                        let token = members.string("token")
                        let name = members.string("name")
                        try members.finish()
                        let before = device(request)
                        let paired = try register.accept(token ?? "", name: name, replacing: before?.id)
                        if let before { ended(before.id) }
                        return try begin(paired, request)
                    }
                }
            ).failing(.notFound, .tooManyRequests),
            Route(
                .delete, "/v1/session", access: .everyone, operation: "endSession",
                summary: "Be forgotten: the device is no longer paired",
                replies: [Reply(204, "It is a visitor's.")],
                handler: .asynchronous { request in
                    var cookie = SessionCookie.removal
                    if let secret = SessionCookie.value(in: request.headers),
                        let device = register.device(secret: secret)
                    {
                        if let before = register.endVisit(secret) {
                            cookie = SessionCookie.field(before)
                        } else if !DeviceRegister.isVisit(device.id) {
                            _ = try judged { try register.revoke(device.id) }
                        }
                        ended(device.id)
                    }
                    return Response(status: 204, headers: ["set-cookie": cookie])
                }),
        ]
    }

    func body(_ schema: String) -> RequestBody {
        RequestBody(schema: schema, isRequired: true, limit: Self.bodyLimit)
    }

    func device(_ request: Request) -> Device? {
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

    func begin(_ paired: (device: Device, secret: String), _ request: Request) throws(Problem) -> Response {
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

    func whence(_ request: Request) -> String {
        if case .tcp(let address, _) = request.principal.channel { ", from \(address)" } else { "" }
    }

    func who(_ request: Request) -> String {
        guard let client = request.principal.client else { return "user \(request.principal.peer.userID)" }
        return register.devices.first { $0.id == client }.map { "\($0.name) (\(client))" } ?? client
    }

    /// - Throws: a problem if the client tries too often.
    func limited(
        _ request: Request, by limit: AttemptLimit? = nil, _ most: Int = attempts
    ) throws(Problem) {
        guard case .tcp(let address, _) = request.principal.channel,
            let wait = (limit ?? attempts).refuses(address)
        else { return }
        throw Problem.tooSoon(
            "cannot try again yet: at most \(most) attempts a minute are taken from one address; wait "
                + "\(Int(wait.rounded(.up))) s", retryAfter: wait)
    }
}
