internal import Glibc
internal import KonzaSystem
internal import Settings

/// The default that needs no configuration: everything in one folder of the user's, and recordings where there is no
/// receiver or no camera.
enum Embedded {
    static func settings(_ options: Options) -> StationSettings {
        var settings = StationSettings()
        let path = options.state ?? defaultState()
        let state = ProgramEnvironment.absolute(path) ?? path
        settings.general.state = state
        settings.general.socket = "\(state)/konza.sock"
        settings.general.timeZone = "America/Chicago"
        settings.position.source = hasReceiver(settings) ? .gpsd : .recorded
        settings.camera.source = hasCamera() ? .v4l2 : .recorded
        return settings
    }

    private static func defaultState() -> String {
        if let folder = ProgramEnvironment.value("XDG_STATE_HOME"), folder.hasPrefix("/") { return "\(folder)/konza" }
        return "\(ProgramEnvironment.value("HOME") ?? "/tmp")/.local/state/konza"
    }

    /// Whether anybody listens where gpsd would.
    private static func hasReceiver(_ settings: StationSettings) -> Bool {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return false }
        let descriptor = FileDescriptor(owning: number)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(2947).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Whether there is a video device that this user may open.
    private static func hasCamera() -> Bool {
        (0..<16).contains { unsafe access("/dev/video\($0)", R_OK | W_OK) == 0 }
    }
}
