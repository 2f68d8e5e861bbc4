internal import HTTPServing
internal import KonzaAPI

/// What each role may ask of konzad through the portal. What is not named here is refused, whatever konzad would say;
/// what is, konzad judges once more by the roles of its own routes.
struct Rights: Sendable {
    /// What everybody may know: where the station is and how it does. No picture: there are people on them.
    private static let open: Set<String> = [
        "/v1", "/v1/openapi.json", "/v1/position", "/v1/satellites", "/v1/status", "/v1/templates",
    ]

    let kiosk: KioskRights

    /// - Throws: a problem if the client may not give a postcard to somebody.
    func checkPostcard(_ id: String, by principal: Principal) throws(Problem) {
        if Self.role(of: principal) == .kiosk { try kiosk.checkOwn(id) }
    }

    /// The one role of a client that counts: the one that may do most.
    static func role(of principal: Principal) -> Role {
        [Role.keeper, .ranger, .collector, .kiosk].first(where: principal.roles.contains) ?? .visitor
    }

    /// - Returns: the role that konzad is told.
    /// - Throws: a problem if the client may not do it.
    func check(_ method: String, _ path: String, by principal: Principal) throws(Problem) -> Role {
        let role = Self.role(of: principal)
        switch role {
        case .keeper, .ranger, .collector: return role
        case .kiosk: try kiosk.check(method, path)
        case .visitor, .courier:
            guard method == "GET", Self.open.contains(path) else {
                throw Problem(
                    .forbidden,
                    "cannot do this on a device that is not paired with the station: its keeper can begin that with "
                        + "konza pair")
            }
        }
        return role
    }
}
