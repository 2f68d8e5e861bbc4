/// In whose name something is taken of what all share: a user of the system, one of the clients that a process of that
/// user acts for, or an address of the network.
public struct Account: Hashable, Sendable, CustomStringConvertible, ExpressibleByIntegerLiteral {
    /// The number of the user.
    public let user: UInt32
    /// The client that the user's process acts for; nil for itself.
    public let client: String?

    /// Where a client of the network comes from, in numbers; nil on a Unix socket.
    public let address: String?

    public init(user: UInt32, client: String? = nil, address: String? = nil) {
        self.user = user
        self.client = client
        self.address = address
    }

    public init(integerLiteral value: UInt32) {
        self.init(user: value)
    }

    public var description: String {
        if let address { return "the address \(address)" }
        return client.map { "\($0), for whom user \(user) acts," } ?? "user \(user)"
    }
}
