internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

/// `/v1/specimens/{id}/occupation`.
struct OccupationRoutes: Sendable {
    let desk: OccupationDesk

    private static let path = "/v1/specimens/{id}/occupation"

    var routes: [Route] {
        [
            Route(
                .post, Self.path, access: .only(.collector, .keeper), operation: "startOccupation",
                summary: "Average the fixes while the collector stands there",
                body: RequestBody(schema: "OccupationRequest"),
                replies: [
                    Reply(
                        202, "It runs; Location tells how it settles.", schema: "Occupation",
                        ids: [.init(Self.path, ["id": "$request.path.id"])])
                ],
                handler: .asynchronous { request in
                    let id = try SpecimenRoutes.id(request)
                    let reply = try await desk.start(
                        id, try OccupationRequest(try request.json()), account: request.principal.account)
                    return try .accepted(reply, location: "/v1/specimens/\(id)/occupation")
                }),
            Route(
                .get, Self.path, access: .everyone, operation: "getOccupation",
                summary: "How the occupation settles, or how it ended",
                replies: [Reply(200, "The occupation.", schema: "Occupation")],
                handler: .asynchronous { request in try .json(try await desk.reply(try SpecimenRoutes.id(request))) }),
            Route(
                .delete, Self.path, access: .only(.collector, .keeper), operation: "endOccupation",
                summary: "End the occupation; its average becomes the specimen's position",
                replies: [Reply(200, "How it ended.", schema: "Occupation")],
                handler: .asynchronous { request in try .json(try await desk.end(try SpecimenRoutes.id(request))) }),
        ].map {
            $0.failing(.conflict, .noPosition, .archiveUnavailable, .indexRebuilding, .insufficientStorage)
        }
    }
}
