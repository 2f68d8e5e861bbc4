internal import KonzaAPI

/// What the contract says about the answers of one route: every status with its media types, its schema, and the links to
/// the routes that take the ids in it.
struct ContractResponses {
    let route: Route
    let routes: [Route]

    var document: JSONValue {
        var responses: [String: JSONValue] = [:]
        var kinds = Dictionary(grouping: kinds) { $0.status }
        // What fits the contract and contradicts itself, or what this station is set to.
        if !route.query.isEmpty || route.body != nil { kinds[422, default: []].append(.invalidRequest) }
        for (status, kinds) in kinds {
            let names = Set(kinds.map(\.rawValue)).sorted().joined(separator: ", ")
            responses[String(status)] = .object([
                "description": .string("A problem of the kind \(names)."), "content": Self.problem,
            ])
        }
        for reply in route.replies { responses[String(reply.status)] = success(reply) }
        return .object(responses)
    }

    private static let problem = ContractDocument.content(
        types: ["application/problem+json"], schema: "Problem", or: nil)

    private func success(_ reply: Reply) -> JSONValue {
        var response: [String: JSONValue] = ["description": .string(reply.summary)]
        let types = reply.types ?? route.produces
        if reply.status != 204, reply.status != 304, !types.isEmpty {
            response["content"] = ContractDocument.content(types: types, schema: reply.schema, or: reply.otherSchema)
        }
        let links = reply.ids.flatMap(links)
        if !links.isEmpty { response["links"] = .object(Dictionary(links, uniquingKeysWith: { first, _ in first })) }
        return .object(response)
    }

    /// To the routes that take just these ids in their path, or these parameters in their query.
    private func links(_ ids: Reply.Ids) -> [(String, JSONValue)] {
        let names = Set(ids.parameters.keys)
        return routes.filter { target in
            let isBelow = target.path == ids.path || target.path.hasPrefix(ids.path + "/")
            if target.method != .post, ids.apart.contains(where: target.path.hasSuffix) { return false }
            if isBelow, Set(target.parameterNames) == names { return true }
            return target.path == ids.path && target.method == .get && target.parameterNames.isEmpty
                && names.isSubset(of: target.query.map(\.name))
        }.map { target in
            (
                target.operation,
                .object([
                    "operationId": .string(target.operation),
                    "parameters": .object(ids.parameters.mapValues(JSONValue.string)),
                ])
            )
        }
    }

    /// The kinds of problems that the route can answer with: its handler's, and the server's.
    private var kinds: Set<ProblemKind> {
        var kinds: Set<ProblemKind> = [
            .malformedRequest, .invalidRequest, .forbidden, .foreignOrigin, .notAcceptable, .requestTimeout,
            .uriTooLong, .headersTooLarge, .tooManyRequests, .internalError, .unavailable,
        ]
        kinds.formUnion(route.problems)
        if !route.parameterNames.isEmpty { kinds.insert(.notFound) }
        if route.replies.contains(where: { $0.status == 206 }) { kinds.insert(.rangeNotSatisfiable) }
        if let body = route.body {
            kinds.formUnion([.bodyTooLarge, .unsupportedMediaType])
            if body.isRequired { kinds.insert(.lengthRequired) }
        }
        return kinds
    }
}
