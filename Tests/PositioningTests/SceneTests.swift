import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Positioning

/// Random receivers on one gpsd against an oracle that keeps nothing but the list of what was said.
@Suite struct SceneTests {
    private static let count = ProcessInfo.processInfo.environment["KONZA_SCENES"].flatMap(Int.init) ?? 150
    private static let seed =
        ProcessInfo.processInfo.environment["KONZA_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)

    @Test("whatever receivers say, a position is of one of them, no better than justified and no fresher than said")
    func scenes() {
        print("seed \(Self.seed), \(Self.count) scenes")
        for index in 0..<Self.count {
            let seed = Self.seed &+ UInt64(index)
            var scene = Scene(seed: seed)
            let complaint = scene.run()
            if complaint != nil { print(scene.end) }
            #expect(complaint == nil, "seed \(seed)")
            if complaint != nil { return }
        }
    }
}

/// What was said, as the oracle remembers it.
private struct Said {
    enum What {
        case position(time: UTCInstant?, mode: Int, eph: Double?, isDifferential: Bool)
        case sky(hdop: Double?, used: Int?, visible: Int)
        case statement(time: UTCInstant, metres: Double)
        case other(String)
        case refused
    }
    let second: Double
    let device: Int
    let connection: Int
    let what: What
}

/// One random scene. Each receiver has a latitude, a height and satellites of its own.
private struct Scene: ~Copyable {
    private struct Device {
        var hdop: Double
        var isModelled: Bool
        var states: Bool
        var weeksBehind: Int
        var isSilent = false
    }

    private var random: SeededGenerator
    private var feed = Feed()
    private var devices: [Device] = []
    private var log: [Said] = []
    /// Milliseconds since the start: what a line's time can say.
    private var elapsed: Int64 = 0
    private var second: Double { Double(elapsed) / 1000 }
    private var connection = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            devices.append(
                Device(
                    hdop: Double.random(in: 0.6...9, using: &random), isModelled: Bool.random(using: &random),
                    states: Bool.random(using: &random),
                    weeksBehind: Int.random(in: 0..<6, using: &random) == 0 ? 1024 : 0))
        }
        list()
    }

    mutating func run() -> String? {
        for _ in 0..<Int.random(in: 10...60, using: &random) {
            for index in devices.indices where !devices[index].isSilent {
                speak(index)
                if let complaint { return complaint }
            }
            disturb()
            if let complaint { return complaint }
            let step = [200, 1000, 1000, 1000, 1000, 3500].randomElement(using: &random) ?? 1000
            elapsed += Int64(step)
            feed.clock.advance(bySeconds: Double(step) / 1000)
            if let complaint { return complaint }
        }
        return nil
    }

    /// What was said last.
    var end: String { log.suffix(30).map { "\($0)" }.joined(separator: "\n") }

    // MARK: Saying

    private func name(_ device: Int) -> String { "/dev/r\(device)" }

    private mutating func list() {
        switch devices.count {
        case 1: feed.say(Line.devices(name(0)))
        case 2: feed.say(Line.devices(name(0), name(1)))
        default: feed.say(Line.devices(name(0), name(1), name(2)))
        }
    }

    private mutating func note(_ device: Int, _ what: Said.What) {
        log.append(Said(second: second, device: device, connection: connection, what: what))
    }

    private mutating func roll(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    private mutating func speak(_ index: Int) {
        let device = devices[index]
        var time: UTCInstant? = UTCInstant(nanoseconds: epochStart.nanoseconds + elapsed * 1_000_000)
        if roll(15) { time = time?.advanced(bySeconds: Double(Int.random(in: -90_000...90_000, using: &random))) }
        if roll(20) { time = nil }
        if roll(4), device.states, let time {
            let lat = Double.random(in: 0.01...6, using: &random)
            let lon = Double.random(in: 0.01...6, using: &random)
            feed.say(
                #"{"class":"GST","device":"\#(name(index))","time":"\#(raw(time, device))","lat":\#(lat),"lon":\#(lon)}"#
            )
            note(index, .statement(time: time, metres: 2 * (lat * lat + lon * lon).squareRoot()))
        }
        if roll(3) { sky(index, time) }
        for _ in 0..<Int.random(in: 1...3, using: &random) { position(index, time) }
        if roll(8) { position(index, time.map { $0.advanced(bySeconds: 1) }, mode: 0) }
        if roll(2) { sky(index, time) }
        if roll(3) {
            feed.say(#"{"class":"AIS","device":"\#(name(index))","type":1}"#)
            note(index, .other("AIS"))
        }
        if roll(9) {
            feed.say(#"{"class":"TPV","device":"\#(name(index))","mode":3,"lat":NaN}"#)
            note(index, .refused)
        }
    }

    private func raw(_ time: UTCInstant, _ device: Device) -> UTCInstant {
        time.advanced(bySeconds: -Double(device.weeksBehind) * 7 * 86_400)
    }

    private mutating func position(_ index: Int, _ time: UTCInstant?, mode given: Int? = nil) {
        let device = devices[index]
        let mode = given ?? [3, 3, 3, 3, 3, 2, 1, 0].randomElement(using: &random) ?? 3
        let isDifferential = roll(4)
        let eph: Double? =
            roll(4)
            ? nil
            : device.isModelled
                ? ((isDifferential ? 4.75 : 19) * device.hdop * 1000).rounded() / 1000
                : Double.random(in: 0.5...40, using: &random)
        let stamp = time.map { #","time":"\#(raw($0, device))""# } ?? ""
        let place = mode >= 2 ? #","lat":\#(10 * (index + 1)).5,"lon":-96.6"# : ""
        let height = mode == 3 ? #","altMSL":\#(1000 * (index + 1))"# : ""
        let error = eph.map { #","eph":\#($0)"# } ?? ""
        let status = isDifferential ? #","status":2"# : ""
        feed.say(
            #"{"class":"TPV","device":"\#(name(index))","mode":\#(mode)\#(stamp)\#(place)\#(height)\#(error)\#(status)}"#
        )
        note(index, .position(time: time, mode: mode, eph: eph, isDifferential: isDifferential))
    }

    private mutating func sky(_ index: Int, _ time: UTCInstant?) {
        let hdop = (Double.random(in: 0.6...9, using: &random) * 100).rounded() / 100
        let hasDop = !roll(5)
        if hasDop { devices[index].hdop = hdop }
        let visible = roll(6) ? 0 : Int.random(in: 1...9, using: &random)
        let used: Int? = roll(4) ? nil : visible == 0 ? 0 : Int.random(in: 0...visible, using: &random)
        let first = 10 * (index + 1)
        let entries = (0..<visible).map { #"{"PRN":\#(first + $0),"ss":40.0,"used":\#($0 < used ?? 0)}"# }
        var list = used == nil ? "" : #","nSat":\#(visible)"#
        if used != nil, visible > 0 { list += #","satellites":[\#(entries.joined(separator: ","))]"# }
        let stamp = time.map { #","time":"\#(raw($0, devices[index]))""# } ?? ""
        let dop = hasDop ? #","hdop":\#(hdop)"# : ""
        feed.say(#"{"class":"SKY","device":"\#(name(index))"\#(stamp)\#(dop)\#(list)}"#)
        note(index, .sky(hdop: hasDop ? hdop : nil, used: used, visible: visible))
    }

    private mutating func disturb() {
        if roll(25) {
            connection += 1
            feed.reconnect()
            list()
        }
        if roll(10), let index = devices.indices.randomElement(using: &random) { devices[index].isSilent.toggle() }
    }

    // MARK: The oracle

    /// What is wrong with what the board says now; nil if nothing.
    private var complaint: String? {
        let snapshot = feed.board.snapshot()
        let now = second
        if let fix = snapshot.fix, let complaint = complaint(fix, snapshot) { return "second \(now): \(complaint)" }
        if let complaint = complaintOfSky(snapshot) ?? complaintOfReason(snapshot) {
            return "second \(now): \(complaint)"
        }
        let times = feed.board.fixes().map(\.time)
        if zip(times, times.dropFirst()).contains(where: { $0 >= $1 }) { return "second \(now): the track goes back" }
        return nil
    }

    private func complaint(_ fix: Fix, _ snapshot: PositionSnapshot) -> String? {
        guard let path = fix.device, let device = devices.indices.first(where: { name($0) == path }) else {
            return "a fix of no receiver"
        }
        if fix.coordinate?.latitude != Double(10 * (device + 1)) + 0.5 { return "a place of another receiver" }
        if let height = fix.altitudeMSL, height != Double(1000 * (device + 1)) { return "a height of another receiver" }
        if fix.mode == .twoDimensional, fix.altitudeMSL != nil { return "a height without three dimensions" }
        let arrival = now(of: snapshot)
        if snapshot.state == .fix, second - arrival > 2.5 { return "an old fix is live" }
        // All that the receiver said of this epoch; without a time, of this moment.
        var modes: [Int] = []
        var errors: [Double] = []
        var isDifferential = false
        // gpsd's model is justified where a report gave no error.
        var isModelJustified = false
        for said in log where said.device == device {
            guard case .position(let time, let mode, let eph, let differential) = said.what,
                (time != nil && time == fix.time) || (time == nil && abs(said.second - arrival) < 0.3)
            else { continue }
            modes.append(mode)
            if mode < 2, time != nil {
                // What was said of a fix that is taken back is gone.
                errors = []
                isDifferential = false
            } else if mode >= 2 {
                if let eph { errors.append(eph) } else { isModelJustified = true }
                isDifferential = isDifferential || differential
            }
        }
        if !modes.contains(fix.mode.rawValue) { return "a mode that was not said" }
        if fix.time != nil, snapshot.state == .fix, !modes.contains(where: { $0 >= 2 }) { return "a fix that was not" }
        return complaintOfError(fix, device, arrival, errors, isDifferential, isModelJustified)
    }

    private func complaintOfError(
        _ fix: Fix, _ device: Int, _ arrival: Double, _ errors: [Double], _ isDifferential: Bool,
        _ isModelJustified: Bool
    ) -> String? {
        let skies = log.filter { $0.device == device && abs($0.second - arrival) < 10 }
        let dops = skies.compactMap { if case .sky(let hdop, _, _) = $0.what { hdop } else { nil } }
        if let hdop = fix.dop.horizontal, !dops.contains(hdop) { return "a DOP that this receiver did not say" }
        let counts = skies.compactMap { if case .sky(_, let used, _) = $0.what { used } else { nil } }
        if let used = fix.satellitesUsed, !counts.contains(used) { return "a count that this receiver did not say" }
        let stated = log.compactMap { said -> (UTCInstant, Double)? in
            guard said.device == device, case .statement(let time, let metres) = said.what else { return nil }
            return (time, metres)
        }
        guard let accuracy = fix.horizontalAccuracy else { return nil }
        let ofEpoch = stated.filter { $0.0 == fix.time || fix.time == nil }.map(\.1)
        let modelled = dops.map { $0 * (isDifferential ? 4.75 : 19) }
        guard let best = (errors + ofEpoch + (isModelJustified ? modelled : [])).min() else {
            return "an accuracy from nowhere"
        }
        if accuracy.metres < best - 1e-6 { return "\(accuracy.metres) m where \(best) m is justified" }
        let isStated = stated.contains { abs($0.1 - accuracy.metres) < 1e-6 }
        if accuracy.confidence != nil, !isStated { return "a confidence that nobody stated" }
        if devices[device].isModelled, accuracy.source == .receiver, !isStated {
            return "a model called the receiver's"
        }
        return nil
    }

    private func complaintOfSky(_ snapshot: PositionSnapshot) -> String? {
        guard let sky = snapshot.sky, let path = sky.device,
            let device = devices.indices.first(where: { name($0) == path })
        else { return nil }
        if snapshot.fix != nil, snapshot.skyIsOfFix, snapshot.fix?.device != path { return "a sky of another receiver" }
        if sky.satellites.contains(where: { $0.prn / 10 != device + 1 }) { return "satellites of another receiver" }
        guard !sky.satellites.isEmpty else { return nil }
        let last = log.last { said in
            guard said.device == device, case .sky(_, let used, _) = said.what else { return false }
            return used != nil
        }
        guard let last, case .sky(_, _, let visible) = last.what else { return "satellites that nobody listed" }
        if last.connection != connection { return "satellites of another connection" }
        if sky.satellites.count != visible { return "\(sky.satellites.count) satellites where \(visible) were listed" }
        guard let age = snapshot.skyAgeSeconds, abs(age - (second - last.second)) < 1e-6 else {
            return "a list of satellites that is older than told"
        }
        return nil
    }

    private func complaintOfReason(_ snapshot: PositionSnapshot) -> String? {
        let reason = snapshot.health.reason
        if snapshot.health.level != .ok, reason.isEmpty { return "no reason" }
        let words = log.filter { second - $0.second < 3.001 && $0.connection == connection }
        switch snapshot.health.kind {
        case "receiver-silent":
            if words.contains(where: { second - $0.second < 2.999 }) { return "silence while something was said" }
        case "no-receiver", "receiver-not-activated": return "a receiver that is there is missed"
        default: break
        }
        if reason.contains("and no position") {
            // Of the chosen one: somebody must have said something else and no position in the last seconds.
            let silentOnes = devices.indices.filter { device in
                let own = words.filter { $0.device == device }
                return !own.isEmpty
                    && !own.contains { if case .position = $0.what { true } else { false } }
            }
            if silentOnes.isEmpty { return "positions came, and the reason denies it" }
        }
        if reason.contains("could not be used"),
            !words.contains(where: { if case .refused = $0.what { true } else { false } })
        {
            return "a refusal that was not"
        }
        return nil
    }

    /// The second at which the fix arrived.
    private func now(of snapshot: PositionSnapshot) -> Double { second - (snapshot.ageSeconds ?? 0) }
}
