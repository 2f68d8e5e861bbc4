/// An account. Neither its description nor a dump of it shows a secret.
public struct Credentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    enum Secret: Sendable {
        case password(email: String, password: String)
        case token(String)
    }

    let secret: Secret

    /// An account that logs in by itself, and again when its token is revoked.
    ///
    /// - Returns: nil if one of them is empty or holds a control character, or the address a comma.
    public static func password(email: String, password: String) -> Credentials? {
        guard isUsable(email), isUsable(password), !email.contains(",") else { return nil }
        return Credentials(secret: .password(email: email, password: password))
    }

    /// A token that was issued beforehand. Once it is revoked there is no other.
    ///
    /// - Returns: nil if it is empty or holds anything but visible ASCII.
    public static func token(_ token: String) -> Credentials? {
        guard isUsable(token), token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        return Credentials(secret: .token(token))
    }

    private static func isUsable(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 1024 && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }

    public var description: String { "an account, its secrets withheld" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// What must never be shown.
    var secretTexts: [String] {
        switch secret {
        case .password(_, let password): [password]
        case .token(let token): [token]
        }
    }
}

/// Who a token belongs to.
public struct Account: Sendable, Equatable, Codable {
    public let id: String
    public let email: String
}
