internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel

/// `/v1/trails/recording`: a trail that is recorded with the station's own receiver.
struct TrailRecordingRoutes: Sendable {
    private static let path = "/v1/trails/recording"

    let desk: TrailRecorderDesk

    var routes: [Route] {
        [
            Route(
                .get, Self.path, access: .everyone, operation: "getTrailRecording",
                summary: "How far the trail is that is recorded now",
                replies: [Reply(200, "The recording.", schema: "TrailRecording")],
                handler: .immediate { _ in try .json(desk.reply()) }),
            Route(
                .post, Self.path, access: .only(.ranger, .keeper), operation: "recordTrail",
                summary: "Record a trail by walking it with the station",
                body: RequestBody(schema: "TrailRecordingRequest", isRequired: true),
                replies: [Reply(201, "It is recorded from now on.", schema: "TrailRecording")],
                handler: .asynchronous { request in
                    let reply = try await desk.begin(try TrailRecordingRequest(try request.json()))
                    return try .created(reply, location: Self.path)
                }
            ).failing(.conflict, .noPosition, .archiveUnavailable, .insufficientStorage),
            Route(
                .delete, Self.path, access: .only(.ranger, .keeper), operation: "endTrailRecording",
                summary: "End the recording; the trail becomes one of the station's",
                query: [
                    QueryParameter("discard", "yes: nothing of it is kept; no by default.", values: ["yes", "no"])
                ],
                replies: [Reply(200, "How it ended; the trail is on the disk.", schema: "TrailRecording")],
                handler: .asynchronous { request in
                    try .json(try await desk.end(discards: request.query("discard") == "yes"))
                }
            ).failing(.unusableTrails, .conflict, .archiveUnavailable, .insufficientStorage),
            Route(
                .post, "\(Self.path)/junction", access: .only(.ranger, .keeper), operation: "occupyTrailJunction",
                summary:
                    "Occupy a junction of the recorded trail: its place is the mean of the fixes while one stands there",
                body: RequestBody(schema: "TrailJunctionRequest"),
                replies: [
                    Reply(202, "It is occupied; GET the recording tells how it settles.", schema: "TrailRecording")
                ],
                handler: .asynchronous { request in
                    let reply = try desk.occupy(try TrailJunctionRequest(try request.json()))
                    return try .accepted(reply, location: Self.path)
                }
            ).failing(.conflict),
            Route(
                .delete, "\(Self.path)/junction", access: .only(.ranger, .keeper), operation: "leaveTrailJunction",
                summary: "End the occupation of the junction; its mean is kept",
                replies: [Reply(200, "The recording, on the disk.", schema: "TrailRecording")],
                handler: .asynchronous { _ in try .json(try await desk.leave()) }
            ).failing(.conflict, .archiveUnavailable),
        ]
    }
}
