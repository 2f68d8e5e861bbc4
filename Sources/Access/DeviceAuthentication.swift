public import HTTPServing
public import KonzaAPI
internal import KonzaModel

/// The cookie by which a paired browser is known.
enum SessionCookie {
    /// The prefix has browsers take it only from us, for all of our host and no other (RFC 6265bis section 4.1.3).
    static let name = "__Host-konza"

    /// The field that gives it to a browser.
    static func field(_ secret: String) -> String {
        "\(name)=\(secret); Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=\(Int(DeviceRegister.lifetime))"
    }

    /// The field that takes it away again.
    static let removal = "\(name)=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0"

    /// The value that a browser sent; nil without one, or with two.
    static func value(in headers: HeaderFields) -> String? {
        let values = headers.all("cookie").joined(separator: ";").split(separator: ";").compactMap { pair -> String? in
            let pair = pair.drop { $0 == " " }
            return pair.hasPrefix("\(name)=") ? String(pair.dropFirst(name.count + 1)) : nil
        }
        return values.count == 1 ? values[0] : nil
    }
}

/// Knows paired browsers by their cookie. Whoever has none is what its way in makes of it.
public struct DeviceAuthentication: Authentication {
    private let register: DeviceRegister
    private let scheme: String
    private let otherwise: Role
    private let origins: Set<String>

    /// - Parameters:
    ///   - register: the devices.
    ///   - isEncrypted: whether the port has TLS.
    ///   - otherwise: what a browser is that was not paired. What a proxy passes on is a visitor's.
    ///   - origins: of pages that a proxy serves for us.
    public init(
        _ register: DeviceRegister, isEncrypted: Bool, otherwise: Role = .visitor, origins: [String] = []
    ) {
        self.origins = Set(origins.map { $0.lowercased() })
        self.register = register
        scheme = isEncrypted ? "https" : "http"
        self.otherwise = otherwise
    }

    public func principal(
        _ principal: Principal, changes: Bool, _ headers: HeaderFields
    ) throws(Problem) -> Principal {
        if changes { try checkOrigin(headers) }
        guard let secret = SessionCookie.value(in: headers), let device = register.device(secret: secret) else {
            let isPassedOn = Self.proxyFields.contains { headers[$0] != nil }
            let role = isPassedOn ? .visitor : otherwise
            return Principal(
                peer: principal.peer, roles: [role, .visitor], client: role == .visitor ? nil : role.rawValue,
                channel: principal.channel)
        }
        // A page of ours says so by itself; what comes with our cookie and says nothing is no browser of today.
        if changes, headers["sec-fetch-site"] == nil, headers["origin"] == nil {
            throw Problem(
                .foreignOrigin,
                "cannot take the request: it has a device's cookie and does not say which page sent it; send Origin")
        }
        return Principal(
            peer: principal.peer, roles: [device.role, .visitor], client: device.id, channel: principal.channel)
    }

    /// What proxies add: RFC 7239, RFC 9110 section 7.6.3, and what was used before them.
    private static let proxyFields = ["forwarded", "x-forwarded-for", "x-forwarded-proto", "x-real-ip", "via"]

    /// Only our own pages change something: those of the same scheme, host and port (Fetch, "Origin header"; Fetch Metadata
    /// section 2.1).
    private func checkOrigin(_ headers: HeaderFields) throws(Problem) {
        let site = headers["sec-fetch-site"]
        guard site == nil || site == "same-origin" || site == "none" else {
            throw Problem(.foreignOrigin, "cannot take the request: a page of another site sent it")
        }
        guard let origin = headers["origin"] else { return }
        let own = headers["host"].map { "\(scheme)://\($0)" }
        guard origin.lowercased() == own?.lowercased() || origins.contains(origin.lowercased()) else {
            throw Problem(
                .foreignOrigin,
                "cannot serve a page of \(origin.prefix(80)): only the station's own pages may change something")
        }
    }
}

extension DeviceRegister {
    /// Tells, later, whether the browser that sent a request is still the device that it was then.
    ///
    /// - Parameter request: of a device, or of anybody else.
    /// - Returns: whether it is paired and has the same role; true for ever for whoever was no device. To ask does not prolong
    ///   the visit of an operator at the kiosk.
    public func pairing(of request: Request) -> @Sendable () -> Bool {
        // The kiosk by its place is named by its role, whatever cookie its browser has left.
        guard let client = request.principal.client, Role(rawValue: client) == nil,
            let secret = SessionCookie.value(in: request.headers)
        else { return { true } }
        if Self.isVisit(client) { return { [self] in isVisiting(secret) } }
        let role = device(secret: secret)?.role
        return { [self] in role != nil && device(secret: secret)?.role == role }
    }
}
