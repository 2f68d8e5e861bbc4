internal import Glibc
internal import KonzaSystem

/// Asks the daemon's own socket as a client would: the evidence that the API lives.
enum SelfProbe {
    /// Whether the socket answers a request within the limit. Blocks; call it on a thread that may.
    static func answers(socketPath: String, milliseconds: Int32) -> Bool {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return false }
        let descriptor = FileDescriptor(owning: number)
        guard connects(descriptor.number, to: socketPath) else { return false }
        let request = Array("HEAD /v1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        guard unsafe write(descriptor.number, request, request.count) == request.count,
            let events = try? waitForEvents(on: [(descriptor.number, .readable)], milliseconds: milliseconds),
            events[0].contains(.readable)
        else { return false }
        var reply = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(descriptor.number, &reply, reply.count)
        return String(decoding: reply.prefix(max(0, count)), as: UTF8.self).hasPrefix("HTTP/1.1 200")
    }

    private static func connects(_ descriptor: Int32, to path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard bytes.count <= capacity else { return false }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
