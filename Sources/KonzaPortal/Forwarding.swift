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

    /// Says how long a postcard is kept that is asked for.
    private static let keep = "konza-keep"

    let station: StationLink
    let rights: Rights
    let frames: FrameRelay
    let people: PeopleRegister
    let streams: OpenStreams
    let unseen: UnseenCards
    let collectors: CollectorRights
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

    /// Whether a path has no percent code of what needs none (RFC 3986, section 2.3), nor of a slash.
    static func isPlain(_ path: String) -> Bool {
        let bytes = Array(path.utf8)
        return bytes.indices.allSatisfy { index in
            guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let byte = UInt8(String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16)
            else { return bytes[index] != UInt8(ascii: "%") }
            let scalar = Character(Unicode.Scalar(byte))
            return !(scalar.isASCII && (scalar.isLetter || scalar.isNumber || "-._~/\\".contains(scalar)))
        }
    }

    private func answer(_ request: Request) async throws -> Response {
        guard !request.path.split(separator: "/").contains(where: { $0 == ".." || $0 == "." }) else {
            throw Problem(.notFound, "cannot find \(request.path.prefix(200)): no such route")
        }
        // Rights are judged by the path as it is written, and konzad decodes it: both are to read one and the same.
        guard Self.isPlain(request.path) else {
            throw Problem(
                .malformedRequest,
                "cannot read the path: a letter, a digit, a slash or one of -._~ stands in percent code in it; write it as it is"
            )
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
        if role == .collector {
            try collectors.check(request.path, by: name)
            if method == "GET", request.path == "/v1/postcards" { return try list(request, passed, by: name) }
            if request.path == "/v1/events" {
                let events = try CollectorRights.events(request.queryText)
                passed = passed.with(target: "/v1/events?types=\(events)")
            }
        }
        if request.method == .get, Self.streams.contains(request.path) {
            let session = try PeopleGate(people).caller(of: request)?.session
            let (head, stream) = try await station.stream(passed, for: name)
            if let stream { streams.hold(stream, of: request, session) { stream.finish() } }
            return response(head, body: stream.map { .stream($0) } ?? .bytes(head.body))
        }
        let answer = try take(request, passed) ?? station.answer(passed)
        if role == .kiosk, request.path == "/v1/postcards", (200..<300).contains(answer.status) {
            rights.kiosk.note(location: answer.header("location"), by: name)
        }
        if role == .collector, method == "POST", request.path == "/v1/postcards", (200..<300).contains(answer.status) {
            collectors.note(location: answer.header("location"), by: name)
        }
        // One that was not there any more, too.
        if request.method == .delete, (200..<300).contains(answer.status) || answer.status == 404 {
            let parts = request.path.split(separator: "/")
            if parts.count == 3, parts[..<2] == ["v1", "postcards"] { deleted(String(parts[2])) }
        }
        return response(answer, body: answer.body.isEmpty ? .empty : .bytes(answer.body))
    }

    /// The list of a collector's device.
    private func list(_ request: Request, _ passed: StationRequest, by name: String) throws(Problem) -> Response {
        let answer = try collectors.list(request.queryText, by: name) { query throws(Problem) in
            try station.answer(passed.with(target: query.isEmpty ? request.path : "\(request.path)?\(query)"))
        }
        return response(answer, body: .bytes(answer.body))
    }

    /// Has a postcard taken that is kept only if a page says that it was seen (``UnseenCards``).
    ///
    /// - Returns: nil for any other request.
    private func take(_ request: Request, _ passed: StationRequest) throws(Problem) -> HTTPAnswer? {
        guard request.method == .post, request.path == "/v1/postcards", let wish = request.headers[Self.keep] else {
            return nil
        }
        guard wish == "when-seen", let wished = request.headers["idempotency-key"], UnseenCards.isKey(wished) else {
            throw Problem(
                .invalidRequest,
                "cannot take the postcard: Konza-Keep is when-seen, with an Idempotency-Key of 1 to \(UnseenCards.longestKey) "
                    + "letters, digits and -; or leave Konza-Keep out",
                errors: [.init(path: "Konza-Keep", detail: "expected when-seen, with an Idempotency-Key")])
        }
        let key = UnseenCards.key(wished, of: request.principal)
        let isNew = try unseen.expect(key)
        var named = passed
        named.headers.removeAll { $0.name == "idempotency-key" }
        named.headers.append(("idempotency-key", UnseenCards.stationKey(key)))
        let answer = try station.answer(named)
        unseen.note(answer, to: key, isNew: isNew)
        return answer
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
