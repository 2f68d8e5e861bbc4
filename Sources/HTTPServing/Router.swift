internal import KonzaAPI

/// Finds the route of a request. The same table serves requests, the list of routes and the contract.
public struct Router: Sendable {
    /// A table of routes that contradicts itself.
    public struct Conflict: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    enum Resolution {
        case route(Route, parameters: [String: String])
        /// The path exists; this is what `OPTIONS` answers.
        case options(allow: String)
        case refused(Problem, HeaderFields)
    }

    /// One segment deep in the tree of patterns.
    private struct Node {
        var children: [String: Int] = [:]
        var parameter: Int?
        /// Where a parameter stands for all segments that are left.
        var rest: Int?
        var routes: [HTTPMethod: (route: Route, names: [String])] = [:]

        var allow: String {
            var methods = Set(routes.keys)
            if methods.contains(.get) { methods.insert(.head) }
            methods.insert(.options)
            return methods.sorted().map(\.rawValue).joined(separator: ", ")
        }
    }

    /// In the order given.
    public let routes: [Route]
    private var nodes: [Node] = [Node()]

    /// - Throws: if two routes have the same method and pattern, or the same operation.
    public init(_ routes: [Route]) throws(Conflict) {
        self.routes = routes
        var operations: Set<String> = []
        for route in routes {
            guard operations.insert(route.operation).inserted else {
                throw Conflict(description: "cannot build the router: two routes are called \(route.operation)")
            }
            try add(route)
        }
    }

    private mutating func add(_ route: Route) throws(Conflict) {
        var current = 0
        for segment in route.path.split(separator: "/") {
            let isParameter = Route.parameterName(segment) != nil
            let isRest = Route.standsForRest(segment)
            let known =
                isRest
                ? nodes[current].rest
                : isParameter ? nodes[current].parameter : nodes[current].children[String(segment)]
            if let known {
                current = known
                continue
            }
            nodes.append(Node())
            let added = nodes.count - 1
            if isRest {
                nodes[current].rest = added
            } else if isParameter {
                nodes[current].parameter = added
            } else {
                nodes[current].children[String(segment)] = added
            }
            current = added
        }
        guard nodes[current].routes[route.method] == nil else {
            throw Conflict(description: "cannot build the router: \(route.method.rawValue) \(route.path) comes twice")
        }
        nodes[current].routes[route.method] = (route, route.parameterNames)
    }

    /// A literal segment wins over a parameter, and that over one for the rest.
    private func find(_ segments: ArraySlice<String>, at node: Int, values: [String]) -> (node: Int, values: [String])?
    {
        guard let segment = segments.first else { return nodes[node].routes.isEmpty ? nil : (node, values) }
        let rest = segments.dropFirst()
        if let child = nodes[node].children[segment], let found = find(rest, at: child, values: values) {
            return found
        }
        guard !segment.isEmpty else { return nil }
        if let parameter = nodes[node].parameter, let found = find(rest, at: parameter, values: values + [segment]) {
            return found
        }
        return nodes[node].rest.map { ($0, values + [segments.joined(separator: "/")]) }
    }

    /// Finds who answers. The method is nil where no route can have it.
    func resolve(method: HTTPMethod?, target: RequestTarget) -> Resolution {
        if target.isAsterisk, method == .options {
            return .options(allow: HTTPMethod.allCases.map(\.rawValue).joined(separator: ", "))
        }
        guard let (node, values) = find(target.segments[...], at: 0, values: []) else {
            return .refused(
                Problem(.notFound, "cannot find \(target.path.prefix(200)): no such route; GET /v1 lists the routes"),
                [:])
        }
        if let found = method.flatMap({ nodes[node].routes[$0 == .head ? .get : $0] }) {
            let pairs = zip(found.names, values)
            return .route(found.route, parameters: Dictionary(pairs, uniquingKeysWith: { $1 }))
        }
        let allow = nodes[node].allow
        if method == .options { return .options(allow: allow) }
        return .refused(
            Problem(.methodNotAllowed, "cannot use this method on \(target.path.prefix(200)): it takes \(allow)"),
            ["allow": allow])
    }
}
