/// A player who comes back: a colour and an animal, and nothing else. No name, no age, no picture.
public struct LearnerProfile: Sendable, Hashable {
    public static let colours = ["blue", "gold", "green", "orange", "purple", "red"]
    public static let animals = ["bison", "butterfly", "frog", "hawk", "mouse", "owl", "snake", "turtle"]

    /// Such as `blue-owl`; empty for whoever chose none: everybody at one kiosk, or all of one device.
    public let name: String

    /// Whoever chose none.
    public static let everybody = LearnerProfile(checked: "")

    private init(checked name: String) { self.name = name }

    /// - Returns: nil if no profile has the name.
    public init?(_ name: String) {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, Self.colours.contains(parts[0]), Self.animals.contains(parts[1]) else { return nil }
        self.name = name
    }
}
