/// Directions in words.
public enum Directions {
    private static let compass = [
        "north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west",
    ]

    /// One of the eight directions of the compass.
    ///
    /// - Parameter bearing: degrees from true north.
    /// - Returns: as in "north-west".
    public static func compass(_ bearing: Double) -> String {
        let index = Int((bearing / 45).rounded()) % 8
        return compass[index < 0 ? index + 8 : index]
    }

    /// How far one turns, degrees: -180 up to 180, to the right positive.
    static func turn(from before: Double, to after: Double) -> Double {
        var turn = (after - before).truncatingRemainder(dividingBy: 360)
        if turn > 180 { turn -= 360 }
        if turn <= -180 { turn += 360 }
        return turn
    }

    /// What one does at a junction.
    public enum Turn: String, Codable, Sendable, CaseIterable {
        case straightOn = "straight-on"
        case slightlyLeft = "slightly-left"
        case slightlyRight = "slightly-right"
        case left
        case right
        case sharplyLeft = "sharply-left"
        case sharplyRight = "sharply-right"
        case back

        /// - Parameter degrees: how far one turns, to the right positive.
        init(degrees: Double) {
            let isRight = degrees > 0
            switch abs(degrees) {
            case ..<20: self = .straightOn
            case ..<45: self = isRight ? .slightlyRight : .slightlyLeft
            case ..<135: self = isRight ? .right : .left
            case ..<160: self = isRight ? .sharplyRight : .sharplyLeft
            default: self = .back
            }
        }

        /// In English, as "slightly left".
        public var words: String {
            switch self {
            case .straightOn: "straight on"
            case .slightlyLeft: "slightly left"
            case .slightlyRight: "slightly right"
            case .left: "left"
            case .right: "right"
            case .sharplyLeft: "sharply left"
            case .sharplyRight: "sharply right"
            case .back: "back"
            }
        }
    }
}
