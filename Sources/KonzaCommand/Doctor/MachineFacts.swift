internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

/// What the doctor sees without asking the daemon.
struct MachineFacts: Sendable {
    /// The file where the socket should be.
    struct SocketFile: Sendable {
        enum Kind: Sendable {
            case absent
            case socket
            case other
            /// Not even its folder may be searched.
            case hidden
        }

        var kind: Kind
        /// Connecting needs the right to write (unix(7)).
        var isWritable = false
        var ownerID: UInt32?
        var group: String?
    }

    struct CameraNode: Sendable {
        var path: String
        var isUsable: Bool
        var group: String?
    }

    /// gpsd on the loopback interface, port 2947.
    enum GPSD: Sendable, Equatable {
        case refused
        /// Something takes the connection and does not speak as gpsd does.
        case silent
        case answers(version: String, devices: [String])
    }

    var socketPath: String
    var socket: SocketFile
    var user: String
    var userID: UInt32
    var groups: [String]
    var cameras: [CameraNode]
    var gpsd: GPSD
    /// The folder where postcards would go, and what is free there.
    var folder: String?
    var freeBytes: Int64?
    var now: UTCInstant
    /// Whether the kernel calls its clock synchronised (adjtimex(2)); nil if it does not say.
    var isSynchronized: Bool?
    /// Whether systemd knows a portal here.
    var hasPortal = false
}

/// What the doctor hears from the daemon.
struct StationFacts: Sendable {
    /// The status, or why it did not come.
    var status: Result<StatusReply, CommandFailure>
    var position: PositionReply?
    var sky: SatellitesReply?
    /// Who sends what is in the outbox; nil if nobody was seen.
    var courier: CourierReply?
    /// What the portal says of itself, or why it does not; nil where there is none.
    var portal: Result<PortalScreens.Health, CommandFailure>?
}
