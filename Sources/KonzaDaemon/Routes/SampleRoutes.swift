internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel

/// `/v1/samples` and `/v1/regions`: what MetPetDB has, from the server or from what is kept here.
struct SampleRoutes: Sendable {
    private static let largestPage = 200
    private static let usualPage = 50

    /// A UUID, or a whole number of the older servlet.
    private static let sampleID = TextForm(
        "(?:[1-9][0-9]{0,17}|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})",
        examples: ["4711", "7f6e5d4c-3b2a-4190-8f7e-6d5c4b3a2910"], expected: "an id of a sample",
        accepts: { isNumber($0) || isUUID($0) })

    let desk: SampleDesk
    let filter: SampleFilter

    var routes: [Route] {
        [
            Route(
                .get, "/v1/samples", access: .everyone, operation: "findSamples",
                summary: "Samples of MetPetDB, the nearest to the place asked about first",
                query: [
                    QueryParameter(
                        "limit", "Samples, or places, on a page; 50 by default.", .count(1...Self.largestPage)),
                    QueryParameter(
                        "cursor", "From the member next of the page before; the rest as it was.",
                        .form(SampleCursor.form)),
                    QueryParameter("group", "place: samples at one place together.", values: ["place"]),
                ] + SampleFilter.area + SampleFilter.narrowing + SampleFilter.freshness,
                replies: [
                    Reply(
                        200, "A page, with its age.", schema: "SamplePage",
                        ids: [
                            .init("/v1/samples/{id}", ["id": "$response.body#/samples/0/id"]),
                            .init("/v1/samples", ["cursor": "$response.body#/next"]),
                        ])
                ],
                handler: .asynchronous { request in try await search(request) }),
            Route(
                .get, "/v1/samples/summary", access: .everyone, operation: "sumSamplesUp",
                summary: "What a search would find, counted by rock type, mineral, grade and owner",
                query: SampleFilter.area + SampleFilter.narrowing + SampleFilter.freshness,
                replies: [Reply(200, "The counts, with their age.", schema: "SampleSummary")],
                handler: .asynchronous { request in
                    let query = try filter.search(request).summed
                    let answer = try await desk.answer(.summary(query), try filter.wishes(request))
                    return try .json(Dated(answer.value, answer.origin))
                }),
            Route(
                .get, "/v1/samples/{id}", access: .everyone, operation: "getSample", summary: "A sample of MetPetDB",
                query: SampleFilter.freshness,
                replies: [
                    Reply(
                        200, "The sample, with its age.", schema: "SampleDetails",
                        ids: [
                            .init(Self.image, ["id": "$request.path.id", "image": "$response.body#/images/0/id"])
                        ])
                ],
                handler: .asynchronous { request in try await details(request) }
            ).taking("id", .form(Self.sampleID)),
            picture("thumbnail.jpg", .thumbnail, ["image/jpeg"], "getSampleThumbnail", "A small copy of a picture"),
            picture("file", .full, PictureIntake.types, "getSamplePicture", "A picture of a sample"),
            Route(
                .put, "/v1/errands/{id}/picture", access: .only(.courier), operation: "handPictureOver",
                summary: "Hand over the picture that an errand is about, which ends the errand",
                body: RequestBody(
                    types: PictureIntake.types, isRequired: true, limit: Errand.Picture.mostBytes, isSpooled: true),
                replies: [Reply(204, "It is whole, and taken.")],
                handler: .asynchronous { request in
                    let name = request.headers["content-type"]?.lowercased() ?? ""
                    let type = PictureIntake.types.first(where: name.hasPrefix) ?? PictureIntake.types[0]
                    try await desk.takePicture(request.parameter("id"), PictureIntake.Sent(request), type: type)
                    return .noContent
                }
            ).taking("id", .text(.key, 1...200)).failing(.notAPicture, .insufficientStorage),
            Route(
                .get, "/v1/regions", access: .everyone, operation: "listRegions",
                summary: "The regions that samples can be looked for in, as an alphabetical index",
                query: SampleFilter.freshness, replies: [Reply(200, "The names, with their age.", schema: "Regions")],
                handler: .asynchronous { request in
                    let answer = try await desk.answer(
                        .regions(publicOnly: request.principal.readsPublicOnly), try filter.wishes(request))
                    return try .json(Dated(RegionsReply(regions: answer.value), answer.origin))
                }),
        ].map { $0.failing(.notFound, .noPosition, .conflict, .unknownTerm, .forbidden) }
    }

    // MARK: One sample

    private static let image = "/v1/samples/{id}/images/{image}"

    private func picture(
        _ name: String, _ size: SampleDetails.Image.Size, _ types: [String], _ operation: String, _ summary: String
    ) -> Route {
        Route(
            .get, "\(Self.image)/\(name)", access: .everyone, operation: operation, summary: summary,
            query: SampleFilter.freshness.filter { $0.name == "wait" }, produces: types,
            replies: [
                Reply(200, "The file."), Reply(206, "A part of it."), Reply(304, "The client's copy is good."),
            ],
            handler: .asynchronous { request in
                var wishes = try filter.wishes(request)
                // Which pictures there are does not change with the hour.
                wishes.maxAge = .infinity
                let details = try await answer(request, wishes).value
                let id = request.parameter("image")
                guard let image = details.images.first(where: { $0.id.lowercased() == id.lowercased() }) else {
                    throw Problem(
                        .notFound,
                        "cannot find the picture \(id.prefix(60)): GET /v1/samples/{id} has the sample's images")
                }
                let picture = try await desk.picture(image, size, of: details.sample.id, wishes)
                return .file(picture.file, type: picture.type)
            }
        ).taking("id", .form(Self.sampleID)).taking("image", .form(Self.sampleID))
    }

    private func details(_ request: Request) async throws -> Response {
        let answer = try await answer(request, try filter.wishes(request))
        let kept = await desk.keptPictures(of: answer.value)
        if answer.origin.source == .server {
            desk.fetchThumbnails(of: answer.value, except: kept[.thumbnail] ?? [])
        }
        let way = WayThere(to: answer.value.sample.place, from: filter.position?.place, center: nil)
        let reply = SampleDetailsReply(
            answer.value, way: way, keptThumbnails: kept[.thumbnail] ?? [], keptFiles: kept[.full] ?? [])
        return try .json(Dated(reply, answer.origin))
    }

    /// The sample, without what whoever asks may not see of it.
    private func answer(
        _ request: Request, _ wishes: SampleDesk.Wishes
    ) async throws -> SampleDesk.Answer<SampleDetails> {
        let id = request.parameter("id")
        guard Self.sampleID.complaint(id) == nil else {
            throw Problem(
                .notFound,
                "cannot find the sample \(id.prefix(60)): MetPetDB's ids are UUIDs, the older servlet's whole "
                    + "numbers; GET /v1/samples has them")
        }
        let answer = try await desk.answer(.details(id.lowercased()), wishes)
        guard request.principal.readsPublicOnly else { return answer }
        guard answer.value.sample.isPublic else {
            throw Problem(
                .notFound, "cannot find the sample \(id.prefix(60)): GET /v1/samples has those that are known")
        }
        var shown = answer.value
        shown.images.removeAll { $0.isPublic == false }
        return SampleDesk.Answer(value: shown, origin: answer.origin, stamp: answer.stamp)
    }

    private static func isNumber(_ text: String) -> Bool {
        text.count <= 18 && Int64(text).map { $0 > 0 && String($0) == text } == true
    }

    private static func isUUID(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let isHex = parts.allSatisfy { $0.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit } }
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && isHex
    }

    // MARK: Pages

    private func search(_ request: Request) async throws -> Response {
        let limit = request.queryInteger("limit") ?? Self.usualPage
        let cursor = try request.query("cursor").map { text throws(Problem) in
            guard let cursor = SampleCursor(text) else {
                throw Request.badQuery("cursor", "expected the member next of a page")
            }
            return cursor
        }
        let search = try filter.search(request, center: cursor?.center)
        let wishes = try filter.wishes(request)
        let answer = try await answer(search, wishes, cursor)
        let listing = SampleListing(answer.value, answer.origin.coverage, of: search)
        var reply = SamplePageReply(total: listing.total, isComplete: listing.isComplete)
        reply.wholeWithin = listing.wholeWithin
        let position = filter.position
        reply.position = position.map { SampleViewpoint($0.place, source: $0.source) }
        let start = cursor?.offset ?? 0
        let count: Int
        if request.query("group") == "place" {
            let places = Self.places(listing, from: position?.place)
            reply.places = Array(places.dropFirst(start).prefix(limit))
            count = places.count
        } else {
            reply.samples = listing.samples.dropFirst(start).prefix(limit).map {
                SampleReply($0, way: WayThere(to: $0.place, from: position?.place, center: listing.center))
            }
            count = listing.samples.count
        }
        if start + limit < count {
            reply.next =
                SampleCursor(
                    isKnown: answer.origin.coverage == .known, stamp: answer.stamp, offset: start + limit,
                    center: listing.center
                ).description
        }
        return try .json(Dated(reply, answer.origin))
    }

    private func answer(
        _ search: SampleSearch, _ wishes: SampleDesk.Wishes, _ cursor: SampleCursor?
    ) async throws(Problem) -> SampleDesk.Answer<SampleAnswer> {
        let question = SampleQuestion.search(search.asked)
        guard let cursor else { return try await desk.answer(question, wishes) }
        guard let answer = await desk.again(question, stamp: cursor.stamp, isKnown: cursor.isKnown) else {
            throw Problem(
                .conflict,
                "cannot go on with the list: the samples were asked for anew since, or are kept no longer; begin with the "
                    + "first page")
        }
        return answer
    }

    private static func places(_ listing: SampleListing, from position: Coordinate?) -> [SamplePlaceReply] {
        let samples = Dictionary(listing.samples.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return listing.samples.pinned().map { pin in
            SamplePlaceReply(
                place: pin.place, way: WayThere(to: pin.place, from: position, center: listing.center),
                samples: pin.samples.compactMap { samples[$0] })
        }
    }
}
