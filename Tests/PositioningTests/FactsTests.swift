import KonzaModel
import Testing

@testable import Positioning

/// A fact from gpsd goes through several hands. What one of them forgets vanishes without a word, so that each fact is
/// sought behind them: a new member of `Fix` fails here until it is in the fixture, and then until the epochs keep it.
@Suite("Facts of a fix") struct FactsTests {
    /// A fix of which everything is known.
    private var whole: Fix {
        var fix = Fix(
            time: UTCInstant(nanoseconds: 1_780_000_000_000_000_000), arrival: MonotonicInstant(nanoseconds: 5),
            mode: .threeDimensional, source: .live)
        fix.status = .differential
        fix.coordinate = Coordinate(latitude: 39.1, longitude: -96.6)
        fix.altitudeHAE = 400
        fix.altitudeMSL = 428
        fix.geoidSeparation = -28
        fix.speed = 1
        fix.track = 90
        fix.climb = 0.1
        fix.horizontalAccuracy = Accuracy(metres: 3, source: .receiver)
        fix.verticalAccuracy = Accuracy(metres: 5, source: .receiver)
        fix.errors.epx = 1
        fix.errors.epy = 2
        fix.errors.epv = 3
        fix.errors.eph = 4
        fix.errors.sep = 5
        fix.errors.ept = 6
        fix.errors.eps = 7
        fix.errors.epc = 8
        fix.errors.epd = 9
        fix.dop = DilutionOfPrecision(
            horizontal: 1, vertical: 2, position: 3, time: 4, geometric: 5, x: 6, y: 7)
        fix.satellitesUsed = 9
        fix.device = "/dev/ttyACM0"
        fix.driver = "u-blox"
        return fix
    }

    /// The members that are nil, with those of structures inside.
    private func unknown(_ value: Any, _ path: String = "") -> [String] {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            return mirror.children.isEmpty ? [path] : []
        }
        guard mirror.displayStyle == .struct else { return [] }
        return mirror.children.flatMap { child in
            unknown(child.value, path.isEmpty ? child.label ?? "?" : "\(path).\(child.label ?? "?")")
        }
    }

    @Test("all are in the fixture") func fixture() {
        #expect(unknown(whole) == [])
    }

    /// These are worked out from the others when an epoch is whole.
    private static let derived = ["horizontalAccuracy", "verticalAccuracy"]

    @Test("of a report are kept by the epoch that it belongs to", arguments: [true, false])
    func merged(preferringNew: Bool) {
        let report = whole
        let bare = Fix(time: report.time, arrival: report.arrival, mode: .threeDimensional, source: .live)
        let merged = bare.enriched(by: report, preferringNew: preferringNew)
        let lost = unknown(merged).filter { path in
            // The dilutions come with the satellites, by reports of their own.
            !Self.derived.contains(path) && !path.hasPrefix("dop.")
        }
        #expect(lost == [], "the epoch forgets what the report says: add it to Fix.enriched(by:preferringNew:)")
    }
}
