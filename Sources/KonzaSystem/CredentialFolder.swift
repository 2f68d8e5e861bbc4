/// The folder that systemd puts credentials into (`LoadCredential=`, systemd.exec(5)). Where a whole folder is loaded
/// under one name, that name and `_` stand before each file's.
public struct CredentialFolder: Sendable, Equatable {
    /// The longest secret, bytes.
    private static let limit = 8 << 10

    public let path: String?
    /// Before the names of files of a folder that is loaded as a whole.
    private let prefix: String

    /// - Parameters:
    ///   - path: of the folder; nil for none.
    ///   - name: what the unit loads the keeper's folder as.
    public init(path: String?, loadedAs name: String = "konza") {
        self.path = path
        prefix = "\(name)_"
    }

    /// A secret without the line's end.
    ///
    /// - Returns: nil if it is not there or is empty.
    public func text(_ name: String) -> String? {
        for file in files(name) {
            guard let bytes = SecretFile.bytes(file, limit: Self.limit),
                var text = String(validating: bytes, as: UTF8.self)
            else { continue }
            while text.hasSuffix("\n") || text.hasSuffix("\r\n") { text.removeLast() }
            if !text.isEmpty { return text }
        }
        return nil
    }

    /// Where a credential's file is, for a library that reads it itself.
    ///
    /// - Returns: nil if it is not there or is empty.
    public func file(_ name: String) -> String? {
        files(name).first { SecretFile.bytes($0, limit: 64 << 10) != nil }
    }

    private func files(_ name: String) -> [String] {
        path.map { ["\($0)/\(name)", "\($0)/\(prefix)\(name)"] } ?? []
    }
}
