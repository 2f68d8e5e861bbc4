internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel

/// `/v1/devices`: what is paired.
extension AccessRoutes {
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

    var deviceRoutes: [Route] {
        [
            Route(
                .get, "/v1/devices", access: .only(.keeper), operation: "listDevices",
                summary: "The devices that are paired, and the browsers that came in by the kiosk's door",
                replies: [Reply(200, "The devices.", schema: "DeviceList")],
                handler: .immediate { request in
                    try Response.json(
                        DeviceList(
                            devices: (register.visiting + register.devices).map {
                                DeviceReply($0, asking: request.principal)
                            }))
                }),
            Route(
                .patch, "/v1/devices/{id}", access: .only(.keeper), operation: "changeDevice",
                summary: "Give a device another name or role", body: body("DevicePatch"),
                replies: [Reply(200, "The device.", schema: "Device")],
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
                    for id in try judged({ try register.revoke(request.parameter("id")) }) { ended(id) }
                    note("\(who(request)) sent the device \(request.parameter("id").prefix(20)) away")
                    return Response(status: 204)
                }
            ).failing(.notFound).taking("id", .string),
        ]
    }
}
