internal import CLinux

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
}
