import Foundation
import KonzaTesting
import Testing

@Suite("A station that lacks something", .serialized)
struct DegradedTests {
    private static let withoutDevices = """
        [Position]
        Source=gpsd
        GPSD=127.0.0.1:1
        [Camera]
        Source=v4l2
        Device=/dev/video-that-is-not-there
        """

    @Test("without receiver and camera starts, answers, and names both reasons")
    func nothingThere() throws {
        let station = try Station(Self.withoutDevices)
        try waitUntil("both reasons are known", seconds: 10) {
            try health(station, "position")["kind"] as? String == "gpsd-unreachable"
                && health(station, "camera")["kind"] as? String == "camera-missing"
        }
        let position = try station.get("/v1/position").json()
        #expect(position["state"] as? String == "disconnected")
        #expect(position["latitude"] == nil && position["longitude"] == nil)
        let refused = try station.post("/v1/postcards")
        #expect(refused.status == 503)
        #expect(try refused.json()["kind"] as? String == "camera-unavailable")
        #expect(try station.get("/v1/camera/frame.jpg").status == 503)
    }

    @Test("tells visitors and the kiosk what is not well, and why only those who can do something about it")
    func reasons() throws {
        let station = try Station(Self.withoutDevices)
        let portal = try RunningPortal(station)
        try waitUntil("the camera is known to be missing", seconds: 10) {
            try health(station, "camera")["kind"] as? String == "camera-missing"
        }
        #expect((try health(station, "camera")["reason"] as? String)?.contains("/dev/video-that-is-not-there") == true)
        let kiosk = try portal.ask("/v1/status")
        let camera = (try kiosk.json()["camera"] as? [String: Any])?["health"] as? [String: String]
        #expect(camera?["kind"] == "camera-missing" && camera?["level"] == "failed")
        #expect(camera?["reason"] == "a ranger is told why")
        let told = String(decoding: kiosk.body, as: UTF8.self)
        #expect(!told.contains("/dev/") && !told.contains("127.0.0.1") && !told.contains(station.folder.path))
        let keeper = try portal.askOther(
            "http://localhost/v1/status", ["--unix-socket", "\(portal.state)/portal.sock"])
        #expect(String(decoding: keeper.body, as: UTF8.self).contains("/dev/video-that-is-not-there"))
    }

    @Test("goes on after signals that mean nothing to it")
    func otherSignals() throws {
        let station = try Station(Self.withoutDevices)
        for number in [SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE, SIGPROF, SIGVTALRM] {
            kill(station.process.processIdentifier, number)
        }
        #expect(try station.get("/v1/position").status == 200)
        #expect(station.process.isRunning)
    }

    @Test("without a camera shows its watchers a picture that says why")
    func placeholder() throws {
        let station = try Station(Self.withoutDevices)
        try waitUntil("the camera is known to be missing", seconds: 10) {
            try health(station, "camera")["level"] as? String == "failed"
        }
        let stream = try run(
            "curl", ["-sS", "-m", "4", "--unix-socket", station.socket, "http://localhost/v1/camera/preview"],
            seconds: 20
        ).output
        let start = try #require(stream.range(of: Data([0xFF, 0xD8])))
        let picture = station.folder.appendingPathComponent("placeholder.jpg")
        try stream[start.lowerBound...].write(to: picture)
        let size = try run("ffprobe", ["-v", "error", "-show_entries", "stream=width,height", picture.path]).text
        #expect(size.contains("width=1280") && size.contains("height=720"))
    }

    @Test("with a folder that cannot be made starts, and refuses postcards with the reason")
    func noFolder() throws {
        let station = try Station(Station.recorded, state: "/proc/konza")
        #expect(try health(station, "archive")["level"] as? String == "failed")
        #expect(try station.post("/v1/postcards").status == 503)
        let list = try station.get("/v1/postcards")
        #expect(list.status == 503)
        #expect(try list.json()["kind"] as? String == "archive-unavailable")
        #expect(try station.get("/v1/position").status == 200)
    }

    @Test("with a damaged summary of how the receiver wanders says so, and works")
    func damagedStanding() throws {
        let state = try TemporaryFolder()
        defer { withExtendedLifetime(state) {} }
        for (content, reason) in [
            (Data("konza-standing\n".utf8), "it is damaged"), (Data("{}".utf8), "it is no summary"),
            (Data(count: 300_000), "it is larger than any summary"),
        ] {
            try content.write(to: URL(filePath: "\(state.path)/standing-receiver"))
            let station = try Station(Station.recorded, state: state.path)
            try waitUntil("konzad tells what is wrong", seconds: 10) {
                station.log.contains("standing-receiver: \(reason)") && station.log.contains("ignoring")
            }
            #expect(try station.get("/v1/position").status == 200)
        }
    }

    @Test("with a template that cannot be read says which and why from its start, and stamps with the others")
    func brokenTemplate() throws {
        let templates = try TemporaryFolder()
        defer { withExtendedLifetime(templates) {} }
        let own = URL(filePath: "\(templates.path)/own.json")
        let good =
            ##"{"name":"own","title":"Own","layers":[{"type":"band","edge":"bottom","size":"9s","fill":"#222"}]}"##
        try good.replacingOccurrences(of: "9s", with: "9 miles").write(to: own, atomically: true, encoding: .utf8)
        let settings = Station.recorded + "\n[Postcards]\nTemplateFolders=\(templates.path)\n"
        let station = try Station(settings)
        // Nobody has asked for a template: it is read nevertheless.
        try waitUntil("the log names it", seconds: 10) { station.log.contains("cannot read the template \(own.path)") }
        #expect(station.log.contains("layers[0].size must be a length"))
        let broken = try health(station, "templates")
        #expect(broken["kind"] as? String == "template-broken" && broken["level"] as? String == "degraded")
        #expect((broken["reason"] as? String)?.contains(own.path) == true)
        #expect(try station.post("/v1/postcards", #"{"template":"own"}"#).status == 404)
        #expect(try station.post("/v1/postcards", #"{"template":"band"}"#).status == 201)

        try good.write(to: own, atomically: true, encoding: .utf8)
        try station.reload(settings)
        try waitUntil("it is well", seconds: 10) { try health(station, "templates")["level"] as? String == "ok" }
        #expect(try station.post("/v1/postcards", #"{"template":"own"}"#).status == 201)

        // One that was good stays as it was.
        try "{".write(to: own, atomically: true, encoding: .utf8)
        try station.reload(settings)
        try waitUntil("it is broken again", seconds: 10) {
            try health(station, "templates")["level"] as? String == "degraded"
        }
        #expect(try station.post("/v1/postcards", #"{"template":"own"}"#).status == 201)
    }

    @Test("makes a folder several levels deep")
    func deepFolder() throws {
        let folder = NSTemporaryDirectory() + "konza-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let station = try Station(Station.recorded, state: "\(folder)/a/b/c")
        #expect(try station.post("/v1/postcards").status == 201)
    }

    @Test("keeps its settings when a reload brings bad ones, and takes good ones")
    func reload() throws {
        let station = try Station()
        try station.reload("[Postcards]\nMessageLimt=3\n")
        try waitUntil("the bad file is refused", seconds: 10) { station.log.contains("the old settings stay") }
        #expect(station.log.contains("MessageLimit"))
        try station.reload(Station.recorded + "\n[Postcards]\nMessageLimit=3\n")
        try waitUntil("the good file is taken", seconds: 10) {
            try station.post("/v1/postcards", #"{"message":"abcd"}"#).status == 422
        }
    }

    @Test("says good and bad of a configuration before it runs")
    func checkConfiguration() throws {
        let path = NSTemporaryDirectory() + "konzad-\(UUID().uuidString.prefix(8)).conf"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let program = try Programs.path("konzad").path
        for (text, isGood, words) in [
            ("[Position]\nSource=recorded\n", true, "good"),
            ("[Position]\nSorce=recorded\n", false, ":2: [Position] Sorce"),
            ("[General]\nTimeZone=Mars/Olympus\n", false, "TimeZone"),
            ("[Fleet]\nBroker=mqtt://localhost\n", false, "[Fleet] Box=: the fleet has a broker"),
            ("[Fleet]\nPublicLinks=yes\n", false, "without Broker=, Box=, Store=, PublicStore="),
            (
                "[Fleet]\nBroker=mqtt://localhost\nBox=knz07\nStore=http://localhost/konza\nPublicLinks=yes\n", false,
                "no public link without PublicStore=: set what is missing, or PublicLinks=no"
            ),
            ("[Fleet]\nBroker=mqtt://localhost\nBox=knz07\n", true, "good"),
        ] {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            for program in [program, try Programs.path("konza-fleet").path] {
                // The zone is konzad's affair.
                if text.contains("TimeZone"), program.hasSuffix("fleet") { continue }
                let outcome = try run(program, ["--config", path, "--check-config"])
                #expect(outcome.status == (isGood ? 0 : 78), "\(program) \(text)")
                #expect((outcome.text + outcome.errors).contains(words), "\(outcome.errors)")
            }
        }
    }

    @Test("says good and bad of the hub's configuration without asking a broker or a database")
    func checkHub() throws {
        let path = NSTemporaryDirectory() + "konza-hub-\(UUID().uuidString.prefix(8)).conf"
        defer { try? FileManager.default.removeItem(atPath: path) }
        for (text, isGood, words) in [
            ("[Hub]\nBroker=mqtts://nobody.invalid\n", true, "good"),
            ("[Hub]\nBroker=mqtts://nobody.invalid\nWorkers=0\n", false, ":3: [Hub] Workers=: expected"),
            ("[Hub]\nDatabase=postgresql://a:secret@[\n", false, "[Hub] Database=: cannot read the address"),
        ] {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            let outcome = try run(Programs.path("konza-hub").path, ["--config", path, "--check-config"])
            #expect(outcome.status == (isGood ? 0 : 78), "\(text)")
            #expect((outcome.text + outcome.errors).contains(words), "\(outcome.errors)")
            #expect(!outcome.errors.contains("secret"))
        }
        let none = try run(Programs.path("konza-hub").path, ["--config", "\(path).none", "--check-config"])
        #expect(none.status == 78 && none.errors.contains("it is not there"), "\(none.errors)")
    }

    @Test("runs with settings that are in vain, and says so in its health")
    func settingsInVain() throws {
        let station = try Station(Station.recorded + "\n[Fleet]\nPublicLinks=yes\n")
        _ = try station.takePostcard()
        let fleet = try health(station, "fleet")
        #expect(fleet["level"] as? String == "degraded" && fleet["kind"] as? String == "fleet-no-public-links")
        #expect((fleet["reason"] as? String)?.contains("PublicStore=") == true)
    }

    @Test("deletes only what is there, and answers a repeated countdown with the same place")
    func honestAnswers() throws {
        let station = try Station()
        #expect(try station.request("DELETE", "/v1/postcards/00000000000000000000000000").status == 404)
        let key = ["Idempotency-Key: \(UUID().uuidString)"]
        let first = try station.post("/v1/postcards", #"{"countdownSeconds":4}"#, headers: key)
        let second = try station.post("/v1/postcards", #"{"countdownSeconds":4}"#, headers: key)
        #expect(first.status == 202 && second.status == 202)
        #expect(first.headers["location"] != nil && first.headers["location"] == second.headers["location"])
    }

    private func health(_ station: Station, _ part: String) throws -> [String: Any] {
        let status = try station.get("/v1/status").json()
        let inner = (status[part] as? [String: Any])?["health"] as? [String: Any]
        return try #require(inner)
    }
}

@Suite("A station on a real gpsd", .serialized, .enabled(if: RealGPSD.isInstalled))
struct RealReceiverTests {
    @Test("is live, geotags with the fix, and never says fix while the receiver is dead")
    func live() async throws {
        let gpsd = try RealGPSD()
        try gpsd.plugIn(Self.epochs(from: Date()))
        try await gpsd.start()
        let station = try Station(
            """
            [Position]
            Source=gpsd
            GPSD=127.0.0.1:\(gpsd.port)
            [Camera]
            Source=recorded
            Width=320
            Height=240
            """)
        try waitUntil("there is a fix", seconds: 30) {
            try station.get("/v1/position").json()["state"] as? String == "fix"
        }
        let position = try station.get("/v1/position").json()
        #expect(position["source"] as? String == "live")
        let postcard = try station.post("/v1/postcards", #"{"template":"band"}"#).json()
        let place = try #require(postcard["position"] as? [String: Any])
        #expect(place["source"] as? String == "live")
        let path = try #require(postcard["path"] as? String)
        let exif = try run("exiftool", ["-n", "-s3", "-GPSLatitude", "-GPSLongitude", path]).text
        let numbers = exif.split(separator: "\n").compactMap { Double($0) }
        #expect(abs(numbers[0] - (place["latitude"] as? Double ?? 0)) < 1e-7)
        #expect(abs(numbers[1] - (place["longitude"] as? Double ?? 0)) < 1e-7)

        gpsd.crash()
        try waitUntil("the loss is known", seconds: 10) {
            let position = try station.get("/v1/position").json()
            return position["state"] as? String == "disconnected" && position["reason"] != nil
        }
    }

    /// A receiver that stands at the headquarters and tells the time as it is: geotags look for the exposure on the
    /// track by its time.
    private static func epochs(from start: Date) -> [[String]] {
        let clock = DateFormatter()
        clock.timeZone = .gmt
        clock.locale = Locale(identifier: "en_US_POSIX")
        return (0..<300).map { second in
            let instant = start.addingTimeInterval(Double(second))
            clock.dateFormat = "HHmmss"
            let time = clock.string(from: instant) + ".00"
            clock.dateFormat = "ddMMyy"
            return [
                "GPRMC,\(time),A,3906.41400,N,09636.54600,W,0.02,84.4,\(clock.string(from: instant)),,,A".nmea,
                "GPGGA,\(time),3906.41400,N,09636.54600,W,1,09,0.9,415.2,M,-28.3,M,,".nmea,
                "GPGSA,A,3,02,05,12,13,15,18,20,25,29,,,,1.7,0.9,1.4".nmea,
            ]
        }
    }
}
