/// What signs a request by AWS Signature Version 4
/// (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html). Its secret is in none of its texts.
public struct HTTPSigning: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Such as `us-east-1`.
    public let region: String
    /// Such as `s3`.
    public let service: String
    public let accessKey: String
    let secretKey: String

    /// - Returns: nil where a part is empty, or has what no header can carry; a region or a service with a colon as well.
    public init?(region: String, service: String, accessKey: String, secretKey: String) {
        let parts = [region, service, accessKey, secretKey]
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }),
            !region.contains(":"), !service.contains(":"), !accessKey.contains("/")
        else { return nil }
        self.region = region
        self.service = service
        self.accessKey = accessKey
        self.secretKey = secretKey
    }

    public var description: String { "account \(accessKey) for \(service) in \(region)" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["account": description]) }
}
