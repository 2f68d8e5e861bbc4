import Foundation
import KonzaTesting
import Testing

/// A receiver on a real gpsd that walks: sentences made of places, a fix for each second of its own time.
struct WalkingReceiver {
    private(set) var epochs: [[String]] = []
    private let clock: DateFormatter
    private var instant: Date
    private(set) var place: (latitude: Double, longitude: Double)
    /// Metres of a degree there.
    private let metres: (north: Double, east: Double)
    private var random: SeededGenerator
    private let sigma: Double
    private var error = (east: 0.0, north: 0.0)

    /// - Parameters:
    ///   - start: the receiver's time at the first fix.
    ///   - place: in degrees.
    ///   - sigma: of the receiver's error on each axis, metres; it wanders with a time constant of 30 s.
    ///   - seed: of the error.
    init(from start: Date, at place: (latitude: Double, longitude: Double), sigma: Double = 0, seed: UInt64 = 1) {
        instant = start
        self.place = place
        self.sigma = sigma
        random = SeededGenerator(seed: seed)
        metres = (111_030, 111_320 * cos(place.latitude * .pi / 180))
        clock = DateFormatter()
        clock.timeZone = .gmt
        clock.locale = Locale(identifier: "en_US_POSIX")
        error = (sigma * normal(), sigma * normal())
    }

    private mutating func normal() -> Double {
        let radius = (-2 * log(Double.random(in: Double.ulpOfOne..<1, using: &random))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
    }

    mutating func stand(_ seconds: Int) { for _ in 0..<seconds { say(speed: 0.02, course: 0) } }

    /// Walks to a place so many metres east and north of this one.
    mutating func walk(east: Double, north: Double, pace: Double = 1.3) {
        let length = hypot(east, north)
        let steps = max(1, Int((length / pace).rounded()))
        let course = (atan2(east, north) * 180 / .pi + 360).truncatingRemainder(dividingBy: 360)
        for _ in 0..<steps {
            place.latitude += north / Double(steps) / metres.north
            place.longitude += east / Double(steps) / metres.east
            say(speed: length / Double(steps), course: course)
        }
    }

    /// Walks to a place in degrees.
    mutating func walk(to end: (latitude: Double, longitude: Double), pace: Double = 1.3) {
        walk(
            east: (end.longitude - place.longitude) * metres.east,
            north: (end.latitude - place.latitude) * metres.north,
            pace: pace)
    }

    private mutating func say(speed: Double, course: Double) {
        let keep = exp(-1 / 30.0)
        let fresh = sigma * (1 - keep * keep).squareRoot()
        error = (keep * error.east + fresh * normal(), keep * error.north + fresh * normal())
        let latitude = Self.angle(place.latitude + error.north / metres.north, width: 2)
        let longitude = Self.angle(abs(place.longitude + error.east / metres.east), width: 3)
        let position = "\(latitude),N,\(longitude),W"
        clock.dateFormat = "HHmmss"
        let time = clock.string(from: instant) + ".00"
        clock.dateFormat = "ddMMyy"
        let knots = String(format: "%.2f", speed * 3600 / 1852)
        epochs.append([
            "GPRMC,\(time),A,\(position),\(knots),\(String(format: "%.1f", course)),\(clock.string(from: instant)),,,A"
                .nmea,
            "GPGGA,\(time),\(position),1,09,0.9,330.0,M,-28.3,M,,".nmea,
            "GPGSA,A,3,02,05,12,13,15,18,20,25,29,,,,1.7,0.9,1.4".nmea,
        ])
        instant = instant.addingTimeInterval(1)
    }

    private static func angle(_ degrees: Double, width: Int) -> String {
        let whole = Int(degrees)
        return String(format: "%0\(width)d%08.5f", whole, (degrees - Double(whole)) * 60)
    }
}

@Suite("A trail that is walked with a real receiver", .serialized, .enabled(if: RealGPSD.isInstalled))
struct WalkedTrailTests {
    static func station(_ gpsd: RealGPSD) throws -> Station {
        try Station(
            """
            [Position]
            Source=gpsd
            GPSD=127.0.0.1:\(gpsd.port)
            [Camera]
            Source=recorded
            Width=320
            Height=240
            """)
    }

    @Test(
        "is recorded by konza trails record, outlives a power cut in its middle, and is one of the station's when it ends"
    )
    func recorded() async throws {
        let gpsd = try RealGPSD()
        let start = (latitude: 39.1069, longitude: -96.6091)
        var receiver = WalkingReceiver(from: Date(), at: start)
        receiver.stand(60)
        try gpsd.plugIn(receiver.epochs)
        try await gpsd.start()
        let station = try Self.station(gpsd)
        let konza = try Programs.path("konza").path
        let socket = ["--socket", "\(station.folder.path)/konza.sock"]
        func recording() throws -> [String: Any] { try station.get("/v1/trails/recording").json() }
        func state() throws -> String? { try recording()["state"] as? String }
        // Nothing runs yet.
        #expect(try state() == "none")
        #expect(try run(konza, ["trails", "record", "--stop"] + socket).status != 0)
        try waitUntil("there is a fix", seconds: 30) {
            try station.get("/v1/position").json()["state"] as? String == "fix"
        }
        let command = Process()
        command.executableURL = URL(filePath: konza)
        command.arguments = ["trails", "record", "Ridge"] + socket
        command.standardOutput = FileHandle.nullDevice
        try command.run()
        defer { if command.isRunning { command.terminate() } }
        try waitUntil("it is recorded", seconds: 20) { try state() == "recording" }
        // A junction at the trailhead, which is durable at once.
        let junction = try run(
            konza, ["trails", "junction", "Kiosk", "--kind", "trailhead", "--timeout", "5"] + socket)
        #expect(junction.status == 0, "\(junction.errors)")
        #expect(junction.text.contains("Kiosk: 39.1069") && junction.text.contains("95 %"))
        station.cutOff()
        command.waitUntilExit()
        #expect(command.terminationStatus != 0)

        // It goes on by itself. The walker runs, so that the test is short: ten metres a second.
        try station.start()
        #expect(try recording()["trail"] as? String == "Ridge")
        #expect((try recording()["junctions"] as? [[String: Any]])?.compactMap { $0["name"] as? String } == ["Kiosk"])
        var runner = WalkingReceiver(from: Date(), at: start)
        // Until gpsd and konzad follow.
        runner.stand(12)
        runner.walk(east: 0, north: 60, pace: 8)
        runner.walk(east: 40, north: 0, pace: 8)
        runner.stand(60)
        try gpsd.plugIn(runner.epochs)
        try waitUntil("some way is walked", seconds: 60) { (try recording()["length"] as? Double ?? 0) > 90 }
        let other = try station.post("/v1/trails/recording", #"{"trail":"Other"}"#)
        #expect(other.status == 409)
        let again = Process()
        again.executableURL = URL(filePath: konza)
        again.arguments = ["trails", "record", "Ridge"] + socket
        let output = Pipe()
        again.standardOutput = output
        again.standardError = FileHandle.nullDevice
        try again.run()
        // The first line is shown when it has joined.
        let first = output.fileHandleForReading.availableData
        #expect(String(decoding: first, as: UTF8.self).contains("Ridge"))
        again.interrupt()
        again.waitUntilExit()
        #expect(again.terminationStatus == 0)
        let words = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(words.contains("recorded: 1 trail"))
        #expect(words.contains("the trail is kept apart, and the demonstration's made-up trails stay in use"))
        #expect(try state() == "none")

        // Cut off at once after the answer: it is one of the station's.
        station.cutOff()
        try station.start()
        // It is shorter than 500 m: the demonstration stays until it is removed.
        let before = try station.get("/v1/trails").json()
        #expect(before["demonstration"] as? Bool == true)
        #expect((before["apart"] as? [[String: Any]])?.first?["origin"] as? String == "recorded")
        #expect(try run(konza, ["trails"] + socket).text.contains("recorded: recorded, kept and not in use"))
        #expect(try run(konza, ["trails", "remove", "demonstration"] + socket).status == 0)
        let list = try station.get("/v1/trails").json()
        #expect(list["demonstration"] as? Bool == false && list["apart"] == nil)
        let trail = try #require((list["trails"] as? [[String: Any]])?.first)
        #expect(trail["name"] as? String == "Ridge")
        #expect((80...130).contains(try #require(trail["length"] as? Double)))
        #expect((list["sources"] as? [[String: Any]])?.first?["origin"] as? String == "recorded")
        #expect((list["places"] as? [[String: Any]])?.first?["kind"] as? String == "trailhead")
        try waitUntil("there is a fix", seconds: 30) {
            try station.get("/v1/position").json()["state"] as? String == "fix"
        }
        #expect(try station.post("/v1/trails/recording", #"{"trail":"Ridge"}"#).status == 409)
    }

    @Test("of a replay says that it is made up, and can be discarded")
    func replayed() throws {
        let station = try Station(Station.recorded)
        try waitUntil("there is a fix", seconds: 30) {
            try station.get("/v1/position").json()["state"] as? String == "fix"
        }
        for body in [#"{}"#, #"{"trail":""}"#, #"{"trail":"x","speed":1}"#] {
            #expect((400...422).contains(try station.post("/v1/trails/recording", body).status), "\(body)")
        }
        #expect(try station.post("/v1/trails/recording/junction", "{}").status == 409)
        let begun = try station.post("/v1/trails/recording", #"{"trail":"Practice"}"#)
        #expect(begun.status == 201)
        #expect(try begun.json()["trail"] as? String == "Practice (made up)")
        #expect(try begun.json()["demonstration"] as? Bool == true)
        #expect(try station.post("/v1/trails/recording/junction", #"{"kind":"castle"}"#).status == 400)
        let ended = try station.request("DELETE", "/v1/trails/recording?discard=yes", body: nil)
        #expect(ended.status == 200)
        #expect(try ended.json()["state"] as? String == "discarded")
        #expect(try station.get("/v1/trails").json()["demonstration"] as? Bool == true)
    }
}
