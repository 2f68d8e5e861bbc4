internal import Glibc

/// The machine's network interfaces (getifaddrs(3)).
public enum NetworkInterfaces {
    /// The names of those that are up, run, and have an address that reaches beyond the link, in the system's order.
    public static func usable() -> [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&first) == 0 else { return [] }
        defer { unsafe freeifaddrs(first) }
        var names: [String] = []
        var next = unsafe first
        while let entry = unsafe next {
            unsafe next = unsafe entry.pointee.ifa_next
            let flags = unsafe entry.pointee.ifa_flags
            let wanted = UInt32(IFF_UP | IFF_RUNNING)
            guard flags & wanted == wanted, let address = unsafe entry.pointee.ifa_addr, unsafe isUsable(address)
            else { continue }
            let name = unsafe String(cString: entry.pointee.ifa_name)
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    private static func isUsable(_ address: UnsafeMutablePointer<sockaddr>) -> Bool {
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET: return true
        case AF_INET6:
            return unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                // fe80::/10 (RFC 4291 section 2.5.6).
                let bytes = unsafe address.pointee.sin6_addr.__in6_u.__u6_addr8
                return !(bytes.0 == 0xFE && bytes.1 & 0xC0 == 0x80)
            }
        default: return false
        }
    }
}
