package import KonzaModel

/// A circle in which a device has to be where `Place=fence`.
package struct MusterFence: Sendable, Equatable {
    /// What a device's position says of the circles.
    package enum Verdict: Sendable, Equatable {
        case inside
        case outside
        /// The circle's edge lies within the position's error.
        case unclear
        /// It is none that counts; why.
        case refused(String)
    }

    /// A position as a device has it (W3C Geolocation). It is looked at and never kept.
    package struct Position: Sendable, Equatable {
        package var place: Coordinate
        /// Metres, at 95 %.
        package var accuracy: Double?
        /// By the device's own clock, so that it need not be right.
        package var ageSeconds: Double?
        /// Whether it was recorded or made up.
        package var isSimulated: Bool

        package init(
            place: Coordinate, accuracy: Double?, ageSeconds: Double?, isSimulated: Bool = false
        ) {
            self.place = place
            self.accuracy = accuracy
            self.ageSeconds = ageSeconds
            self.isSimulated = isSimulated
        }
    }

    /// Metres.
    static let worstAccuracy = 100.0
    static let oldest = 60.0

    package let center: Coordinate
    /// Metres.
    package let radius: Double

    package init(center: Coordinate, radius: Double) {
        self.center = center
        self.radius = radius
    }

    /// What a position says: inside one of the circles, surely outside of all, or neither.
    package static func verdict(_ position: Position, of fences: [MusterFence]) -> Verdict {
        guard !position.isSimulated else { return .refused("it was recorded or made up") }
        guard let accuracy = position.accuracy, accuracy > 0 else {
            return .refused("it does not say how accurate it is")
        }
        guard accuracy <= worstAccuracy else {
            return .refused("it is known to more than \(Int(worstAccuracy)) m only")
        }
        guard let age = position.ageSeconds, (0...oldest).contains(age) else {
            return .refused("it is not one of the last \(Int(oldest)) seconds")
        }
        var isOutside = true
        for fence in fences {
            let distance = fence.center.distance(to: position.place)
            if distance + accuracy <= fence.radius { return .inside }
            if distance - accuracy <= fence.radius { isOutside = false }
        }
        return isOutside ? .outside : .unclear
    }
}
