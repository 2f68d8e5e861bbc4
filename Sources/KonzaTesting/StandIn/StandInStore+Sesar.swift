internal import KonzaAPI
internal import Synchronization

/// As much of SESAR 2 as is documented, beside MetPetDB on the same port: it is distinguished by its `Bearer` tokens.
struct StandInSesar {
    var access = "sesar-access-0"
    var refresh = "sesar-refresh-0"
    var refreshes = 0
    var samples: [[String: JSONValue]] = []

    func isMeant(_ request: StandInRequest) -> Bool {
        request.headers["authorization"]?.hasPrefix("Bearer ") == true || request.path == "/api/auth/token/refresh/"
    }

    mutating func handle(_ request: StandInRequest) -> StandInAnswer {
        if request.path == "/api/auth/token/refresh/" {
            guard StandInStore.object(request.body)?["refresh"] == .string(refresh) else {
                return .detail(401, "Token is blacklisted")
            }
            // The old pair is worthless at once.
            refreshes += 1
            (access, refresh) = ("sesar-access-\(refreshes)", "sesar-refresh-\(refreshes)")
            return .json(200, .object(["data": .object(["refresh": .string(refresh), "access": .string(access)])]))
        }
        guard request.headers["authorization"] == "Bearer \(access)" else { return .detail(401, "Token is expired") }
        switch request.kind {
        case "GET /api/samples/":
            let found = samples.filter { $0["name"]?.text == request.query["name"] }
            return .json(200, .object(["results": .array(found.map(JSONValue.object))]))
        case "POST /api/samples/":
            guard var members = StandInStore.object(request.body), members["name"]?.text != nil else {
                return .json(400, .object(["name": .array([.string("This field is required.")])]))
            }
            members["igsn"] = .string("10.58052/IEKNZ000\(samples.count)")
            samples.append(members)
            return .json(201, .object(members))
        default: return .detail(404, "Not found.")
        }
    }
}

extension StandInMetPetDB {
    /// The names of the samples that are registered with the SESAR beside it.
    public var registeredNames: [String] {
        core.state.withLock { $0.store.sesar.samples.compactMap { $0["name"]?.text } }
    }

    /// The pair of tokens that it takes now: refresh, access.
    public var sesarTokens: (refresh: String, access: String) {
        core.state.withLock { ($0.store.sesar.refresh, $0.store.sesar.access) }
    }
}
