internal import HTTPServing
internal import KonzaAPI
internal import Storage

/// `GET /v1`, the list of routes, and `GET /v1/openapi.json`, the contract. Both are made from the routes that are served and
/// from themselves, when they are first asked for: a start takes a fifth less of the processor so.
enum ContractRoutes {
    private static let document = ContractDocument(
        title: "konzad",
        description:
            "The station's position, camera, postcards and specimens, over HTTP/1.1 on a Unix socket. Times are RFC 3339 "
            + "in UTC, angles in degrees, lengths in metres, speeds in m/s. What is not known is left out. "
            + "x-access says who may use an operation beside root and konzad's own user: read, everyone; "
            + "write, the members of the group; courier and fleet, the users of these processes. x-roles names the roles that may: a "
            + "process that is trusted to act for others names one of them and the other in the header "
            + "Konza-On-Behalf-Of, as in \"kiosk front-door\", and is then held to that role. "
            + "x-excludes names the parameters that one cannot come with, x-needs the one that it cannot come "
            + "without.",
        schemas: Schema.all
    ) { route in
        [
            "x-access": .string(
                access(route.access)),
            "x-roles": .array(Role.allCases.filter(route.access.roles.contains).map { .string($0.rawValue) }),
        ]
    }

    private static func access(_ access: Access) -> String {
        if access == .everyone { return "read" }
        let processes: [Role] = [.courier, .fleet]
        return processes.first { access.roles == [$0] }?.rawValue ?? "write"
    }

    static func adding(to routes: [Route], version: String) -> [Route] {
        let all = routes + [index(FirstAsked { [] }), contract(FirstAsked { [] })]
        let list = FirstAsked { try Response.encode(makeIndex(all, version: version)) }
        let text = FirstAsked { try Response.encode(document.make(routes: all, version: version)) }
        return routes + [index(list), contract(text)]
    }

    private static func index(_ reply: FirstAsked) -> Route {
        Route(
            .get, "/v1", access: .everyone, operation: "listRoutes", summary: "Every route of this API",
            replies: [Reply(200, "The routes.", schema: "Index")],
            handler: .immediate { _ in .kept(try reply.data(), type: "application/json") })
    }

    private static func contract(_ reply: FirstAsked) -> Route {
        Route(
            .get, "/v1/openapi.json", access: .everyone, operation: "getContract",
            summary: "The contract of this API (OpenAPI 3.1)",
            replies: [Reply(200, "An OpenAPI document.")],
            // Some 20 ms the first time, which nobody else waits for.
            handler: .asynchronous { _ in .kept(try reply.data(), type: "application/json") })
    }

    private static func makeIndex(_ routes: [Route], version: String) -> IndexReply {
        var entries: [IndexReply.Route] = []
        for route in routes.sorted(by: { $0.path < $1.path }) {
            if entries.last?.path == route.path {
                entries[entries.count - 1].methods.append(route.method.rawValue)
            } else {
                entries.append(.init(path: route.path, methods: [route.method.rawValue], summary: route.summary))
            }
        }
        return IndexReply(version: version, routes: entries)
    }
}

extension HeaderParameter {
    /// For routes that make a record.
    static let idempotencyKey = HeaderParameter(
        "Idempotency-Key", "The same key and body make one record, for 24 h of operation.",
        .text(.key, 1...IdempotencyKey.maximumLength))

    /// For routes that change one.
    static let revision = HeaderParameter(
        "If-Match", "The entity tag of a reply, or a revision in quotes: 412 if it is not the last.",
        .text(
            TextForm(
                #"(?:\*|"[1-9][0-9]{0,17}(?:\.[0-9]+)?")"#, examples: [#""7""#], complaint: { _ in nil }), 1...40))
}
