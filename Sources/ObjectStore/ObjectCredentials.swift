/// The account at a store. The secret and the token are in none of its texts.
public struct ObjectCredentials: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public let accessKey: String
    let secretKey: String
    /// Of temporary credentials; nil for lasting ones.
    let sessionToken: String?

    /// - Returns: nil where a part is empty or has what no header can carry.
    public init?(accessKey: String, secretKey: String, sessionToken: String? = nil) {
        let parts = [accessKey, secretKey] + (sessionToken.map { [$0] } ?? [])
        let areUsable = parts.allSatisfy { part in
            (1...4096).contains(part.utf8.count) && part.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }
        guard areUsable, !accessKey.contains("/") else { return nil }
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }

    /// Reads the lines of AWS's own file of credentials: `aws_access_key_id`, `aws_secret_access_key` and perhaps
    /// `aws_session_token`, each with `=` and its value. A heading in brackets and other lines are passed over.
    ///
    /// - Returns: nil where the first two are not there, or one is there twice.
    public init?(file text: String) {
        var values: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            guard let equals = line.firstIndex(of: "=") else { continue }
            let name = line[..<equals].filter { !$0.isWhitespace }
            let value = line[line.index(after: equals)...].filter { !$0.isWhitespace }
            guard values.updateValue(value, forKey: name) == nil else { return nil }
        }
        guard let accessKey = values["aws_access_key_id"], let secretKey = values["aws_secret_access_key"] else {
            return nil
        }
        self.init(accessKey: accessKey, secretKey: secretKey, sessionToken: values["aws_session_token"])
    }

    public var description: String {
        "account \(accessKey)" + (sessionToken == nil ? "" : " with temporary credentials")
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["account": description]) }
}
