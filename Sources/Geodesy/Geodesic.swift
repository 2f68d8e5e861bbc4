internal import Glibc
public import KonzaModel

/// The shortest way over the WGS 84 ellipsoid between two places.
///
/// The equations are Karney's (Algorithms for geodesics, J. Geodesy 87, 2013); the integrals are taken by Gauss-Legendre
/// quadrature instead of series, and the azimuth of the inverse problem is found between bounds, which holds for nearly
/// antipodal places too. Errors are below a micrometre times a few.
public struct Geodesic: Sendable, Equatable {
    /// Metres.
    public let distance: Double
    /// The azimuth at the first place, degrees from true north, 0 up to 360.
    public let departure: Double
    /// The azimuth at the second place, in the direction of travel, degrees from true north, 0 up to 360.
    public let arrival: Double

    /// The way between two places. Where there are several of the same length, as between poles, it is one of them.
    public init(from first: Coordinate, to second: Coordinate) {
        let turn = (second.longitude - first.longitude).remainder(dividingBy: 360)
        // The canonical order: the first is the farther from the equator, in the south, and the way goes east.
        let isSwapped = abs(first.latitude) < abs(second.latitude)
        let (near, far) = isSwapped ? (first.latitude, second.latitude) : (second.latitude, first.latitude)
        let isMirrored = far > 0
        // A negative zero for the equator: ways that set out westwards begin half a turn before it.
        let start = Auxiliary(latitude: -abs(far))
        let end = Auxiliary(latitude: isMirrored ? -near : near)
        let found = Self.canonical(start, end, abs(turn) * .pi / 180)
        var (departure, arrival) = (found.departure, found.arrival)
        if isSwapped { (departure, arrival) = (arrival, departure) }
        // Travelled backwards, the way turns into its supplement; so it does mirrored at the equator, and twice is none.
        if isSwapped != isMirrored { (departure, arrival) = (.pi - departure, .pi - arrival) }
        if turn < 0 { (departure, arrival) = (-departure, -arrival) }
        self.init(distance: found.distance, departure: departure, arrival: arrival)
    }

    private init(distance: Double, departure: Double, arrival: Double) {
        func degrees(_ radians: Double) -> Double {
            let degrees = radians * 180 / .pi
            return degrees < 0 ? degrees + 360 : degrees
        }
        self.distance = distance
        self.departure = degrees(departure)
        self.arrival = degrees(arrival)
    }

    private static func canonical(
        _ start: Auxiliary, _ end: Auxiliary, _ turn: Double
    ) -> (distance: Double, departure: Double, arrival: Double) {
        func along(_ azimuth: Double) -> (distance: Double, departure: Double, arrival: Double) {
            let way = Way(start, end, azimuth)
            return (WGS84.semiMinorAxis * way.length, azimuth, way.arrival)
        }
        if start.isEquator, end.isEquator, turn <= .pi * (1 - WGS84.flattening) {
            return (WGS84.semiMajorAxis * turn, .pi / 2, .pi / 2)
        }
        // A meridian, on this side or over the pole.
        if turn == 0 { return along(0) }
        if start.cosine == 0 {
            let way = along(0)
            return (way.distance, turn, way.arrival)
        }
        if turn == .pi { return along(.pi) }
        var (low, high) = (0.0, Double.pi)
        var azimuth = Double.pi / 2
        // The longitude that a way covers rises with its azimuth.
        for _ in 0..<200 {
            let excess = Way(start, end, azimuth).turn - turn
            if excess == 0 { break }
            if excess < 0 { low = azimuth } else { high = azimuth }
            let middle = (low + high) / 2
            if middle == low || middle == high { break }
            azimuth = middle
        }
        return along(azimuth)
    }

    /// The place at the end of a way.
    ///
    /// - Parameters:
    ///   - place: where it begins.
    ///   - azimuth: degrees from true north.
    ///   - distance: metres, to 100 000 km.
    /// - Returns: the place, and the azimuth there, degrees; nil for numbers that are none.
    public static func destination(
        from place: Coordinate, azimuth: Double, distance: Double
    ) -> (place: Coordinate, arrival: Double)? {
        guard azimuth.isFinite, distance.isFinite, abs(distance) <= 1e8 else { return nil }
        let start = Auxiliary(latitude: place.latitude)
        let angle = azimuth.remainder(dividingBy: 360) * .pi / 180
        let line = Line(start, angle)
        let target = distance / WGS84.semiMinorAxis
        // Newton's method: the length is nearly the arc.
        var arc = target
        for _ in 0..<8 {
            let step = (target - line.length(from: line.start, to: line.start + arc)) / line.speed(line.start + arc)
            arc += step
            if abs(step) < 1e-15 { break }
        }
        let end = line.start + arc
        let reduced = atan2(
            line.cosineEquator * sin(end), hypot(line.cosineEquator * cos(end), line.sineEquator))
        let latitude = atan2(sin(reduced), (1 - WGS84.flattening) * cos(reduced))
        // The spherical longitude is counted on, so that ways around the Earth come out too.
        let spherical = line.spherical(end) - line.spherical(line.start)
        let turn = spherical - WGS84.flattening * line.sineEquator * line.longitude(from: line.start, to: end)
        let longitude = (place.longitude + turn * 180 / .pi).remainder(dividingBy: 360)
        let arrival = atan2(line.sineEquator, line.cosineEquator * cos(end)) * 180 / .pi
        return Coordinate(latitude: latitude * 180 / .pi, longitude: longitude).map {
            ($0, arrival < 0 ? arrival + 360 : arrival)
        }
    }
}

/// A latitude on the auxiliary sphere.
private struct Auxiliary {
    let sine: Double
    let cosine: Double

    init(latitude: Double) {
        let radians = latitude * .pi / 180
        let sine = (1 - WGS84.flattening) * sin(radians)
        let cosine = abs(latitude) == 90 ? 0 : cos(radians)
        let length = hypot(sine, cosine)
        self.sine = sine / length
        self.cosine = cosine / length
    }

    var isEquator: Bool { sine == 0 }
}

/// A geodesic by its azimuth at the equator (Karney, figure 1).
private struct Line {
    let sineEquator: Double
    let cosineEquator: Double
    /// The arc from the equator to the start.
    let start: Double
    private let squared: Double

    init(_ place: Auxiliary, _ azimuth: Double) {
        sineEquator = sin(azimuth) * place.cosine
        cosineEquator = hypot(cos(azimuth), sin(azimuth) * place.sine)
        start =
            place.sine == 0 && cos(azimuth) == 0 ? 0 : atan2(place.sine, cos(azimuth) * place.cosine)
        squared = WGS84.secondEccentricitySquared * cosineEquator * cosineEquator
    }

    /// How the length grows with the arc, in units of the semi-minor axis.
    func speed(_ arc: Double) -> Double { (1 + squared * sin(arc) * sin(arc)).squareRoot() }

    /// Equation 7.
    func length(from: Double, to: Double) -> Double { Quadrature.integral(from, to, speed) }

    /// The integral of equation 8.
    func longitude(from: Double, to: Double) -> Double {
        Quadrature.integral(from, to) { (2 - WGS84.flattening) / (1 + (1 - WGS84.flattening) * speed($0)) }
    }

    /// The spherical longitude at an arc, without a jump.
    func spherical(_ arc: Double) -> Double {
        let turns = (arc / (2 * .pi)).rounded()
        let rest = arc - turns * 2 * .pi
        return atan2(sineEquator * sin(rest), cos(rest)) + (sineEquator < 0 ? -1 : 1) * turns * 2 * .pi
    }
}

/// The way that leaves one latitude at an azimuth and reaches another, farther north or not farther from the equator.
private struct Way {
    let turn: Double
    let arrival: Double
    let length: Double

    init(_ start: Auxiliary, _ end: Auxiliary, _ azimuth: Double) {
        let line = Line(start, azimuth)
        // Equation 5 with the sign of the canonical case; written so that nothing cancels.
        let excess = (start.sine - end.sine) * (start.sine + end.sine)
        let across = cos(azimuth) * start.cosine
        let along = max(0, across * across + excess).squareRoot()
        arrival = end.cosine > 0 ? atan2(line.sineEquator, along) : (.pi - azimuth)
        let last = end.sine == 0 && along == 0 ? 0 : atan2(end.sine, along)
        let spherical =
            atan2(line.sineEquator * end.sine, along) - atan2(line.sineEquator * start.sine, across)
        length = line.length(from: line.start, to: last)
        turn =
            spherical - WGS84.flattening * line.sineEquator * line.longitude(from: line.start, to: last)
    }
}

/// Gauss-Legendre quadrature with 16 nodes in each quarter of a turn: exact to rounding for these integrands.
private enum Quadrature {
    static func integral(_ from: Double, _ to: Double, _ function: (Double) -> Double) -> Double {
        let parts = max(1, Int((abs(to - from) / (.pi / 2)).rounded(.up)))
        let half = (to - from) / Double(parts) / 2
        var sum = 0.0
        for part in 0..<parts {
            let middle = from + half * Double(2 * part + 1)
            for node in nodes { sum += node.weight * function(middle + half * node.at) }
        }
        return sum * half
    }

    /// The zeros of the Legendre polynomial of degree 16, by Newton's method.
    private static let nodes: [(at: Double, weight: Double)] = {
        let count = 16
        return (1...count).map { index in
            var x = cos(.pi * (Double(index) - 0.25) / (Double(count) + 0.5))
            var slope = 0.0
            for _ in 0..<10 {
                var (before, value) = (1.0, x)
                for degree in 2...count {
                    let next = (Double(2 * degree - 1) * x * value - Double(degree - 1) * before) / Double(degree)
                    (before, value) = (value, next)
                }
                slope = Double(count) * (x * value - before) / (x * x - 1)
                x -= value / slope
            }
            return (x, 2 / ((1 - x * x) * slope * slope))
        }
    }()
}
