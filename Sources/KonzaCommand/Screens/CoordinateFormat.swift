internal import Glibc
internal import KonzaModel

/// How coordinates are written.
enum CoordinateFormat: String, Sendable, CaseIterable {
    case decimal
    case dms
    case geo
    case utm

    /// Writes a place. The geo URI takes the altitude above the ellipsoid and the accuracy, both in metres; an error
    /// of less than 10 cm earns a seventh decimal.
    func text(_ place: Coordinate, altitude: Double? = nil, accuracy: Double? = nil) -> String {
        switch self {
        case .decimal: Self.decimal(place, digits: accuracy.map { $0 < 0.1 } ?? false ? 7 : 6)
        case .dms:
            Self.sexagesimal(place.latitude, "N", "S") + " " + Self.sexagesimal(place.longitude, "E", "W")
        case .geo: Self.uri(place, altitude: altitude, accuracy: accuracy)
        case .utm: Self.utm(place)
        }
    }

    private static func decimal(_ place: Coordinate, digits: Int) -> String {
        let latitude = Figures.fixed(abs(place.latitude), digits)
        let longitude = Figures.fixed(abs(place.longitude), digits)
        return "\(latitude)° \(place.latitude < 0 ? "S" : "N"), \(longitude)° \(place.longitude < 0 ? "W" : "E")"
    }

    /// Tenths of a second (3 m), carried so that 60 never appears.
    private static func sexagesimal(_ degrees: Double, _ positive: String, _ negative: String) -> String {
        let tenths = Int((abs(degrees) * 36_000).rounded())
        let minutes = tenths / 600
        let seconds = Figures.fixed(Double(tenths % 600) / 10, 1)
        let padded = seconds.utf8.count < 4 ? "0\(seconds)" : seconds
        let letter = degrees < 0 && tenths > 0 ? negative : positive
        return "\(minutes / 60)°\(Figures.two(minutes % 60))'\(padded)\"\(letter)"
    }

    /// RFC 5870: the altitude is above the ellipsoid, the uncertainty in metres.
    private static func uri(_ place: Coordinate, altitude: Double?, accuracy: Double?) -> String {
        var text = "geo:\(Figures.fixed(place.latitude, 7)),\(Figures.fixed(place.longitude, 7))"
        if let altitude { text += ",\(Figures.fixed(altitude, 1))" }
        if let accuracy { text += ";u=\(Figures.fixed(accuracy, 1))" }
        return text
    }

    /// Universal Transverse Mercator on WGS 84 by Krüger's series to the third power of n, exact to a millimetre
    /// within a zone (Karney 2011, Journal of Geodesy 85, 475).
    private static func utm(_ place: Coordinate) -> String {
        guard (-80...84).contains(place.latitude) else {
            return "\(decimal(place, digits: 6)) (outside the UTM zones)"
        }
        let zone = zone(place)
        let flattening = 1 / 298.257223563
        let n = flattening / (2 - flattening)
        let radius = 6_378_137 / (1 + n) * (1 + n * n / 4 + n * n * n * n / 64)
        let alphas = [
            n / 2 - 2 * n * n / 3 + 5 * n * n * n / 16, 13 * n * n / 48 - 3 * n * n * n / 5, 61 * n * n * n / 240,
        ]
        let latitude = place.latitude * .pi / 180
        var offset = place.longitude - Double(zone * 6 - 183)
        if offset > 180 { offset -= 360 } else if offset < -180 { offset += 360 }
        let longitude = offset * .pi / 180
        let eccentricity = 2 * n.squareRoot() / (1 + n)
        let sine = sin(latitude)
        let conformal = sinh(atanh(sine) - eccentricity * atanh(eccentricity * sine))
        let xi = atan2(conformal, cos(longitude))
        let eta = atanh(sin(longitude) / (1 + conformal * conformal).squareRoot())
        var east = eta
        var north = xi
        for (index, alpha) in alphas.enumerated() {
            let order = Double(2 * (index + 1))
            east += alpha * cos(order * xi) * sinh(order * eta)
            north += alpha * sin(order * xi) * cosh(order * eta)
        }
        let easting = 500_000 + 0.9996 * radius * east
        let northing = (place.latitude < 0 ? 10_000_000 : 0) + 0.9996 * radius * north
        return "\(zone)\(band(place.latitude)) \(Figures.fixed(easting, 0)) E \(Figures.fixed(northing, 0)) N"
    }

    /// The zone, with the exceptions for Norway and Svalbard.
    private static func zone(_ place: Coordinate) -> Int {
        let (latitude, longitude) = (place.latitude, place.longitude)
        if (56..<64).contains(latitude), (3..<12).contains(longitude) { return 32 }
        if latitude >= 72, (0..<42).contains(longitude) {
            return longitude < 9 ? 31 : longitude < 21 ? 33 : longitude < 33 ? 35 : 37
        }
        return min(Int((longitude + 180) / 6), 59) + 1
    }

    private static func band(_ latitude: Double) -> Character {
        let letters = Array("CDEFGHJKLMNPQRSTUVWX")
        return letters[min(max(Int((latitude + 80) / 8), 0), letters.count - 1)]
    }
}
