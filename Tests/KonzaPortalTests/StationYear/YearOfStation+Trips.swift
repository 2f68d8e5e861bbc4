import KonzaModel
import Storage
import Testing

@testable import Trips

extension YearOfStation {
    func startTrip() throws {
        let trip = Trip(
            leader: "Party \(expected.trips.count)", destination: "Kings Creek",
            expectedAt: Self.instant(now + number(600..<36_000)))
        let entry = try trips.start(trip, by: "kiosk", key: nil)
        expected.trips[entry.id] = .init(due: Int(trip.expectedAt.nanoseconds / 1_000_000_000))
        // Each start deletes what ended long ago.
        expected.trips = expected.trips.filter { $0.value.endedAt.map { $0 > now - Self.keptTrips } ?? true }
    }

    func extendSomeTrip() throws {
        guard let id = expected.trips.filter({ $0.value.endedAt == nil }).keys.sorted().randomElement(using: &chance)
        else { return }
        let due = now + number(600..<86_400)
        _ = try trips.extend(id, to: Self.instant(due), by: "kiosk")
        expected.trips[id]?.due = due
        expected.trips[id]?.step = 0
    }

    func endSomeTrip() throws {
        guard let id = expected.trips.filter({ $0.value.endedAt == nil }).keys.sorted().randomElement(using: &chance)
        else { return }
        #expect(try trips.end(id, by: "kiosk", how: "kiosk").endedAt == Self.instant(now), "\(story)")
        expected.trips[id]?.endedAt = now
    }

    /// The portal looks who is overdue: each step is told once, and after an outage the one that was reached.
    func lookForOverdue() throws {
        var wanted: [String: Int] = [:]
        for (id, trip) in expected.trips where trip.endedAt == nil && now >= trip.due {
            let step = YearExpected.step(secondsLate: now - trip.due)
            guard step > trip.step else { continue }
            wanted[id] = step
            expected.trips[id]?.step = step
        }
        let raised = try trips.raise()
        #expect(Dictionary(raised.map { ($0.id, $0.step.rawValue) }) { $1 } == wanted, "\(story)")
    }

    /// Nobody is closed by time: who is out stays out, and is as overdue as was told.
    func checkOut() throws {
        let out = try trips.list(isOut: true)
        let wanted = expected.trips.filter { $0.value.endedAt == nil }
        #expect(Set(out.map(\.id)) == Set(wanted.keys), "\(story)")
        for one in out { #expect(one.overdue.rawValue == wanted[one.id]?.step, "\(story)") }
        #expect(out.map(\.trip.expectedAt) == out.map(\.trip.expectedAt).sorted(), "\(story)")
    }

    /// Who came back is remembered for as long as the settings say; no message waits for longer than two weeks.
    func checkTrips() throws {
        #expect(
            Set(try trips.list(isOut: false).map(\.id)) == Set(expected.trips.filter { $0.value.endedAt != nil }.keys),
            "\(story)")
        for one in try outbox.list(limit: 500) where one.sentAt == nil && one.givenUpAt == nil {
            #expect(now - Int(one.writtenAt.nanoseconds / 1_000_000_000) < 18 * 86_400, "\(story)")
        }
    }

    /// The courier sends what waits; without a network it says so, and what is two weeks old is given up.
    func sendMessages(hasNetwork: Bool) throws {
        while true {
            guard let lease = try outbox.take([.mail]) else { break }
            #expect(lease.message.sentAt == nil && lease.message.givenUpAt == nil, "\(story)")
            let isKept = try outbox.finish(
                lease.message.id, lease: lease.lease, hasNetwork ? .sent : .postponed("no network"))
            #expect(isKept, "\(story)")
        }
    }
}
