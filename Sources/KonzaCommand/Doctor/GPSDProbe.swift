internal import FoundationEssentials
internal import Glibc
internal import KonzaAPI
internal import KonzaSystem

/// Asks gpsd on this machine for its version and its receivers (gpsd_json(5)), and nothing else.
enum GPSDProbe {
    private static let port: UInt16 = 2947
    /// How long each answer is waited for.
    private static let milliseconds: Int32 = 1500

    static func look() -> MachineFacts.GPSD {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return .refused }
        let file = FileDescriptor(owning: number)
        guard connectToLoopback(file.number) else { return .refused }
        var lines = LineReader(descriptor: file.number, milliseconds: milliseconds)
        guard let version = lines.object(of: "VERSION") else { return .silent }
        let question = Array("?DEVICES;\n".utf8)
        _ = unsafe question.withUnsafeBytes { bytes in
            unsafe send(file.number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        var devices: [String] = []
        if case .array(let list) = lines.object(of: "DEVICES")?["devices"] {
            devices = list.compactMap { entry in
                guard case .object(let members) = entry, case .string(let path) = members["path"] else { return nil }
                return path
            }
        }
        guard case .string(let release) = version["release"] else { return .silent }
        return .answers(version: release, devices: devices)
    }

    private static func connectToLoopback(_ descriptor: Int32) -> Bool {
        // A refusal or an acceptance on the loopback interface is immediate.
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Reads lines of JSON until one of a class comes.
    private struct LineReader {
        let descriptor: Int32
        let milliseconds: Int32
        private var pending: [UInt8] = []

        init(descriptor: Int32, milliseconds: Int32) {
            self.descriptor = descriptor
            self.milliseconds = milliseconds
        }

        mutating func object(of name: String) -> [String: JSONValue]? {
            // Other reports may stand before it; a flood of them is not gpsd's greeting.
            for _ in 0..<100 {
                guard let line = next() else { return nil }
                guard case .object(let members) = try? JSONDecoder().decode(JSONValue.self, from: Data(line)) else {
                    continue
                }
                if members["class"] == .string(name) { return members }
            }
            return nil
        }

        private mutating func next() -> [UInt8]? {
            while true {
                if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { pending.removeSubrange(...end) }
                    return Array(pending[..<end])
                }
                guard pending.count < 65_536,
                    let ready = try? waitForEvents(on: [(descriptor, .readable)], milliseconds: milliseconds),
                    let events = ready.first, !events.isEmpty
                else { return nil }
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = unsafe read(descriptor, &buffer, buffer.count)
                guard count > 0 else { return nil }
                pending += buffer.prefix(count)
            }
        }
    }
}
