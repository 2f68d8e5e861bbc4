internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel

/// `GET /v1/portal/openapi.json`: the contract of the portal's own routes (OpenAPI 3.1.0), made from the table that serves them.
/// konzad's, which the portal passes on, is `/v1/openapi.json`.
enum PortalContract {
    private static let document = ContractDocument(
        title: "konza-portal",
        description:
            "What the portal answers itself; x-roles names the roles that may. What else is under /v1/ is konzad's "
            + "(/v1/openapi.json). Times are RFC 3339 in UTC. What is not known is left out. A failure is a problem "
            + "(RFC 9457). x-excludes names the parameters that one cannot come with, x-needs the one that it cannot come "
            + "without.",
        schemas: PortalSchemas.all, identifier: .string
    ) { route in
        ["x-roles": .array(Role.allCases.filter(route.access.roles.contains).map { .string($0.rawValue) })]
    }

    /// The routes with that of their contract.
    static func adding(to routes: [Route]) -> [Route] {
        let own = (routes + [route(FirstAsked { [] })]).filter { !$0.isForwarded }
        return routes + [
            route(FirstAsked { try Response.encode(document.make(routes: own, version: ProgramVersion.number)) })
        ]
    }

    private static func route(_ document: FirstAsked) -> Route {
        Route(
            .get, "/v1/portal/openapi.json", access: .everyone, operation: "getPortalContract",
            summary: "The contract of the portal's own routes", replies: [Reply(200, "OpenAPI 3.1.0.")],
            handler: .asynchronous { _ in .kept(try document.data(), type: "application/json") })
    }
}
