internal import Glibc

/// Which socket to ask.
enum SocketChoice {
    static let system = "/run/konza.sock"
    static let systemPortal = "/run/konza-portal/portal.sock"
    static let systemHub = "/run/konza-hub/hub.sock"

    /// The socket that the option or the environment names, else the first that exists, else the system's.
    static func path(option: String?, environment: [String: String], exists: (String) -> Bool) -> String {
        if let option { return option }
        if let named = environment["KONZA_SOCKET"], !named.isEmpty { return named }
        return candidates(environment).first(where: exists) ?? system
    }

    /// The portal's socket: the one that the environment names, else the one of a portal beside the station's socket, else
    /// the system's.
    static func portalPath(station: String, environment: [String: String], exists: (String) -> Bool) -> String {
        if let named = environment["KONZA_PORTAL_SOCKET"], !named.isEmpty { return named }
        let folder = station.lastIndex(of: "/").map { String(station[..<$0]) } ?? "."
        let beside = "\(folder)/portal/portal.sock"
        return exists(beside) ? beside : systemPortal
    }

    /// The hub's socket: the one that the option or the environment names, else the system's.
    static func hubPath(option: String?, environment: [String: String]) -> String {
        if let option { return option }
        if let named = environment["KONZA_HUB_SOCKET"], !named.isEmpty { return named }
        return systemHub
    }

    /// The places where `konzad` puts its socket when nobody says otherwise.
    static func candidates(_ environment: [String: String]) -> [String] {
        [system] + [stateFolder(environment)].compactMap { $0 }.map { "\($0)/konza.sock" }
    }

    /// The folder of a `konzad` that was started without a configuration (XDG Base Directory, `XDG_STATE_HOME`).
    static func stateFolder(_ environment: [String: String]) -> String? {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/konza" }
        if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/.local/state/konza" }
        return nil
    }

    static func fileExists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }
}
