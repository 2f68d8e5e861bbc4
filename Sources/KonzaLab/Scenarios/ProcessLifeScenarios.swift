internal import Foundation
internal import KonzaTesting

/// konzad is restarted, and told to take its configuration again, with clients on it.
extension Scenario {
    static let processLife = [processRestart, processReload]

    private static let processRestart = Scenario(
        "process-restart", .here, limitSeconds: 240,
        promise: """
            konzad is stopped under 50 clients: 20 listeners, 10 watchers, 16 that wait for an answer and 4 that rest. \
            It ends within 5 s; streams end as HTTP ends them, every request is answered with its postcard or 503, no \
            answer is cut. Started again all 50 come back within 10 s; a listener that gives its Last-Event-ID gets, in \
            the same run, exactly the events that it missed, and from the run before the event gap.
            """
    ) { station in
        try station.configure(recordedStation + "[API]\nMaxPreviews=16\n")
        try station.start()
        try expectResumed(station)
        let first = try ClientCrowd(station)
        try first.untilServed()
        let start = ContinuousClock.now
        try station.stop()
        let stop = start.duration(to: .now).inSeconds
        let before = try first.expectOrderlyEnd()
        try station.expect(stop < 5, "it took \(stop.inTenths) s to stop")
        try station.start()
        let second = try ClientCrowd(station, lastID: before.lastID)
        let back = try station.until("all are back", within: 10) {
            try second.untilServed()
            return true
        }
        try second.expectGap(of: before.lastID)
        for postcard in before.postcards { try station.verify(postcard) }
        try station.stop()
        _ = try second.expectOrderlyEnd()
        station.note("stopped within \(stop.inTenths) s, all back within \(back.inTenths) s")
        station.note("\(before.postcards.count) postcards acknowledged, \(before.refusals) requests told to come back")
    }

    /// A listener goes, misses some events, and comes back in the same run.
    private static func expectResumed(_ station: LabStation) throws {
        let target = "/v1/events?types=postcard"
        let all = EventListener(station.socket, target)
        let early = EventListener(station.socket, target)
        // A listener gets what happens once it listens.
        usleep(300_000)
        try station.expectPostcard()
        try station.until("the first event came", within: 10) { early.soFar.lastID != nil && all.soFar.lastID != nil }
        usleep(300_000)
        let seen = early.end()
        try station.expectPostcard()
        try station.expectPostcard()
        let late = EventListener(station.socket, target, lastID: seen.lastID)
        try station.until("the missed events came", within: 10) {
            guard all.soFar.count > seen.count, seen.count + late.soFar.count == all.soFar.count else {
                throw Complaint("\(late.soFar.count) came of \(all.soFar.count - seen.count)")
            }
            return true
        }
        let whole = all.end().first.map(\.id)
        let halves = seen.first.map(\.id) + late.end().first.map(\.id)
        try station.expect(whole == halves, "of \(whole.suffix(12)) came \(halves.suffix(12))")
    }

    private static let processReload = Scenario(
        "process-reload", .here, limitSeconds: 240,
        promise: """
            SIGHUP 30 times under a storm of postcards, a watcher and a listener, with good and bad configurations in \
            turn: no postcard is refused or lost, no stream ends, the position is answered all the time by the same \
            process. A good one is in force within 2 s; a bad one changes nothing and within 2 s the status says \
            configuration-refused with the line, and the journal that the old settings stay in force.
            """
    ) { station in
        func configure(_ number: Int) throws {
            try station.configure(
                recordedStation + "[General]\nPlace=Stop \(number)\n[Camera]\nFrameRate=\(10 + number)\n")
        }
        try configure(0)
        try station.start()
        let listener = EventListener(station.socket)
        let storm = PostcardStorm(station.socket, clients: 2, seconds: 30)
        var slowest = 0.0
        let positions = try station.positionAnswered(within: 5) {
            try station.watching {
                for round in 1...15 {
                    try configure(round)
                    slowest = max(slowest, try reload(station, untilPlace: "Stop \(round)"))
                    try station.configure(recordedStation + "[General]\nPlace=Nowhere\n[Camera]\nWidth=wide\n")
                    slowest = max(slowest, try reloadRefused(station, mentioning: "Width"))
                }
                try configure(16)
                _ = try reload(station, untilPlace: "Stop 16")
            }
        }
        let outcome = storm.end()
        try station.expect(listener.soFar.failure == nil && !listener.soFar.hasEnded, "the listener's stream ended")
        _ = listener.end()
        try station.expect(
            outcome.refused.isEmpty && outcome.unanswered.isEmpty,
            "postcards failed: \((outcome.refused + outcome.unanswered).prefix(3))")
        try station.expectListed(outcome.acknowledged.map(\.id))
        for postcard in outcome.acknowledged.suffix(30) { try station.verify(postcard) }
        try station.expect(
            try station.metric("konza_reloads_total", "taken") == 16
                && station.metric("konza_reloads_total", "refused") == 15, "the reloads are not counted")
        try station.expect(
            try station.metric("konza_faults_total", "configuration-refused") >= 1, "the fault is not counted")
        station.note("\(outcome.acknowledged.count) postcards, the slowest \(outcome.longest.inTenths) s")
        station.note("\(positions.count) positions, the slowest \(positions.longest.inTenths) s")
        station.note("in force or refused within \(slowest.inTenths) s")
    }

    private static func reload(_ station: LabStation, untilPlace place: String) throws -> Double {
        try station.signal(SIGHUP)
        let seconds = try station.until("the new settings are in force", within: 2) {
            try station.get("/v1/status")["configuration", "health", "kind"]?.text == "ok"
                && station.metric("konza_reloads_total", "taken") == Double(place.dropFirst(5)) ?? -1
        }
        let reply = try station.post("/v1/postcards", "{}")
        let found = reply["place"]?.text ?? "none, with \(reply.status) \(reply["detail"]?.text ?? "")"
        try station.expect(found == place, "the postcard's place is \(found), not \(place)")
        _ = try station.request("DELETE", "/v1/postcards/\(reply["id"]?.text ?? "")")
        return seconds
    }

    private static func reloadRefused(_ station: LabStation, mentioning word: String) throws -> Double {
        try station.signal(SIGHUP)
        let seconds = try station.until("the status says it", within: 2) {
            let reply = try station.get("/v1/status")
            guard reply["configuration", "health", "kind"]?.text == "configuration-refused" else { return false }
            let reason = reply["configuration", "health", "reason"]?.text ?? ""
            try station.expect(reason.contains(word), "the reason does not name it: \(reason)")
            return true
        }
        let journal = try station.journal()
        try station.expect(journal.contains("the old settings stay in force"), "the journal does not say it")
        try station.expect(
            try station.post("/v1/postcards/preview", "{}").status != 500, "a preview fails after a refusal")
        return seconds
    }
}
