public import HTTPServing
public import KonzaAPI
internal import KonzaModel
internal import Storage

/// `/v1/gallery`: the postcards that their visitors agreed to show to others here; `/v1/moderation`: what rangers do with them.
public struct GalleryRoutes: Sendable {
    /// What konzad has of a postcard; nil where it is not there any more. Blocks.
    public typealias Postcard = @Sendable (String) throws(Problem) -> PostcardReply?
    /// A picture of a postcard: its path below the postcard, such as `image.jpg`. Blocks.
    public typealias Picture = @Sendable (_ id: String, _ name: String) throws(Problem) -> [UInt8]

    private struct Links: Encodable {
        let image: String
        let thumbnail: String
    }

    /// Of a postcard what its picture shows anyway.
    private struct Card: Encodable {
        let id: String
        let place: String
        let message: String?
        let exposedAt: UTCInstant
        let width: Int
        let height: Int
        /// For rangers: whether others see it.
        let state: String?
        /// For rangers: when its visitor agreed.
        let agreedAt: UTCInstant?
        let links: Links
    }

    private struct Page: Encodable {
        let postcards: [Card]
        /// Of the next page; absent on the last one.
        let next: String?
        /// For rangers: how many wait for a decision.
        var waiting: Int?
    }

    private struct Answer: Encodable { let state: String }

    /// Nil where the station has no gallery.
    private let register: GalleryRegister?
    private let postcard: Postcard
    private let picture: Picture
    private let mayShow: @Sendable (Principal, String) throws(Problem) -> Void
    private let note: @Sendable (String) -> Void

    /// - Parameters:
    ///   - register: what may be shown; nil where the station has no gallery.
    ///   - postcard: asks konzad for a postcard.
    ///   - picture: has konzad give a picture.
    ///   - mayShow: throws a problem if somebody may not agree for a postcard.
    ///   - note: takes a line for the log: which postcard was hidden, without its picture.
    public init(
        _ register: GalleryRegister?, postcard: @escaping Postcard, picture: @escaping Picture,
        mayShow: @escaping @Sendable (Principal, String) throws(Problem) -> Void,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.register = register
        self.postcard = postcard
        self.picture = picture
        self.mayShow = mayShow
        self.note = note
    }

    public var routes: [Route] { visitorRoutes + rangerRoutes }

    // MARK: - Visitors

    private static let paging = [
        QueryParameter(
            "limit", "The most postcards of the page.", .count(1...GalleryRegister.mostOfPage)),
        QueryParameter("cursor", "The member `next` of the page before.", .string),
    ]

    private var visitorRoutes: [Route] {
        [
            Route(
                .get, "/v1/gallery", access: .everyone, operation: "listGallery",
                summary: "The postcards that their visitors agreed to show to others here", query: Self.paging,
                replies: [Reply(200, "A page, the newest first.", schema: "GalleryPage")],
                handler: .asynchronous { request in
                    try page(request) { register, after, limit throws(StorageError) in
                        try register.shown(after: after, limit: limit)
                    }
                }
            ).failing(.notFound, .unavailable, .archiveUnavailable),
            Route(
                .put, "/v1/gallery/{id}", access: .only(.kiosk), operation: "showPostcard",
                summary: "The visitor agrees that others see the postcard here",
                replies: [Reply(200, "Whether others see it, or a ranger decides first.", schema: "GalleryState")],
                handler: .asynchronous { request in
                    let id = try id(request)
                    try mayShow(request.principal, id)
                    guard try postcard(id) != nil else { throw Self.gone(id) }
                    let state = try kept { register throws(StorageError) in try register.agree(id) }
                    return try .json(Answer(state: state.rawValue))
                }
            ).failing(.notFound, .unavailable, .archiveUnavailable).taking("id", .string),
            Route(
                .delete, "/v1/gallery/{id}", access: .only(.kiosk), operation: "unshowPostcard",
                summary: "The visitor agrees no longer", replies: [Reply(204, "Nobody else sees it.")],
                handler: .asynchronous { request in
                    let id = try id(request)
                    try mayShow(request.principal, id)
                    try kept { register throws(StorageError) in try register.withdraw(id) }
                    return Response(status: 204)
                }
            ).failing(.notFound, .archiveUnavailable).taking("id", .string),
            pictureRoute("image.jpg", "getGalleryPicture"), pictureRoute("thumbnail.jpg", "getGalleryThumbnail"),
        ]
    }

    private func pictureRoute(_ name: String, _ operation: String) -> Route {
        Route(
            .get, "/v1/gallery/{id}/\(name)", access: .everyone, operation: operation,
            summary: "The picture of a postcard that is shown", produces: ["image/jpeg"],
            replies: [Reply(200, "A JPEG.")],
            handler: .asynchronous { request in
                let id = try id(request)
                guard try kept({ register throws(StorageError) in try register.isShown(id) }) else {
                    throw Self.gone(id)
                }
                return .bytes(try picture(id, name), type: "image/jpeg")
            }
        ).failing(.notFound, .unavailable, .archiveUnavailable).taking("id", .string)
    }

    // MARK: - Rangers

    private var rangerRoutes: [Route] {
        [
            Route(
                .get, "/v1/moderation", access: .only(.ranger, .keeper), operation: "listModeration",
                summary: "All that visitors agreed to show, and whether others see it", query: Self.paging,
                replies: [Reply(200, "A page, the newest first.", schema: "GalleryPage")],
                handler: .asynchronous { request in
                    try page(request, isRanger: true) { register, after, limit throws(StorageError) in
                        try register.all(after: after, limit: limit)
                    }
                }
            ).failing(.notFound, .unavailable, .archiveUnavailable),
            Route(
                .patch, "/v1/moderation/{id}", access: .only(.ranger, .keeper), operation: "moderatePostcard",
                summary: "Hide a postcard, or show it: {\"state\": …}",
                body: RequestBody(schema: "ModerationRequest", isRequired: true, limit: 256),
                replies: [Reply(200, "How it is then.", schema: "GalleryState")],
                handler: .asynchronous { request in
                    let id = try id(request)
                    var members = RequestMembers(try request.json())
                    let wanted = members.string("state").flatMap(GalleryRegister.State.init(rawValue:))
                    if wanted != .shown, wanted != .hidden { members.fault("state", "expected shown or hidden") }
                    try members.finish()
                    let isKnown = try kept { register throws(StorageError) in
                        try register.decide(id, isShown: wanted == .shown)
                    }
                    guard isKnown else { throw Self.gone(id) }
                    note("the postcard \(id) is \(wanted == .shown ? "shown" : "hidden") in the gallery")
                    return try .json(Answer(state: wanted?.rawValue ?? ""))
                }
            ).failing(.notFound, .archiveUnavailable).taking("id", .string),
        ]
    }

    // MARK: - Answers

    private func page(
        _ request: Request, isRanger: Bool = false,
        _ read: (GalleryRegister, Int64?, Int) throws(StorageError) -> [GalleryRegister.Entry]
    ) throws(Problem) -> Response {
        let limit = request.query("limit").flatMap { Int($0) } ?? 24
        var after: Int64?
        if let cursor = request.query("cursor") {
            guard let number = Int64(cursor), number > 0 else {
                throw Problem(.invalidRequest, "cannot read the cursor: give the member next of the page before")
            }
            after = number
        }
        let entries = try kept { register throws(StorageError) in try read(register, after, limit) }
        var cards: [Card] = []
        for entry in entries {
            guard let found = try postcard(entry.postcard) else {
                // It was deleted elsewhere, or its time was over.
                try kept { register throws(StorageError) in try register.remove(entry.postcard) }
                continue
            }
            let base = isRanger ? "/v1/postcards/" : "/v1/gallery/"
            cards.append(
                Card(
                    id: found.id, place: found.place, message: found.message, exposedAt: found.exposedAt,
                    width: found.width, height: found.height, state: isRanger ? entry.state.rawValue : nil,
                    agreedAt: isRanger ? entry.agreedAt : nil,
                    links: Links(
                        image: "\(base)\(found.id)/image.jpg", thumbnail: "\(base)\(found.id)/thumbnail.jpg")))
        }
        let next = entries.count == limit ? entries.last.map { String($0.number) } : nil
        var page = Page(postcards: cards, next: next)
        if isRanger { page.waiting = try kept { register throws(StorageError) in try register.waiting() } }
        return try .json(page)
    }

    private func kept<Value>(_ body: (GalleryRegister) throws(StorageError) -> Value) throws(Problem) -> Value {
        guard let register else {
            throw Problem(
                .notFound, "cannot find a gallery: this station has none; set [Portal] Gallery= in konzad.conf")
        }
        do throws(StorageError) {
            return try body(register)
        } catch {
            throw Problem(.archiveUnavailable, "cannot use the gallery's list: \(error); free or mend the disk")
        }
    }

    private func id(_ request: Request) throws(Problem) -> String {
        let id = request.parameter("id")
        guard (1...64).contains(id.utf8.count), id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            throw Self.gone(id)
        }
        return id
    }

    private static func gone(_ id: String) -> Problem {
        Problem(.notFound, "cannot find the postcard \(id.prefix(40)) in the gallery: it is not shown")
    }
}
