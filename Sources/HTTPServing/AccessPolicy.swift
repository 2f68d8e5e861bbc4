internal import Glibc
internal import KonzaAPI
internal import KonzaSystem

/// Who is what on the daemon's own socket: root and the daemon's own user may do everything, the members of one group
/// what people do, the users of the courier and of the fleet's process what these do. The portal's user does what people do, and says for
/// whom. Everyone else is a visitor.
public struct AccessPolicy: Sendable {
    private let ownUser: UInt32
    private let group: UInt32?
    private let courier: UInt32?
    private let fleet: UInt32?
    private let portal: UInt32?
    /// For people, in refusals.
    private let names: Names
    /// Whether all may do everything; for a station of one user.
    private let isOpen: Bool

    /// The names of the group and the users, as the system knows them.
    public struct Names: Sendable {
        public var group: String
        public var courier: String
        public var portal: String
        public var fleet: String

        public init(
            group: String = "konza", courier: String = "konza-courier", portal: String = "konza-portal",
            fleet: String = "konza-fleet"
        ) {
            self.group = group
            self.courier = courier
            self.portal = portal
            self.fleet = fleet
        }
    }

    /// Reads the group and user databases: not for a thread that serves. A group or a user that the system does not
    /// know lets nobody in.
    public init(_ names: Names = Names()) {
        self.init(
            ownUser: geteuid(), groupID: Self.groupID(named: names.group), courier: Self.userID(named: names.courier),
            portal: Self.userID(named: names.portal), fleet: Self.userID(named: names.fleet), names: names)
    }

    /// - Parameters:
    ///   - ownUser: the user who may do everything beside root.
    ///   - groupID: the group whose members do what people do.
    ///   - courier: the user of the courier.
    ///   - portal: the user who may say for whom it asks.
    ///   - fleet: the user of the process that reaches the fleet's broker.
    ///   - names: for people.
    public init(
        ownUser: UInt32, groupID: UInt32?, courier: UInt32? = nil, portal: UInt32? = nil, fleet: UInt32? = nil,
        names: Names = Names()
    ) {
        self.ownUser = ownUser
        group = groupID
        self.courier = courier
        self.portal = portal
        self.fleet = fleet
        self.names = names
        isOpen = false
    }

    private init(isOpen: Bool) {
        ownUser = geteuid()
        group = nil
        courier = nil
        portal = nil
        fleet = nil
        names = Names()
        self.isOpen = isOpen
    }

    /// Lets everyone do everything who reaches the socket.
    public static let everyone = AccessPolicy(isOpen: true)

    private func isTrusted(_ peer: PeerCredentials) -> Bool { isOpen || peer.userID == 0 || peer.userID == ownUser }

    /// - Parameters:
    ///   - peer: the process at the other end, as the kernel knows it.
    ///   - channel: over what it asks.
    ///   - groups: its supplementary groups; asked only if the peer itself does not decide.
    /// - Returns: who it is.
    func principal(of peer: PeerCredentials, over channel: Channel = .unixSocket, groups: () -> [UInt32]) -> Principal {
        if isTrusted(peer) { return Principal(peer: peer, roles: Set(Role.allCases), channel: channel) }
        guard case .unixSocket = channel else { return Principal(peer: peer, roles: [.visitor], channel: channel) }
        var roles: Set<Role> = [.visitor]
        if portal == peer.userID || group.map({ peer.groupID == $0 || groups().contains($0) }) ?? false {
            roles = Role.people
        }
        if courier == peer.userID { roles.insert(.courier) }
        // An operator far away may have a postcard taken, as the kiosk does.
        if fleet == peer.userID { roles.formUnion([.fleet, .kiosk]) }
        return Principal(peer: peer, roles: roles)
    }

    /// For whom a process asks. It can narrow what it may do itself, never widen it.
    ///
    /// - Parameters:
    ///   - process: who it is itself.
    ///   - headers: of its request.
    /// - Returns: the process itself where it names nobody.
    /// - Throws: a problem if it may not act for others, or says it in a way that cannot be read.
    func principal(for process: Principal, _ headers: HeaderFields) throws(Problem) -> Principal {
        guard let text = headers.first(lowercased: Delegation.field) else { return process }
        guard isTrusted(process.peer) || portal == process.peer.userID else {
            throw Problem(
                .forbidden,
                "cannot let user \(process.peer.userID) ask on behalf of others: only \(names.portal) ([API] PortalUser=), "
                    + "root and konzad's own user may; leave Konza-On-Behalf-Of out")
        }
        let delegation = try Delegation(text)
        return Principal(
            peer: process.peer, roles: process.roles.intersection([delegation.role, .visitor]), client: delegation.name,
            channel: process.channel)
    }

    /// Why somebody may not use a route, and who may.
    func refusal(of access: Access, to principal: Principal) -> Problem {
        let user = principal.peer.userID
        if case .tcp = principal.channel, principal.client == nil {
            return Problem(
                .forbidden,
                "cannot let a visitor do this: only \(access.wording) may; pair this device with the station, which its "
                    + "keeper can begin with konza pair")
        }
        if let client = principal.client {
            return Problem(
                .forbidden,
                "cannot let \(client) do this: only \(access.wording) may; sign in as one of them")
        }
        if access.roles == [.courier] {
            return Problem(
                .forbidden,
                "cannot let user \(user) do the courier's work: only \(names.courier) ([API] CourierUser=), root and "
                    + "konzad's own user may take errands and report what came of them"
                    + (courier == nil ? "; there is no user \(names.courier)" : ""))
        }
        if access.roles == [.fleet] {
            return Problem(
                .forbidden,
                "cannot let user \(user) speak for the fleet: only \(names.fleet) ([API] FleetUser=), root and konzad's "
                    + "own user may take what waits and confirm it"
                    + (fleet == nil ? "; there is no user \(names.fleet)" : ""))
        }
        return Problem(
            .forbidden,
            "cannot let user \(user) write: only root, konzad's own user and the group \(names.group) ([API] Group=) "
                + "may; join the group and log in again")
    }

    /// The number of a group of the system.
    public static func groupID(named name: String) -> UInt32? {
        var entry = unsafe group_t()
        var found: UnsafeMutablePointer<group_t>?
        var buffer = [CChar](repeating: 0, count: 65_536)
        let code = unsafe getgrnam_r(name, &entry, &buffer, buffer.count, &found)
        return code == 0 ? unsafe found?.pointee.gr_gid : nil
    }

    /// The number of a user of the system.
    public static func userID(named name: String) -> UInt32? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 65_536)
        let code = unsafe getpwnam_r(name, &entry, &buffer, buffer.count, &found)
        return code == 0 ? unsafe found?.pointee.pw_uid : nil
    }
}

/// `group(5)`'s structure under a name that does not clash with properties called group.
private typealias group_t = Glibc.group
