internal import Foundation
internal import KonzaTesting

/// Receivers and gpsd that come and go: Debian's gpsd, with a receiver on a pseudo terminal.
extension Scenario {
    static let position: [Scenario] = positionLinks + positionTimes + positionFixes

    private static let positionLinks: [Scenario] = [
        Scenario(
            "position-unplugged", .here, .short,
            promise: """
                The receiver is unplugged: within 5 s the position is disconnected and the status says that the \
                receiver is gone, never a fix. Plugged in again it is a fix within 15 s, without a new connection to gpsd.
                """
        ) { station in
            let receiver = try LabReceiver()
            try await receiver.start(station)
            try receiver.gpsd.unplug()
            let seen = try station.untilPosition("disconnected", within: 5)
            try station.untilPositionHealth("no-receiver", "receiver-not-activated", within: 5)
            try receiver.gpsd.plugIn(LabReceiver.epochs())
            let recovery = try station.untilPosition("fix", within: 15)
            try station.expect(try station.positionCount("reconnections") == 0, "gpsd was connected to anew")
            station.note("seen after \(seen.inTenths) s, recovery \(recovery.inTenths) s")
        },
        Scenario(
            "position-gpsd-killed", .here, .short,
            promise: """
                gpsd is killed: within 2 s the position is disconnected, with the reason in the status; postcards are \
                taken meanwhile and carry no position. Started again it is a fix within 15 s.
                """
        ) { station in
            let receiver = try LabReceiver()
            try await receiver.start(station)
            receiver.gpsd.crash()
            let seen = try station.untilPosition("disconnected", within: 2)
            try station.untilPositionHealth("gpsd-closed", "gpsd-unreachable", within: 5)
            // The track answers for the instant of exposure for as long as it may be extrapolated.
            try await Task.sleep(for: .seconds(3))
            let postcard = try station.expectPostcard()
            try station.expect(postcard.reply["position"] == nil, "the postcard claims a position")
            try await receiver.gpsd.start()
            let recovery = try station.untilPosition("fix", within: 15)
            try station.expect(try station.positionCount("reconnections") == 1, "the new connection was not counted")
            station.note("seen after \(seen.inTenths) s, recovery \(recovery.inTenths) s")
        },
        Scenario(
            "position-gpsd-silent", .here,
            promise: """
                gpsd stops with its socket open: the fix is stale within 5 s and the silence is named within 15 s; \
                when gpsd goes on, it is a fix within 10 s.
                """
        ) { station in
            let receiver = try LabReceiver()
            try await receiver.start(station)
            receiver.gpsd.freeze()
            defer { receiver.gpsd.thaw() }
            let stale = try station.until("the position is no fix", within: 5) {
                try station.get("/v1/position")["state"]?.text != "fix"
            }
            let named = try station.untilPositionHealth("gpsd-silent", "receiver-silent", within: 15)
            receiver.gpsd.thaw()
            let recovery = try station.untilPosition("fix", within: 10)
            station.note(
                "stale after \(stale.inTenths) s, named after \(named.inTenths) s, recovery \(recovery.inTenths) s")
        },
        Scenario(
            "position-receiver-silent", .here,
            promise: """
                The receiver stays plugged in and says nothing: the fix is stale within 5 s and receiver-silent within \
                15 s; when it speaks again, it is a fix within 10 s.
                """
        ) { station in
            let receiver = try LabReceiver()
            try await receiver.start(station)
            receiver.gpsd.silenceReceiver()
            let stale = try station.untilPosition("stale", within: 5)
            let named = try station.untilPositionHealth("receiver-silent", within: 15)
            try receiver.gpsd.plugIn(LabReceiver.epochs())
            let recovery = try station.untilPosition("fix", within: 10)
            station.note(
                "stale after \(stale.inTenths) s, named after \(named.inTenths) s, recovery \(recovery.inTenths) s")
        },
        Scenario(
            "position-nonsense", .here,
            promise: """
                What listens on gpsd's port says nonsense, half lines and lines of megabytes: it is never a fix, the \
                lines are counted, memory does not grow by more than 8 MB, and other requests are answered.
                """
        ) { station in
            let stranger = try ScriptedGPSD()
            try station.configure("[Position]\nSource=gpsd\nGPSD=127.0.0.1:\(stranger.port)\n[Camera]\nSource=recorded")
            try station.start()
            try station.until("konzad has connected", within: 10) { stranger.connectionCount > 0 }
            let before = try station.residentBytes()
            var random = SeededGenerator(seed: 20_261_121)
            for round in 0..<40 {
                stranger.say((0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) })
                stranger.say(lines: [
                    #"{"class":"TPV","mode":3,"lat":91.5,"lon":-273,"time":"2026-05-30T14:03:07.000Z"}"#,
                    #"{"class":"TPV","mode":3,"lat":"#, #"{"class":"TPV","mode":3,"lat":39.1}"#, "HTTP/1.1 200 OK",
                ])
                if round % 8 == 0 { stranger.say([UInt8](repeating: UInt8(ascii: "{"), count: 1 << 20)) }
                let state = try station.get("/v1/position")["state"]?.text
                try station.expect(state != "fix", "nonsense became a fix")
            }
            try station.until("the nonsense is counted", within: 10) {
                let page = String(decoding: try station.get("/metrics").body, as: UTF8.self)
                return page.split(separator: "\n").contains {
                    $0.hasPrefix("konza_position_rejected_lines_total") && !$0.hasSuffix(" 0")
                }
            }
            let grown = try station.residentBytes() - before
            try station.expect(grown < 8 << 20, "memory grew by \(grown / 1024) KiB")
            station.note("memory grew by \(grown / 1024) KiB")
        },
    ]

    private static let positionTimes: [Scenario] = [
        Scenario(
            "position-time-backwards", .here,
            promise: """
                The receiver's time goes back by a day: the track begins anew, which is counted, and the position \
                stays a fix with the receiver's new time; no position is given for instants of the old time base.
                """
        ) { station in
            let receiver = try LabReceiver()
            let epochs = LabReceiver.epochs(120) { epoch, index in if index >= 15 { epoch.time -= 86_400 } }
            try await receiver.start(station, epochs)
            let old = try station.get("/v1/position")["timestamp"]?.text ?? ""
            try station.until("the track is begun anew", within: 40) {
                try station.positionCount("track_restarts") == 1
            }
            try station.untilPosition("fix", within: 5)
            let new = try station.get("/v1/position")["timestamp"]?.text ?? ""
            try station.expect(new < old, "the position is still of \(new)")
            let reply = try station.get("/v1/position/at?time=\(old)")
            try station.expect(reply.status == 404, "an instant of the old time base was answered with \(reply.status)")
        },
        Scenario(
            "position-week-rollover", .here,
            promise: """
                The receiver has missed the last start of the count of GPS weeks, its date is 1024 weeks behind: \
                whether gpsd or konzad corrects it, the position's time is today's and a postcard carries the \
                position of its exposure.
                """
        ) { station in
            let receiver = try LabReceiver()
            try await receiver.start(
                station, LabReceiver.epochs { epoch, _ in epoch.time -= 1024 * 7 * 86_400 })
            let text = try station.get("/v1/position")["timestamp"]?.text ?? ""
            guard let time = try? Date(text, strategy: .iso8601Milliseconds) else {
                throw Complaint("the position has no time: \(text)")
            }
            try station.expect(abs(time.timeIntervalSinceNow) < 60, "the position's time is \(text)")
            station.note("\(Int(try station.positionCount("week_rollovers"))) dates corrected by konzad")
            let postcard = try station.expectPostcard()
            try station.expect(postcard.reply["position", "latitude"] != nil, "the postcard has no position")
        },
        Scenario(
            "position-leap-second", .here,
            promise: """
                The receiver says 23:59:60: every answer, five a second, is a fix until the new year has begun (on a \
                machine that is held up it may be stale, of a fix that came less than 4 s ago), and no position's time \
                goes back.
                """
        ) { station in
            let receiver = try LabReceiver()
            // The seconds around midnight of a day that ends with a leap second, as 2016-12-31 did; a later year, which
            // no receiver can have missed.
            let midnight = Date(timeIntervalSince1970: 1_798_761_600)
            let epochs = (0..<120).map { index -> [String] in
                var epoch = LabReceiver.Epoch(midnight + Double(index < 12 ? index - 12 : index - 13))
                if index == 12 {
                    epoch.time = midnight - 1
                    epoch.clock = "235960.00"
                }
                return epoch.sentences
            }
            try await receiver.start(station, epochs)
            var newest = ""
            var oldest = 0.0
            var stale = 0
            let limit = ContinuousClock.now + .seconds(60)
            while newest <= "2027-01-01T00:00:05" {
                try station.expect(ContinuousClock.now < limit, "the time is still \(newest)")
                let reply = try station.get("/v1/position")
                let state = reply["state"]?.text ?? "none"
                let age = reply["ageMs"]?.number ?? .infinity
                if state == "stale" { stale += 1 }
                try station.expect(
                    state == "fix" || state == "stale" && age < 4000,
                    "it is \(state) after the time \(newest), \(age) ms old")
                let time = reply["timestamp"]?.text ?? ""
                // RFC 3339 in UTC with milliseconds sorts as text.
                try station.expect(time >= newest, "the time went back from \(newest) to \(time)")
                newest = time
                oldest = max(oldest, age)
                usleep(200_000)
            }
            station.note("the oldest answer \(Int(oldest)) ms old, \(stale) stale")
            station.note("\(Int(try station.positionCount("track_restarts"))) restarts of the track")
        },
    ]
}

extension LabStation {
    /// konzad's resident memory, bytes.
    func residentBytes() throws -> Int {
        guard let bytes = try get("/v1/status")["process", "residentBytes"]?.number else {
            throw Complaint("the status names no memory")
        }
        return Int(bytes)
    }
}

extension FormatStyle where Self == Date.ISO8601FormatStyle {
    static var iso8601Milliseconds: Date.ISO8601FormatStyle {
        Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    }
}

extension ParseStrategy where Self == Date.ISO8601FormatStyle {
    static var iso8601Milliseconds: Date.ISO8601FormatStyle {
        Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    }
}
