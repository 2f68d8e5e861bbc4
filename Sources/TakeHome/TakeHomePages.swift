public import HTTPServing
public import KonzaAPI
public import KonzaModel
internal import KonzaSystem
internal import Storage

/// What a telephone gets that follows a link: a page with the picture, to long-press, and the picture as a file. No script
/// and no cookie: it works in whatever opens links.
public struct TakeHomePages: Sendable {
    /// A picture, or why there is none.
    public typealias Picture = @Sendable (String) throws(Problem) -> [UInt8]

    private let register: ShareRegister
    private let station: String
    private let isThere: @Sendable (String) throws(Problem) -> Bool
    private let picture: Picture
    private let animation: Picture
    private let guesses: AttemptLimit

    /// Links of one address in a minute that lead nowhere.
    static let guesses = 20

    /// - Parameters:
    ///   - register: the links.
    ///   - station: its name.
    ///   - clock: the time.
    ///   - isThere: has konzad say whether it has a postcard still; blocks.
    ///   - picture: has konzad give the picture of a postcard by its id; blocks.
    ///   - animation: its burst as an animated picture, empty if it has none; blocks.
    public init(
        _ register: ShareRegister, station: String, clock: any StationClock,
        isThere: @escaping @Sendable (String) throws(Problem) -> Bool,
        picture: @escaping Picture, animation: @escaping Picture
    ) {
        self.register = register
        self.station = station
        self.isThere = isThere
        self.picture = picture
        self.animation = animation
        guesses = AttemptLimit(Self.guesses, clock: clock)
    }

    public var routes: [Route] {
        [
            page("/", "getTakeHome") { _, words in
                Self.document(words, title: station, "<h1>\(escaped(station))</h1><p>\(words.scan)</p>")
            },
            page("/t/{secret}", "getShare") { request, words throws(Problem) in
                let secret = request.parameter("secret")
                guard let id = try postcard(request), try isThere(id) else { return nil }
                let moves = try !animation(id).isEmpty
                return Self.document(
                    words, title: station,
                    """
                    <h1>\(words.title)</h1>
                    <img src="/t/\(secret)/postcard.jpg" alt="\(words.alternative)">
                    <p>\(words.press)</p>
                    <a href="/t/\(secret)/postcard.jpg?download=yes" download>\(words.save)</a>
                    \(moves ? Self.moving(secret, words) : "")
                    <p class="small">\(words.ends)</p>
                    """)
            },
            Route(
                .get, "/t/{secret}/postcard.webp", access: .everyone, operation: "getSharedAnimation",
                summary: "The animated picture of a link",
                query: [QueryParameter("download", "Have the browser save it.", values: ["yes"])],
                produces: ["image/webp"], replies: [Reply(200, "A WebP.")],
                handler: .asynchronous { request in
                    guard let id = try postcard(request), case let file = try animation(id),
                        !file.isEmpty
                    else {
                        throw Problem(.notFound, "cannot find the moving picture: the link is over, or it has none")
                    }
                    var response = Response.bytes(file, type: "image/webp")
                    if request.query("download") != nil {
                        response.headers.append("content-disposition", "attachment; filename=\"postcard-\(id).webp\"")
                    }
                    return response
                }
            ).failing(.notFound, .tooManyRequests).taking("secret", .string),
            Route(
                .get, "/t/{secret}/postcard.jpg", access: .everyone, operation: "getSharedPicture",
                summary: "The picture of a link",
                query: [QueryParameter("download", "Have the browser save it.", values: ["yes"])],
                produces: ["image/jpeg"], replies: [Reply(200, "A JPEG.")],
                handler: .asynchronous { request in
                    guard let id = try postcard(request) else {
                        throw Problem(.notFound, "cannot find the picture: the link is over, or there never was one")
                    }
                    var response = Response.bytes(try picture(id), type: "image/jpeg")
                    if request.query("download") != nil {
                        response.headers.append("content-disposition", "attachment; filename=\"postcard-\(id).jpg\"")
                    }
                    return response
                }
            ).failing(.notFound, .tooManyRequests).taking("secret", .string),
        ]
    }

    /// Whoever wants little motion sees the still picture; the file can be saved all the same.
    private static func moving(_ secret: String, _ words: Words) -> String {
        """
        <picture>
        <source srcset="/t/\(secret)/postcard.jpg" media="(prefers-reduced-motion: reduce)">
        <img src="/t/\(secret)/postcard.webp" alt="\(words.moving)">
        </picture>
        <a href="/t/\(secret)/postcard.webp?download=yes" download>\(words.saveMoving)</a>
        """
    }

    /// The postcard that the link of a request leads to.
    ///
    /// - Throws: a problem if it cannot be looked up, or the client has tried too many that led nowhere: not even one that
    ///   leads somewhere is answered then, or guessing would go on.
    private func postcard(_ request: Request) throws(Problem) -> String? {
        let client = request.principal.account.description
        if let wait = guesses.refuses(client, counting: false) {
            throw Problem.tooSoon(
                "cannot open a link now: \(Self.guesses) that led nowhere were tried from \(client) within a minute; wait "
                    + "\(Int(wait.rounded(.up))) s", retryAfter: wait)
        }
        do throws(StorageError) {
            if let id = try register.postcard(of: request.parameter("secret")) { return id }
        } catch {
            throw Problem(.archiveUnavailable, "cannot look the link up: \(error)")
        }
        _ = guesses.refuses(client)
        return nil
    }

    /// A route of a page in the language of the telephone.
    private func page(
        _ path: String, _ operation: String, _ make: @escaping @Sendable (Request, Words) throws(Problem) -> String?
    ) -> Route {
        var route = Route(
            .get, path, access: .everyone, operation: operation, summary: "A page for a telephone",
            produces: ["text/html"],
            replies: [
                Reply(200, "The page."), Reply(404, "The link is over, or there never was one."),
                Reply(429, "Too many links that lead nowhere were tried from this address."),
            ],
            handler: .asynchronous { request in
                let words = Words.of(request.headers["accept-language"])
                do throws(Problem) {
                    if let text = try make(request, words) { return Self.answer(text, 200) }
                } catch {
                    guard error.kind == .tooManyRequests else { throw error }
                    var response = note(words.tooMany, words.tooManyNote, words, 429)
                    response.headers["retry-after"] = Response.problem(error).headers["retry-after"]
                    return response
                }
                return note(words.over, words.overNote, words, 404)
            })
        if !route.parameterNames.isEmpty { route = route.taking("secret", .string) }
        return route
    }

    private func note(_ title: String, _ text: String, _ words: Words, _ status: Int) -> Response {
        Self.answer(Self.document(words, title: station, "<h1>\(title)</h1><p>\(text)</p>"), status)
    }

    private static func answer(_ text: String, _ status: Int) -> Response {
        var response = Response.bytes(Array(text.utf8), type: "text/html; charset=utf-8")
        response.status = status
        return response
    }

    private static func document(_ words: Words, title: String, _ body: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="\(words.language)">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <title>\(escaped(title))</title>
        <link rel="stylesheet" href="/pages/style/take-home.css">
        </head>
        <body><main>
        \(body)
        </main></body>
        </html>

        """
    }
}

/// What the pages of telephones say.
struct Words: Sendable {
    let language: String
    let title: String
    let alternative: String
    let press: String
    let save: String
    let moving: String
    let saveMoving: String
    let ends: String
    let over: String
    let overNote: String
    let tooMany: String
    let tooManyNote: String
    let scan: String

    static let english = Words(
        language: "en", title: "Your postcard", alternative: "Your postcard from the prairie",
        press: "Hold the picture to keep or send it.", save: "Save the picture", moving: "Your postcard, moving",
        saveMoving: "Save the moving picture",
        ends: "This link ends a day after it was made. The picture goes to your telephone and nowhere else.",
        over: "This link is over", overNote: "It ended, or its postcard was deleted. Ask for a new one at the station.",
        tooMany: "Please wait a minute",
        tooManyNote: "Too many links were tried that lead nowhere. Then open yours again.",
        scan: "Scan the code beside your postcard to have it here.")
    static let spanish = Words(
        language: "es", title: "Su postal", alternative: "Su postal de la pradera",
        press: "Mantenga pulsada la imagen para guardarla o enviarla.", save: "Guardar la imagen",
        moving: "Su postal en movimiento", saveMoving: "Guardar la imagen en movimiento",
        ends: "Este enlace termina un día después de crearse. La imagen va a su teléfono y a ningún otro sitio.",
        over: "Este enlace ha terminado",
        overNote: "Terminó, o su postal fue borrada. Pida uno nuevo en la estación.",
        tooMany: "Espere un minuto, por favor",
        tooManyNote: "Se probaron demasiados enlaces que no llevan a nada. Después, abra el suyo otra vez.",
        scan: "Escanee el código junto a su postal para tenerla aquí.")

    /// By the first language of the list that there is (RFC 9110 section 12.5.4; the weights are in its order in practice).
    static func of(_ accepted: String?) -> Words {
        for part in (accepted ?? "").split(separator: ",") {
            let name = part.drop { $0 == " " }.prefix { $0.isLetter }.lowercased()
            if name == "es" { return spanish }
            if name == "en" { return english }
        }
        return english
    }
}

/// Text as HTML.
private func escaped(_ text: String) -> String { XMLText.escaped(text) }
