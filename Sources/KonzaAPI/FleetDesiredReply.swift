public import KonzaModel

/// The body of `PUT /v1/fleet/desired`: what an operator signed, as konza-fleet judged it.
public struct FleetDesiredRequest: Codable, Sendable, Equatable {
    public static let mostSettings = 64

    public struct Setting: Codable, Sendable, Equatable {
        public var section: String
        public var key: String
        public var value: String

        public init(section: String, key: String, value: String) {
            self.section = section
            self.key = key
            self.value = value
        }
    }

    /// A setting that is not taken.
    public struct Refusal: Codable, Sendable, Equatable {
        public var section: String
        public var key: String
        public var reason: String

        public init(section: String, key: String, reason: String) {
            self.section = section
            self.key = key
            self.reason = reason
        }
    }

    public var version: Int64
    public var settings: [Setting]
    public var refused: [Refusal]

    public init(version: Int64, settings: [Setting], refused: [Refusal]) {
        self.version = version
        self.settings = settings
        self.refused = refused
    }
}

/// The reply of `GET /v1/fleet/desired`: what is set from afar, over what the station's keeper wrote.
public struct FleetDesiredReply: Codable, Sendable, Equatable {
    public enum State: String, Codable, Sendable, CaseIterable {
        /// Nothing was ever set.
        case none
        case applied
        /// Somebody at the station dropped it; a higher version is taken again.
        case dropped
        /// The station takes nothing from afar.
        case off
        /// It cannot be read, and is ignored.
        case damaged
    }

    /// A setting that is in force from afar.
    public struct Setting: Codable, Sendable, Equatable {
        public var section: String
        public var key: String
        public var value: String
        /// What the station's own configuration says.
        public var own: String
        /// Whether it takes effect only at the next start.
        public var needsRestart: Bool

        public init(section: String, key: String, value: String, own: String, needsRestart: Bool) {
            self.section = section
            self.key = key
            self.value = value
            self.own = own
            self.needsRestart = needsRestart
        }
    }

    public var state: State
    /// 0 before any.
    public var version: Int64
    /// When it was taken.
    public var takenAt: UTCInstant?
    public var settings: [Setting]
    public var refused: [FleetDesiredRequest.Refusal]
    /// Why it cannot be read.
    public var reason: String?

    public init(
        state: State, version: Int64, takenAt: UTCInstant?, settings: [Setting],
        refused: [FleetDesiredRequest.Refusal], reason: String?
    ) {
        self.state = state
        self.version = version
        self.takenAt = takenAt
        self.settings = settings
        self.refused = refused
        self.reason = reason
    }

    static let schemas = [
        Schema(
            "FleetDesired", "What is set from afar, over the station's own configuration.",
            [
                .always("state", .choice(State.allCases.map(\.rawValue)), "How it is."),
                .always("version", .integer, "The version that was taken last; 0 before any."),
                .known("takenAt", .dateTime, "When it was taken."),
                .always("settings", .array(.reference("FleetSetting")), "What is in force."),
                .always("refused", .array(.reference("FleetRefusal")), "What was not taken."),
                .known("reason", .string, "Why it cannot be read."),
            ]),
        Schema(
            "FleetSetting", "A setting that is in force from afar.",
            [
                .always("section", .string, "Of konzad.conf."),
                .always("key", .string, "In the section."),
                .always("value", .string, "As konzad.conf would say it; an empty one is the default."),
                .always("own", .string, "What the station's own configuration says."),
                .always("needsRestart", .boolean, "Whether it takes effect only at konzad's next start."),
            ]),
        Schema(
            "FleetDesiredSettings", "What an operator wants of the station's settings: all of it.",
            [
                .always(
                    "version", .count(1...1 << 53), "One that is not above the one that was taken changes nothing."),
                .always(
                    "settings", .list(.reference("FleetWantedSetting"), atMost: FleetDesiredRequest.mostSettings),
                    "What is wanted."),
                .always(
                    "refused", .list(.reference("FleetRefusal"), atMost: FleetDesiredRequest.mostSettings),
                    "What konza-fleet refused already."),
            ], isClosed: true,
            example: .object([
                "version": .number(1),
                "settings": .array([
                    .object([
                        "section": .string("Camera"), "key": .string("Mirror"), "value": .string("yes"),
                    ])
                ]),
                "refused": .array([]),
            ])),
        Schema(
            "FleetWantedSetting", "A setting that is wanted.",
            [
                .always("section", .name(40), "Of konzad.conf."),
                .always("key", .name(40), "In the section."),
                .always("value", .line(1024), "As konzad.conf would say it; an empty one is the default."),
            ], isClosed: true),
        Schema(
            "FleetRefusal", "A setting that is not taken.",
            [
                .always("section", .name(40), "Of konzad.conf."),
                .always("key", .name(40), "In the section."),
                .always("reason", .line(500), "Why not."),
            ], isClosed: true),
    ]
}
