internal import Foundation
internal import KonzaTesting

/// konzad as systemd runs it: started by its socket, killed, wedged.
extension Scenario {
    static let service: [Scenario] = [
        Scenario(
            "service-activation", .guest,
            promise: """
                Only the socket is there. A postcard is asked for: the service starts, the request waits and is \
                acknowledged, without one refused connection; so are 20 requests that come at once.
                """
        ) { station in
            try station.configure(recordedStation)
            // The package's other services ask konzad by themselves, when they like.
            let askers = try ["konza-courier.service", "konza-fleet.service"].filter {
                try Program("systemctl", "is-active", $0).run().status == 0
            }
            for asker in askers { try Program("systemctl", "stop", asker).succeed(seconds: 100) }
            defer { for asker in askers { _ = try? Program("systemctl", "start", asker).run() } }
            try Program("systemctl", "start", "konzad.socket").succeed()
            try station.expect(try station.processID() == nil, "the service runs before anybody has asked")
            let postcard = try station.expectPostcard()
            try station.stop()
            try Program("systemctl", "start", "konzad.socket").succeed()
            let answers = LockedValue<[Int]>([])
            let ended = DispatchSemaphore(value: 0)
            for _ in 0..<20 {
                Thread.detachNewThread {
                    let status = (try? station.get("/v1/status").status) ?? 0
                    answers.change { $0.append(status) }
                    ended.signal()
                }
            }
            for _ in 0..<20 { ended.wait() }
            try station.expect(answers.value.allSatisfy { $0 == 200 }, "answers: \(answers.value)")
            try station.verify(postcard)
            station.note("first answer \(postcard.seconds.inTenths) s after the request")
        },
        Scenario(
            "service-watchdog", .guest, limitSeconds: 240,
            promise: """
                The whole process stands still (SIGSTOP, which stands for every way of hanging): systemd's watchdog \
                kills it and starts it anew, nobody else does. That loses up to 32 s and the start: 30 until the \
                watchdog fires, 2 of rest. Requests that come meanwhile wait and are answered, but for one at most \
                that the process took at its very end; a postcard is acknowledged within 20 s of the new start; every \
                acknowledged one is there and opens.
                """
        ) { station in
            try station.configure(recordedStation)
            try station.start()
            let kept = try (0..<2).map { _ in try station.expectPostcard() }
            let wedged = try station.processID()
            try station.signal(SIGSTOP)
            let start = ContinuousClock.now
            // A connection that a thread still took would be lost with the process.
            try station.until("every thread stands still", within: 20) { try isStopped(wedged) }
            let waiting = PostcardStorm(station.socket)
            // The interval and the time to abort are systemd's, on the machine's clock.
            try station.until("systemd has started another", within: 120, every: 0.5) {
                let new = try station.processID()
                return new != nil && new != wedged
            }
            let seconds = start.duration(to: .now).inSeconds
            let recovery = try station.until("a postcard is acknowledged", within: 20) {
                !waiting.acknowledged.isEmpty
            }
            let outcome = waiting.end()
            // systemd has the process go on so that it takes SIGABRT: a thread may take a connection until it does.
            try station.expect(
                outcome.unanswered.count <= 1, "requests were not answered: \(outcome.unanswered.prefix(3))")
            let journal = try Program("journalctl", "--no-pager", "-b", "-u", "konzad.service").run().text
            try station.expect(journal.contains("Watchdog timeout"), "the watchdog did not fire")
            try station.expect(try station.unit()["NRestarts"] == "1", "it was restarted more than once")
            for postcard in kept + outcome.acknowledged { try station.verify(postcard) }
            station.note("a new one after \(seconds.inTenths) s, a postcard \(recovery.inTenths) s later")
        },
        Scenario(
            "service-killed", .guest, limitSeconds: 1800,
            promise: """
                kill -9 at 50 random instants of a storm of two clients (the seed is printed): systemd starts konzad \
                anew each time, the socket refuses no connection, and every acknowledged postcard is listed, complete \
                and opens; no half file stays.
                """
        ) { station in
            let seed = UInt64.random(in: 0...UInt64.max)
            station.note("seed \(seed)")
            var generator = SeededGenerator(seed: seed)
            try station.configure(recordedStation)
            try station.start()
            let storm = PostcardStorm(station.socket, clients: 2)
            var longest = 0.0
            var restart = 0.0
            for kill in 1...50 {
                let count = storm.acknowledged.count
                let recovery = try station.until("postcards are taken after \(kill - 1) kills", within: 60) {
                    storm.acknowledged.count > count
                }
                longest = max(longest, restart + recovery)
                usleep(UInt32.random(in: 0...1_000_000, using: &generator))
                let killed = try station.processID()
                try station.signal(SIGKILL)
                // What it had acknowledged by then is counted until here, not as the next one's.
                restart = try station.until("systemd has started konzad anew", within: 60) {
                    let current = try station.processID()
                    return current != nil && current != killed
                }
            }
            let count = storm.acknowledged.count
            try station.until("postcards are taken after the last", within: 60) { storm.acknowledged.count > count }
            let outcome = storm.end()
            try station.expect(
                !outcome.unanswered.contains { $0.contains("cannot connect") }, "the socket refused a connection")
            // An answer may be lost with the connection that waited for it: that postcard is there and nobody knows.
            let known = Set(outcome.acknowledged.map(\.id))
            let listed = try station.allListed()
            try station.expect(known.isSubset(of: listed), "\(known.subtracting(listed).count) postcards are lost")
            try station.expect(
                listed.subtracting(known).count <= outcome.unanswered.count,
                "postcards are listed that nobody asked for")
            try station.expectWholeFiles(of: listed)
            for postcard in outcome.acknowledged { try station.verify(postcard) }
            let unit = try station.unit()
            try station.expect(unit["NRestarts"] == "50", "the unit is \(unit)")
            station.note(
                "\(known.count) acknowledged, \(outcome.unanswered.count) cut off, recovery \(longest.inTenths) s at most"
            )
        },
    ]

    /// Whether the kernel has stopped every thread of a process.
    private static func isStopped(_ process: Int32?) throws -> Bool {
        guard let process else { throw Complaint("konzad does not run") }
        let folder = "/proc/\(process)/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { thread in
            try String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8).contains("\nState:\tT")
        }
    }
}
