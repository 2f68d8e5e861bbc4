public import KonzaModel

/// The reply of `GET /v1/view/landmarks`.
public struct ViewLandmarksReply: Codable, Sendable, Equatable {
    public struct Landmark: Codable, Sendable, Equatable {
        public var id: String
        public var name: String
        public var kind: String
        public var azimuth: Double
        public var elevation: Double
        public var distance: Double?

        public init(
            id: String, name: String, kind: String, azimuth: Double, elevation: Double, distance: Double?
        ) {
            (self.id, self.name, self.kind) = (id, name, kind)
            (self.azimuth, self.elevation, self.distance) = (azimuth, elevation, distance)
        }
    }

    public var time: UTCInstant
    public var latitude: Double
    public var longitude: Double
    public var accuracy: Double?
    /// Where the place is from: a source of positions, `calibration`, or `request`.
    public var source: String
    public var cameraHeight: Double
    public var landmarks: [Landmark]

    public init(
        time: UTCInstant, place: Coordinate, accuracy: Double?, source: String, cameraHeight: Double,
        landmarks: [Landmark]
    ) {
        (self.time, latitude, longitude, self.source) = (time, place.latitude, place.longitude, source)
        (self.accuracy, self.cameraHeight, self.landmarks) = (accuracy, cameraHeight, landmarks)
    }
}
