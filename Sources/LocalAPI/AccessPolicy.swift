internal import Glibc
internal import KonzaAPI
internal import KonzaSystem

/// Who may do what: root and the daemon's own user everything, the members of one group what people do, the courier's
/// user what the courier does. Everyone else on the socket reads.
public struct AccessPolicy: Sendable {
    /// What one client may do beside reading.
    struct Rights: Sendable, Equatable {
        /// Whether it may use the routes by which people change something.
        var mayWrite: Bool
        /// Whether it may take errands and report what came of them.
        var isCourier: Bool

        func allow(_ access: Access) -> Bool {
            switch access {
            case .read: true
            case .write: mayWrite
            case .courier: isCourier
            }
        }
    }

    private let ownUser: UInt32
    private let group: UInt32?
    private let courier: UInt32?
    /// For people, in refusals.
    private let groupName: String
    private let courierName: String
    /// Whether all may do everything; for a station of one user.
    private let isOpen: Bool

    /// Reads the group and user databases: not for a thread that serves.
    ///
    /// - Parameters:
    ///   - group: the group's name; a group that the system does not know lets nobody in.
    ///   - courier: the name of the courier's user; a user that the system does not know lets nobody in.
    public init(group: String = "konza", courier: String = "konza-courier") {
        self.init(
            ownUser: geteuid(), groupID: Self.groupID(named: group), courier: Self.userID(named: courier),
            groupName: group, courierName: courier)
    }

    /// - Parameters:
    ///   - ownUser: the user who may do everything beside root.
    ///   - groupID: the group whose members may write.
    ///   - courier: the user of the courier.
    ///   - groupName: the group's name, for people.
    ///   - courierName: the name of the courier's user, for people.
    public init(
        ownUser: UInt32, groupID: UInt32?, courier: UInt32? = nil, groupName: String = "konza",
        courierName: String = "konza-courier"
    ) {
        self.ownUser = ownUser
        group = groupID
        self.courier = courier
        self.groupName = groupName
        self.courierName = courierName
        isOpen = false
    }

    private init(isOpen: Bool) {
        ownUser = geteuid()
        group = nil
        courier = nil
        groupName = ""
        courierName = ""
        self.isOpen = isOpen
    }

    /// Lets everyone do everything who reaches the socket.
    public static let everyone = AccessPolicy(isOpen: true)

    /// - Parameters:
    ///   - peer: the client, as the kernel knows it.
    ///   - groups: its supplementary groups; asked only if the peer itself does not decide.
    /// - Returns: what it may do.
    func rights(of peer: PeerCredentials, groups: () -> [UInt32]) -> Rights {
        if isOpen || peer.userID == 0 || peer.userID == ownUser { return Rights(mayWrite: true, isCourier: true) }
        let isMember = group.map { peer.groupID == $0 || groups().contains($0) } ?? false
        return Rights(mayWrite: isMember, isCourier: courier == peer.userID)
    }

    /// Why a client may not use a route, and who may.
    func refusal(of access: Access, to peer: PeerCredentials) -> Problem {
        switch access {
        case .courier:
            Problem(
                .forbidden,
                "cannot let user \(peer.userID) do the courier's work: only \(courierName) ([API] CourierUser=), root and "
                    + "konzad's own user may take errands and report what came of them"
                    + (courier == nil ? "; there is no user \(courierName)" : ""))
        case .read, .write:
            Problem(
                .forbidden,
                "cannot let user \(peer.userID) write: only root, konzad's own user and the group \(groupName) ([API] "
                    + "Group=) may; join the group and log in again")
        }
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
    static func userID(named name: String) -> UInt32? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 65_536)
        let code = unsafe getpwnam_r(name, &entry, &buffer, buffer.count, &found)
        return code == 0 ? unsafe found?.pointee.pw_uid : nil
    }
}

/// `group(5)`'s structure under a name that does not clash with properties called group.
private typealias group_t = Glibc.group
