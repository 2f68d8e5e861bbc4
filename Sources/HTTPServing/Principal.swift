public import KonzaAPI
public import KonzaSystem

/// What somebody is to the station. A route names the roles that may use it.
public enum Role: String, Sendable, CaseIterable {
    /// Anybody who reaches the server.
    case visitor
    /// The kiosk, at which visitors take postcards.
    case kiosk
    /// A collector of specimens.
    case collector
    /// A ranger, who looks after the station day by day.
    case ranger
    /// The keeper, who may do all that people may.
    case keeper
    /// The process that talks to the internet and reports what came of it.
    case courier
    /// The process that brings the station's records to its fleet's broker and store.
    case fleet

    /// The roles of people.
    static let people: Set<Role> = [.visitor, .kiosk, .collector, .ranger, .keeper]
}

/// Who asks: a process on the socket, somebody for whom a trusted process asks, or somebody at an address of the network.
public struct Principal: Sendable, Equatable {
    /// The process at the other end, as the kernel knows it; over the network, nobody.
    public let peer: PeerCredentials
    /// What it may be; never more than the process itself.
    public let roles: Set<Role>
    /// The name of the client that the process acts for; nil for the process itself.
    public let client: String?
    /// Over what it asks.
    public let channel: Channel

    public init(
        peer: PeerCredentials, roles: Set<Role>, client: String? = nil, channel: Channel = .unixSocket
    ) {
        self.channel = channel
        self.peer = peer
        self.roles = roles
        self.client = client
    }

    /// In whose name it takes its share.
    public var account: Account { Account(user: peer.userID, client: client, address: channel.network) }

    /// Whether it has one of the roles that may do something.
    public func has(_ allowed: Set<Role>) -> Bool { !roles.isDisjoint(with: allowed) }
}

/// Tells who a client is by the head of its request, such as by a cookie.
public protocol Authentication: Sendable {
    /// Called on the thread that serves all connections: it must not wait.
    ///
    /// - Parameters:
    ///   - principal: who the client is by its channel.
    ///   - changes: whether the request is to change something.
    ///   - headers: of the request.
    /// - Returns: who it is.
    /// - Throws: a problem if the request must not be served, whoever sent it.
    func principal(_ principal: Principal, changes: Bool, _ headers: HeaderFields) throws(Problem) -> Principal
}

/// For whom a process asks, as it says in the field `Konza-On-Behalf-Of`: a role and a name, as in `kiosk front-door`.
struct Delegation: Equatable {
    static let field = "konza-on-behalf-of"
    /// The longest name, bytes.
    static let longestName = 64

    let role: Role
    let name: String

    /// - Throws: a problem with what is wrong with the field's value.
    init(_ text: String) throws(Problem) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let role = Role(rawValue: String(parts[0])), Self.isName(parts[1]) else {
            throw Problem(
                .invalidRequest,
                "cannot read Konza-On-Behalf-Of: expected one of \(Role.allCases.map(\.rawValue).joined(separator: ", ")), "
                    + "a space, and a name of 1 to \(Self.longestName) letters, digits and -._:")
        }
        self.role = role
        name = String(parts[1])
    }

    private static func isName(_ text: Substring) -> Bool {
        (1...longestName).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                let isLetter = (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                return isLetter || (0x30...0x39).contains(byte) || "-._:".utf8.contains(byte)
            }
    }
}
