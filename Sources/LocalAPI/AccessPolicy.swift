internal import Glibc
internal import KonzaSystem

/// Who may write: root, the daemon's own user, and the members of one group. Everyone else on the socket reads.
public struct AccessPolicy: Sendable {
    private let ownUser: UInt32
    private let group: UInt32?
    /// Whether all may write; for a station of one user.
    private let isOpen: Bool

    /// - Parameter group: the group's name; a group that the system does not know lets nobody in.
    public init(group: String? = "konza") {
        self.init(ownUser: geteuid(), groupID: group.flatMap(Self.groupID(named:)))
    }

    /// - Parameters:
    ///   - ownUser: the user who may write beside root.
    ///   - groupID: the group whose members may write.
    public init(ownUser: UInt32, groupID: UInt32?) {
        self.ownUser = ownUser
        group = groupID
        isOpen = false
    }

    private init(isOpen: Bool) {
        ownUser = geteuid()
        group = nil
        self.isOpen = isOpen
    }

    /// Lets everyone write who reaches the socket.
    public static let everyone = AccessPolicy(isOpen: true)

    /// The connected socket, if there is one, tells more: the kernel knows all groups of the peer, even those that the
    /// group database does not.
    func mayWrite(_ peer: PeerCredentials, socket: Int32?) -> Bool {
        if isOpen || peer.userID == 0 || peer.userID == ownUser { return true }
        guard let group else { return false }
        if peer.groupID == group { return true }
        if let socket, Self.groups(ofPeer: socket).contains(group) { return true }
        return Self.groups(ofUser: peer.userID, primary: peer.groupID).contains(group)
    }

    /// The number of a group of the system.
    public static func groupID(named name: String) -> UInt32? {
        var entry = unsafe group_t()
        var found: UnsafeMutablePointer<group_t>?
        var buffer = [CChar](repeating: 0, count: 65_536)
        let code = unsafe getgrnam_r(name, &entry, &buffer, buffer.count, &found)
        return code == 0 ? unsafe found?.pointee.gr_gid : nil
    }

    /// The supplementary groups that the peer had when it connected (socket(7), `SO_PEERGROUPS`).
    private static func groups(ofPeer socket: Int32) -> [UInt32] {
        var groups = [UInt32](repeating: 0, count: 1024)
        var length = socklen_t(groups.count * MemoryLayout<UInt32>.stride)
        guard unsafe getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, &groups, &length) == 0 else { return [] }
        return Array(groups.prefix(Int(length) / MemoryLayout<UInt32>.stride))
    }

    /// The groups of a user by the group database, which knows of a membership before the next login does.
    private static func groups(ofUser user: UInt32, primary: UInt32) -> [UInt32] {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 65_536)
        guard unsafe getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0,
            let name = unsafe found?.pointee.pw_name
        else { return [] }
        var groups = [UInt32](repeating: 0, count: 1024)
        var count = Int32(groups.count)
        guard unsafe getgrouplist(name, primary, &groups, &count) >= 0 else { return [] }
        return Array(groups.prefix(Int(count)))
    }
}

/// `group(5)`'s structure under a name that does not clash with properties called group.
private typealias group_t = Glibc.group
