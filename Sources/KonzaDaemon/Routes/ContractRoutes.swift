internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel

/// `GET /v1`, the list of routes, and `GET /v1/openapi.json`, the contract. Both are made once, from the routes
/// that are served and from themselves.
enum ContractRoutes {
    static func adding(to routes: [Route], version: String) throws -> [Route] {
        let none = FrameData([])
        let all = routes + [index(reply: none), contract(reply: none)]
        let document = try Response.encode(OpenAPIDocument.make(routes: all, version: version))
        let list = try Response.encode(makeIndex(all, version: version))
        return routes + [index(reply: FrameData(list)), contract(reply: FrameData(document))]
    }

    private static func index(reply: FrameData) -> Route {
        Route(
            .get, "/v1", access: .everyone, operation: "listRoutes", summary: "Every route of this API",
            replies: [Reply(200, "The routes.", schema: "Index")],
            handler: .immediate { _ in .kept(reply, type: "application/json") })
    }

    private static func contract(reply: FrameData) -> Route {
        Route(
            .get, "/v1/openapi.json", access: .everyone, operation: "getContract",
            summary: "The contract of this API (OpenAPI 3.1)",
            replies: [Reply(200, "An OpenAPI document.")],
            handler: .immediate { _ in .kept(reply, type: "application/json") })
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
