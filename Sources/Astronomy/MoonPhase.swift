internal import Glibc
public import KonzaModel

/// How the moon looks.
public struct MoonPhase: Sendable, Equatable {
    /// The eight words for it. The four that are instants last from half a day before to half a day after.
    public enum Name: String, Sendable, CaseIterable {
        case new
        case waxingCrescent = "waxing-crescent"
        case firstQuarter = "first-quarter"
        case waxingGibbous = "waxing-gibbous"
        case full
        case waningGibbous = "waning-gibbous"
        case lastQuarter = "last-quarter"
        case waningCrescent = "waning-crescent"
    }

    public let name: Name
    /// The part of the disc that is lit, 0 to 1.
    public let illumination: Double
    /// How far the moon is ahead of the sun in ecliptic longitude, degrees, 0 up to 360: 180 is full.
    public let elongation: Double

    /// - Parameter instant: of the observation, from the Earth's centre (Meeus chapter 48).
    public init(at instant: UTCInstant) {
        let sun = CelestialBody.sun.geocentric(at: instant)
        let moon = CelestialBody.moon.geocentric(at: instant)
        elongation = Angle.whole(moon.longitude - sun.longitude)
        let cosine = Angle.cosine(moon.latitude) * Angle.cosine(elongation)
        let apart = acos(min(max(cosine, -1), 1))
        let angle = atan2(sun.distance * sin(apart), moon.distance - sun.distance * cos(apart))
        illumination = (1 + cos(angle)) / 2
        name = Self.name(elongation)
    }

    /// The moon gains 12.19 degrees a day on the sun.
    private static func name(_ elongation: Double) -> Name {
        let half = 6.1
        let quarter = Int(((elongation + 45) / 90).rounded(.down)) % 4
        let offset = (elongation - Double(quarter) * 90).remainder(dividingBy: 360)
        let instants: [Name] = [.new, .firstQuarter, .full, .lastQuarter]
        let after: [Name] = [.waxingCrescent, .waxingGibbous, .waningGibbous, .waningCrescent]
        if abs(offset) <= half { return instants[quarter] }
        return offset > 0 ? after[quarter] : after[(quarter + 3) % 4]
    }
}
