internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Markup
internal import Storage

/// `/v1/pages`: what the station says about itself.
struct PageRoutes: Sendable {
    private struct Listed: Encodable {
        let name: String
        let language: String
        let title: String
        let summary: String?
        let order: Int
        let links: [String: String]
    }

    private struct List: Encodable {
        let pages: [Listed]
        /// All that there are pages in.
        let languages: [String]
        let links: [String: String]
    }

    private struct Page: Encodable {
        let name: String
        let language: String
        let title: String
        let summary: String?
        /// The text as a tree (CommonMark).
        let blocks: [MarkupNode]
        /// What the names of pictures in the text stand behind.
        let pictures: String
        let links: [String: String]
    }

    /// In which there is something when there is nothing in another.
    static let fallback = "en"

    let content: StationContent

    private static let language = QueryParameter(
        "language", "A tag such as es or es-MX (RFC 5646); what there is not in it is answered in English.", .string)

    var routes: [Route] {
        [
            Route(
                .get, "/v1/pages", access: .everyone, operation: "listPages", summary: "The station's pages",
                query: [Self.language],
                replies: [Reply(200, "In their order, without their texts.", schema: "StationPageList")],
                handler: .asynchronous { request in try list(in: language(request)) }),
            Route(
                .get, "/v1/pages/{name}", access: .everyone, operation: "getStationPage", summary: "One page",
                query: [Self.language], replies: [Reply(200, "The page with its text.", schema: "StationPage")],
                handler: .asynchronous { request in try page(request) }
            ).failing(.notFound).taking("name", .string),
            Route(
                .get, "/v1/pages/{language}/pictures/{picture}", access: .everyone, operation: "getPagePicture",
                summary: "A picture that lies beside the pages of a language",
                produces: ["image/jpeg", "image/png", "image/webp"], replies: [Reply(200, "The picture.")],
                handler: .asynchronous { request in try picture(request) }
            ).failing(.notFound, .unavailable).taking("language", .string).taking("picture", .string),
        ]
    }

    /// The pages of a language, and those of the fallback that it lacks.
    private func pages(in language: String) -> [StationPage] {
        let all = content.current.pages
        let own = all.filter { $0.language == language }
        let names = Set(own.map(\.name))
        return (own + all.filter { $0.language == Self.fallback && !names.contains($0.name) })
            .sorted { ($0.order, $0.title, $0.name) < ($1.order, $1.title, $1.name) }
    }

    /// The language of the pages that is asked for, also by a tag of a country's.
    private func language(_ request: Request) -> String {
        let languages = Set(content.current.pages.map(\.language))
        return Translations.find(
            request.query("language"), in: Dictionary(uniqueKeysWithValues: languages.map { ($0, $0) }))
            ?? Self.fallback
    }

    private func list(in language: String) throws(Problem) -> Response {
        let listed = pages(in: language).map {
            Listed(
                name: $0.name, language: $0.language, title: $0.title, summary: $0.summary, order: $0.order,
                links: ["self": "/v1/pages/\($0.name)?language=\($0.language)"])
        }
        return try .json(
            List(
                pages: listed, languages: Set(content.current.pages.map(\.language)).sorted(),
                links: ["self": "/v1/pages"]))
    }

    private func page(_ request: Request) throws(Problem) -> Response {
        let name = request.parameter("name")
        let language = language(request)
        let all = content.current.pages.filter { $0.name == name }
        guard
            let page = all.first(where: { $0.language == language })
                ?? all.first(where: { $0.language == Self.fallback }) ?? all.first
        else {
            throw Problem(
                .notFound,
                "cannot find the page \(TextRule.cleaned(String(name.prefix(40)))): GET /v1/pages lists those that are there"
            )
        }
        return try .json(
            Page(
                name: page.name, language: page.language, title: page.title, summary: page.summary,
                blocks: page.text.blocks, pictures: "/v1/pages/\(page.language)/pictures/",
                links: ["self": "/v1/pages/\(page.name)?language=\(page.language)"]))
    }

    private func picture(_ request: Request) throws(Problem) -> Response {
        let (language, name) = (request.parameter("language"), request.parameter("picture"))
        let missing = Problem(
            .notFound,
            "cannot find the picture \(TextRule.cleaned(String(name.prefix(60)))): none of that name lies beside the pages"
        )
        guard StationPage.isLanguage(language), MarkupAddress.picture(name) == name else { throw missing }
        var found: [UInt8]?
        do throws(FileError) {
            found = try content.picture(name, language: language)
        } catch {
            throw error.isAbsent ? missing : Problem(.unavailable, "cannot read the picture now: \(error)")
        }
        guard let bytes = found, let kind = PictureKind(bytes) else { throw missing }
        var response = Response.bytes(bytes, type: kind.mediaType)
        var hash = SHA256()
        hash.update(bytes)
        response.entityTag = String(hash.hexadecimal().prefix(16))
        return response
    }
}
