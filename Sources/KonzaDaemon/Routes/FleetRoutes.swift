internal import Forwarding
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel

/// `/v1/fleet`: what the fleet knows of the station, and what konza-fleet takes and confirms.
struct FleetRoutes: Sendable {
    let outbox: FleetOutboxService
    let pictures: FleetPictureService
    let remote: RemoteSettingsKeeper

    /// The longest wait for something to send, seconds.
    private static let longestWait = 55.0

    /// Every choice of some of the kinds, in the order of the alphabet, with commas between.
    private static let someKinds: [String] = {
        let names = ForwardedKind.allCases.map(\.rawValue).sorted()
        return (1..<(1 << names.count) - 1).map { choice in
            names.indices.filter { choice & 1 << $0 != 0 }.map { names[$0] }.joined(separator: ",")
        }
    }()

    private static func kinds(_ text: String?) -> Set<ForwardedKind> {
        guard let text else { return Set(ForwardedKind.allCases) }
        return Set(text.split(separator: ",").compactMap { ForwardedKind(rawValue: String($0)) })
    }

    var routes: [Route] {
        [
            Route(
                .get, "/v1/fleet", access: .everyone, operation: "getFleet",
                summary: "How far the station's fleet knows its records",
                replies: [Reply(200, "How far.", schema: "Fleet")],
                handler: .asynchronous { _ in
                    var reply = try await outbox.reply()
                    reply.pictures = try await pictures.summary()
                    return try .json(reply)
                }),
            Route(
                .get, "/v1/fleet/outbox", access: .only(.fleet), operation: "listFleetOutbox",
                summary: "What the fleet does not know yet, oldest first; the same again until it is confirmed",
                query: [
                    QueryParameter("limit", "How many; 50 by default.", .count(1...200)),
                    QueryParameter(
                        "wait", "Seconds to wait for something; 0 by default.", .range(0...Self.longestWait)),
                    QueryParameter("kinds", "Records of these kinds alone; all by default.", values: Self.someKinds),
                ],
                replies: [Reply(200, "What waits.", schema: "FleetOutbox")],
                handler: .asynchronous { request in
                    let entries = try await outbox.entries(
                        limit: request.queryInteger("limit") ?? 50, waitingSeconds: request.queryNumber("wait") ?? 0,
                        of: Self.kinds(request.query("kinds")))
                    return try .json(try await pictures.adding(to: entries))
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
            + store + desired + publicLinks
    }

    /// A postcard on the internet, for whoever has the link.
    private var publicLinks: [Route] {
        let access = Access.only(.kiosk, .ranger, .keeper)
        return [
            Route(
                .put, "/v1/postcards/{id}/public-link", access: access, operation: "publishPostcard",
                summary: "Take a postcard home by a public link, which ends by itself",
                body: RequestBody(schema: "PublicLinkRequest", isRequired: true),
                replies: [
                    Reply(200, "The link, which may lead nowhere until there is a network.", schema: "PublicLink")
                ],
                handler: .asynchronous { request in
                    let wish = try request.decoded(
                        PublicLinkRequest.self, as: "the link", schema: "PublicLinkRequest")
                    return try .json(try await pictures.publish(try Self.postcard(request), days: wish.days))
                }),
            Route(
                .get, "/v1/postcards/{id}/public-link", access: access, operation: "getPublicLink",
                summary: "The public link of a postcard, and whether it leads anywhere yet",
                replies: [Reply(200, "The link.", schema: "PublicLink")],
                handler: .asynchronous { request in
                    try .json(try await pictures.link(try Self.postcard(request)))
                }),
            Route(
                .delete, "/v1/postcards/{id}/public-link", access: access, operation: "unpublishPostcard",
                summary: "Take a public link back: its page and picture go from the store",
                replies: [Reply(204, "They go.")],
                handler: .asynchronous { request in
                    try await pictures.unpublish(try Self.postcard(request))
                    return .noContent
                }),
        ].map { $0.failing(.notFound, .targetDisabled, .archiveUnavailable, .indexRebuilding, .insufficientStorage) }
    }

    private static func postcard(_ request: Request) throws(Problem) -> PostcardID {
        guard let id = PostcardID(request.parameter("id")) else {
            throw Problem(
                .notFound, "cannot find the postcard \(request.parameter("id").prefix(40)): not an id of a postcard")
        }
        return id
    }

    /// The pictures.
    private var store: [Route] {
        [
            Route(
                .get, "/v1/fleet/pictures", access: .only(.fleet), operation: "listFleetPictures",
                summary: "What the object store is behind; the same again until it is confirmed",
                query: [
                    QueryParameter("limit", "How many; 20 by default.", .count(1...100)),
                    QueryParameter(
                        "wait", "Seconds to wait for something; 0 by default.", .range(0...Self.longestWait)),
                    QueryParameter(
                        "originals",
                        "Whether all originals may go now, or those alone that an operator asked for; all by "
                            + "default.", values: ["all", "wanted"]),
                ],
                replies: [Reply(200, "What to do.", schema: "FleetPictures")],
                handler: .asynchronous { request in
                    try .json(
                        try await pictures.steps(
                            limit: request.queryInteger("limit") ?? 20,
                            allOriginals: request.query("originals") != "wanted",
                            waitingSeconds: request.queryNumber("wait") ?? 0))
                }),
            Route(
                .post, "/v1/fleet/pictures/receipts", access: .only(.fleet), operation: "confirmFleetPictures",
                summary: "Say what came of pictures",
                body: RequestBody(schema: "FleetPictureReceipts", isRequired: true),
                replies: [Reply(200, "How many of them were news.", schema: "FleetReceiptsTaken")],
                handler: .asynchronous { request in
                    let receipts = try request.decoded(
                        FleetPictureReceipts.self, as: "the receipts", schema: "FleetPictureReceipts")
                    return try .json(try await pictures.confirm(receipts))
                }),
            Route(
                .get, "/v1/fleet/pictures/{id}", access: .only(.fleet), operation: "getFleetOriginal",
                summary: "Whether the store has an original",
                replies: [Reply(200, "Whether it has.", schema: "FleetOriginal")],
                handler: .asynchronous { request in
                    try .json(try await pictures.original(try Self.id(request)))
                }
            ).failing(.notFound),
            Route(
                .put, "/v1/fleet/pictures/{id}", access: .only(.fleet), operation: "wantFleetOriginal",
                summary: "Ask for an original, whatever the policy",
                replies: [Reply(200, "Whether the store has it already.", schema: "FleetOriginal")],
                handler: .asynchronous { request in try .json(try await pictures.want(try Self.id(request))) }
            ).failing(.notFound),
            Route(
                .get, "/v1/fleet/pictures/{id}/page", access: .only(.fleet), operation: "getFleetPage",
                summary: "The page of a postcard's public link", produces: ["text/html"],
                replies: [Reply(200, "The page.")],
                handler: .asynchronous { request in
                    .bytes(Array(try await pictures.page(try Self.id(request)).utf8), type: "text/html; charset=utf-8")
                }
            ).failing(.notFound),
            Route(
                .put, "/v1/fleet/store", access: .only(.fleet), operation: "putFleetStore",
                summary: "Say how the object store is",
                body: RequestBody(schema: "FleetStoreReport", isRequired: true),
                replies: [Reply(204, "It is told.")],
                handler: .asynchronous { request in
                    pictures.take(
                        try request.decoded(FleetStoreReport.self, as: "the report", schema: "FleetStoreReport"))
                    return .noContent
                }),
        ].map { $0.failing(.targetDisabled, .archiveUnavailable, .indexRebuilding, .insufficientStorage) }
    }

    private static func id(_ request: Request) throws(Problem) -> String {
        guard let id = RecordID<FleetRoutes>(request.parameter("id")) else {
            throw Problem(
                .notFound, "cannot find the picture \(request.parameter("id").prefix(40)): not an id of a picture")
        }
        return id.description
    }

    /// What is set from afar.
    private var desired: [Route] {
        [
            Route(
                .get, "/v1/fleet/desired", access: .everyone, operation: "getFleetDesired",
                summary: "What is set from afar, over the station's own configuration",
                replies: [Reply(200, "What.", schema: "FleetDesired")],
                handler: .asynchronous { _ in try .json(await remote.reply()) }),
            Route(
                .put, "/v1/fleet/desired", access: .only(.fleet), operation: "putFleetDesired",
                summary: "Set what an operator signed; what cannot be set from afar is refused",
                body: RequestBody(schema: "FleetDesiredSettings", isRequired: true),
                replies: [Reply(200, "What is set now.", schema: "FleetDesired")],
                handler: .asynchronous { request in
                    let wanted = try request.decoded(
                        FleetDesiredRequest.self, as: "the settings", schema: "FleetDesiredSettings")
                    return try .json(try await remote.take(wanted))
                }
            ).failing(.targetDisabled),
            Route(
                .delete, "/v1/fleet/desired", access: .only(.keeper), operation: "dropFleetDesired",
                summary: "Drop what is set from afar, until a higher version comes",
                replies: [Reply(200, "What is set now.", schema: "FleetDesired")],
                handler: .asynchronous { _ in try .json(try await remote.drop()) }),
        ].map { $0.failing(.archiveUnavailable, .insufficientStorage) }
    }
}
