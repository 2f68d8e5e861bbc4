internal import CLinux
internal import Glibc

/// Who is on the other end of a Unix socket, as the kernel knows it (unix(7), `SO_PEERCRED`).
public struct PeerCredentials: Sendable, Equatable {
    public let processID: Int32
    public let userID: UInt32
    public let groupID: UInt32

    public init(processID: Int32, userID: UInt32, groupID: UInt32) {
        self.processID = processID
        self.userID = userID
        self.groupID = groupID
    }

    /// Asks the kernel about a connected socket.
    public init(ofSocket descriptor: Int32) throws(SystemError) {
        var process: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
        guard unsafe konza_peer_credentials(descriptor, &process, &user, &group) == 0 else {
            throw SystemError("read the peer's credentials")
        }
        self.init(processID: process, userID: user, groupID: group)
    }

    /// The supplementary groups that the peer had when it connected (socket(7), `SO_PEERGROUPS`, Linux 4.13). Asks the
    /// kernel alone, and so never waits for the group database.
    public static func groups(ofSocket descriptor: Int32) throws(SystemError) -> [UInt32] {
        var groups = [UInt32](repeating: 0, count: 64)
        for _ in 0..<2 {
            var length = socklen_t(groups.count * MemoryLayout<UInt32>.stride)
            if unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, &groups, &length) == 0 {
                return Array(groups.prefix(Int(length) / MemoryLayout<UInt32>.stride))
            }
            guard errno == ERANGE else { break }
            // The kernel has said how many bytes they take.
            groups = [UInt32](repeating: 0, count: Int(length) / MemoryLayout<UInt32>.stride)
        }
        throw SystemError("read the peer's groups")
    }
}
