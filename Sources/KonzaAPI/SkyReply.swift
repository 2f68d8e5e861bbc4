public import KonzaModel

/// The reply of `GET /v1/sky`.
public struct SkyReply: Codable, Sendable, Equatable {
    /// Where a body stands.
    public struct Place: Codable, Sendable, Equatable {
        public var azimuth: Double
        public var elevation: Double
        public var apparentElevation: Double
        public var distance: Double
        public var horizon: Double?

        public init(
            azimuth: Double, elevation: Double, apparentElevation: Double, distance: Double, horizon: Double?
        ) {
            self.azimuth = azimuth
            self.elevation = elevation
            self.apparentElevation = apparentElevation
            self.distance = distance
            self.horizon = horizon
        }
    }

    public struct Span: Codable, Sendable, Equatable {
        public var dawn: UTCInstant?
        public var dusk: UTCInstant?

        public init(dawn: UTCInstant?, dusk: UTCInstant?) {
            self.dawn = dawn
            self.dusk = dusk
        }
    }

    public struct Sun: Codable, Sendable, Equatable {
        public var azimuth: Double
        public var elevation: Double
        public var apparentElevation: Double
        public var distance: Double
        public var horizon: Double?
        public var rise: UTCInstant?
        public var set: UTCInstant?
        public var twilight: [String: Span]

        public init(_ place: Place, rise: UTCInstant?, set: UTCInstant?, twilight: [String: Span]) {
            (azimuth, elevation, apparentElevation) = (place.azimuth, place.elevation, place.apparentElevation)
            (distance, horizon) = (place.distance, place.horizon)
            (self.rise, self.set, self.twilight) = (rise, set, twilight)
        }
    }

    public struct Moon: Codable, Sendable, Equatable {
        public var azimuth: Double
        public var elevation: Double
        public var apparentElevation: Double
        public var distance: Double
        public var horizon: Double?
        public var rise: UTCInstant?
        public var set: UTCInstant?
        public var phase: String
        public var illumination: Double
        public var elongation: Double

        public init(
            _ place: Place, rise: UTCInstant?, set: UTCInstant?, phase: String, illumination: Double, elongation: Double
        ) {
            (azimuth, elevation, apparentElevation) = (place.azimuth, place.elevation, place.apparentElevation)
            (distance, horizon) = (place.distance, place.horizon)
            (self.rise, self.set) = (rise, set)
            (self.phase, self.illumination, self.elongation) = (phase, illumination, elongation)
        }
    }

    public struct Declination: Codable, Sendable, Equatable {
        public var degrees: Double
        public var model: String
        public var validFrom: String
        public var validUntil: String
        public var isExpired: Bool
        public var standardDeviation: Double
        public var yearlyChange: Double
        public var inclination: Double

        public init(
            degrees: Double, model: String, validFrom: String, validUntil: String, isExpired: Bool,
            standardDeviation: Double, yearlyChange: Double, inclination: Double
        ) {
            self.degrees = degrees
            self.model = model
            self.validFrom = validFrom
            self.validUntil = validUntil
            self.isExpired = isExpired
            self.standardDeviation = standardDeviation
            self.yearlyChange = yearlyChange
            self.inclination = inclination
        }
    }

    public var position: ObserverReply
    public var time: UTCInstant
    public var timeSource: String
    public var sun: Sun
    public var moon: Moon
    public var declination: Declination?
    public var satellites: [SatellitesReply.Entry]?

    public init(position: ObserverReply, time: UTCInstant, timeSource: String, sun: Sun, moon: Moon) {
        self.position = position
        self.time = time
        self.timeSource = timeSource
        self.sun = sun
        self.moon = moon
    }
}

enum SkySchemas {
    private static let phases = [
        "new", "waxing-crescent", "first-quarter", "waxing-gibbous", "full", "waning-gibbous", "last-quarter",
        "waning-crescent",
    ]

    private static let place: [Schema.Member] = [
        .always("azimuth", .number, "Degrees from true north."),
        .always(
            "elevation", .number,
            "Degrees above the horizontal, of the middle, with parallax and without an atmosphere."),
        .always("apparentElevation", .number, "The same with refraction at 1010 hPa and 10 °C."),
        .always("distance", .number, "Kilometres from the observer."),
        .known("horizon", .number, "Degrees up to which the ground hides the sky there, where it is known."),
    ]

    static let all: [Schema] = [
        Schema(
            "Sky", "Sun, moon and magnetic north, seen from a place at an instant.",
            [
                .always("position", .reference("Observer"), "The place."),
                .always("time", .dateTime, "The instant."),
                .always("timeSource", .choice(["request", "gps", "system"]), "Where the instant is from."),
                .always("sun", .reference("Sun"), "The sun."),
                .always("moon", .reference("Moon"), "The moon."),
                .known("declination", .reference("Declination"), "Magnetic north, if konzad has a model."),
                .known(
                    "satellites", .array(.reference("Satellite")),
                    "The navigation satellites in use, for the station's own place and now."),
            ]),
        Schema(
            "Sun", "The sun.",
            place + [
                .known(
                    "rise", .dateTime,
                    "When its upper limb rises over a level horizon, of the day of local mean solar time; absent where it "
                        + "does not."),
                .known("set", .dateTime, "When it sets, of the same day."),
                .always("twilight", .map(.reference("Twilight")), "Civil (6°), nautical (12°) and astronomical (18°)."),
            ]),
        Schema(
            "Twilight", "When the sun is so far below the horizon, of the same day.",
            [
                .known("dawn", .dateTime, "In the morning."),
                .known("dusk", .dateTime, "In the evening."),
            ]),
        Schema(
            "Moon", "The moon.",
            place + [
                .known(
                    "rise", .dateTime,
                    "When its upper limb rises over a level horizon: of the passage that it is on if it is up, else of the "
                        + "next."),
                .known("set", .dateTime, "When it sets, of the same passage."),
                .always(
                    "phase", .choice(phases), "Its phase; the four main ones last from half a day before to after."),
                .always("illumination", .number, "The part of its disc that is lit, 0 to 1."),
                .always("elongation", .number, "Degrees that it is ahead of the sun in longitude; 180 is full."),
            ]),
        Schema(
            "Declination", "How far magnetic north lies from true north.",
            [
                .always("degrees", .number, "East positive: true direction = magnetic direction + this."),
                .always("model", .string, "The model of the magnetic field."),
                .always("validFrom", .string, "The first day that the model is for."),
                .always("validUntil", .string, "The last day that the model is for."),
                .always("isExpired", .boolean, "Whether the instant is later, or before the first day."),
                .always(
                    "standardDeviation", .number,
                    "Degrees, of the model; iron nearby is not in it. Outside of the model's days it grows with each year."
                ),
                .always("yearlyChange", .number, "Degrees a year."),
                .always("inclination", .number, "Degrees that the field points below the horizontal."),
            ]),
    ]
}
