import Foundation
import Geodesy
import KonzaModel
import KonzaTesting
import Testing

@testable import Positioning

@Suite("Occupation of a recording") struct OccupationRecordingTests {
    @Test("A recording made of a standing receiver, through NMEA and its rounding, is averaged like live fixes")
    func recording() throws {
        let receiver = StandingReceiver(StandingReceiver.Conditions.field[0], at: try place(39.1069, -96.6091))
        let lines = receiver.fixes(seconds: 300, seed: 21).map(\.nmeaEpoch).joined()
        let recording = try Recording(Array(lines.utf8), name: "standing")
        var occupation = OccupationTests.occupation()
        for epoch in recording.epochs {
            guard var fix = epoch.fix else { continue }
            fix.arrival = OccupationTests.begin.advanced(bySeconds: epoch.seconds)
            fix.source = .recorded
            occupation.add(fix)
        }
        let result = try #require(occupation.estimate)
        #expect(occupation.accepted == 300)
        #expect(result.source == .recorded)
        #expect(result.horizontalAccuracy.confidence == 0.95)
        #expect(WGS84.chord(result.coordinate, receiver.truth) <= result.horizontalError)
        #expect(abs(try #require(result.altitudeMSL) - 378) <= (try #require(result.verticalError)))
    }
}

extension Fix {
    /// This fix as RMC, GGA and GSA sentences, with five decimals of a minute.
    fileprivate var nmeaEpoch: String {
        guard let coordinate, let time, let altitudeMSL else { return "" }
        func angle(_ degrees: Double, _ width: Int) -> String {
            let whole = Int(abs(degrees))
            return String(format: "%0\(width)d%08.5f", whole, (abs(degrees) - Double(whole)) * 60)
        }
        let civil = CivilTime(time)
        let clock = String(format: "%02d%02d%02d.00", civil.hour, civil.minute, civil.second)
        let date = String(format: "%02d%02d%02d", civil.day, civil.month, civil.year % 100)
        let place = angle(coordinate.latitude, 2) + ",N," + angle(coordinate.longitude, 3) + ",W"
        let bodies = [
            "GPRMC,\(clock),A,\(place),0.0,,\(date),,,A",
            "GPGGA,\(clock),\(place),1,09,0.9," + String(format: "%.1f", altitudeMSL) + ",M,-28.0,M,,",
            "GPGSA,A,3,02,05,07,13,14,15,20,24,30,,,,1.7,0.9,1.4",
        ]
        return bodies.map { $0.nmea + "\r\n" }.joined()
    }
}
