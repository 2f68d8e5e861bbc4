internal import Foundation

/// Disks that take their time.
extension Scenario {
    static let storageSlow: [Scenario] = [
        Scenario(
            "storage-slow", .guest, limitSeconds: 500,
            promise: """
                Every write to the disk takes 2 s, for longer than the watchdog waits: three postcards at a time are \
                still acknowledged, every position is answered meanwhile, the watchdog stays fed.
                """
        ) { station in
            let disk = try ScratchDisk(megabytes: 16)
            try station.configure(recordedStation)
            try station.start()
            try station.expectPostcard()
            let quick = try station.positionAnswered(within: 20) { usleep(3_000_000) }
            try disk.delayWrites(milliseconds: 2000)
            let storm = PostcardStorm(station.socket, clients: 3)
            let start = ContinuousClock.now
            let slow = try station.positionAnswered(within: 20) {
                try station.until("three postcards and two watchdog periods have passed", within: 300, every: 0.5) {
                    storm.acknowledged.count >= 3 && start.duration(to: .now) > .seconds(70)
                }
            }
            try disk.delayWrites(milliseconds: 0)
            let outcome = storm.end()
            // The painted camera may miss its second beside three clients of an emulated machine.
            let refused = outcome.refused.filter { !$0.contains("cannot take a picture") }
            try station.expect(refused.isEmpty, "refused: \(refused.prefix(2))")
            try station.expect(outcome.unanswered.isEmpty, "not answered: \(outcome.unanswered.prefix(2))")
            try station.expectFed()
            for postcard in outcome.acknowledged { try station.verify(postcard) }
            station.note(
                "postcard \(outcome.longest.inTenths) s at most; position \(slow.longest.inMilliseconds) ms at most "
                    + "(\(quick.longest.inMilliseconds) ms on a sound disk)")
        },
        Scenario(
            "storage-slow-reads", .guest, limitSeconds: 400,
            promise: """
                Every read from the disk takes 3 s and nothing is in the system's cache: eight clients who want pictures \
                and lists at once get them whole, every position is answered meanwhile within 5 s, the watchdog stays fed.
                """
        ) { station in
            let disk = try ScratchDisk(megabytes: 16)
            try station.configure(recordedStation)
            try station.start()
            let kept = try (0..<4).map { _ in try station.expectPostcard() }
            try disk.delayReads(milliseconds: 3000)
            let start = ContinuousClock.now
            let failures = LockedValue<[String]>([])
            let position = try station.positionAnswered(within: 5) {
                try ScratchDisk.forgetCache()
                let ended = DispatchSemaphore(value: 0)
                for target in kept.flatMap({ ["/v1/postcards/\($0.id)/image.jpg", "/v1/postcards?limit=200"] }) {
                    Thread.detachNewThread {
                        let status = try? station.get(target).status
                        if status != 200 { failures.change { $0.append("\(target): \(status ?? 0)") } }
                        ended.signal()
                    }
                }
                for _ in 0..<2 * kept.count { ended.wait() }
            }
            let seconds = start.duration(to: .now).inSeconds
            try disk.delayReads(milliseconds: 0)
            try station.expect(failures.value.isEmpty, "not answered: \(failures.value.prefix(3))")
            try station.expect(seconds >= 3, "nothing was read from the disk")
            try station.expectFed()
            for postcard in kept { try station.verify(postcard) }
            station.note(
                "position \(position.longest.inMilliseconds) ms at most, pictures after \(seconds.inTenths) s at most")
        },
        Scenario(
            "storage-stuck", .guest, limitSeconds: 400,
            promise: """
                The disk takes nothing at all for 70 s, more than two periods of the watchdog: every position is \
                answered meanwhile, the status says disk-slow and the watchdog stays fed; when the disk goes on, the \
                postcards that waited are acknowledged within 20 s and open.
                """
        ) { station in
            let disk = try ScratchDisk(megabytes: 16)
            try station.configure(recordedStation)
            try station.start()
            try station.expectPostcard()
            try disk.freeze()
            let storm = PostcardStorm(station.socket, clients: 3)
            var said = 0.0
            let position = try station.positionAnswered(within: 20) {
                said = try station.untilArchive("disk-slow", within: 20)
                usleep(70_000_000)
            }
            let before = storm.acknowledged.count
            try disk.thaw()
            let recovery = try station.until("waiting postcards are acknowledged", within: 20) {
                storm.acknowledged.count >= before + 3
            }
            let outcome = storm.end()
            try station.untilArchive("ok", within: 20)
            try station.expect(
                try station.metric("konza_archive_slow_writes_total") >= 3, "the slow writes are not counted")
            try station.expect(before == 0, "\(before) postcards were acknowledged by a disk that takes nothing")
            try station.expect(outcome.unanswered.isEmpty, "not answered: \(outcome.unanswered.prefix(2))")
            try station.expectFed()
            for postcard in outcome.acknowledged { try station.verify(postcard) }
            station.note(
                "position \(position.longest.inMilliseconds) ms at most, disk-slow after \(said.inTenths) s, "
                    + "recovery \(recovery.inTenths) s")
        },
        Scenario(
            "storage-slow-start", .guest, limitSeconds: 500,
            promise: """
                The disk is slow from the start, 1 s for every write: konzad answers before systemd gives it up, and \
                acknowledges a postcard within 60 s.
                """
        ) { station in
            let disk = try ScratchDisk(megabytes: 16)
            try disk.delayWrites(milliseconds: 1000)
            try station.configure(recordedStation)
            let start = ContinuousClock.now
            try station.start(within: 90)
            let answered = start.duration(to: .now).inSeconds
            let taken = try station.untilPostcard(within: 60)
            try station.expectFed()
            station.note("answered after \(answered.inTenths) s, a postcard \(taken.inTenths) s later")
            try disk.delayWrites(milliseconds: 0)
        },
    ]
}

extension LabStation {
    /// The watchdog was fed all along.
    fileprivate func expectFed() throws {
        let unit = try unit()
        try expect(unit["NRestarts"] == "0" && unit["ActiveState"] == "active", "the unit is \(unit)")
        let journal = try journal()
        try expect(!journal.contains("watchdog is not fed"), "the watchdog was not fed for a while")
    }
}

extension Double {
    /// Seconds as whole milliseconds, for figures.
    var inMilliseconds: String { "\(Int((self * 1000).rounded()))" }
}
