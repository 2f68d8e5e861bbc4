/// Which network may be used, by the keeper's choice.
public struct NetworkGate: Sendable, Equatable {
    public enum Choice: Sendable, Equatable {
        /// Whichever the system takes.
        case any
        case only(String)
        /// None of those that are allowed is up.
        case none
    }

    /// Names of interfaces, `*` for any letters; empty for whichever the system takes.
    public let allowed: [String]

    public init(allowed: [String]) { self.allowed = allowed }

    /// The first allowed interface that is up, of those that are.
    public func choice(among usable: [String] = NetworkInterfaces.usable()) -> Choice {
        guard !allowed.isEmpty else { return .any }
        for pattern in allowed {
            if let name = usable.first(where: { Self.matches($0.utf8[...], pattern.utf8[...]) }) { return .only(name) }
        }
        return .none
    }

    private static func matches(_ name: Substring.UTF8View, _ pattern: Substring.UTF8View) -> Bool {
        guard let first = pattern.first else { return name.isEmpty }
        if first == UInt8(ascii: "*") {
            let rest = pattern.dropFirst()
            // A name has at most 15 bytes.
            return (0...name.count).contains { matches(name.dropFirst($0), rest) }
        }
        return name.first == first && matches(name.dropFirst(), pattern.dropFirst())
    }
}
