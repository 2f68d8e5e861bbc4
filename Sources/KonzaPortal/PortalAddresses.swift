internal import HTTPServing
internal import Settings
internal import TakeHome

extension TakeHomePlace {
    /// Nil where telephones cannot reach the station.
    init?(_ settings: StationSettings.Portal) {
        guard let endpoint = settings.takeHome else { return nil }
        self.init(
            address: "http://\(endpoint)", networkName: settings.wifiName.isEmpty ? nil : settings.wifiName,
            networkPassword: settings.wifiPassword.isEmpty ? nil : settings.wifiPassword)
    }
}

/// Where the pages are, in links.
struct PortalAddresses: Sendable {
    /// On the loopback address.
    let kiosk: String
    /// With TLS, for tablets; nil where nothing listens for them.
    let tablets: String?

    /// Whether an address stands for all of the machine's own: no device calls it by that.
    static func isUnspecified(_ host: String) -> Bool {
        ["0.0.0.0", "::"].contains(host)
            || (host.contains(":") && host.allSatisfy { "0:".contains($0) })
    }

    init(_ settings: StationSettings.Portal, port: UInt16) {
        kiosk = "http://127.0.0.1:\(port)"
        tablets = settings.listen.first.map { endpoint in
            let host = settings.names.first ?? (endpoint.host.contains(":") ? "[\(endpoint.host)]" : endpoint.host)
            return "https://\(host)\(endpoint.port == 443 ? "" : ":\(endpoint.port)")"
        }
    }

    func address(for role: Role) -> String { role == .kiosk ? kiosk : tablets ?? kiosk }
}
