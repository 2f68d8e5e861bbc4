internal import Drawing
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Postcards
internal import Settings
internal import Storage

/// `/v1/postcards` and `/v1/templates`.
struct PostcardRoutes: Sendable {
    let parts: StationParts
    let desk: PostcardDesk

    var routes: [Route] {
        taking.map {
            $0.failing(
                .unknownTemplate, .conflict, .idempotencyConflict, .cannotDraw, .unsupportedFrame, .cannotStamp,
                .cameraUnavailable,
                .archiveUnavailable, .indexRebuilding, .insufficientStorage)
        }
            + reading.map { $0.failing(.archiveUnavailable, .indexRebuilding) }
    }

    private static let path = "/v1/postcards/{id}"
    private static let made = Reply.Ids(path, ["id": "$response.body#/id"], apart: ["/original.jpg", "/animation"])

    private var taking: [Route] {
        [
            Route(
                .post, "/v1/postcards", access: .only(.kiosk, .collector, .ranger, .keeper), operation: "takePostcard",
                summary: "Take a postcard; with a countdown it answers at once and reports each second",
                body: RequestBody(schema: "PostcardRequest"),
                replies: [
                    Reply(201, "The postcard, safely on disk.", schema: "Postcard", ids: [Self.made]),
                    Reply(
                        200, "The postcard that the same Idempotency-Key made before.", schema: "Postcard",
                        ids: [Self.made]),
                    Reply(
                        202, "The countdown runs; Location tells how far it is.", schema: "PendingPostcard",
                        ids: [Self.made]),
                ],
                handler: .asynchronous { request in try await take(request) }
            ).reading(.idempotencyKey),
            Route(
                .post, "/v1/postcards/preview", access: .only(.kiosk, .collector, .ranger, .keeper),
                operation: "previewPostcard",
                summary: "The overlay on a current frame, not kept", body: RequestBody(schema: "PreviewRequest"),
                produces: ["image/jpeg"], replies: [Reply(200, "A JPEG.")],
                handler: .asynchronous { request in
                    let order = try PostcardRequest(try request.json())
                    var response = Response.bytes(try await desk.preview(order), type: "image/jpeg")
                    response.headers["cache-control"] = "no-store"
                    return response
                }),
            Route(
                .delete, "/v1/postcards/{id}", access: .only(.kiosk, .ranger, .keeper), operation: "deletePostcard",
                summary: "Delete a postcard and its pictures", replies: [Reply(204, "It is gone.")],
                handler: .asynchronous { request in
                    let id = try Self.id(request)
                    let wasThere = try Self.wording { () throws(PostcardError) in
                        try parts.tally.onDisk(parts.clock) { () throws(PostcardError) in try parts.archive.delete(id) }
                    }
                    guard wasThere else { throw Problem(PostcardError.notFound(id)) }
                    parts.events.post(PostcardEvent(id: id.description, state: "deleted"))
                    return .noContent
                }),
        ]
    }

    private var reading: [Route] {
        [
            Route(
                .get, "/v1/postcards", access: .everyone, operation: "listPostcards",
                summary: "Postcards, the last kept first",
                query: [
                    QueryParameter(
                        "limit", "How many on a page; 50 by default.", .count(1...PostcardQuery.maximumLimit)),
                    QueryParameter("cursor", "From the member next of the page before.", .form(.recordCursor)),
                    QueryParameter("from", "Exposed at or after; not after to.", .dateTime),
                    QueryParameter("to", "Exposed before.", .dateTime),
                    QueryParameter("box", "west,south,east,north in degrees, south not above north.", .form(.box)),
                    QueryParameter(
                        "key",
                        "Only the one that the request with this Idempotency-Key made; 409 while that is under way.",
                        .text(.key, 1...IdempotencyKey.maximumLength),
                        excludes: ["limit", "cursor", "from", "to", "box"]),
                ],
                replies: [
                    Reply(
                        200, "A page.", schema: "PostcardPage",
                        ids: [
                            .init(
                                Self.path, ["id": "$response.body#/postcards/0/id"],
                                apart: ["/original.jpg", "/animation"]),
                            .init("/v1/postcards", ["cursor": "$response.body#/next"]),
                        ])
                ],
                handler: .asynchronous { request in
                    if let key = request.query("key") { return try list(ofKey: key) }
                    return try list(request)
                }
            ).failing(.idempotencyConflict),
            Route(
                .get, "/v1/postcards/{id}", access: .everyone, operation: "getPostcard",
                summary: "A postcard, or how far its countdown is",
                replies: [
                    Reply(
                        200,
                        "The postcard; until it is kept, and if it failed, a PendingPostcard instead, which alone has the "
                            + "member state.", schema: "Postcard", or: "PendingPostcard")
                ],
                handler: .asynchronous { request in try show(request) }),
            picture("image.jpg", .postcard, "getPostcardImage", "The postcard's picture"),
            picture("original.jpg", .original, "getPostcardOriginal", "The frame without the overlay, if kept"),
            picture("thumbnail.jpg", .thumbnail, "getPostcardThumbnail", "A small picture"),
            picture(
                "animation", .animation, "getPostcardAnimation", "The burst as an animated picture, if one was taken",
                type: "image/webp"),
            Route(
                .get, "/v1/templates", access: .everyone, operation: "listTemplates",
                summary: "The templates on this station",
                replies: [Reply(200, "The templates.", schema: "Templates")],
                handler: .immediate { _ in
                    let standard = parts.settings.current.postcards.template
                    return try .json(
                        TemplatesReply(
                            templates: parts.library.templates.map {
                                .init(name: $0.name, title: $0.title, isDefault: $0.name == standard)
                            }))
                }),
        ]
    }

    private func picture(
        _ file: String, _ kind: PostcardPicture, _ operation: String, _ summary: String, type: String = "image/jpeg"
    ) -> Route {
        Route(
            .get, "/v1/postcards/{id}/\(file)", access: .everyone, operation: operation, summary: summary,
            produces: [type],
            replies: [
                Reply(200, type == "image/jpeg" ? "A JPEG." : "A WebP."), Reply(206, "A part of it."),
                Reply(304, "The client's copy is good."),
            ],
            handler: .asynchronous { request in
                let id = try Self.id(request)
                do throws(PostcardError) {
                    return try Self.response(try parts.archive.openPicture(kind, of: id), type)
                } catch {
                    throw Problem(error)
                }
            })
    }

    private static func id(_ request: Request) throws(Problem) -> PostcardID {
        guard let id = PostcardID(request.parameter("id")) else {
            throw Problem(
                .notFound, "cannot find the postcard \(request.parameter("id").prefix(40)): not an id of a postcard")
        }
        return id
    }

    private func take(_ request: Request) async throws -> Response {
        let order = try PostcardRequest(try request.json())
        switch try await desk.take(order, key: try request.idempotencyKey(), account: request.principal.account) {
        case .kept(let record):
            return try .created(reply(record), location: "/v1/postcards/\(record.id)")
        case .known(let record):
            var response = try Response.json(reply(record))
            response.headers["location"] = "/v1/postcards/\(record.id)"
            return response
        case .counting(let pending):
            return try .accepted(pending, location: "/v1/postcards/\(pending.id)")
        }
    }

    private func reply(_ record: PostcardRecord) -> PostcardReply {
        var reply = PostcardReply(record)
        reply.path = parts.archive.path(of: .postcard, record.id)
        return reply
    }

    private func list(_ request: Request) throws -> Response {
        var query = PostcardQuery()
        query.limit = request.queryInteger("limit") ?? 50
        query.cursor = try request.query("cursor").map { text throws(Problem) in
            guard let cursor = PostcardCursor(text) else {
                throw Request.badQuery("cursor", "expected the member next of a page")
            }
            return cursor
        }
        query.from = try request.queryInstant("from")
        query.to = try request.queryInstant("to")
        if let from = query.from, let to = query.to, from > to {
            throw Request.contradiction("from", "expected an instant that is not after the one of to")
        }
        query.box = try request.queryBox("box")
        let page = try Self.wording { () throws(PostcardError) in try parts.archive.list(query) }
        // An archive that cannot be read is not an empty one.
        let health = parts.store.figures.health
        if page.postcards.isEmpty, query.cursor == nil, health.level == .failed, health.kind != "disk-full" {
            throw Problem(.archiveUnavailable, "cannot list the postcards: \(health.reason)")
        }
        return try .json(
            PostcardPageReply(postcards: page.postcards.map { PostcardReply($0) }, next: page.next?.description))
    }

    private func list(ofKey key: String) throws -> Response {
        let outcome = try Self.wording { () throws(PostcardError) in
            do throws(StorageError) {
                return try parts.archive.outcome(ofKey: key)
            } catch {
                throw .storage(error)
            }
        }
        var found: [PostcardRecord] = []
        switch outcome {
        case .new: break
        case .existing(let id):
            do throws(PostcardError) {
                found = [try parts.archive.record(id)]
            } catch {
                // It was deleted since.
                guard case .notFound = error else { throw Problem(error) }
            }
        case .inProgress, .conflict:
            throw Problem(
                .idempotencyConflict,
                "cannot tell which postcard the request made: it is still under way; ask again in a moment")
        }
        return try .json(PostcardPageReply(postcards: found.map { PostcardReply($0) }, next: nil))
    }

    private func show(_ request: Request) throws -> Response {
        let id = try Self.id(request)
        if let pending = desk.pending(id) { return try .json(pending) }
        return try .json(
            PostcardReply(try Self.wording { () throws(PostcardError) in try parts.archive.record(id) }))
    }

    /// Runs what asks the archive, and words its refusal.
    private static func wording<Value>(
        _ body: () throws(PostcardError) -> Value
    ) throws(Problem) -> Value {
        do throws(PostcardError) {
            return try body()
        } catch {
            throw Problem(error)
        }
    }

    private static func response(_ picture: consuming StoredPicture, _ type: String) throws(PostcardError) -> Response {
        let tag = picture.entityTag
        do throws(SystemError) {
            let file = try OpenFile(owning: picture.takeDescriptor())
            return .file(file, type: type, entityTag: String(tag.dropFirst().dropLast()))
        } catch {
            throw .storage(.invalid("\(error)"))
        }
    }
}
