internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import QRCoding

/// `/v1/invitations`: links that pair one device each.
extension AccessRoutes {
    private struct Invitation: Encodable {
        let role: String
        /// Opens the pages and pairs whoever opens it first.
        let link: String
        let expiresInSeconds: Int
        /// The link's QR code (ISO/IEC 18004), a text of 0 and 1 for each row.
        let qr: [String]
    }

    var invitationRoutes: [Route] {
        [
            Route(
                .post, "/v1/invitations", access: .only(.keeper), operation: "invite",
                summary: "Make a link that pairs one device: {\"role\": …, \"name\": …}",
                body: body("InvitationRequest"),
                replies: [
                    Reply(201, "The link and its QR code, good for five minutes and one device.", schema: "Invitation")
                ],
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

    func role(_ members: inout RequestMembers) -> Role {
        let names = Device.roles.map(\.rawValue)
        guard let text = members.string("role"), names.contains(text), let role = Role(rawValue: text) else {
            members.fault("role", "expected one of \(names.joined(separator: ", "))")
            return .visitor
        }
        return role
    }
}
