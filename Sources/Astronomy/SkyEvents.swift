public import KonzaModel

/// When a body crosses an elevation, in time. What does not happen is nil.
public struct SkyCrossings: Sendable, Equatable {
    public var rise: UTCInstant?
    public var set: UTCInstant?
}

/// How dark it is: the sun this far below the horizon, degrees.
public enum Twilight: Double, Sendable, CaseIterable {
    /// One can still read.
    case civil = 6
    /// The sea's horizon can be seen.
    case nautical = 12
    /// The sky is not yet dark.
    case astronomical = 18
}

/// Rises, settings and twilights at a place, over a horizon without hills.
public struct SkyEvents: Sendable {
    /// What the atmosphere raises a body by at the horizon, degrees: 34 minutes of arc, by convention.
    private static let horizonRefraction = 34.0 / 60
    private static let day = 86_400.0

    private let place: Coordinate
    private let height: Double

    /// - Parameters:
    ///   - place: of the observer.
    ///   - height: above the ellipsoid, metres; it moves the moon's parallax alone: the horizon is not lowered by it.
    public init(at place: Coordinate, height: Double) {
        self.place = place
        self.height = height
    }

    /// Sunrise and sunset, its upper limb at the horizon, of the day of local mean solar time that an instant belongs to.
    public func sun(dayOf instant: UTCInstant) -> SkyCrossings {
        crossings(of: .sun, from: midnight(before: instant), seconds: Self.day) {
            -(Self.horizonRefraction + CelestialBody.sun.semidiameter(distance: $0.distance))
        }
    }

    /// The beginning and the end of the day, with a twilight, of the same day as ``sun(dayOf:)``.
    public func twilight(_ twilight: Twilight, dayOf instant: UTCInstant) -> (dawn: UTCInstant?, dusk: UTCInstant?) {
        let found = crossings(of: .sun, from: midnight(before: instant), seconds: Self.day) { _ in
            -twilight.rawValue
        }
        return (found.rise, found.set)
    }

    /// Moonrise and moonset, its upper limb at the horizon: of the passage over the sky that an instant is in, or else of the
    /// next one, within two days.
    public func moon(passageAt instant: UTCInstant) -> SkyCrossings {
        let threshold: (HorizontalPlace) -> Double = {
            -(Self.horizonRefraction + CelestialBody.moon.semidiameter(distance: $0.distance))
        }
        let now = CelestialBody.moon.horizontal(from: place, height: height, at: instant)
        let ahead = crossings(of: .moon, from: instant, seconds: 2 * Self.day, threshold)
        guard now.elevation > threshold(now) else {
            guard let rise = ahead.rise else { return SkyCrossings() }
            let after = crossings(of: .moon, from: rise.advanced(bySeconds: 60), seconds: 2 * Self.day, threshold)
            return SkyCrossings(rise: rise, set: after.set)
        }
        let before = crossings(
            of: .moon, from: instant.advanced(bySeconds: -2 * Self.day), seconds: 2 * Self.day, threshold, last: true)
        return SkyCrossings(rise: before.rise, set: ahead.set)
    }

    /// The midnight of local mean solar time before an instant: every place has its day in the middle then.
    private func midnight(before instant: UTCInstant) -> UTCInstant {
        let offset = place.longitude / 15 * 3600
        let local = (instant.seconds + offset) / Self.day
        return UTCInstant(seconds: local.rounded(.down) * Self.day - offset)?.clamped ?? instant
    }

    /// The first rise and the first setting in a time, or the last ones.
    private func crossings(
        of body: CelestialBody, from start: UTCInstant, seconds: Double,
        _ threshold: (HorizontalPlace) -> Double, last: Bool = false
    ) -> SkyCrossings {
        func excess(_ instant: UTCInstant) -> Double {
            let found = body.horizontal(from: place, height: height, at: instant)
            return found.elevation - threshold(found)
        }
        // A body that is up for less than ten minutes, far in the north, may be missed.
        let step = 600.0
        var found = SkyCrossings()
        var before = (at: start, excess: excess(start))
        for number in 1...Int(seconds / step) {
            let at = start.advanced(bySeconds: Double(number) * step)
            let next = (at: at, excess: excess(at))
            if before.excess <= 0, next.excess > 0 {
                if last || found.rise == nil { found.rise = Self.zero(before.at, next.at, excess) }
            } else if before.excess > 0, next.excess <= 0 {
                if last || found.set == nil { found.set = Self.zero(before.at, next.at, excess) }
            }
            if !last, found.rise != nil, found.set != nil { break }
            before = next
        }
        return found
    }

    /// Where a function changes its sign, to a tenth of a second.
    private static func zero(
        _ first: UTCInstant, _ second: UTCInstant, _ function: (UTCInstant) -> Double
    ) -> UTCInstant {
        var (low, high) = (first, second)
        let sign = function(low) > 0
        while high.seconds(since: low) > 0.1 {
            let middle = low.advanced(bySeconds: high.seconds(since: low) / 2)
            if (function(middle) > 0) == sign { low = middle } else { high = middle }
        }
        return high
    }
}
