internal import Foundation
internal import KonzaTesting

/// A system clock that jumps, as one does that was never set and then is, or that a wrong server sets.
extension Scenario {
    static let clock: [Scenario] = [("forward", 1), ("back", -1)].map { name, years in
        Scenario(
            "clock-\(name)", .guest,
            promise: """
                The system's clock jumps a year \(name) and nobody calls it synchronised: the position stays a fix, \
                every answer in time; konza_clock_steps_total counts the step; postcards are acknowledged and carry the \
                receiver's time to 5 s; not one is deleted as too old (MaxAge=30d), after a restart neither; konzad is \
                not restarted.
                """
        ) { station in
            let receiver = try LabReceiver()
            try receiver.gpsd.plugIn(LabReceiver.epochs())
            try await receiver.gpsd.start()
            try station.configure(receiver.settings + "[Postcards]\nMaxAge=30d\n")
            try station.start()
            try station.untilPosition("fix", within: 30)
            var kept = try (0..<2).map { _ in try station.expectPostcard() }
            let clock = LabClock()
            let steps = try station.metric("konza_clock_steps_total")
            try clock.jump(years: years)
            defer { try? clock.putRight() }
            let position = try station.positionAnswered(within: 20) {
                try station.untilPosition("fix", within: 5)
                for _ in 0..<2 {
                    let postcard = try station.expectPostcard()
                    try clock.expect(postcard, station)
                    kept.append(postcard)
                }
                try station.untilPosition("fix", within: 5)
            }
            // It is looked at once a second.
            try station.until("the step is counted", within: 10) {
                try station.metric("konza_clock_steps_total") > steps
            }
            try station.expectListed(kept.map(\.id))
            try station.expect(try station.unit()["NRestarts"] == "0", "konzad was restarted")
            // Retention looks at the ages two seconds after a start.
            try station.stop()
            try station.start()
            try station.untilPosition("fix", within: 30)
            kept.append(try station.expectPostcard())
            usleep(5_000_000)
            try station.expectListed(kept.map(\.id))
            for postcard in kept { try station.verify(postcard) }
            station.note("position \(position.longest.inMilliseconds) ms at most")
        }
    }
}

/// The machine's clock, and what it was before it was meddled with.
private final class LabClock: Sendable {
    private let offset: Duration

    init() { offset = Self.wall() - Self.steady() }

    /// What the clock would say.
    private var truth: Duration { Self.steady() + offset }

    func jump(years: Int) throws { try Self.set(truth + .seconds(years * 365 * 86_400)) }

    func putRight() throws { try Self.set(truth) }

    /// The postcard tells when it was exposed, by the clock as it was before.
    func expect(_ postcard: LabPostcard, _ station: LabStation) throws {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        guard let text = postcard.reply["exposedAt"]?.text, let date = formatter.date(from: text) else {
            throw Complaint("the postcard does not say when it was exposed")
        }
        let age = truth.inSeconds - date.timeIntervalSince1970
        try station.expect(
            age > -5 && age < postcard.seconds + 60, "the postcard says \(text), \(age.inTenths) s before the truth")
    }

    private static func wall() -> Duration { read(CLOCK_REALTIME) }
    private static func steady() -> Duration { read(CLOCK_BOOTTIME) }

    private static func read(_ clock: clockid_t) -> Duration {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private static func set(_ time: Duration) throws {
        var time = timespec(
            tv_sec: Int(time.components.seconds), tv_nsec: Int(time.components.attoseconds / 1_000_000_000))
        guard unsafe clock_settime(CLOCK_REALTIME, &time) == 0 else {
            throw Complaint("cannot set the clock: error \(errno)")
        }
    }
}
