public import KonzaModel

/// The reply of `GET /v1/camera`.
public struct CameraReply: Codable, Sendable {
    public struct Format: Codable, Sendable, Equatable {
        public var fourcc: String
        public var width: Int
        public var height: Int
        public var framesPerSecond: Double?

        public init(fourcc: String, width: Int, height: Int, framesPerSecond: Double?) {
            self.fourcc = fourcc
            self.width = width
            self.height = height
            self.framesPerSecond = framesPerSecond
        }
    }

    /// A format that the device offers.
    public struct Offer: Codable, Sendable, Equatable {
        public var fourcc: String
        public var description: String
        public var sizes: [String]

        public init(fourcc: String, description: String, sizes: [String]) {
            self.fourcc = fourcc
            self.description = description
            self.sizes = sizes
        }
    }

    public struct Control: Codable, Sendable, Equatable {
        public var name: String
        public var type: String
        public var value: Double?
        public var minimum: Double?
        public var maximum: Double?
        public var step: Double?
        public var defaultValue: Double?
        public var menu: [String: String]?
        public var writable: Bool

        public init(name: String, type: String, writable: Bool) {
            self.name = name
            self.type = type
            self.writable = writable
        }
    }

    public struct Device: Codable, Sendable, Equatable {
        public var path: String?
        public var card: String?
        public var driver: String?
        public var bus: String?

        public init(path: String?, card: String?, driver: String?, bus: String?) {
            self.path = path
            self.card = card
            self.driver = driver
            self.bus = bus
        }
    }

    public var source: SourceKind
    public var health: PartHealth
    public var streaming: Bool
    public var device: Device?
    public var format: Format?
    public var formats: [Offer]?
    public var rotate: Int?
    public var previewMirrored: Bool?
    public var timestampSource: Frame.TimestampSource?
    public var lastFrameAgeMs: Int?
    public var previewClients: Int
    public var counters: [String: UInt64]
    public var controls: [Control]

    public init(
        source: SourceKind, health: PartHealth, streaming: Bool, previewClients: Int, counters: [String: UInt64],
        controls: [Control]
    ) {
        self.source = source
        self.health = health
        self.streaming = streaming
        self.previewClients = previewClients
        self.counters = counters
        self.controls = controls
    }

    /// What a control's value can be, so that JSON readers hold it exactly (RFC 8259, section 6).
    public static let controlValues = -(1 << 53 - 1)...(1 << 53 - 1)

    static let schemas: [Schema] = [
        Schema(
            "Camera", "The camera, with every count.",
            [
                .always("source", .choice(PositionReply.sourceWords), "A live camera, or recorded pictures."),
                .always("health", .reference("Health"), "From the age of the last good frame."),
                .always("streaming", .boolean, "False while nobody needs frames."),
                .known("device", .reference("CameraDevice"), "The device."),
                .known(
                    "format", .reference("CameraFormat"), "What was negotiated, with the size of an upright picture."),
                .known("formats", .array(.reference("CameraOffer")), "What the device offers."),
                .known("rotate", .integer, "Degrees by which pictures are turned clockwise: 0, 90, 180 or 270."),
                .known("previewMirrored", .boolean, "Whether the live preview shows left and right as a mirror does."),
                .known(
                    "timestampSource", .choice(["startOfExposure", "endOfFrame", "arrival"]),
                    "What the time of exposure rests on."),
                .known("lastFrameAgeMs", .integer, "Milliseconds since the last good frame was exposed."),
                .always("previewClients", .integer, "Who is watching."),
                .always("counters", .map(.integer), "Everything that was counted since konzad started."),
                .always("controls", .array(.reference("CameraControl")), "The device's controls."),
            ]),
        Schema(
            "CameraDevice", "A V4L2 device.",
            [
                .known("path", .string, "The device node."),
                .known("card", .string, "Its name."),
                .known("driver", .string, "The kernel driver."),
                .known("bus", .string, "Where it is plugged in."),
            ]),
        Schema(
            "CameraFormat", "A picture format.",
            [
                .always("fourcc", .string, "The V4L2 pixel format."),
                .always("width", .integer, "Pixels."),
                .always("height", .integer, "Pixels."),
                .known("framesPerSecond", .number, "The frame rate."),
            ]),
        Schema(
            "CameraOffer", "A picture format that the device offers.",
            [
                .always("fourcc", .string, "The V4L2 pixel format."),
                .always("description", .string, "The driver's words."),
                .always("sizes", .array(.string), "Sizes, as in 1920x1080, or a range of them."),
            ]),
        Schema(
            "CameraControlValues", "Controls to set, by name: whole numbers, or true and false.", [],
            others: .either([.count(CameraReply.controlValues), .boolean]),
            example: .object(["brightness": .number(128)])),
        Schema(
            "CameraControl", "A V4L2 control.",
            [
                .always("name", .string, "The name to use in PATCH /v1/camera/controls."),
                .always("type", .string, "integer, boolean, menu, bitmask or button."),
                .known("value", .number, "The value now."),
                .known("minimum", .number, "The least."),
                .known("maximum", .number, "The most."),
                .known("step", .number, "The step."),
                .known("defaultValue", .number, "The driver's default."),
                .known("menu", .map(.string), "The words for each value of a menu."),
                .always("writable", .boolean, "Whether it can be set now."),
            ]),
    ]
}
