internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Specimens

/// `/v1/specimens/{id}/photographs`.
struct PhotographRoutes: Sendable {
    let desk: PhotographDesk
    /// The largest upload, bytes.
    let limit: Int

    private static let root = "/v1/specimens/{id}/photographs"
    private static let pictureTypes = PictureIntake.types

    var routes: [Route] {
        [
            Route(
                .post, Self.root, access: .only(.collector, .keeper), operation: "addPhotograph",
                summary: "Take a photograph with the camera (JSON), or take in one that is sent (a picture)",
                query: [
                    QueryParameter(
                        "imageType", "Of an upload; FIELDPHOTO by default.",
                        values: Photograph.ImageType.allCases.map(\.rawValue)),
                    QueryParameter(
                        "scale", "Of an upload: its width on the specimen, millimetres.",
                        .count(PhotographRequest.scales)),
                    QueryParameter(
                        "description", "Of an upload.", .text(.longText, 0...PhotographRequest.longestDescription)),
                    QueryParameter("direction", "Of an upload: degrees from true north.", .range(0...360)),
                ],
                body: RequestBody(
                    schema: "PhotographRequest", types: ["application/json"] + Self.pictureTypes, limit: limit,
                    isSpooled: true),
                replies: [
                    Reply(
                        201, "The photograph, safely on disk.", schema: "Photograph",
                        ids: [
                            .init(
                                "\(Self.root)/{photograph}",
                                ["id": "$request.path.id", "photograph": "$response.body#/id"])
                        ])
                ],
                handler: .asynchronous { request in try await add(request) }),
            Route(
                .get, Self.root, access: .everyone, operation: "listPhotographs",
                summary: "The photographs of a specimen",
                replies: [Reply(200, "The photographs.", schema: "Photographs")],
                handler: .asynchronous { request in try .json(PhotographsReply(try specimen(request))) }),
            Route(
                .get, "\(Self.root)/{photograph}", access: .everyone, operation: "getPhotograph",
                summary: "What is known of a photograph",
                replies: [Reply(200, "The photograph.", schema: "Photograph")],
                handler: .asynchronous { request in
                    let specimen = try specimen(request)
                    let id = try Self.photograph(request)
                    guard let photograph = specimen.photographs.first(where: { $0.id == id }) else {
                        throw Problem(SpecimenError.photographNotFound(id))
                    }
                    return try .json(PhotographReply(photograph, of: specimen.id))
                }),
            file("file", produces: Self.pictureTypes, "getPhotographFile", "The picture", isThumbnail: false),
            file(
                "thumbnail.jpg", produces: ["image/jpeg"], "getPhotographThumbnail", "A small copy",
                isThumbnail: true),
            Route(
                .delete, "\(Self.root)/{photograph}", access: .only(.collector, .keeper), operation: "deletePhotograph",
                summary: "Delete a photograph", replies: [Reply(204, "It is gone.")],
                handler: .asynchronous { request in
                    try await desk.delete(try Self.photograph(request), of: try SpecimenRoutes.id(request))
                    return .noContent
                }),
        ].map {
            $0.failing(
                .notAPicture, .tooManyPhotographs, .unsupportedFrame, .cannotStamp, .cameraUnavailable,
                .archiveUnavailable, .indexRebuilding, .insufficientStorage)
        }
    }

    private func file(
        _ name: String, produces: [String], _ operation: String, _ summary: String, isThumbnail: Bool
    ) -> Route {
        Route(
            .get, "\(Self.root)/{photograph}/\(name)", access: .everyone, operation: operation, summary: summary,
            produces: produces,
            replies: [
                Reply(200, "The file."), Reply(206, "A part of it."), Reply(304, "The client's copy is good."),
            ],
            handler: .asynchronous { request in
                let id = try SpecimenRoutes.id(request)
                let photograph = try Self.photograph(request)
                if request.principal.readsPublicOnly { _ = try specimen(request) }
                do throws(SpecimenError) {
                    return try Self.response(
                        try desk.specimens.archive.openPhotograph(photograph, of: id, isThumbnail: isThumbnail))
                } catch {
                    throw Problem(error)
                }
            })
    }

    private static func response(_ photograph: consuming OpenPhotograph) throws(SpecimenError) -> Response {
        let (type, tag) = (photograph.mediaType, photograph.entityTag)
        do throws(SystemError) {
            return .file(try OpenFile(owning: photograph.takeDescriptor()), type: type, entityTag: tag)
        } catch {
            throw .invalid("\(error)")
        }
    }

    private func specimen(_ request: Request) throws(Problem) -> Specimen {
        let id = try SpecimenRoutes.id(request)
        return try request.shown(
            try Problem.wording { () throws(SpecimenError) in try desk.specimens.archive.specimen(id) })
    }

    private static func photograph(_ request: Request) throws(Problem) -> PhotographID {
        guard let id = PhotographID(request.parameter("photograph")) else {
            throw Problem(
                .notFound,
                "cannot find the photograph \(request.parameter("photograph").prefix(40)): not an id of a photograph")
        }
        return id
    }

    private func add(_ request: Request) async throws -> Response {
        let id = try SpecimenRoutes.id(request)
        let type = Self.pictureTypes.first { request.headers["content-type"]?.lowercased().hasPrefix($0) == true }
        let photograph: Photograph
        if let type {
            let facts = try PhotographRequest(query: request.query.compactMapValues(\.first))
            photograph = try await desk.takeIn(id, PictureIntake.Sent(request), type: type, facts)
        } else {
            guard request.query.isEmpty else {
                throw Request.contradiction(
                    request.query.keys.sorted()[0], "only with an upload; the camera's photograph takes a JSON body")
            }
            guard request.upload == nil, request.body.count <= SpecimenRoutes.bodyLimit else {
                throw Problem(.bodyTooLarge, "cannot take the body: a JSON body has \(SpecimenRoutes.bodyLimit) bytes")
            }
            photograph = try await desk.take(id, try PhotographRequest(try request.json()))
        }
        return try .created(
            PhotographReply(photograph, of: id), location: "/v1/specimens/\(id)/photographs/\(photograph.id)")
    }
}
