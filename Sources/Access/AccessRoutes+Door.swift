internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

/// `/v1/kiosk/door`: the operator's PIN at the kiosk; `/v1/kiosk/ticket`: how the kiosk's own browser proves itself.
extension AccessRoutes {
    var doorRoutes: [Route] {
        [
            Route(
                .post, "/v1/kiosk/door", access: .only(.kiosk), operation: "openDoor",
                summary: "Make the kiosk's browser a ranger's for a while: {\"pin\": …}", body: body("PINRequest"),
                replies: [Reply(201, "The session of a ranger, which has a cookie now.", schema: "Session")],
                handler: .asynchronous { request in
                    try reading(request) { members throws in
                        let pin = members.string("pin")
                        try members.finish()
                        guard door.hasPIN else {
                            throw Problem(
                                .notFound, "cannot open the door: it has no PIN; set one with konza portal pin")
                        }
                        try judge(door.refuses(pin ?? ""))
                        let visit = register.visit(
                            "the kiosk's door", before: SessionCookie.value(in: request.headers))
                        visit.dropped.forEach(ended)
                        return try begin((visit.device, visit.secret), request)
                    }
                }
            ).failing(.notFound, .tooManyRequests),
            Route(
                .put, "/v1/kiosk/door", access: .only(.keeper), operation: "setPIN",
                summary: "Set the PIN of the kiosk's door: {\"pin\": …}, or take it away: {}",
                body: body("PINRequest"),
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

    private func judge(_ refusal: KioskDoor.Refusal?) throws(Problem) {
        switch refusal {
        case nil: return
        case .early(let seconds):
            throw Problem.tooSoon(
                "cannot try a PIN yet: wrong ones were tried; wait \(Int(seconds.rounded(.up))) s", retryAfter: seconds)
        case .wrong(let seconds):
            note("a wrong PIN was tried at the kiosk")
            let wait = seconds.rounded(.up)
            throw Problem(
                .forbidden,
                "cannot open the door: that is not its PIN"
                    + (wait > 0 ? "; the next may be tried in \(Int(wait)) s" : ""),
                figures: wait > 0 ? [Problem.retryAfter: wait] : nil)
        }
    }

    // MARK: - The kiosk's own browser

    private struct Ticket: Encodable {
        /// For the fragment of the kiosk's page.
        let token: String
        let expiresInSeconds: Int
    }

    var ticketRoutes: [Route] {
        [
            Route(
                .post, "/v1/kiosk/ticket", access: .everyone, operation: "admitKiosk",
                summary: "A token by which the kiosk's own browser is the kiosk; over the portal's socket alone",
                replies: [Reply(201, "The token, good for five minutes and once.", schema: "KioskTicket")],
                handler: .asynchronous { request in
                    let user = request.principal.peer.userID
                    guard case .unixSocket = request.principal.channel,
                        request.principal.roles.contains(.keeper) || user == kioskUser()
                    else {
                        throw Problem(
                            .forbidden,
                            "cannot give the kiosk's token: only the user of the kiosk ([Portal] KioskUser=) and the station's "
                                + "keeper get it, over the portal's socket")
                    }
                    let token = try judged { try register.admitKiosk() }
                    note("the kiosk's browser was given a token")
                    return try .json(
                        Ticket(token: token, expiresInSeconds: Int(DeviceRegister.patience)), status: 201)
                })
        ]
    }
}
