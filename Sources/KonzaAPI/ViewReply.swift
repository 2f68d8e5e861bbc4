public import KonzaModel

/// The reply of `GET /v1/view`.
public struct ViewReply: Codable, Sendable, Equatable {
    public struct Label: Codable, Sendable, Equatable {
        public var name: String
        public var kind: String
        public var x: Double
        public var y: Double
        public var sigma: Double
        public var azimuth: Double
        public var elevation: Double
        public var distance: Double?

        public init(
            name: String, kind: String, x: Double, y: Double, sigma: Double, azimuth: Double, elevation: Double,
            distance: Double?
        ) {
            (self.name, self.kind, self.x, self.y, self.sigma) = (name, kind, x, y, sigma)
            (self.azimuth, self.elevation, self.distance) = (azimuth, elevation, distance)
        }
    }

    public var state: String
    public var reason: String?
    public var calibratedAt: String?
    public var verifiedAt: String?
    public var skylineDeviation: Double?
    public var width: Int?
    public var height: Int?
    public var time: UTCInstant
    public var labels: [Label]

    public init(state: String, time: UTCInstant, labels: [Label]) {
        (self.state, self.time, self.labels) = (state, time, labels)
    }
}

/// The reply of `GET` and `PUT /v1/view/calibration`.
public struct ViewCalibrationReply: Codable, Sendable, Equatable {
    public struct Click: Codable, Sendable, Equatable {
        public var name: String
        public var x: Double
        public var y: Double
        public var residual: Double
        public var residualWithout: Double?
        public var isSuspect: Bool

        public init(
            name: String, x: Double, y: Double, residual: Double, residualWithout: Double?, isSuspect: Bool
        ) {
            (self.name, self.x, self.y, self.residual) = (name, x, y, residual)
            (self.residualWithout, self.isSuspect) = (residualWithout, isSuspect)
        }
    }

    public var createdAt: String
    public var latitude: Double
    public var longitude: Double
    public var cameraHeight: Double
    public var width: Int
    public var height: Int
    public var azimuth: Double
    public var pitch: Double
    public var roll: Double
    public var focal: Double
    public var fieldOfView: Double
    public var k1: Double
    public var standardErrors: [String: Double]
    public var errorMedian: Double
    public var error95: Double
    public var clicks: [Click]
    /// What the picture would have for names; of what was worked out now alone.
    public var labels: [ViewReply.Label]?
    public var verifiedAt: String?
    public var skylineDeviation: Double?
    /// Why the view is unverified; nil while it is not.
    public var reason: String?

    public init(
        createdAt: String, place: Coordinate, cameraHeight: Double, width: Int, height: Int, azimuth: Double,
        pitch: Double, roll: Double, focal: Double, fieldOfView: Double, k1: Double, standardErrors: [String: Double],
        errorMedian: Double, error95: Double, clicks: [Click]
    ) {
        (self.createdAt, latitude, longitude) = (createdAt, place.latitude, place.longitude)
        (self.cameraHeight, self.width, self.height) = (cameraHeight, width, height)
        (self.azimuth, self.pitch, self.roll) = (azimuth, pitch, roll)
        (self.focal, self.fieldOfView, self.k1) = (focal, fieldOfView, k1)
        (self.standardErrors, self.errorMedian, self.error95) = (standardErrors, errorMedian, error95)
        self.clicks = clicks
    }
}

enum ViewSchemas {
    static let all: [Schema] =
        ViewCalibrationRequest.schemas + [
            Schema(
                "View", "The names in the picture of the fixed camera.",
                [
                    .always(
                        "state", .choice(["calibrated", "unverified", "uncalibrated"]),
                        "Whether it is known how the camera looks; unverified if the skyline was found elsewhere since."
                    ),
                    .known("reason", .string, "Why there are no labels, or why they are in doubt, and what to do."),
                    .known("calibratedAt", .dateTime, "When the camera was calibrated."),
                    .known(
                        "verifiedAt", .dateTime, "When the skyline in the picture was compared with the computed one."),
                    .known("skylineDeviation", .number, "How far it was off, pixels; above 3 the view is unverified."),
                    .known("width", .integer, "Of the picture that x and y are for, pixels."),
                    .known("height", .integer, "Of the picture that x and y are for, pixels."),
                    .always("time", .dateTime, "The instant that the sky's labels are for."),
                    .always(
                        "labels", .array(.reference("ViewLabel")),
                        "What the ground does not hide: first the sky, then landmarks, trails, junctions, and what is called by its kind, the "
                            + "nearest of each first."
                    ),
                ]),
            Schema(
                "ViewLabel", "A name in the picture.",
                [
                    .always("name", .string, "What it is called."),
                    .always(
                        "kind", .string, "What it is: sun, moon, satellite, trail, junction, or the kind of a landmark."
                    ),
                    .always("x", .number, "Pixels from the left edge."),
                    .always("y", .number, "Pixels from the upper edge."),
                    .always("sigma", .number, "The standard error in the worst direction, pixels."),
                    .always("azimuth", .number, "Degrees from true north."),
                    .always("elevation", .number, "Degrees above the horizontal, with refraction."),
                    .known("distance", .number, "Metres, for what is on the ground."),
                ]),
            Schema(
                "ViewCalibration", "How the fixed camera looks, by clicks on landmarks.",
                [
                    .always("createdAt", .dateTime, "When it was calibrated."),
                    .always("latitude", .number, "Of the camera, degrees."),
                    .always("longitude", .number, "Of the camera, degrees."),
                    .always("cameraHeight", .number, "Metres above mean sea level."),
                    .always("width", .integer, "Of the picture, pixels."),
                    .always("height", .integer, "Of the picture, pixels."),
                    .always("azimuth", .number, "Of the middle of the picture, degrees from true north."),
                    .always("pitch", .number, "Of the middle of the picture, degrees upwards."),
                    .always("roll", .number, "Degrees clockwise, seen from behind the camera."),
                    .always("focal", .number, "The focal length, pixels."),
                    .always("fieldOfView", .number, "Horizontal, degrees, without the distortion."),
                    .always("k1", .number, "The radial distortion."),
                    .always("standardErrors", .map(.number), "Of azimuth, pitch, roll, focal, k1 and of the place."),
                    .always(
                        "errorMedian", .number, "Of labels 3 km away, over the frame: the median of sigma, pixels."),
                    .always("error95", .number, "The sigma that 95 % of the frame are below, pixels."),
                    .always("clicks", .array(.reference("ViewClickFit")), "How each click fits."),
                    .known(
                        "labels", .array(.reference("ViewLabel")),
                        "Where the landmarks are in the picture by it, in the answer to PUT."),
                    .known(
                        "verifiedAt", .dateTime, "When the skyline in the picture was compared with the computed one."),
                    .known("skylineDeviation", .number, "How far it was off, pixels; above 3 the view is unverified."),
                    .known("reason", .string, "Why the view is unverified; absent while it is not."),
                ]),
            Schema(
                "ViewLandmarks", "What the terrain says is to be seen from the camera, to be clicked on.",
                [
                    .always("time", .dateTime, "The instant that the sun and the moon are for."),
                    .always("latitude", .number, "Of the camera, degrees."),
                    .always("longitude", .number, "Of the camera, degrees."),
                    .known("accuracy", .number, "Of its place, metres (95 %)."),
                    .always(
                        "source", .string,
                        "Where the place is from: calibration, request, or the source of the station's position; a camera does not "
                            + "stand where a recording walks."),
                    .always("cameraHeight", .number, "Metres above mean sea level."),
                    .always(
                        "landmarks", .array(.reference("VisibleLandmark")),
                        "The sun and the moon where they are up, then what is on the ground, the nearest first."),
                ]),
            Schema(
                "VisibleLandmark", "Something that is to be seen from the camera.",
                [
                    .always("id", .string, "What a click names it by; sun and moon by body."),
                    .always("name", .string, "What it is called."),
                    .always("kind", .string, "What it is: sun, moon, or the kind of a landmark."),
                    .always("azimuth", .number, "Degrees from true north."),
                    .always("elevation", .number, "Degrees above the horizontal, with refraction."),
                    .known("distance", .number, "Metres, for what is on the ground."),
                ]),
            Schema(
                "ViewClickFit", "How a click fits.",
                [
                    .always("name", .string, "What was clicked on."),
                    .always("x", .number, "Pixels."),
                    .always("y", .number, "Pixels."),
                    .always("residual", .number, "How far the pose has it from the click, pixels."),
                    .known("residualWithout", .number, "The same for the pose of all other clicks, pixels."),
                    .always("isSuspect", .boolean, "Whether it is most likely wrong."),
                ]),
        ]
}
