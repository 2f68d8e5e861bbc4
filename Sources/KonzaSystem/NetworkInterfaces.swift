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

    /// The interfaces on whose own network an address is; links between two points have none.
    ///
    /// - Parameter address: in numbers, IPv4 or IPv6.
    /// - Returns: their names, in the system's order; none where the address is not one.
    public static func attached(to address: String) -> [String] {
        guard let wanted = bytes(address) else { return [] }
        var first: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&first) == 0 else { return [] }
        defer { unsafe freeifaddrs(first) }
        var names: [String] = []
        var next = unsafe first
        while let entry = unsafe next {
            unsafe next = unsafe entry.pointee.ifa_next
            let flags = unsafe entry.pointee.ifa_flags
            guard flags & UInt32(IFF_UP) != 0, flags & UInt32(IFF_POINTOPOINT) == 0,
                let own = unsafe bytes(entry.pointee.ifa_addr), let mask = unsafe bytes(entry.pointee.ifa_netmask),
                own.count == wanted.count, mask.count == wanted.count
            else { continue }
            let isHere = zip(zip(own, wanted), mask).allSatisfy { ($0.0 ^ $0.1) & $1 == 0 }
            if isHere { names.append(unsafe String(cString: entry.pointee.ifa_name)) }
        }
        return names
    }

    private static func bytes(_ address: String) -> [UInt8]? {
        var four = [UInt8](repeating: 0, count: 4)
        if unsafe inet_pton(AF_INET, address, &four) == 1 { return four }
        var sixteen = [UInt8](repeating: 0, count: 16)
        return unsafe inet_pton(AF_INET6, address, &sixteen) == 1 ? sixteen : nil
    }

    private static func bytes(_ address: UnsafeMutablePointer<sockaddr>?) -> [UInt8]? {
        guard let address = unsafe address else { return nil }
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET:
            return unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                unsafe withUnsafeBytes(of: address.pointee.sin_addr) { unsafe Array($0) }
            }
        case AF_INET6:
            return unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                unsafe withUnsafeBytes(of: address.pointee.sin6_addr) { unsafe Array($0) }
            }
        default: return nil
        }
    }
}
