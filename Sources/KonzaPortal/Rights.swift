internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel

/// What each role may ask of konzad through the portal. What is not named here is refused, whatever konzad would say;
/// what is, konzad judges once more by the roles of its own routes.
struct Rights: Sendable {
    /// What everybody may know: where the station is, the ground and the sky around, and how it does. No picture: there are
    /// people on them.
    static let open: Set<String> = [
        "/v1", "/v1/openapi.json", "/v1/position", "/v1/satellites", "/v1/sky", "/v1/status", "/v1/templates",
        "/v1/terrain/height", "/v1/terrain/skyline",
        "/v1/trails", "/v1/trails/closures", "/v1/trails/nearest", "/v1/trails/profile", "/v1/trails/way",
    ]

    /// Lists of specimens and samples, of which konzad gives a visitor and the kiosk what may be public.
    private static let collections: Set<String> = [
        "/v1/regions", "/v1/samples", "/v1/samples/summary", "/v1/specimens", "/v1/specimens/summary",
    ]

    /// Whether everybody may read what is at a path: with one of a collection, such as a specimen's photographs, konzad
    /// decides by whether it may be public.
    static func isOpen(_ path: String) -> Bool {
        if open.contains(path) || collections.contains(path) { return true }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard parts.count >= 3, parts.first == "v1" else { return false }
        let (noun, id, rest) = (parts[2], parts[3], Array(parts.dropFirst(3)))
        let isPicture = rest.count == 3 && (rest[2] == "thumbnail.jpg" || rest[2] == "file")
        if noun == "samples" { return !id.isEmpty && (rest.isEmpty || (rest[0] == "images" && isPicture)) }
        guard noun == "specimens", SpecimenID(String(id)) != nil else { return false }
        return rest.isEmpty || (rest[0] == "photographs" && (rest.count < 3 || isPicture))
    }

    let kiosk: KioskRights

    /// - Throws: a problem if the client may not give a postcard to somebody.
    func checkPostcard(_ id: String, by principal: Principal) throws(Problem) {
        if Self.role(of: principal) == .kiosk { try kiosk.checkOwn(id, by: Self.kiosk(principal)) }
    }

    /// The one role of a client that counts: the one that may do most.
    static func role(of principal: Principal) -> Role {
        [Role.keeper, .ranger, .collector, .kiosk].first(where: principal.roles.contains) ?? .visitor
    }

    /// Which kiosk a client is: each has its own postcards.
    private static func kiosk(_ principal: Principal) -> String { principal.client ?? KioskRights.unpaired }

    /// - Returns: the role that konzad is told.
    /// - Throws: a problem if the client may not do it.
    func check(_ method: String, _ path: String, by principal: Principal) throws(Problem) -> Role {
        let role = Self.role(of: principal)
        switch role {
        case .keeper, .ranger, .collector: return role
        case .kiosk: try kiosk.check(method, path, by: Self.kiosk(principal))
        case .visitor, .courier, .fleet:
            guard method == "GET", Self.isOpen(path) else {
                throw Problem(
                    .forbidden,
                    "cannot do this on a device that is not paired with the station: its keeper can begin that with "
                        + "konza pair")
            }
        }
        return role
    }
}
