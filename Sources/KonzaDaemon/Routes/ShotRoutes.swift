internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

/// `/v1/shots`: the pictures of collages until they are on a postcard.
struct ShotRoutes: Sendable {
    let desk: ShotDesk

    private static let path = "/v1/shots/{id}"
    private static let made = Reply.Ids(path, ["id": "$response.body#/id"])

    /// Whoever takes postcards. A shot is found by the account alone that took it.
    private static let access = Access.only(.kiosk, .collector, .ranger, .keeper)

    var routes: [Route] {
        [
            Route(
                .post, "/v1/shots", access: Self.access, operation: "takeShot",
                summary: "Take a picture for a collage; with a countdown it answers at once and reports each second",
                body: RequestBody(schema: "ShotRequest"),
                replies: [
                    Reply(201, "The shot, held for five minutes.", schema: "Shot", ids: [Self.made]),
                    Reply(
                        202, "The countdown runs; Location tells how far it is.", schema: "Shot", ids: [Self.made]),
                ],
                handler: .asynchronous { request in
                    let order = try ShotRequest(try request.json())
                    let reply = try await desk.take(order, account: request.principal.account)
                    let location = "/v1/shots/\(reply.id)"
                    return reply.state == "taken"
                        ? try .created(reply, location: location) : try .accepted(reply, location: location)
                }
            ).failing(.cameraUnavailable, .unsupportedFrame, .cannotStamp),
            Route(
                .get, Self.path, access: Self.access, operation: "getShot", summary: "A shot, or how far it is",
                replies: [Reply(200, "The shot.", schema: "Shot")],
                handler: .immediate { request in
                    try .json(try desk.reply(try Self.id(request), account: request.principal.account))
                }),
            Route(
                .get, "/v1/shots/{id}/image.jpg", access: Self.access, operation: "getShotImage",
                summary: "The picture of a shot, without lettering", produces: ["image/jpeg"],
                replies: [Reply(200, "A JPEG.")],
                handler: .immediate { request in
                    var response = Response.data(
                        try desk.picture(try Self.id(request), account: request.principal.account), type: "image/jpeg")
                    response.headers["cache-control"] = "no-store"
                    return response
                }),
            Route(
                .delete, Self.path, access: Self.access, operation: "deleteShot", summary: "Forget a shot",
                replies: [Reply(204, "It is gone.")],
                handler: .immediate { request in
                    let id = try Self.id(request)
                    guard desk.delete(id, account: request.principal.account) else {
                        throw Problem(.notFound, "cannot delete the shot \(id): it was used, deleted or has expired")
                    }
                    return .noContent
                }),
        ]
    }

    private static func id(_ request: Request) throws(Problem) -> ShotID {
        guard let id = ShotID(request.parameter("id")) else {
            throw Problem(
                .notFound, "cannot find the shot \(request.parameter("id").prefix(40)): not an id of a shot")
        }
        return id
    }
}
