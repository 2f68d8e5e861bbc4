internal import Foundation
internal import KonzaTesting

/// A receiver on a real gpsd, and the sentences that it says.
struct LabReceiver: Sendable {
    /// What the receiver says of one instant.
    struct Epoch: Sendable {
        var time: Date
        /// What stands in the sentences instead of the time: `235960.00`.
        var clock: String?
        var latitude = 39.1069
        var longitude = -96.6091
        /// 1 no fix, 2 without altitude, 3 with all (NMEA 0183, GSA).
        var mode = 3

        init(_ time: Date) { self.time = time }

        /// The sentences RMC, GGA and GSA with their checksums.
        var sentences: [String] {
            let clock = clock ?? Self.text(time, "HHmmss.SS")
            let date = Self.text(time, "ddMMyy")
            let place = "\(Self.angle(latitude, 2, "N", "S")),\(Self.angle(longitude, 3, "E", "W"))"
            guard mode > 1 else {
                return [
                    "GPRMC,\(clock),V,,,,,,,\(date),,,N".nmea,
                    "GPGGA,\(clock),,,,,0,00,99.9,,M,,M,,".nmea,
                    "GPGSA,A,1,,,,,,,,,,,,,99.9,99.9,99.9".nmea,
                ]
            }
            let height = mode == 3 ? "415.2,M,-28.3,M" : ",M,,M"
            return [
                "GPRMC,\(clock),A,\(place),0.02,84.4,\(date),,,A".nmea,
                "GPGGA,\(clock),\(place),1,09,0.9,\(height),,".nmea,
                "GPGSA,A,\(mode),02,05,12,13,15,18,20,25,29,,,,1.7,0.9,1.4".nmea,
            ]
        }

        private static func text(_ date: Date, _ format: String) -> String {
            let formatter = DateFormatter()
            formatter.timeZone = .gmt
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.dateFormat = format
            return formatter.string(from: date)
        }

        private static func angle(_ degrees: Double, _ width: Int, _ positive: String, _ negative: String) -> String {
            let minutes = abs(degrees) * 60
            let whole = Int(minutes / 60)
            return String(format: "%0\(width)d%08.5f,", whole, minutes - Double(whole) * 60)
                + (degrees < 0 ? negative : positive)
        }
    }

    let gpsd: RealGPSD

    init() throws { gpsd = try RealGPSD() }

    /// The settings that read the position from this gpsd, and pictures from the recording.
    var settings: String {
        "[Position]\nSource=gpsd\nGPSD=127.0.0.1:\(gpsd.port)\n[Camera]\nSource=recorded\nWidth=640\nHeight=480\n"
    }

    /// Epochs that tell the time as it will be, from now on.
    ///
    /// - Parameters:
    ///   - count: how many.
    ///   - interval: seconds between two.
    ///   - change: makes of an epoch and its number what the receiver says.
    /// - Returns: the sentences of each epoch.
    static func epochs(
        _ count: Int = 600, every interval: Double = 1, _ change: (inout Epoch, Int) -> Void = { _, _ in }
    ) -> [[String]] {
        let start = Date().timeIntervalSince1970
        return (0..<count).map { index in
            // Whole hundredths, as the sentences have them.
            let seconds = ((start + Double(index) * interval) * 100).rounded() / 100
            var epoch = Epoch(Date(timeIntervalSince1970: seconds))
            change(&epoch, index)
            return epoch.sentences
        }
    }

    /// Starts gpsd with the receiver, and konzad, and waits for a fresh fix.
    func start(_ station: LabStation, _ epochs: [[String]] = epochs(), every interval: Double = 1) async throws {
        try gpsd.plugIn(epochs, every: interval)
        try await gpsd.start()
        try station.configure(settings)
        try station.start()
        try station.untilPosition("fix", within: 30)
    }
}

extension LabStation {
    /// Waits until the position is in a state.
    ///
    /// - Parameters:
    ///   - state: `acquiring`, `fix`, `stale` or `disconnected`.
    ///   - seconds: the longest wait.
    /// - Returns: how many seconds it took.
    /// - Throws: ``Complaint`` with what it is instead.
    @discardableResult func untilPosition(_ state: String, within seconds: Double) throws -> Double {
        try until("the position is in the state \(state)", within: seconds) {
            let found = try self.get("/v1/position")["state"]?.text ?? "none"
            guard found == state else { throw Complaint("it is \(found)") }
            return true
        }
    }

    /// Waits until the position's health is of a kind, in the status and in the metrics alike.
    ///
    /// - Parameters:
    ///   - kinds: any of these stable names.
    ///   - seconds: the longest wait.
    /// - Returns: how many seconds it took.
    /// - Throws: ``Complaint`` with what it is instead.
    @discardableResult func untilPositionHealth(_ kinds: String..., within seconds: Double) throws -> Double {
        try until("the position's health is \(kinds.joined(separator: " or "))", within: seconds) {
            let health = try self.health("position")
            guard kinds.contains(health.kind) else { throw Complaint("it is \(health.kind): \(health.reason)") }
            let page = String(decoding: try self.get("/metrics").body, as: UTF8.self)
            let line = page.split(separator: "\n").first {
                $0.hasPrefix("konza_health{") && $0.contains("part=\"position\"")
            }
            guard let line, kinds.contains(where: { line.contains("kind=\"\($0)\"") }) else {
                throw Complaint("the metrics say \(line ?? "nothing")")
            }
            return true
        }
    }

    /// What the receiver's side has counted.
    func positionCount(_ event: String) throws -> Double { try metric("konza_position_events_total", event) }
}
