public import KonzaAPI
public import KonzaModel
internal import KonzaSystem

/// One request as a handler sees it: checked against its route, decoded, whole.
public struct Request: Sendable {
    /// `HEAD` is handed to the handler of `GET` and keeps its own name here.
    public let method: HTTPMethod
    /// The path as it was sent, without the query.
    public let path: String
    /// The query as it was sent, without the question mark; nil without one.
    public internal(set) var queryText: String?
    /// The decoded values of the pattern's `{names}`.
    public let parameters: [String: String]
    /// The decoded query; only parameters that the route declares, each once unless it may repeat.
    public let query: [String: [String]]
    public let headers: HeaderFields
    /// The whole body, at most as long as the route allows; empty if it is in ``upload``.
    public let body: [UInt8]
    /// A large body of a route that has them spooled, in a file without a name.
    public internal(set) var upload: Upload?
    /// The certificate that the client showed in the TLS handshake, in DER. The client has its key; who signed it, its time
    /// and whether it is revoked are for the handler to judge.
    public internal(set) var certificate: [UInt8]?
    /// Who asks.
    public let principal: Principal
    /// The media type of the route's that the client prefers.
    public let acceptedType: String

    public init(
        method: HTTPMethod, path: String, parameters: [String: String] = [:], query: [String: [String]] = [:],
        headers: HeaderFields = [:], body: [UInt8] = [], principal: Principal,
        acceptedType: String = "application/json"
    ) {
        self.method = method
        self.path = path
        self.parameters = parameters
        self.query = query
        self.headers = headers
        self.body = body
        self.principal = principal
        self.acceptedType = acceptedType
    }

    /// The value of a path parameter; empty if the pattern has none of that name.
    public func parameter(_ name: String) -> String { parameters[name] ?? "" }

    /// The value of a query parameter.
    public func query(_ name: String) -> String? { query[name]?.first }

    /// A query parameter as a number, which the route has checked.
    public func queryNumber(_ name: String) -> Double? { query(name).flatMap(Double.init) }

    /// A query parameter as a whole number, which the route has checked.
    public func queryInteger(_ name: String) -> Int? {
        query(name).flatMap { Int($0) ?? Double($0).flatMap(Int.init(exactly:)) }
    }

    /// A query parameter as an RFC 3339 date-time; one outside the years that are counted is the nearest instant.
    ///
    /// - Throws: a problem if it is there and is not a date-time.
    public func queryInstant(_ name: String) throws(Problem) -> UTCInstant? {
        guard let text = query(name) else { return nil }
        guard let instant = UTCInstant(nearestRFC3339: text) else {
            throw Self.badQuery(name, "expected an RFC 3339 date-time such as 2026-05-30T14:03:07Z")
        }
        return instant
    }

    /// A query parameter as the instant that something is asked about.
    ///
    /// - Parameters:
    ///   - name: of the parameter.
    ///   - days: before and after the instant that are looked at, too.
    /// - Returns: nil if it is not there.
    /// - Throws: an `invalid-request` problem, of status 422 for an instant outside the years that are counted, 1678 to 2261.
    public func queryTime(_ name: String, around days: Double = 0) throws(Problem) -> UTCInstant? {
        guard let instant = try queryInstant(name), let text = query(name) else { return nil }
        let first = UTCInstant.earliest.advanced(bySeconds: days * 86_400)
        let last = UTCInstant.latest.advanced(bySeconds: -days * 86_400)
        guard UTCInstant(rfc3339: text) != nil, first <= instant, instant <= last else {
            throw Self.contradiction(name, "expected a time from \(first.rfc3339) to \(last.rfc3339)")
        }
        return instant
    }

    /// The problem of one bad query parameter.
    public static func badQuery(_ name: String, _ detail: String) -> Problem {
        Problem(
            .invalidRequest, "cannot take the query parameter \(name): \(detail)",
            errors: [.init(path: name, detail: detail)])
    }

    /// The problem of a query parameter that fits the contract and contradicts another part of the request: status 422.
    public static func contradiction(_ name: String, _ detail: String) -> Problem {
        Problem(
            .invalidRequest, "cannot take the query parameter \(name): \(detail)", status: 422,
            errors: [.init(path: name, detail: detail)])
    }

    /// The body as JSON.
    ///
    /// - Returns: nil without a body.
    /// - Throws: a problem that says where it is not what `JSONReader` takes.
    public func json() throws(Problem) -> JSONValue? { body.isEmpty ? nil : try JSONReader.value(of: body) }
}
