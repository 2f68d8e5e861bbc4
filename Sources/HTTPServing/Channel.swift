internal import Glibc

/// Over what a request came.
public enum Channel: Sendable, Equatable {
    /// A Unix socket: the kernel knows the process at the other end.
    case unixSocket
    /// TCP from an address, in numbers. `isEncrypted` is true with TLS.
    case tcp(address: String, isEncrypted: Bool)

    /// Whether nobody between the client and the server reads along: a cookie that is `Secure` may go with the answer.
    public var isEncrypted: Bool {
        if case .tcp(_, let isEncrypted) = self { isEncrypted } else { false }
    }

    /// In whose name a client of the network takes its share: its IPv4 address, or the half of its IPv6 address that names
    /// its network, for a machine has as many of the other half as it likes (RFC 4291 section 2.5.1, RFC 8981). Addresses of
    /// the local network (RFC 4193, RFC 4291 section 2.5.6) all have the same first half and count whole. Nil on a Unix
    /// socket.
    var network: String? {
        guard case .tcp(let address, _) = self else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        guard unsafe inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
        let isLocal = bytes[0] & 0xFE == 0xFC || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80)
        if isLocal || address == "::1" { return address }
        return Self.text(ofAddress: bytes.prefix(8) + [UInt8](repeating: 0, count: 8)) + "/64"
    }

    /// Asks the kernel about a connected socket.
    init(ofSocket socket: Int32, isEncrypted: Bool) {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe getpeername(socket, pointer, &length) == 0
            }
        }
        let bytes: [UInt8]
        switch Int32(address.ss_family) {
        // ip(7) and ipv6(7): where the address is in each structure.
        case AF_INET: bytes = unsafe withUnsafeBytes(of: &address) { unsafe Array($0[4..<8]) }
        case AF_INET6: bytes = unsafe withUnsafeBytes(of: &address) { unsafe Array($0[8..<24]) }
        case AF_UNIX where isKnown:
            self = .unixSocket
            return
        // A client that was gone before it was taken.
        default: bytes = []
        }
        self = .tcp(address: Self.text(ofAddress: bytes), isEncrypted: isEncrypted)
    }

    /// An address of 4 or 16 bytes as it is written (RFC 5952); an IPv4 address in an IPv6 one as itself (RFC 4291 section
    /// 2.5.5.2).
    static func text(ofAddress bytes: [UInt8]) -> String {
        var bytes = bytes
        if bytes.count == 16, bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] { bytes.removeFirst(12) }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard [4, 16].contains(bytes.count), unsafe inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else {
            return "unknown"
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
