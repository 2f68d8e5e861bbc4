internal import HTTPServing
internal import HTTPTransfer
internal import KonzaAPI
internal import KonzaSystem
internal import People

/// Passes on to konzad what pages ask under `/v1/`, on behalf of whoever asks. konzad judges it by the roles of each route
/// (`Konza-On-Behalf-Of`), and can do no more for the page than for the portal's own user.
struct Forwarding: Sendable {
    private static let bodyLimit = 8 << 20
    /// Answers without an end.
    private static let streams: Set<String> = ["/v1/events", "/v1/camera/preview"]
    /// What konzad gets of a request's head. Host, Origin and cookies are the portal's own business.
    private static let passedOn: Set<String> = [
        "accept", "content-type", "idempotency-key", "if-match", "if-modified-since", "if-none-match", "if-range",
        "last-event-id", "range",
    ]
    /// What belongs to one connection, or is the portal's to say (RFC 9110 section 7.6.1).
    private static let kept: Set<String> = [
        "connection", "content-length", "date", "keep-alive", "server", "trailer", "transfer-encoding", "upgrade",
        "x-content-type-options",
    ]

    let station: StationLink
    let rights: Rights
    let frames: FrameRelay
    let people: PeopleRegister
    let streams: OpenStreams
    /// Told the id of a postcard that konzad has deleted.
    let deleted: @Sendable (String) -> Void

    var routes: [Route] {
        let methods: [HTTPMethod] = [.get, .post, .put, .patch, .delete]
        return methods.flatMap { method in
            [route(method, "/v1", suffix: "Root"), route(method, "/v1/{path...}", suffix: "")]
        }
    }

    private func route(_ method: HTTPMethod, _ path: String, suffix: String) -> Route {
        let name = method.rawValue.lowercased()
        var route = Route(
            // A visitor changes nothing: what comes with such a request is not read.
            method, path, access: method == .get ? .everyone : .only(.kiosk, .collector, .ranger, .keeper),
            operation: "\(name)OfStation\(suffix)", summary: "What konzad answers",
            body: method == .get ? nil : RequestBody(limit: Self.bodyLimit), produces: [],
            handler: .asynchronous { request in try await answer(request) })
        route.isForwarded = true
        return route
    }

    private func answer(_ request: Request) async throws -> Response {
        guard !request.path.split(separator: "/").contains(where: { $0 == ".." || $0 == "." }) else {
            throw Problem(.notFound, "cannot find \(request.path.prefix(200)): no such route")
        }
        let method = request.method == .head ? "GET" : request.method.rawValue
        let role = try rights.check(method, request.path, by: request.principal)
        if method == "GET", let wish = FrameRelay.Wish(path: request.path, query: request.queryText) {
            let answer = try await frames.answer(wish)
            return response(answer, body: .bytes(answer.body))
        }
        var passed = StationRequest(
            method,
            request.queryText.map { "\(request.path)?\($0)" } ?? request.path)
        for field in request.headers.fields where Self.passedOn.contains(field.name) {
            passed.headers.append((field.name, field.value))
        }
        // Whoever is not known by a name shares with all of its address: letters of it that a name may have.
        let name = request.principal.client ?? request.principal.account.address.map(Self.plain) ?? "local"
        passed.headers.append(("konza-on-behalf-of", "\(role.rawValue) \(name)"))
        passed.body = request.body
        if request.method == .get, Self.streams.contains(request.path) {
            let session = try PeopleGate(people).caller(of: request)?.session
            let (head, stream) = try await station.stream(passed, for: name)
            if let stream { streams.hold(stream, of: request, session) { stream.finish() } }
            return response(head, body: stream.map { .stream($0) } ?? .bytes(head.body))
        }
        let answer = try station.answer(passed)
        if role == .kiosk, request.path == "/v1/postcards", (200..<300).contains(answer.status) {
            rights.kiosk.note(location: answer.header("location"), by: name)
        }
        // One that was not there any more, too.
        if request.method == .delete, (200..<300).contains(answer.status) || answer.status == 404 {
            let parts = request.path.split(separator: "/")
            if parts.count == 3, parts[..<2] == ["v1", "postcards"] { deleted(String(parts[2])) }
        }
        return response(answer, body: answer.body.isEmpty ? .empty : .bytes(answer.body))
    }

    private static func plain(_ address: String) -> String {
        String(address.map { $0.isASCII && ($0.isLetter || $0.isNumber || ".:-_".contains($0)) ? $0 : "_" }.prefix(64))
    }

    private func response(_ answer: HTTPAnswer, body: Response.Body) -> Response {
        var response = Response(status: answer.status, body: body)
        for (name, value) in answer.headers where !Self.kept.contains(name.lowercased()) {
            response.headers.append(name, value)
        }
        return response
    }
}
