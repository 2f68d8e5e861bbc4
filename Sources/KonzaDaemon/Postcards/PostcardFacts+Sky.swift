internal import Astronomy
internal import Drawing
internal import KonzaModel

extension PostcardFacts {
    /// Adds sunrise, sunset and the moon's phase, in the language that is set.
    ///
    /// - Parameters:
    ///   - place: of the exposure; without one there is no sunrise.
    ///   - instant: of the exposure.
    ///   - offset: of the station's civil time, seconds east of UTC.
    mutating func addSky(at place: Coordinate?, _ instant: UTCInstant, offset: Int) {
        moon = (Self.words[language] ?? Self.english)[MoonPhase(at: instant).name] ?? ""
        guard let place else { return }
        // A card is drawn once for equal facts: a walk of some metres moves the sunset by milliseconds.
        let events = SkyEvents(at: place, height: 0).sun(dayOf: instant)
        sunrise = events.rise.map { CivilTime(Self.minute($0), offsetSeconds: offset) }
        sunset = events.set.map { CivilTime(Self.minute($0), offsetSeconds: offset) }
    }

    private static func minute(_ instant: UTCInstant) -> UTCInstant {
        UTCInstant(seconds: (instant.seconds / 60).rounded() * 60) ?? instant
    }

    private static let words = ["en": english, "es": spanish]

    private static let english: [MoonPhase.Name: String] = [
        .new: "new moon", .waxingCrescent: "waxing crescent", .firstQuarter: "first quarter",
        .waxingGibbous: "waxing gibbous", .full: "full moon", .waningGibbous: "waning gibbous",
        .lastQuarter: "last quarter", .waningCrescent: "waning crescent",
    ]

    private static let spanish: [MoonPhase.Name: String] = [
        .new: "luna nueva", .waxingCrescent: "luna creciente", .firstQuarter: "cuarto creciente",
        .waxingGibbous: "gibosa creciente", .full: "luna llena", .waningGibbous: "gibosa menguante",
        .lastQuarter: "cuarto menguante", .waningCrescent: "luna menguante",
    ]
}
