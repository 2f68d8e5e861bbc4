internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Positioning
internal import Postcards
internal import Specimens
internal import Storage

/// `/v1/specimens`.
struct SpecimenRoutes: Sendable {
    let desk: SpecimenDesk

    /// The largest body that describes a specimen, bytes.
    static let bodyLimit = 512 << 10

    var routes: [Route] {
        writing.map {
            $0.failing(
                .notFound, .idempotencyConflict, .numberTaken, .unknownTerm, .invalidRequest, .noPosition,
                .accuracyTooLow, .revisionConflict,
                .archiveUnavailable, .indexRebuilding, .insufficientStorage)
        }
            + reading.map {
                $0.failing(.noPosition, .unknownTerm, .notFound, .forbidden, .archiveUnavailable, .indexRebuilding)
            }
    }

    static let path = "/v1/specimens/{id}"
    private static let made = Reply.Ids(path, ["id": "$response.body#/id"], apart: ["/occupation"])

    private var writing: [Route] {
        [
            Route(
                .post, "/v1/specimens", access: .only(.collector, .keeper), operation: "openSpecimen",
                summary: "Open a specimen",
                body: RequestBody(schema: "SpecimenRequest", isRequired: true, limit: Self.bodyLimit),
                replies: [
                    Reply(201, "The specimen, safely on disk.", schema: "Specimen", ids: [Self.made]),
                    Reply(
                        200, "The specimen that the same Idempotency-Key opened before.", schema: "Specimen",
                        ids: [Self.made]),
                ],
                handler: .asynchronous { request in try await open(request) }
            ).reading(.idempotencyKey),
            Route(
                .patch, "/v1/specimens/{id}", access: .only(.collector, .keeper), operation: "changeSpecimen",
                summary: "Change what is said about a specimen; null takes a member away",
                body: RequestBody(
                    schema: "SpecimenPatch", types: ["application/json", "application/merge-patch+json"],
                    isRequired: true, limit: Self.bodyLimit),
                replies: [Reply(200, "The specimen as it is now.", schema: "Specimen")],
                handler: .asynchronous { request in
                    let id = try Self.id(request)
                    let patch = try SpecimenPatch(try request.json())
                    return try reply(
                        try await desk.change(id, patch, expecting: try Self.expectedRevision(request)))
                }
            ).reading(.revision),
            Route(
                .delete, "/v1/specimens/{id}", access: .only(.collector, .keeper), operation: "deleteSpecimen",
                summary: "Delete a specimen; it can be restored for 30 days", replies: [Reply(204, "It is deleted.")],
                handler: .asynchronous { request in
                    try await desk.delete(try Self.id(request))
                    return .noContent
                }),
            Route(
                .post, "/v1/specimens/{id}/restore", access: .only(.collector, .keeper), operation: "restoreSpecimen",
                summary: "Take the deletion of a specimen back",
                replies: [Reply(200, "The specimen as it is now.", schema: "Specimen")],
                handler: .asynchronous { request in try reply(try await desk.restore(try Self.id(request))) }),
        ]
    }

    private var reading: [Route] {
        [
            Route(
                .get, "/v1/specimens", access: .everyone, operation: "listSpecimens",
                summary: "Specimens, newest first",
                query: [
                    QueryParameter(
                        "limit", "How many on a page; 50 by default.", .count(1...SpecimenQuery.maximumLimit)),
                    QueryParameter("cursor", "From the member next of the page before.", .form(.recordCursor)),
                ] + SpecimenFilter.parameters,
                replies: [
                    Reply(
                        200, "A page.", schema: "SpecimenPage",
                        ids: [
                            .init(Self.path, ["id": "$response.body#/specimens/0/id"], apart: ["/occupation"]),
                            .init("/v1/specimens", ["cursor": "$response.body#/next"]),
                        ])
                ],
                handler: .asynchronous { request in try list(request) }),
            Route(
                .get, "/v1/specimens/summary", access: .everyone, operation: "sumSpecimensUp",
                summary: "What a list would have, counted by rock type, mineral, grade and collector",
                query: Array(SpecimenFilter.summed),
                replies: [Reply(200, "The counts.", schema: "SpecimenSummary")],
                handler: .asynchronous { request in try .json(try summary(request)) }),
            Route(
                .get, "/v1/specimens/{id}", access: .everyone, operation: "getSpecimen", summary: "A specimen",
                replies: [Reply(200, "The specimen.", schema: "Specimen")],
                handler: .asynchronous { request in
                    let id = try Self.id(request)
                    let specimen = try Problem.wording { () throws(SpecimenError) in try desk.archive.specimen(id) }
                    return try reply(try request.shown(specimen), isPublic: request.principal.readsPublicOnly)
                }),
        ]
    }

    // MARK: Requests

    static func id(_ request: Request) throws(Problem) -> SpecimenID {
        guard let id = SpecimenID(request.parameter("id")) else {
            throw Problem(
                .notFound, "cannot find the specimen \(request.parameter("id").prefix(40)): not an id of a specimen")
        }
        return id
    }

    /// The revision of an If-Match: `"7"`, or the entity tag of a reply, `"7.2"`. `*` takes any.
    private static func expectedRevision(_ request: Request) throws(Problem) -> Int? {
        guard let text = request.headers["if-match"], text != "*" else { return nil }
        guard let revision = Int(text.dropFirst().prefix { $0 != "." && $0 != "\"" }), revision > 0,
            text == "\"\(revision)\"" || text.hasPrefix("\"\(revision).") && text.hasSuffix("\"")
        else {
            throw Problem(
                .invalidRequest, "cannot take If-Match: expected one entity tag of a reply, or a revision in quotes",
                errors: [.init(path: "If-Match", detail: "expected \"7\" or such")])
        }
        return revision
    }

    private func open(_ request: Request) async throws -> Response {
        let order = try SpecimenRequest(try request.json())
        switch try await desk.open(order, key: try request.idempotencyKey()) {
        case .new(let specimen):
            var response = try reply(specimen)
            response.status = 201
            response.headers["location"] = "/v1/specimens/\(specimen.id)"
            return response
        case .known(let specimen):
            var response = try reply(specimen)
            response.headers["location"] = "/v1/specimens/\(specimen.id)"
            return response
        }
    }

    private func list(_ request: Request) throws -> Response {
        var query = try SpecimenFilter(desk: desk).query(request)
        query.limit = request.queryInteger("limit") ?? 50
        let page = try Problem.wording { () throws(SpecimenError) in try desk.archive.list(query) }
        let health = desk.parts.store.figures.health
        if page.specimens.isEmpty, query.cursor == nil, health.level == .failed, health.kind != "disk-full" {
            throw Problem(.archiveUnavailable, "cannot list the specimens: \(health.reason)")
        }
        return try .json(
            SpecimenPageReply(
                specimens: try page.specimens.map { specimen throws(Problem) in
                    try self.value(
                        try request.shown(specimen), from: query.circle?.centre,
                        isPublic: request.principal.readsPublicOnly)
                }, next: page.next?.description))
    }

    /// The most specimens that are counted.
    private static let mostCounted = 20_000

    private func summary(_ request: Request) throws(Problem) -> SpecimenSummaryReply {
        var query = try SpecimenFilter(desk: desk).query(request)
        var census = SampleCensus()
        repeat {
            let page = try Problem.wording { () throws(SpecimenError) in try desk.archive.list(query) }
            for specimen in page.specimens { census.add(FoundSample(specimen)) }
            query.cursor = page.next
        } while query.cursor != nil && census.counted < Self.mostCounted
        return SpecimenSummaryReply(census.summary(total: census.counted), isComplete: query.cursor == nil)
    }

    // MARK: Replies

    /// `specimen` is as whoever asks may see it; `centre` that of the circle that was asked about; without how the submissions
    /// go if only what may be public is shown.
    private func value(
        _ specimen: Specimen, from centre: Coordinate? = nil, isPublic: Bool = false
    ) throws(Problem) -> SpecimenReply {
        let submissions = try Problem.wording { () throws(SpecimenError) in
            try desk.archive.submissions(of: specimen.id)
        }.filter { !isPublic || $0.state == .submitted }
        var reply = SpecimenReply(specimen, submissions: submissions)
        if let centre, let place = specimen.position?.coordinate {
            reply.distance = centre.distance(to: place)
            reply.bearing = centre.bearing(to: place)
        }
        return reply
    }

    /// The entity tag holds the revision, for If-Match, and what else the reply depends on.
    private func reply(_ specimen: Specimen, isPublic: Bool = false) throws -> Response {
        let value = try value(specimen, isPublic: isPublic)
        var response = try Response.json(value)
        let versions = value.submissions.reduce(0) { $0 + $1.version }
        response.headers["etag"] = "\"\(specimen.revision).\(versions)\""
        return response
    }
}

extension Request {
    /// The key by which a repeated request is known.
    func idempotencyKey() throws(Problem) -> IdempotencyKey? {
        guard let key = headers["idempotency-key"] else { return nil }
        guard (1...IdempotencyKey.maximumLength).contains(key.utf8.count), TextForm.key.complaint(key) == nil else {
            throw Problem(
                .invalidRequest,
                "cannot take the Idempotency-Key: it has 1 to \(IdempotencyKey.maximumLength) bytes of printable ASCII",
                errors: [.init(path: "Idempotency-Key", detail: "too short, too long, or not printable ASCII")])
        }
        return IdempotencyKey(key: key, body: body)
    }
}

extension Problem {
    /// Runs what asks the archive, and words its refusal.
    static func wording<Value>(_ body: () throws(SpecimenError) -> Value) throws(Problem) -> Value {
        do throws(SpecimenError) {
            return try body()
        } catch {
            throw Problem(error)
        }
    }

    /// What could not be done with a specimen.
    init(_ error: SpecimenError) {
        switch error {
        case .notFound, .photographNotFound, .photographMissing, .submissionNotFound:
            self.init(.notFound, "\(error)")
        case .numberTaken:
            self.init(.numberTaken, "\(error)", errors: [.init(path: "/number", detail: "taken by another specimen")])
        case .keyConflict: self.init(.idempotencyConflict, "\(error)")
        case .revisionConflict(let revision):
            self.init(.revisionConflict, "\(error)", figures: ["revision": Double(revision)])
        case .submissionConflict(let stored):
            self.init(.submissionConflict, "\(error)", figures: ["version": Double(stored.version)])
        case .tooManyPhotographs: self.init(.tooManyPhotographs, "\(error)")
        case .tooLarge(_, let limit):
            self.init(.bodyTooLarge, "\(error)", figures: ["limitBytes": Double(limit)])
        case .invalid: self.init(.invalidRequest, "\(error)", status: 422)
        case .storage(let failure): self.init(failure)
        }
    }
}
