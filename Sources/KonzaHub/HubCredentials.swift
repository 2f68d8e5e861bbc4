internal import Glibc

/// The folder that systemd puts credentials into (`LoadCredential=`, systemd.exec(5)). Where a whole folder is loaded
/// under one name, that name and `_` stand before each file's.
struct HubCredentials: Sendable {
    /// What the unit loads the folder as.
    private static let prefix = "konza-hub_"
    /// The longest secret, bytes.
    private static let limit = 8 << 10

    let path: String?

    var brokerUser: String? { text("broker-user") }
    var brokerPassword: String? { text("broker-password") }
    var databasePassword: String? { text("database-password") }

    /// A secret without the line's end.
    private func text(_ name: String) -> String? {
        guard let path else { return nil }
        for file in ["\(path)/\(name)", "\(path)/\(Self.prefix)\(name)"] {
            guard let bytes = Self.bytes(file), var text = String(validating: bytes, as: UTF8.self) else { continue }
            while text.hasSuffix("\n") || text.hasSuffix("\r\n") { text.removeLast() }
            if !text.isEmpty { return text }
        }
        return nil
    }

    private static func bytes(_ path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return (1...limit).contains(count) ? Array(bytes.prefix(count)) : nil
    }
}
