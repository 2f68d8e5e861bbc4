internal import Astronomy
internal import Geodesy
internal import KonzaAPI
internal import KonzaModel
internal import Terrain

/// Sun, moon and magnetic north for a place and an instant.
struct SkyView: Sendable {
    private static let year = 31_556_952.0

    let ground: Ground
    let place: Coordinate
    /// Metres above mean sea level; the difference to the ellipsoid moves the moon by less than 0.00001 degrees.
    let height: Double
    let instant: UTCInstant

    /// - Parameters:
    ///   - ground: the terrain and the magnetic model.
    ///   - place: of the observer.
    ///   - altitude: of the observer, metres above mean sea level; nil for an eye above the ground.
    ///   - eye: its height above the ground, metres.
    ///   - instant: of the observation.
    init(_ ground: Ground, at place: Coordinate, altitude: Double?, eye: Double, instant: UTCInstant) {
        self.ground = ground
        self.place = place
        self.instant = instant
        // A receiver's altitude is worse than the ground's, where that is known.
        height = ground.model.height(at: place).map { $0 + eye } ?? altitude ?? 0
    }

    var sun: SkyReply.Sun {
        let events = SkyEvents(at: place, height: height)
        let crossings = events.sun(dayOf: instant)
        let spans = Twilight.allCases.map { twilight in
            let found = events.twilight(twilight, dayOf: instant)
            return ("\(twilight)", SkyReply.Span(dawn: found.dawn, dusk: found.dusk))
        }
        return SkyReply.Sun(
            stand(.sun), rise: crossings.rise, set: crossings.set,
            twilight: Dictionary(spans, uniquingKeysWith: { $1 }))
    }

    var moon: SkyReply.Moon {
        let crossings = SkyEvents(at: place, height: height).moon(passageAt: instant)
        let phase = MoonPhase(at: instant)
        return SkyReply.Moon(
            stand(.moon), rise: crossings.rise, set: crossings.set, phase: phase.name.rawValue,
            illumination: phase.illumination.rounded(toDecimals: 4),
            elongation: phase.elongation.rounded(toDecimals: 3))
    }

    private func stand(_ body: CelestialBody) -> SkyReply.Place {
        let found = body.horizontal(from: place, height: height, at: instant)
        let apparent = found.elevation + Atmosphere().refraction(elevation: found.elevation)
        return SkyReply.Place(
            azimuth: found.azimuth.rounded(toDecimals: 4), elevation: found.elevation.rounded(toDecimals: 4),
            apparentElevation: apparent.rounded(toDecimals: 4), distance: found.distance.rounded(toDecimals: 1),
            horizon: ground.model.horizon(from: place, height: height, azimuth: found.azimuth)?.elevation
                .rounded(toDecimals: 3))
    }

    var declination: SkyReply.Declination? {
        guard let model = ground.magnetic else { return nil }
        let date = 1970 + instant.seconds / Self.year
        let year = CivilTime(instant).year
        // The fraction of the calendar year.
        let start = UTCInstant(rfc3339: "\(Self.four(year))-01-01T00:00:00Z")
        let decimal = start.map { Double(year) + instant.seconds(since: $0) / Self.year } ?? date
        let field = model.field(at: place, height: height, year: decimal)
        let next = model.field(at: place, height: height, year: decimal + 1)
        let change = (next.declination - field.declination).remainder(dividingBy: 360)
        return SkyReply.Declination(
            degrees: field.declination.rounded(toDecimals: 3), model: model.name,
            validFrom: "\(Int(model.epoch))-01-01", validUntil: "\(Int(model.expiry) - 1)-12-31",
            isExpired: Double(year) >= model.expiry || decimal < model.epoch,
            standardDeviation: model.declinationError(of: field, changing: change, year: decimal)
                .rounded(toDecimals: 2),
            yearlyChange: change.rounded(toDecimals: 3),
            inclination: field.inclination.rounded(toDecimals: 3))
    }

    private static func four(_ year: Int) -> String {
        let digits = String(max(0, year))
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
