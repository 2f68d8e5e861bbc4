internal import Foundation
internal import KonzaTesting

/// What the receiver says of places: none, half ones, many, far ones, two at once.
extension Scenario {
    static let positionFixes: [Scenario] = [
        Scenario(
            "position-two-dimensional", .here,
            promise: """
                The receiver has a 2D fix: the reply says 2d and gives no altitude, and neither does the postcard's \
                EXIF.
                """
        ) { station in
            let receiver = try LabReceiver()
            try await receiver.start(station, LabReceiver.epochs { epoch, _ in epoch.mode = 2 })
            let reply = try station.get("/v1/position")
            try station.expect(reply["fixType"]?.text == "2d", "the fix is called \(reply["fixType"]?.text ?? "-")")
            try station.expect(reply["altitude"] == nil && reply["altitudeMSL"] == nil, "an altitude is claimed")
            let postcard = try station.expectPostcard()
            let picture = try station.get("/v1/postcards/\(postcard.id)/image.jpg").body
            let exif = try Program("exiftool", "-a", "-s", "-n", "-GPS:all", "-").succeed(input: picture).text
            try station.expect(exif.contains("GPSLatitude "), "the postcard has no position")
            try station.expect(!exif.contains("GPSAltitude"), "the postcard claims an altitude")
        },
        Scenario(
            "position-no-fix-for-an-hour", .here, limitSeconds: 240,
            promise: """
                The receiver has no fix for an hour (its time runs sixty times as fast): once a second the position is \
                looked at, and is acquiring without a latitude, with the reason in the status; the first fix is given \
                within 10 s.
                """
        ) { station in
            let receiver = try LabReceiver()
            let epochs = LabReceiver.epochs(5400) { epoch, index in epoch.mode = index < 3600 ? 1 : 3 }
            let firstFix = ContinuousClock.now + .seconds(60)
            try receiver.gpsd.plugIn(epochs, every: 1.0 / 60)
            try await receiver.gpsd.start()
            try station.configure(receiver.settings)
            try station.start()
            try station.untilPositionHealth("no-fix", within: 20)
            // Before its first report there is nothing yet to say of the receiver.
            try station.until("the receiver has reported", within: 20) {
                try station.positionCount("fix_reports") > 0
            }
            var looks = 0
            // Two requests before the fix is said must not meet it.
            while ContinuousClock.now < firstFix - .seconds(2) {
                let reply = try station.get("/v1/position")
                try station.expect(reply["state"]?.text == "acquiring", "it is \(reply["state"]?.text ?? "-")")
                try station.expect(reply["latitude"] == nil, "a latitude without a fix")
                let health = try station.health("position")
                try station.expect(
                    health.kind == "no-fix" && health.reason.contains("no fix"),
                    "the status says \(health.kind): \(health.reason)")
                looks += 1
                try await Task.sleep(for: .seconds(1))
            }
            try await Task.sleep(until: firstFix, clock: .continuous)
            let recovery = try station.untilPosition("fix", within: 10)
            station.note(
                "\(looks) looks, \(Int(try station.positionCount("epochs"))) epochs, fix \(recovery.inTenths) s later")
        },
        Scenario(
            "position-jump", .here, limitSeconds: 240,
            promise: """
                The position jumps by 500 km: it is kept and counted, the status calls the position unreliable for a \
                minute and then no more, and for the instants between the two fixes no position is given.
                """
        ) { station in
            let receiver = try LabReceiver()
            let epochs = LabReceiver.epochs(300) { epoch, index in if index >= 15 { epoch.latitude += 4.5 } }
            try await receiver.start(station, epochs)
            try station.until("the jump is counted", within: 40) { try station.positionCount("position_jumps") == 1 }
            let health = try station.health("position")
            try station.expect(
                health.kind == "position-implausible" && health.reason.contains("jumped"),
                "the status says \(health.reason)")
            let fixes = try station.get("/v1/track")
            try station.expect(fixes.status == 200, "the track answers \(fixes.status)")
            let now = try station.get("/v1/position")
            guard let newest = now["timestamp"]?.text, let date = try? Date(newest, strategy: .iso8601Milliseconds)
            else { throw Complaint("the position has no time") }
            var refused = 0
            for tenth in 0..<100 {
                let text = (date - Double(tenth) / 10).formatted(.iso8601Milliseconds)
                let reply = try station.get("/v1/position/at?time=\(text)")
                if reply.status == 404 { refused += 1 }
                let latitude = reply["latitude"]?.number ?? 39.1
                try station.expect(latitude < 39.2 || latitude > 43.5, "a place half way is given: \(latitude)")
            }
            try station.expect(refused > 0, "no instant between the fixes was asked about")
            let told = try station.untilJumpIsHistory()
            try station.expect(told >= 50 && told <= 60, "the status reported the jump for \(told) s")
            station.note("\(refused) instants between the places refused, reported for \(told) s")
        },
        Scenario(
            "position-10-hz", .here,
            promise: """
                The receiver reports ten times a second: as many epochs are kept as its own time says, the position is \
                never older than 0.5 s in 100 answers, and nothing counts as late.
                """
        ) { station in
            let receiver = try LabReceiver()
            try await receiver.start(station, LabReceiver.epochs(1200, every: 0.1), every: 0.1)
            let before = try station.epochsAtInstant()
            var oldest = 0.0
            for _ in 0..<100 {
                oldest = max(oldest, try station.get("/v1/position")["ageMs"]?.number ?? .infinity)
                try await Task.sleep(for: .milliseconds(50))
            }
            let after = try station.epochsAtInstant()
            let kept = Int(after.epochs - before.epochs)
            let due = Int((after.instant.timeIntervalSince(before.instant) * 10).rounded())
            let late = try station.positionCount("late_reports")
            station.note("\(kept) epochs of \(due), the oldest answer \(Int(oldest)) ms old")
            try station.expect(oldest < 500, "a position was \(oldest) ms old")
            try station.expect(due >= 40, "the receiver's time went on by \(due) tenths of a second only")
            try station.expect(kept == due, "\(kept) epochs were kept of \(due)")
            try station.expect(late == 0, "\(late) reports count as late")
        },
        Scenario(
            "position-two-receivers", .here,
            promise: """
                Two receivers on one gpsd, a kilometre apart: the position is one receiver's throughout and never hops \
                between them; when it is unplugged, the other's is given within 10 s.
                """
        ) { station in
            let receiver = try LabReceiver()
            try await receiver.start(station)
            try receiver.gpsd.plugInSecond(LabReceiver.epochs { epoch, _ in epoch.latitude += 0.01 })
            try station.until("the second receiver is heard", within: 20) {
                try station.positionCount("other_receiver_reports") > 3
            }
            for _ in 0..<50 {
                let latitude = try station.get("/v1/position")["latitude"]?.number ?? 0
                try station.expect(abs(latitude - 39.1069) < 0.001, "the position hopped to latitude \(latitude)")
                try await Task.sleep(for: .milliseconds(100))
            }
            try receiver.gpsd.unplug()
            let recovery = try station.until("the other receiver's position is given", within: 10) {
                let reply = try station.get("/v1/position")
                return reply["state"]?.text == "fix" && abs((reply["latitude"]?.number ?? 0) - 39.1169) < 0.001
            }
            station.note("the other one after \(recovery.inTenths) s")
        },
    ]
}

extension LabStation {
    /// Waits until the status calls the position a fix without a word of a jump.
    ///
    /// - Returns: the most seconds that a jump was ago while the status reported it.
    /// - Throws: ``Complaint`` if it is reported for longer than 80 s.
    fileprivate func untilJumpIsHistory() throws -> Int {
        var told = 0
        try until("the status tells no more of the jump", within: 80, every: 0.5) {
            let health = try self.health("position")
            guard let words = health.reason.range(of: "jumped by ") else { return health.kind == "ok" }
            // "the position jumped by 500.1 km 7 s ago"
            let seconds = health.reason[words.upperBound...].split(separator: " ").dropFirst(2).first
            guard let seconds = seconds.flatMap({ Int($0) }) else { throw Complaint("it says \(health.reason)") }
            told = max(told, seconds)
            return false
        }
        return told
    }

    /// The receiver's time, and the count of epochs when it was given.
    ///
    /// - Returns: both, of one moment.
    /// - Throws: ``Complaint`` if no two looks at the time around the count are the same.
    fileprivate func epochsAtInstant() throws -> (instant: Date, epochs: Double) {
        var found: (instant: Date, epochs: Double)?
        try until("the position has a time", within: 10, every: 0.01) {
            let first = try self.get("/v1/position")["timestamp"]?.text ?? ""
            let epochs = try self.positionCount("epochs")
            let second = try self.get("/v1/position")["timestamp"]?.text ?? ""
            guard first == second else { return false }
            found = (try Date(first, strategy: .iso8601Milliseconds), epochs)
            return true
        }
        guard let found else { throw Complaint("the position has no time") }
        return found
    }
}
