internal import MetPetDB

/// The folder that systemd puts credentials into (`LoadCredential=`, systemd.exec(5)). Where a whole folder is loaded
/// under one name, that name and `_` stand before each file's.
struct CredentialFolder: Sendable, Equatable {
    /// What the unit loads the keeper's folder as.
    static let prefix = "konza_"
    /// The longest secret, bytes.
    private static let limit = 8 << 10

    let path: String?

    /// The account at MetPetDB: a token if there is one, else the password of the address.
    ///
    /// - Returns: nil if neither is there, or it holds what no account can.
    func metPetDB(email: String) -> Credentials? {
        if let token = text("metpetdb-token") { return Credentials.token(token) }
        guard !email.isEmpty, let password = text("metpetdb-password") else { return nil }
        return Credentials.password(email: email, password: password)
    }

    /// A secret without the line's end.
    ///
    /// - Returns: nil if it is not there or is empty.
    func text(_ name: String) -> String? {
        guard let path else { return nil }
        for file in ["\(path)/\(name)", "\(path)/\(Self.prefix)\(name)"] {
            guard let bytes = SecretFile.bytes(file, limit: Self.limit),
                var text = String(validating: bytes, as: UTF8.self)
            else { continue }
            while text.hasSuffix("\n") || text.hasSuffix("\r\n") { text.removeLast() }
            if !text.isEmpty { return text }
        }
        return nil
    }
}
