internal import KonzaSystem

/// The station's own networks, as the interfaces of this machine name them.
enum StationNetwork {
    /// Interfaces that lead elsewhere: private networks over others, and tunnels.
    private static let tunnels = [
        "tun", "tap", "wg", "ppp", "ipsec", "tailscale", "zt", "utun", "vti", "gre", "sit", "docker",
    ]

    /// The interface on whose own network an address is.
    ///
    /// - Parameter address: in numbers, as the connection has it.
    /// - Returns: nil for an address behind a router, or one of a tunnel.
    static func interface(of address: String) -> String? {
        NetworkInterfaces.attached(to: address).first { name in !tunnels.contains(where: name.hasPrefix) }
    }
}
