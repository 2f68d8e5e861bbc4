internal import Glibc
internal import KonzaModel
internal import Positioning

/// A place and a radius that is claimed to hold the truth in 95 of 100 cases.
struct PositionClaim {
    var coordinate: Coordinate
    var radius: Double
}

/// One way to get a position out of an occupation's fixes.
enum PositionContestant: String, CaseIterable {
    case konza, lastFix, mean, weightedMean, median

    var title: String {
        switch self {
        case .konza: "konza, occupation"
        case .lastFix: "last fix, its eph"
        case .mean: "mean, 2.45 s/√n"
        case .weightedMean: "mean by 1/eph², 2.45 s/√n"
        case .median: "median, 2.45 s/√n"
        }
    }

    /// - Parameter fixes: one a second, each with a place and an error.
    /// - Returns: nil without a fix.
    func claim(_ fixes: [Fix]) -> PositionClaim? {
        if self == .konza { return occupation(fixes) }
        let places = fixes.compactMap(\.coordinate)
        guard let last = places.last, let word = fixes.last?.horizontalAccuracy else { return nil }
        let latitudes = places.map(\.latitude)
        let longitudes = places.map(\.longitude)
        let weights = fixes.map { fix in
            guard self == .weightedMean, let metres = fix.horizontalAccuracy?.metres else { return 1.0 }
            return 1 / (metres * metres)
        }
        switch self {
        case .lastFix, .konza: return PositionClaim(coordinate: last, radius: word.metres)
        case .mean, .weightedMean:
            return claim(Self.mean(latitudes, weights), Self.mean(longitudes, weights), latitudes, longitudes)
        case .median: return claim(Self.median(latitudes), Self.median(longitudes), latitudes, longitudes)
        }
    }

    private func occupation(_ fixes: [Fix]) -> PositionClaim? {
        guard let first = fixes.first else { return nil }
        var occupation = Occupation(settings: OccupationSettings(timeLimit: .infinity), now: first.arrival)
        for fix in fixes { occupation.add(fix) }
        return occupation.estimate.map { PositionClaim(coordinate: $0.coordinate, radius: $0.horizontalError) }
    }

    /// The radius as if fixes were independent: the spread of both axes together over the root of their number, times what
    /// makes 95 % of a circle.
    private func claim(
        _ latitude: Double, _ longitude: Double, _ latitudes: [Double], _ longitudes: [Double]
    ) -> PositionClaim? {
        guard let centre = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        var sum = 0.0
        for (latitude, longitude) in zip(latitudes, longitudes) {
            guard let place = Coordinate(latitude: latitude, longitude: longitude) else { continue }
            let distance = Ground.metres(centre, place)
            sum += distance * distance
        }
        let count = Double(latitudes.count)
        let sigma = (sum / max(1, 2 * count - 2)).squareRoot()
        return PositionClaim(coordinate: centre, radius: (-2 * log(0.05)).squareRoot() * sigma / count.squareRoot())
    }

    private static func mean(_ values: [Double], _ weights: [Double]) -> Double {
        var (sum, weight) = (0.0, 0.0)
        for (value, share) in zip(values, weights) {
            sum += value * share
            weight += share
        }
        return sum / weight
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}

/// Short distances.
enum Ground {
    /// Metres between two places of one neighbourhood, by the radii of curvature between them; not at the poles.
    static func metres(_ first: Coordinate, _ second: Coordinate) -> Double {
        let latitude = (first.latitude + second.latitude) / 2 * .pi / 180
        let squared = 0.006_694_379_990_14
        let bend = 1 - squared * sin(latitude) * sin(latitude)
        let north =
            (second.latitude - first.latitude) * .pi / 180 * 6_378_137 * (1 - squared) / (bend * bend.squareRoot())
        let east =
            remainder(second.longitude - first.longitude, 360) * .pi / 180 * 6_378_137 / bend.squareRoot()
            * cos(latitude)
        return hypot(east, north)
    }
}
