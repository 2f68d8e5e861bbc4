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
            let recovery = try station.untilPosition("fix", within: 15)
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
                The receiver says 23:59:60: the position stays a fix through it, within one second's gap, and no \
                position's time goes back.
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
            try station.until("the new year has begun", within: 40, every: 0.2) {
                let reply = try station.get("/v1/position")
                guard reply["state"]?.text == "fix" else { return false }
                let time = reply["timestamp"]?.text ?? ""
                // A complaint must not be taken for "not yet".
                guard time >= newest else {
                    newest = "~"
                    return true
                }
                newest = time
                return time > "2027-01-01T00:00:05"
            }
            try station.expect(newest != "~", "the time went back")
            station.note("\(Int(try station.positionCount("track_restarts"))) restarts of the track")
        },
    ]

    private static let positionFixes: [Scenario] = [
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
                The receiver has no fix for an hour (its time runs sixty times as fast): the position is acquiring, \
                never a fix, with the reason in the status all the while; the first fix is given within 10 s.
                """
        ) { station in
            let receiver = try LabReceiver()
            let epochs = LabReceiver.epochs(3720) { epoch, index in epoch.mode = index < 3600 ? 1 : 3 }
            try receiver.gpsd.plugIn(epochs, every: 1.0 / 60)
            try await receiver.gpsd.start()
            try station.configure(receiver.settings)
            try station.start()
            try station.untilPositionHealth("no-fix", within: 20)
            let end = Date() + 50
            while Date() < end {
                let reply = try station.get("/v1/position")
                try station.expect(reply["state"]?.text == "acquiring", "it is \(reply["state"]?.text ?? "-")")
                try station.expect(reply["latitude"] == nil, "a latitude without a fix")
                try await Task.sleep(for: .seconds(1))
            }
            let recovery = try station.untilPosition("fix", within: 40)
            station.note("\(Int(try station.positionCount("epochs"))) epochs, fix \(recovery.inTenths) s later")
        },
        Scenario(
            "position-jump", .here,
            promise: """
                The position jumps by 500 km: it is kept and counted, the status tells of it for a minute, and for the \
                instants between the two fixes no position is given.
                """
        ) { station in
            let receiver = try LabReceiver()
            let epochs = LabReceiver.epochs(120) { epoch, index in if index >= 15 { epoch.latitude += 4.5 } }
            try await receiver.start(station, epochs)
            try station.until("the jump is counted", within: 40) { try station.positionCount("position_jumps") == 1 }
            let health = try station.health("position")
            try station.expect(health.reason.contains("jumped"), "the status says \(health.reason)")
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
            station.note("\(refused) instants between the places refused")
        },
        Scenario(
            "position-10-hz", .here,
            promise: """
                The receiver reports ten times a second: every epoch is kept, the position is never older than 0.5 s \
                in 100 answers, and nothing counts as late.
                """
        ) { station in
            let receiver = try LabReceiver()
            try await receiver.start(station, LabReceiver.epochs(1200, every: 0.1), every: 0.1)
            let before = try station.positionCount("epochs")
            let start = Date()
            var oldest = 0.0
            for _ in 0..<100 {
                oldest = max(oldest, try station.get("/v1/position")["ageMs"]?.number ?? .infinity)
                try await Task.sleep(for: .milliseconds(50))
            }
            let rate = (try station.positionCount("epochs") - before) / Date().timeIntervalSince(start)
            try station.expect(oldest < 500, "a position was \(oldest) ms old")
            try station.expect(rate > 8, "\(rate) epochs a second were kept")
            station.note("\(rate.inTenths) epochs a second, the oldest answer \(Int(oldest)) ms old")
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
    /// konzad's resident memory, bytes.
    func residentBytes() throws -> Int {
        guard let bytes = try get("/v1/status")["process", "residentBytes"]?.number else {
            throw Complaint("the status names no memory")
        }
        return Int(bytes)
    }
}

extension FormatStyle where Self == Date.ISO8601FormatStyle {
    fileprivate static var iso8601Milliseconds: Date.ISO8601FormatStyle {
        Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    }
}

extension ParseStrategy where Self == Date.ISO8601FormatStyle {
    fileprivate static var iso8601Milliseconds: Date.ISO8601FormatStyle {
        Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    }
}
