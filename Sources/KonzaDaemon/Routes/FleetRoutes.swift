internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel

/// `/v1/fleet`: what the fleet knows of the station, and what konza-fleet takes and confirms.
struct FleetRoutes: Sendable {
    let outbox: FleetOutboxService

    /// The longest wait for something to send, seconds.
    private static let longestWait = 55.0

    var routes: [Route] {
        [
            Route(
                .get, "/v1/fleet", access: .everyone, operation: "getFleet",
                summary: "How far the station's fleet knows its records",
                replies: [Reply(200, "How far.", schema: "Fleet")],
                handler: .asynchronous { _ in try .json(try await outbox.reply()) }),
            Route(
                .get, "/v1/fleet/outbox", access: .only(.fleet), operation: "listFleetOutbox",
                summary: "What the fleet does not know yet, oldest first; the same again until it is confirmed",
                query: [
                    QueryParameter("limit", "How many; 50 by default.", .count(1...200)),
                    QueryParameter(
                        "wait", "Seconds to wait for something; 0 by default.", .range(0...Self.longestWait)),
                ],
                replies: [Reply(200, "What waits.", schema: "FleetOutbox")],
                handler: .asynchronous { request in
                    try .json(
                        try await outbox.entries(
                            limit: request.queryInteger("limit") ?? 50, waitingSeconds: request.queryNumber("wait") ?? 0
                        ))
                }),
            Route(
                .get, "/v1/fleet/tracks/{id}", access: .only(.fleet), operation: "getFleetTrack",
                summary: "An hour of the station's way that waits for the fleet",
                replies: [Reply(200, "The hour.", schema: "FleetTrack")],
                handler: .asynchronous { request in
                    .bytes(try await outbox.track(try SpecimenRoutes.id(request).description), type: "application/json")
                }
            ).failing(.notFound),
            Route(
                .post, "/v1/fleet/receipts", access: .only(.fleet), operation: "confirmFleetRecords",
                summary: "Say which records the fleet has",
                body: RequestBody(schema: "FleetReceipts", isRequired: true),
                replies: [Reply(200, "How many of them were news.", schema: "FleetReceiptsTaken")],
                handler: .asynchronous { request in
                    let receipts = try request.decoded(
                        FleetReceiptsRequest.self, as: "the receipts", schema: "FleetReceipts")
                    return try .json(try await outbox.confirm(receipts))
                }),
            Route(
                .put, "/v1/fleet/connection", access: .only(.fleet), operation: "putFleetConnection",
                summary: "Say how the fleet's broker is",
                body: RequestBody(schema: "FleetConnection", isRequired: true),
                replies: [Reply(204, "It is told.")],
                handler: .asynchronous { request in
                    outbox.take(
                        try request.decoded(FleetConnection.self, as: "the connection", schema: "FleetConnection"))
                    return .noContent
                }),
        ].map { $0.failing(.targetDisabled, .archiveUnavailable, .indexRebuilding, .insufficientStorage) }
    }
}
