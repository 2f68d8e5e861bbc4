internal import KonzaAPI

/// A position as a GeoJSON Feature (RFC 7946): longitude, latitude, height above the ellipsoid; all else as
/// properties. Without a coordinate the geometry is null, as section 3.2 allows.
struct GeoJSONPoint: Encodable {
    struct Geometry: Encodable {
        let type = "Point"
        let coordinates: [Double]

        enum CodingKeys: String, CodingKey {
            case type
            case coordinates
        }
    }

    private let geometry: Geometry?
    private let properties: PositionReply

    init(_ position: PositionReply) {
        if let latitude = position.latitude, let longitude = position.longitude {
            let place = [Self.rounded(longitude), Self.rounded(latitude)]
            geometry = Geometry(coordinates: place + (position.altitude.map { [$0] } ?? []))
        } else {
            geometry = nil
        }
        var properties = position
        properties.latitude = nil
        properties.longitude = nil
        self.properties = properties
    }

    /// Seven decimals are a centimetre (RFC 7946 section 11.2).
    private static func rounded(_ degrees: Double) -> Double { (degrees * 1e7).rounded() / 1e7 }

    enum CodingKeys: String, CodingKey {
        case type
        case geometry
        case properties
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("Feature", forKey: .type)
        try container.encode(geometry, forKey: .geometry)
        try container.encode(properties, forKey: .properties)
    }
}
