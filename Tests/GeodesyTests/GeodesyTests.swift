import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Geodesy

private func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    try #require(Coordinate(latitude: latitude, longitude: longitude))
}

@Suite("A geodesic")
struct GeodesicTests {
    /// Karney 2013, tables 2 and 4; the third with GeographicLib 2.1.
    @Test(
        "is the published one",
        arguments: [
            (40, 0, 41.79331020506, 137.84490004377, 10_000_000, 30, 149.09016931807),
            (-30, 0, 29.9, 179.8, 19_989_832.82761, 161.89052473633, nil),
            (39.110446, -96.612935, 39.100774, -96.563075, 4444.4233, 103.9651152, 103.9965644),
        ] as [(Double, Double, Double, Double, Double, Double, Double?)])
    func published(
        latitude: Double, longitude: Double, endLatitude: Double, endLongitude: Double, distance: Double,
        departure: Double, arrival: Double?
    ) throws {
        let way = Geodesic(from: try place(latitude, longitude), to: try place(endLatitude, endLongitude))
        #expect(abs(way.distance - distance) < 6e-5, "\(way)")
        #expect(abs(way.departure - departure) < 1e-6, "\(way)")
        if let arrival { #expect(abs(way.arrival - arrival) < 1e-6, "\(way)") }
        let end = try #require(
            Geodesic.destination(from: try place(latitude, longitude), azimuth: way.departure, distance: way.distance))
        #expect(abs(end.place.latitude - endLatitude) < 1e-9 && abs(end.place.longitude - endLongitude) < 1e-9)
    }

    @Test(
        "along the equator, a meridian and over a pole has its known length",
        arguments: [
            // A degree of the equator; a quarter of the meridian (NIMA TR8350.2); the same over the pole; none.
            (0.0, 0.0, 0.0, 1.0, 111_319.490793, 90.0), (0, 10, 90, 10, 10_001_965.729313, 0),
            (0, 0, 0, 180, 20_003_931.458626, 180), (39.1, -96.6, 39.1, -96.6, 0, 0),
            (0, 1, 0, 0, 111_319.490793, 270),
        ])
    func special(
        latitude: Double, longitude: Double, endLatitude: Double, endLongitude: Double, distance: Double,
        departure: Double
    ) throws {
        let way = Geodesic(from: try place(latitude, longitude), to: try place(endLatitude, endLongitude))
        #expect(abs(way.distance - distance) < 1e-4, "\(way)")
        if distance > 0 { #expect(abs((way.departure - departure).remainder(dividingBy: 360)) < 1e-9, "\(way)") }
    }

    @Test("leads to where it was measured to, the same way back, and is no shorter than the chord")
    func roundTrips() throws {
        let seed = RandomTest.seed(of: "geodesics")
        var random = SeededGenerator(seed: seed)
        for round in 0..<200 {
            let near = round % 2 == 0
            let first = try place(.random(in: -89...89, using: &random), .random(in: -180...180, using: &random))
            let second =
                near
                ? try place(
                    first.latitude + .random(in: -0.05...0.05, using: &random),
                    (first.longitude + .random(in: -0.05...0.05, using: &random)).remainder(dividingBy: 360))
                : try place(.random(in: -89...89, using: &random), .random(in: -180...180, using: &random))
            let way = Geodesic(from: first, to: second)
            let end = try #require(
                Geodesic.destination(from: first, azimuth: way.departure, distance: way.distance)?.place)
            #expect(WGS84.chord(end, second) < 1e-6, "\(first) \(second) \(way)")
            #expect(abs(Geodesic(from: second, to: first).distance - way.distance) < 1e-6)
            let chord = WGS84.chord(first, second)
            #expect(way.distance >= chord - 1e-6)
            if near { #expect(way.distance - chord < 0.005) }
        }
    }
}

@Suite("The local frame")
struct LocalFrameTests {
    /// Heights of both on one datum; computed with another program.
    @Test(
        "has the published directions of the landmarks",
        arguments: [
            (39.110446, -96.612935, 334.98, -331.713, 393.696, 4.959),
            (39.100774, -96.563075, 425.81, 3981.584, -679.13, 94.533),
            (39.06621, -96.54168, 538.58, 5835.396, -4515.504, 204.312),
            (39.16729, -96.62411, 433.12, -1297.283, 6704.945, 99.455),
            (39.25465, -96.60645, 448.67, 228.751, 16_404.19, 97.515),
        ])
    func landmarks(
        latitude: Double, longitude: Double, height: Double, east: Double, north: Double, up: Double
    ) throws {
        let frame = LocalFrame(at: try place(39.1069, -96.6091), height: 330)
        let target = WGS84.earthCentred(try place(latitude, longitude), height: height)
        let local = frame.local(direction: target - frame.origin)
        #expect(abs(local.x - east) < 0.001 && abs(local.y - north) < 0.001 && abs(local.z - up) < 0.001)
    }
}

@Suite("The magnetic model")
struct MagneticModelTests {
    private static func model() throws -> MagneticModel {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appending(path: "config/terrain/WMM2025.COF")
        return try #require(MagneticModel(coefficients: try String(contentsOf: file, encoding: .utf8)))
    }

    /// NOAA's published test values, rounded to 0.01 degrees: year, height in km, latitude, longitude, declination.
    @Test(
        "has the official declinations",
        arguments: [
            (2025, 0, 80, 0, 1.28), (2025, 0, 0, 120, -0.16), (2025, 0, -80, -120, 68.78), (2025, 100, 80, 0, 0.85),
            (2025, 100, 0, 120, -0.15), (2025, 100, -80, -120, 68.21), (2027.5, 0, 80, 0, 2.59),
            (2027.5, 0, 0, 120, -0.24), (2027.5, 0, -80, -120, 68.49), (2027.5, 100, 80, 0, 2.16),
            (2027.5, 100, 0, 120, -0.23), (2027.5, 100, -80, -120, 67.93), (2025, 28, 89, -121, -99.77),
            (2025, 48, 80, -96, -29.91), (2025, 18, 0, 21, 1.29), (2025.5, 6, -36, -137, 20.28),
        ] as [(Double, Double, Double, Double, Double)])
    func official(year: Double, height: Double, latitude: Double, longitude: Double, declination: Double) throws {
        let field = try Self.model().field(at: try place(latitude, longitude), height: height * 1000, year: year)
        #expect(abs(field.declination - declination) < 0.006, "\(field.declination)")
    }

    @Test(
        "has the field at Konza",
        arguments: [
            (2025.0, 2.562, 66.329, 20_677.261, 20_656.59, 924.355, 47_169.74, 51_502.753),
            (2026.5, 2.458, 66.237, 20_678.325, 20_659.295, 886.927, 46_965.732, 51_316.402),
            (2027.0, 2.424, 66.206, 20_678.694, 20_660.197, 874.452, 46_897.729, 51_254.321),
            (2028.0, 2.354, 66.144, 20_679.456, 20_662.0, 849.5, 46_761.724, 51_130.213),
            (2029.9, 2.223, 66.024, 20_680.987, 20_665.426, 802.093, 46_503.313, 50_894.61),
        ])
    func konza(
        year: Double, declination: Double, inclination: Double, horizontal: Double, north: Double, east: Double,
        down: Double, total: Double
    ) throws {
        let field = try Self.model().field(at: try place(39.1069, -96.6091), height: 320, year: year)
        #expect(abs(field.declination - declination) < 0.001 && abs(field.inclination - inclination) < 0.001)
        #expect(abs(field.horizontal - horizontal) < 0.01 && abs(field.total - total) < 0.01)
        #expect(abs(field.north - north) < 0.01 && abs(field.east - east) < 0.01 && abs(field.down - down) < 0.01)
        #expect(abs(field.declinationError - 0.37) < 0.005)
    }

    @Test("the declination's error is the stated one in the model's years, and grows outside of them")
    func error() throws {
        let model = try Self.model()
        let konza = try place(39.1069, -96.6091)
        func error(_ year: Double) -> Double {
            let fields = [year, year + 1].map { model.field(at: konza, height: 320, year: $0) }
            let change = fields[1].declination - fields[0].declination
            return model.declinationError(of: fields[0], changing: change, year: year)
        }
        for year in [2025.0, 2027.5, 2030] { #expect(abs(error(year) - 0.37) < 0.005) }
        // It changes by 0.07 degrees a year there: six years after the end 6 x (0.07 + 0.1) more.
        #expect(abs(error(2036) - (0.37 + 6 * 0.17)) < 0.05)
        for (near, far) in [(2031.0, 2035.0), (2035, 2050), (2024, 2015), (2015, 1990)] {
            #expect(error(near) < error(far))
        }
    }

    @Test("tells its name and its years, and is none without its coefficients")
    func facts() throws {
        let model = try Self.model()
        #expect(model.name == "WMM-2025" && model.epoch == 2025 && model.expiry == 2030)
        for text in [
            "", "2025.0", "2025.0 WMM-2025", "x WMM\n1 0 1 0 0 0", "2025.0 WMM\n1 0 1 0 0 0",
            "2025.0 WMM\n1 1 1 0 0 0\n1 0 1 0 0 0", "2025.0 WMM\n1 0 nan 0 0 0\n1 1 1 1 1 1",
        ] {
            #expect(MagneticModel(coefficients: text) == nil, "\(text)")
        }
    }
}
