internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel

/// `/v1/pairing-requests`: devices that ask to be let in, by letters on their screen.
extension AccessRoutes {
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

    var requestRoutes: [Route] {
        [
            Route(
                .post, "/v1/pairing-requests", access: .everyone, operation: "askToBePaired",
                summary: "Ask to be paired, by letters that the keeper approves: {\"name\": …}",
                body: body("NameRequest"),
                replies: [Reply(201, "The letters to show, and the token to ask with.", schema: "PairingRequest")],
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
                summary: "Ask whether the device was let in: {\"token\": …}", body: body("TokenRequest"),
                replies: [
                    Reply(201, "It was: the session of the device, which has a cookie now.", schema: "Session"),
                    Reply(202, "Nobody has decided yet.", schema: "PairingState"),
                ],
                handler: .asynchronous { request in
                    try limited(request, by: polls, Self.polls)
                    return try reading(request) { members throws in
                        let token = members.string("token")
                        try members.finish()
                        let before = device(request)
                        do {
                            let paired = try register.collect(token ?? "", replacing: before?.id)
                            if let before { ended(before.id) }
                            return try begin(paired, request)
                        } catch PairingError.undecided {
                            return try Response.json(["state": "waiting"], status: 202)
                        }
                    }
                }
            ).failing(.notFound, .tooManyRequests),
            Route(
                .get, "/v1/pairing-requests", access: .only(.keeper), operation: "listPairingRequests",
                summary: "The devices that ask to be let in",
                replies: [Reply(200, "The requests.", schema: "PairingRequestList")],
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
                summary: "Let a device in: {\"role\": …}", body: body("RoleRequest"),
                replies: [Reply(204, "It is let in.")],
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
}
