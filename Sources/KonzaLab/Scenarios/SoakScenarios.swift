internal import Foundation
internal import KonzaTesting

/// A working day in half an hour: everything at once and for long, and nothing may grow.
extension Scenario {
    /// How long the soak lasts, minutes: `KONZA_LAB_SOAK_MINUTES`, or 30.
    private static let soakMinutes = LabScale.number("KONZA_LAB_SOAK_MINUTES", default: 30)

    static let soak: [Scenario] = [
        Scenario(
            "process-soak", .here, limitSeconds: soakMinutes * 60 * 1.2 + 300,
            promise: """
                30 minutes (KONZA_LAB_SOAK_MINUTES) of 30 frames a second to a watcher, 10 fixes a second to a \
                listener, and a postcard a second, for 40 visitors' words in turn, with retention at work: on average \
                at least 20 frames and 8 fixes a second come, every postcard is acknowledged, every one that retention \
                keeps is whole, and after a fifth of the time as warm-up heap, resident memory, descriptors and \
                threads are flat: their slopes by least squares, less two standard errors, are not over 1 MB, 4 MB, 2 \
                and 2 an hour in both halves of the rest, and the second half's mean is at most 3 MB, 8 MB, 3 and 3 \
                over the first's. There is nothing to recover from.
                """
        ) { try await SoakRun($0).run(minutes: soakMinutes) }
    ]
}

/// What the environment may set of a long scenario.
enum LabScale {
    /// - Parameters:
    ///   - variable: of the environment.
    ///   - usual: without it, or if it is no positive number.
    /// - Returns: the number.
    static func number(_ variable: String, default usual: Double) -> Double {
        guard let number = ProcessInfo.processInfo.environment[variable].flatMap(Double.init), number > 0 else {
            return usual
        }
        return number
    }
}

/// One soak, and what it sees of the process from outside.
private struct SoakRun {
    /// What retention keeps: few enough that it is at work after two minutes.
    private static let keptPostcards = 120
    private static let sampleSeconds = 2.0
    private let station: LabStation

    init(_ station: LabStation) { self.station = station }

    func run(minutes: Double) async throws {
        let seconds = minutes * 60
        let receiver = try LabReceiver()
        try receiver.gpsd.plugIn(LabReceiver.epochs(Int(seconds * 10) + 3000, every: 0.1), every: 0.1)
        try await receiver.gpsd.start()
        try station.configure(
            receiver.settings + "FrameRate=30\n[Postcards]\nMaxCount=\(Self.keptPostcards)\n"
                // What is kept on purpose is full within the warm-up.
                + "[Position]\nTrackMinutes=\(max(1, Int(minutes / 10)))\n")
        try station.start()
        try station.untilPosition("fix", within: 30)
        let listener = EventListener(station.socket, "/v1/events?positionRate=10")
        let postcards = SteadyPostcards(station.socket, every: 1)
        var series = UsageSeries()
        let process = try station.processID()
        try station.watching {
            let start = ContinuousClock.now
            while start.duration(to: .now).inSeconds < seconds {
                try station.expect(try station.processID() == process, "konzad was restarted or has ended")
                series.add(try ProcessSample(station), at: start.duration(to: .now).inSeconds)
                usleep(UInt32(Self.sampleSeconds * 1e6))
            }
        }
        let outcome = postcards.end()
        let events = listener.end()
        try report(series, seconds, outcome, events)
        try expectPace(seconds, outcome, events)
        try expectFlat(series, after: seconds / 5)
        try station.expect(outcome.failures.isEmpty, "postcards failed: \(outcome.failures.prefix(3))")
        let kept = min(Self.keptPostcards, outcome.acknowledged.count)
        let newest = outcome.acknowledged.suffix(kept)
        try station.expectArchive(holds: Array(newest))
        for postcard in newest { try station.verify(postcard) }
    }

    private func report(
        _ series: UsageSeries, _ seconds: Double, _ outcome: SteadyPostcards.Outcome, _ events: EventListener.Outcome
    ) throws {
        let frames = try station.metric("konza_camera_events_total", "delivered")
        let epochs = try station.metric("konza_position_events_total", "epochs")
        station.note("\((seconds / 60).inTenths) min, \(series.count) samples")
        station.note("\((frames / seconds).inTenths) frames/s, \((epochs / seconds).inTenths) fixes/s")
        station.note("\(outcome.acknowledged.count) postcards, the slowest \(outcome.longest.inTenths) s")
        station.note("\(events.count) events")
        try series.csv.write(toFile: "\(station.folder)/usage.csv", atomically: true, encoding: .utf8)
    }

    /// The load was what it is called.
    private func expectPace(
        _ seconds: Double, _ outcome: SteadyPostcards.Outcome, _ events: EventListener.Outcome
    ) throws {
        let frames = try station.metric("konza_camera_events_total", "delivered")
        let epochs = try station.metric("konza_position_events_total", "epochs")
        try station.expect(frames > 20 * seconds, "only \((frames / seconds).inTenths) frames a second came")
        try station.expect(epochs > 8 * seconds, "only \((epochs / seconds).inTenths) fixes a second came")
        try station.expect(
            events.failure == nil && !events.hasEnded, "the listener was dropped: \(events.failure ?? "it was ended")")
        let heard = Double(events.count - outcome.acknowledged.count)
        try station.expect(heard > 8 * seconds, "the listener heard \((heard / seconds).inTenths) fixes a second")
    }

    private func expectFlat(_ series: UsageSeries, after warmUp: Double) throws {
        var rises: [String] = []
        for quantity in UsageSeries.Quantity.allCases {
            let growth = try series.growth(of: quantity, after: warmUp)
            station.note(growth.words(quantity))
            guard let bounds = quantity.bounds else { continue }
            if growth.isBeyond(bounds) { rises.append(growth.words(quantity)) }
        }
        try station.expect(rises.isEmpty, "it grows: \(rises.joined(separator: "; "))")
    }
}
