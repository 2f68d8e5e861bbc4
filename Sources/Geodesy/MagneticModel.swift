internal import Glibc
public import KonzaModel

/// A model of the Earth's main magnetic field: spherical harmonics with their yearly change (WMM technical report, NOAA).
public struct MagneticModel: Sendable, Equatable {
    /// The field at a place and an instant.
    public struct Field: Sendable, Equatable {
        /// North, east and down, nanotesla, in the local frame of the ellipsoid.
        public let north: Double
        public let east: Double
        public let down: Double

        /// Nanotesla.
        public var horizontal: Double { hypot(north, east) }
        /// Nanotesla.
        public var total: Double { hypot(horizontal, down) }
        /// Degrees that magnetic north lies east of true north.
        public var declination: Double { atan2(east, north) * 180 / .pi }
        /// Degrees below the horizontal.
        public var inclination: Double { atan2(down, horizontal) * 180 / .pi }
        /// The standard deviation of the declination, degrees, as the World Magnetic Model 2025 states it for the years of the
        /// model; see ``MagneticModel/declinationError(of:changing:year:)``.
        public var declinationError: Double {
            (0.26 * 0.26 + (5417 / max(horizontal, 1)) * (5417 / max(horizontal, 1))).squareRoot()
        }
    }

    /// Such as `WMM-2025`.
    public let name: String
    /// The year that the coefficients are for.
    public let epoch: Double
    /// The first year in which the model is no longer valid: five after the epoch.
    public var expiry: Double { epoch + 5 }
    /// By degree and order: `(n * (n + 1)) / 2 + m`. Schmidt semi-normalised, nanotesla and nanotesla a year.
    private let coefficients: [Coefficient]
    private let degree: Int

    private struct Coefficient: Equatable {
        var g = 0.0
        var h = 0.0
        var gRate = 0.0
        var hRate = 0.0
    }

    /// The radius of the sphere that the coefficients refer to, metres.
    private static let referenceRadius = 6_371_200.0
    private static let mostDegree = 20

    /// Reads a file of coefficients as NOAA distributes it (`.COF`); nil if it is none, or not complete from degree 1 on.
    ///
    /// - Parameter text: the file.
    public init?(coefficients text: String) {
        let lines = text.split(whereSeparator: \.isNewline)
        let head = lines.first?.split(separator: " ") ?? []
        guard head.count >= 2, let epoch = Double(head[0]), (1900...2200).contains(epoch), head[1].utf8.count <= 20
        else { return nil }
        var table: [Coefficient] = [Coefficient()]
        for line in lines.dropFirst() {
            let fields = line.split(separator: " ")
            guard fields.count == 6, let degree = Int(fields[0]), let order = Int(fields[1]) else { break }
            let values = fields[2...].compactMap { Double($0) }
            guard values.count == 4, values.allSatisfy(\.isFinite), (1...Self.mostDegree).contains(degree),
                (0...degree).contains(order), table.count == degree * (degree + 1) / 2 + order
            else { return nil }
            table.append(Coefficient(g: values[0], h: values[1], gRate: values[2], hRate: values[3]))
        }
        let degree = Int((Double(8 * table.count + 1).squareRoot() - 3) / 2)
        guard degree >= 1, table.count == (degree + 1) * (degree + 2) / 2 else { return nil }
        name = String(head[1])
        self.epoch = epoch
        self.degree = degree
        coefficients = table
    }

    /// What is added to the error for each year outside of the model, degrees, besides the yearly change, which is not known there.
    private static let errorPerYear = 0.1

    /// The standard deviation of the declination, degrees. Outside of `epoch` to ``expiry`` nobody states it: there it grows with
    /// each year by the yearly change and 0.1 degrees, since the change itself changes.
    ///
    /// - Parameters:
    ///   - field: of the place and the year.
    ///   - change: of the declination, degrees a year.
    ///   - year: with its fraction.
    /// - Returns: degrees, at most 180.
    public func declinationError(of field: Field, changing change: Double, year: Double) -> Double {
        let outside = max(epoch - year, year - expiry, 0)
        return min(180, field.declinationError + outside * (abs(change) + Self.errorPerYear))
    }

    /// - Parameters:
    ///   - place: on the ellipsoid; at a pole the directions are those of its longitude.
    ///   - height: above the ellipsoid, metres.
    ///   - year: with decimals. Outside of `epoch` to ``expiry`` the yearly change is carried on.
    /// - Returns: the field.
    public func field(at place: Coordinate, height: Double, year: Double) -> Field {
        let point = WGS84.earthCentred(place, height: height)
        let radius = point.length
        let sine = point.z / radius
        // Directions are divided by the cosine.
        let cosine = max((1 - sine * sine).squareRoot(), 1e-9)
        let longitude = place.longitude * .pi / 180
        var (outward, south, east) = (0.0, 0.0, 0.0)
        let legendre = Legendre(degree: degree, sine: sine, cosine: cosine)
        var power = Self.referenceRadius / radius
        power *= power
        let years = year - epoch
        for n in 1...degree {
            power *= Self.referenceRadius / radius
            for m in 0...n {
                let index = n * (n + 1) / 2 + m
                let coefficient = coefficients[index]
                let g = coefficient.g + coefficient.gRate * years
                let h = coefficient.h + coefficient.hRate * years
                let (c, s) = (cos(Double(m) * longitude), sin(Double(m) * longitude))
                let along = g * c + h * s
                outward += power * Double(n + 1) * along * legendre.values[index]
                south -= power * along * legendre.slopes[index]
                east += power * Double(m) * (g * s - h * c) * legendre.values[index] / cosine
            }
        }
        // From the sphere's frame to the ellipsoid's.
        let geodetic = place.latitude * .pi / 180
        let tilt = geodetic - atan2(sine, cosine)
        let north = -south
        return Field(
            north: north * cos(tilt) - outward * sin(tilt), east: east,
            down: -outward * cos(tilt) - north * sin(tilt))
    }
}

/// Associated Legendre functions, Schmidt semi-normalised, of the sine of the latitude, and their derivatives by the
/// colatitude.
private struct Legendre {
    var values: [Double]
    var slopes: [Double]

    init(degree: Int, sine: Double, cosine: Double) {
        let count = (degree + 1) * (degree + 2) / 2
        values = [Double](repeating: 0, count: count)
        slopes = values
        values[0] = 1
        for n in 1...degree {
            for m in 0...n {
                let index = n * (n + 1) / 2 + m
                if n == m {
                    let before = index - n - 1
                    let factor = n == 1 ? 1 : (1 - 1 / Double(2 * n)).squareRoot()
                    values[index] = factor * cosine * values[before]
                    slopes[index] = factor * (cosine * slopes[before] + sine * values[before])
                } else {
                    let before = index - n
                    let (nn, mm) = (Double(n), Double(m))
                    let root = (nn * nn - mm * mm).squareRoot()
                    let factor = (2 * nn - 1) / root
                    values[index] = factor * sine * values[before]
                    slopes[index] = factor * (sine * slopes[before] - cosine * values[before])
                    if m <= n - 2 {
                        let second = before - n + 1
                        let other = ((nn - 1) * (nn - 1) - mm * mm).squareRoot() / root
                        values[index] -= other * values[second]
                        slopes[index] -= other * slopes[second]
                    }
                }
            }
        }
    }
}
