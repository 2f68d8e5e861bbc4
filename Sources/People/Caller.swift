public import HTTPServing
public import KonzaAPI
internal import KonzaModel
internal import Storage

/// For whom a request acts: a person who signed in, or the box itself, which is its administrator over the portal's socket.
public struct Caller: Sendable {
    /// Nil for the box.
    public let person: Person?
    /// Nil for the box.
    public let session: PersonSession?
    /// Whether the secret was typed within the last five minutes.
    public let isFresh: Bool

    /// For audits: the person's number, 0 for the box.
    public var number: Int64 { person?.number ?? 0 }

    /// Whether it may do what a role may.
    public func may(_ role: PersonRole) -> Bool {
        guard let person else { return true }
        return person.role >= role && !(session?.isForReturn ?? false)
    }
}

/// Says who somebody is beside what their device is. The roles of a device decide what a route lets through at all; a person's
/// role decides further and never widens what the device may: who signs in at the kiosk still stands at the kiosk.
public struct PeopleGate: Sendable {
    let register: PeopleRegister

    public init(_ register: PeopleRegister) { self.register = register }

    /// For whom a request acts.
    ///
    /// - Returns: nil for a device at which nobody signed in.
    /// - Throws: a problem if a request that changes something could come from another site's page, or the accounts cannot be read.
    public func caller(of request: Request) throws(Problem) -> Caller? {
        guard let secret = PersonCookie.session.value(in: request.headers) else {
            guard case .unixSocket = request.principal.channel, request.principal.roles.contains(.keeper),
                request.principal.client == nil
            else { return nil }
            return Caller(person: nil, session: nil, isFresh: true)
        }
        guard let (session, isFresh) = register.session(secret: secret) else { return nil }
        if case .tcp = request.principal.channel, request.method != .get, request.method != .head,
            request.headers["sec-fetch-site"] == nil, request.headers["origin"] == nil
        {
            throw Problem(
                .foreignOrigin,
                "cannot take the request: it has a person's cookie and does not say which page sent it; send Origin")
        }
        let person: Person?
        do {
            person = try register.person(session.person)
        } catch {
            throw Problem(.archiveUnavailable, "cannot read the accounts: \(error)")
        }
        guard let person else { return nil }
        // What was begun at the kiosk is worth nothing elsewhere.
        guard !session.isAtKiosk || Self.isKiosk(request) else { return nil }
        return Caller(person: person, session: session, isFresh: isFresh)
    }

    /// Whoever has a role, or the box.
    ///
    /// - Throws: a problem (403) if nobody signed in, or the role is less.
    public func require(_ role: PersonRole, _ request: Request) throws(Problem) -> Caller {
        guard let caller = try caller(of: request) else { throw Self.nobody }
        guard caller.may(role) else {
            throw Problem(
                .forbidden,
                "cannot do this as \(caller.person?.role.rawValue ?? "nobody"): it takes the role \(role.rawValue)")
        }
        return caller
    }

    /// Whoever signed in, also only to come back (``PersonSession/isForReturn``), or the box.
    public func requireAnybody(_ request: Request) throws(Problem) -> Caller {
        guard let caller = try caller(of: request) else { throw Self.nobody }
        return caller
    }

    /// Whether a request comes from the kiosk's own browser.
    public static func isKiosk(_ request: Request) -> Bool {
        request.principal.roles.contains(.kiosk) && !request.principal.roles.contains(.keeper)
    }

    static let nobody = Problem(.forbidden, "cannot do this before somebody has signed in: POST /v1/people/session")
}

/// The cookies of people; a device has one of its own beside them.
struct PersonCookie {
    static let session = PersonCookie(name: "__Host-konza-person")
    /// The name that is filled in the next time.
    static let name = PersonCookie(name: "__Host-konza-name")

    let name: String

    /// The field that gives it to a browser.
    ///
    /// - Parameters:
    ///   - value: of letters, digits and `%-._`.
    ///   - seconds: how long it is kept; nil for as long as the browser runs.
    /// - Returns: the value of `Set-Cookie` (RFC 6265).
    func field(_ value: String, seconds: Double?) -> String {
        let age = seconds.map { "; Max-Age=\(Int($0))" } ?? ""
        return "\(name)=\(value); Path=/; Secure; HttpOnly; SameSite=Strict\(age)"
    }

    /// The field that takes it away.
    var removal: String { field("", seconds: 0) }

    /// The value that a browser sent; nil without one, or with two.
    func value(in headers: HeaderFields) -> String? {
        let values = headers.all("cookie").joined(separator: ";").split(separator: ";").compactMap { pair -> String? in
            let pair = pair.drop { $0 == " " }
            return pair.hasPrefix("\(name)=") ? String(pair.dropFirst(name.count + 1)) : nil
        }
        return values.count == 1 && !(values[0].isEmpty) ? values[0] : nil
    }
}
