/// In whose name something is taken of what all share: a user of the system, or one of the clients that a process of
/// that user acts for.
public struct Account: Hashable, Sendable, CustomStringConvertible, ExpressibleByIntegerLiteral {
    /// The number of the user.
    public let user: UInt32
    /// The client that the user's process acts for; nil for itself.
    public let client: String?

    public init(user: UInt32, client: String? = nil) {
        self.user = user
        self.client = client
    }

    public init(integerLiteral value: UInt32) {
        self.init(user: value)
    }

    public var description: String { client.map { "\($0), for whom user \(user) acts," } ?? "user \(user)" }
}
