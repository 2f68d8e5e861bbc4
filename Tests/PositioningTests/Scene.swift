import KonzaModel
import KonzaTesting

@testable import Positioning

/// What was said, as the oracle remembers it.
struct Said {
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
struct Scene: ~Copyable {
    struct Device {
        var hdop: Double
        var isModelled: Bool
        var states: Bool
        var weeksBehind: Int
        var isSilent = false
    }

    private var random: SeededGenerator
    private(set) var feed = Feed()
    private(set) var devices: [Device] = []
    private(set) var log: [Said] = []
    /// Milliseconds since the start: what a line's time can say.
    private var elapsed: Int64 = 0
    var second: Double { Double(elapsed) / 1000 }
    private(set) var connection = 0

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

    func name(_ device: Int) -> String { "/dev/r\(device)" }

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
}
