public import KonzaModel

/// Heights along a way: looked up every 10 metres, smoothed over five, and summed with a threshold.
public struct TrailProfile: Sendable, Equatable {
    /// Metres between two heights; more where the way is longer than the points that are kept.
    public static let usualStep = 10.0
    public static let mostPoints = 2000
    /// A rise counts when it is this high, metres: less is the elevation model's noise.
    public static let threshold = 3.0

    public struct Point: Sendable, Equatable {
        /// Metres along the way.
        public let along: Double
        /// Metres above the sea; nil where it is not known.
        public let height: Double?
    }

    public let length: Double
    public let step: Double
    public let points: [Point]
    /// Metres; nil where a height on the way is not known.
    public let ascent: Double?
    public let descent: Double?

    /// - Parameters:
    ///   - length: metres.
    ///   - height: at so many metres along the way.
    init(length: Double, height: (Double) -> Double?) {
        self.length = length
        step = max(Self.usualStep, length / Double(Self.mostPoints - 2))
        var alongs: [Double] = []
        var along = 0.0
        while along < length {
            alongs.append(along)
            along += step
        }
        alongs.append(length)
        let heights = alongs.map(height)
        let smooth = Self.smoothed(heights)
        points = zip(alongs, smooth).map { Point(along: $0, height: $1) }
        let known = smooth.compactMap { $0 }
        let sums = known.count == smooth.count ? Self.climb(known) : nil
        (ascent, descent) = (sums?.ascent, sums?.descent)
    }

    /// The mean of five neighbours, of fewer at the ends, where all are known.
    private static func smoothed(_ heights: [Double?]) -> [Double?] {
        heights.indices.map { index in
            let reach = min(2, index, heights.count - 1 - index)
            let near = heights[(index - reach)...(index + reach)].compactMap { $0 }
            return near.count == 2 * reach + 1 ? near.reduce(0, +) / Double(near.count) : heights[index]
        }
    }

    /// What goes up and down, with turns that are smaller than the threshold left out.
    static func climb(_ heights: [Double]) -> (ascent: Double, descent: Double) {
        var (ascent, descent) = (0.0, 0.0)
        guard var low = heights.first else { return (0, 0) }
        var high = low
        // 1 while it goes up, -1 down, 0 before the first that counts.
        var direction = 0
        for height in heights {
            switch direction {
            case 1:
                high = max(high, height)
                if high - height >= threshold {
                    ascent += high - low
                    (low, direction) = (height, -1)
                }
            case -1:
                low = min(low, height)
                if height - low >= threshold {
                    descent += high - low
                    (high, direction) = (height, 1)
                }
            default:
                (low, high) = (min(low, height), max(high, height))
                if height - low >= threshold { (direction, high) = (1, height) }
                if high - height >= threshold { (direction, low) = (-1, height) }
            }
        }
        if direction == 1 { ascent += high - low }
        if direction == -1 { descent += high - low }
        return (ascent, descent)
    }
}

extension TrailNetwork {
    /// The place so many metres along a trail.
    func coordinate(on trail: Trail, at along: Double) -> Coordinate? {
        guard let part = trail.parts.last(where: { $0.start <= along }) else { return nil }
        let inside = along - part.start
        return coordinate(on: part.edge, at: part.isReversed ? length(part.edge) - inside : inside)
    }

    /// The profile of a named trail.
    ///
    /// - Parameters:
    ///   - name: of the trail, the whole.
    ///   - height: metres above the sea at a place.
    /// - Returns: nil if there is no such trail.
    public func profile(
        ofTrail name: String, height: (Coordinate) -> Double?
    ) -> (name: String, profile: TrailProfile)? {
        guard let trail = trails.first(where: { $0.name == name }) else { return nil }
        var part = 0
        let profile = TrailProfile(length: trail.length) { along in
            while part + 1 < trail.parts.count, trail.parts[part + 1].start <= along { part += 1 }
            guard trail.parts.indices.contains(part) else { return nil }
            let own = trail.parts[part]
            let inside = along - own.start
            let length = length(own.edge)
            return height(coordinate(on: own.edge, at: own.isReversed ? length - inside : inside))
        }
        return (trail.name, profile)
    }
}
