internal import Geodesy
internal import Glibc
public import KonzaModel

/// The direction and distance of a body from the Earth's centre, referred to the true equator and equinox of the date.
public struct GeocentricPlace: Sendable, Equatable {
    /// Ecliptic longitude and latitude, degrees.
    public let longitude: Double
    public let latitude: Double
    /// Degrees.
    public let rightAscension: Double
    public let declination: Double
    /// Kilometres.
    public let distance: Double
}

/// Where a body stands for somebody on the ground.
public struct HorizontalPlace: Sendable, Equatable {
    /// Degrees from true north.
    public let azimuth: Double
    /// Degrees above the horizontal, as it were without an atmosphere.
    public let elevation: Double
    /// Kilometres from the observer.
    public let distance: Double
}

/// The sun or the moon.
public enum CelestialBody: Sendable, Equatable, CaseIterable {
    case sun
    case moon

    /// The radius of the body, kilometres.
    var radius: Double { self == .sun ? 696_000 : 1_737.4 }

    /// - Parameter instant: any; the accuracy of 0.01 degrees holds for some centuries around 2000.
    /// - Returns: the apparent place, with nutation and aberration.
    public func geocentric(at instant: UTCInstant) -> GeocentricPlace {
        geocentric(centuries: AstronomicalTime.centuries(instant))
    }

    /// - Parameter centuries: Julian centuries of Terrestrial Time since J2000.
    /// - Returns: the apparent place.
    func geocentric(centuries: Double) -> GeocentricPlace {
        let nutation = Nutation(centuries)
        let mean = self == .sun ? SolarTheory.place(centuries) : LunarTheory.place(centuries)
        let longitude = mean.longitude + nutation.longitude
        let (sine, cosine) = (Angle.sine(longitude), Angle.cosine(longitude))
        let (tilt, upright) = (Angle.sine(nutation.obliquity), Angle.cosine(nutation.obliquity))
        let (above, along) = (Angle.sine(mean.latitude), Angle.cosine(mean.latitude))
        let right = atan2(sine * along * upright - above * tilt, cosine * along)
        let declination = asin(min(max(above * upright + along * tilt * sine, -1), 1))
        return GeocentricPlace(
            longitude: Angle.whole(longitude), latitude: mean.latitude,
            rightAscension: Angle.whole(right * 180 / .pi), declination: declination * 180 / .pi,
            distance: mean.distance)
    }

    /// - Parameters:
    ///   - place: of the observer.
    ///   - height: above the ellipsoid, metres.
    ///   - instant: of the observation.
    /// - Returns: the place in the sky, with parallax and without refraction.
    public func horizontal(from place: Coordinate, height: Double, at instant: UTCInstant) -> HorizontalPlace {
        let centuries = AstronomicalTime.centuries(instant)
        let body = geocentric(centuries: centuries)
        let nutation = Nutation(centuries)
        let sidereal =
            AstronomicalTime.siderealDegrees(instant) + nutation.longitude * Angle.cosine(nutation.obliquity)
        // Earth-centred and turning with the Earth, metres.
        let metres = body.distance * 1000
        let turned = body.rightAscension - sidereal
        let along = metres * Angle.cosine(body.declination)
        let point = Vector(
            x: along * Angle.cosine(turned), y: along * Angle.sine(turned), z: metres * Angle.sine(body.declination))
        let frame = LocalFrame(at: place, height: height)
        let local = frame.local(direction: point - frame.origin)
        return HorizontalPlace(
            azimuth: Course.degrees(east: local.x, north: local.y),
            elevation: atan2(local.z, hypot(local.x, local.y)) * 180 / .pi, distance: local.length / 1000)
    }

    /// The angle from the middle to the limb of a body so far away, degrees.
    func semidiameter(distance: Double) -> Double { asin(min(1, radius / max(distance, 1))) * 180 / .pi }
}

/// The nodding of the Earth's axis (Meeus chapter 22, to 0.5 seconds of arc).
struct Nutation {
    /// In longitude, degrees.
    let longitude: Double
    /// The true obliquity of the ecliptic, degrees.
    let obliquity: Double

    init(_ t: Double) {
        let node = 125.04452 - 1934.136261 * t
        let sun = 280.4665 + 36_000.7698 * t
        let moon = 218.3165 + 481_267.8813 * t
        longitude =
            (-17.20 * Angle.sine(node) - 1.32 * Angle.sine(2 * sun) - 0.23 * Angle.sine(2 * moon)
                + 0.21 * Angle.sine(2 * node)) / 3600
        let mean = Angle.polynomial(t, 23.439_291_111, -0.013_004_167, -1.639e-7, 5.036e-7)
        obliquity =
            mean
            + (9.20 * Angle.cosine(node) + 0.57 * Angle.cosine(2 * sun) + 0.10 * Angle.cosine(2 * moon)
                - 0.09 * Angle.cosine(2 * node)) / 3600
    }
}

/// The sun's place of the mean equinox, with aberration (Meeus chapter 25).
enum SolarTheory {
    static let astronomicalUnit = 149_597_870.7

    static func place(_ t: Double) -> (longitude: Double, latitude: Double, distance: Double) {
        let mean = Angle.polynomial(t, 280.46646, 36_000.76983, 0.0003032)
        let anomaly = Angle.polynomial(t, 357.52911, 35_999.05029, -0.0001537)
        let eccentricity = Angle.polynomial(t, 0.016708634, -0.000042037, -0.0000001267)
        let centre =
            Angle.polynomial(t, 1.914602, -0.004817, -0.000014) * Angle.sine(anomaly)
            + Angle.polynomial(t, 0.019993, -0.000101) * Angle.sine(2 * anomaly) + 0.000289 * Angle.sine(3 * anomaly)
        let distance =
            1.000001018 * (1 - eccentricity * eccentricity) / (1 + eccentricity * Angle.cosine(anomaly + centre))
        let longitude = mean + centre + pull(t) - 0.0056932 / distance
        return (longitude, 0, distance * astronomicalUnit)
    }

    /// What Venus (twice), Jupiter and the moon add to the longitude, degrees (Meeus, Astronomical formulae for calculators,
    /// chapter 18; centuries since 1900).
    private static func pull(_ t: Double) -> Double {
        let t = t + 1
        return 0.00134 * Angle.cosine(153.23 + 22_518.7541 * t) + 0.00154 * Angle.cosine(216.57 + 45_037.5082 * t)
            + 0.00200 * Angle.cosine(312.69 + 32_964.3577 * t) + 0.00179 * Angle.sine(350.74 + 445_267.1142 * t)
    }
}
