import Foundation
import Testing

@testable import Settings

private func parse(_ text: String) throws -> StationSettings {
    try StationSettings.parse(Array(text.utf8), file: "konzad.conf")
}

/// What is wrong with a text, as it is shown.
private func problems(_ text: String) -> [String] {
    do {
        _ = try parse(text)
        return []
    } catch let error as SettingsErrors {
        return error.problems.map(\.description)
    } catch {
        return ["\(error)"]
    }
}

@Suite("The configuration's grammar")
struct GrammarTests {
    @Test("sections, comments, white space, continuation and Windows line ends are read as systemd does")
    func grammar() throws {
        let settings = try parse(
            """
            # a comment
            ; another
            \u{20} [General]
            Place = Tallgrass Prairie \t
            Station=Kings \\
            # a comment between
               Creek \\
               2

            [Camera]\r
            Width=640\r
            Height=480\r
            [General]
            State=/srv/konza
            """)
        #expect(settings.general.place == "Tallgrass Prairie")
        #expect(settings.general.station == "Kings Creek 2")
        #expect(settings.general.state == "/srv/konza")
        #expect((settings.camera.width, settings.camera.height) == (640, 480))
    }

    @Test("the last assignment holds, an empty one resets, lists add up until they are reset")
    func order() throws {
        #expect(try parse("[General]\nPlace=A\nPlace=B").general.place == "B")
        #expect(try parse("[General]\nPlace=A\nPlace=").general.place == "Konza Prairie")
        #expect(try parse("[API]\nAllowedHosts=a\nAllowedHosts=b c").api.allowedHosts == ["a", "b", "c"])
        #expect(try parse("[API]\nAllowedHosts=a\nAllowedHosts=\nAllowedHosts=b").api.allowedHosts == ["b"])
        #expect(
            try parse("[Camera]\nControls=brightness=10 gain=2\nControls=gain=3").camera.controls
                == ["brightness": 10, "gain": 3])
    }

    @Test("an empty file, and the shipped one, are the defaults")
    func defaults() throws {
        #expect(try parse("") == StationSettings())
        #expect(try parse(SettingsReference.configurationFile) == StationSettings())
        let shown = SettingsReference.configurationFile.split(separator: "\n").map { line in
            line.hasPrefix("#") && !line.hasPrefix("# ") && line.contains("=") ? String(line.dropFirst()) : String(line)
        }
        #expect(shown.filter { $0.contains("=") && !$0.hasPrefix("#") }.count == SettingsTable.keys.count)
        #expect(try parse(shown.joined(separator: "\n")) == StationSettings())
        #expect(StationSettings().general.state == "/var/lib/konza")
        #expect(StationSettings().general.socket == "/run/konza.sock")
    }

    @Test("every mistake is told at once, with its line, its key and a way out")
    func allProblems() {
        #expect(
            problems(
                """
                Place=X
                [Generel]
                Anything=1
                [Camera]
                Wdith=640
                width=1
                Width=many
                Width=9
                Source=v4l
                StaleAfter=5
                GPSD=x
                Device=cam
                nonsense
                =5
                [Position
                GPSD=1
                """) == [
                    "konzad.conf:1: Place= stands before the first section: expected [General] or another",
                    "konzad.conf:2: unknown section [Generel]: did you mean [General]?",
                    "konzad.conf:5: [Camera] Wdith=: unknown key: did you mean Width=?",
                    "konzad.conf:6: [Camera] width=: unknown key: did you mean Width=?",
                    "konzad.conf:7: [Camera] Width=: \"many\" is no whole number",
                    "konzad.conf:8: [Camera] Width=: 9 is out of range: 16 to 16384",
                    "konzad.conf:9: [Camera] Source=: \"v4l\" is not known: did you mean v4l2?",
                    "konzad.conf:10: [Camera] StaleAfter=: unknown key: it belongs in [Position]",
                    "konzad.conf:11: [Camera] GPSD=: unknown key: it belongs in [Position]",
                    "konzad.conf:12: [Camera] Device=: \"cam\" is not absolute: begin it with /",
                    "konzad.conf:13: cannot read \"nonsense\": expected Key=value, [Section] or a comment",
                    "konzad.conf:14: a value without a key: expected Key=value",
                    "konzad.conf:15: cannot read \"[Position\": expected [Section]",
                ])
    }

    @Test("a continued line is told by the line it begins on")
    func continuedLine() {
        #expect(
            problems("[Camera]\n\nWidth=\\\n\\\nmany") == [
                "konzad.conf:3: [Camera] Width=: \"many\" is no whole number"
            ])
    }

    @Test("bytes that are no text, control characters and huge files are refused, not guessed at")
    func noText() {
        let latin = Array("[General]\nPlace=".utf8) + [0xE9, 0x0A] + Array("Place=ok\n".utf8)
        #expect(
            throws: SettingsErrors([
                SettingsProblem(file: "f", line: 2, reason: "the line is not UTF-8 text")
            ])
        ) { try StationSettings.parse(latin, file: "f") }
        #expect(problems("[General]\nPlace=a\u{1}b") == ["konzad.conf:2: the line holds control characters"])
        #expect(problems(String(repeating: "#\n", count: 600_000)) == ["konzad.conf: the file is larger than 1 MB"])
    }
}

@Suite("Values")
struct ValueTests {
    @Test(
        "time spans",
        arguments: [
            ("10s", 10), ("500ms", 0.5), ("5min", 300), ("5min 30s", 330), ("1.5h", 5400), ("2 d", 172_800), ("7", 7),
            ("1200ms", 1.2), ("0", 0), ("0s", 0), ("3weeks", 1_814_400), ("1h30m", 5400), ("250us", 0.000_25),
        ] as [(String, Double)])
    func durations(text: String, seconds: Double) {
        #expect(Quantity.seconds(text) == seconds)
        #expect(Quantity.seconds(Quantity.duration(seconds)) == seconds)
    }

    @Test(
        "what is no time span",
        arguments: ["", "s", "5 parsecs", "1e3", "inf", "nan", "10s 5", "--5", "5..1s", "٣s", "1s,2s"])
    func noDurations(text: String) { #expect(Quantity.seconds(text) == nil) }

    @Test("how time spans are written", arguments: [(1.2, "1200ms"), (1800, "30min"), (90, "90s"), (86_400, "1d")])
    func durationText(seconds: Double, text: String) { #expect(Quantity.duration(seconds) == text) }

    @Test(
        "sizes",
        arguments: [
            ("0", 0), ("512", 512), ("64K", 65_536), ("10M", 10_485_760), ("2G", 2_147_483_648), ("1.5K", 1536),
            ("1T", 1_099_511_627_776), ("64KB", 65_536),
        ] as [(String, Int64)])
    func sizes(text: String, bytes: Int64) {
        #expect(Quantity.bytes(text) == bytes)
        #expect(Quantity.bytes(Quantity.size(bytes)) == bytes)
    }

    @Test("what is no size", arguments: ["", "K", "-1", "10X", "1e9", "99999999999999999T", "1 0"])
    func noSizes(text: String) { #expect(Quantity.bytes(text) == nil) }

    @Test(
        "endpoints",
        arguments: [
            ("127.0.0.1:2947", "127.0.0.1", 2947), ("gps.local:1", "gps.local", 1), ("[::1]:2947", "::1", 2947),
            ("[fe80::1%eth0]:65535", "fe80::1%eth0", 65_535),
        ] as [(String, String, UInt16)])
    func endpoints(text: String, host: String, port: UInt16) {
        #expect(Endpoint(text) == Endpoint(host: host, port: port))
        #expect(Endpoint(text)?.description == text)
    }

    @Test(
        "what is no endpoint",
        arguments: ["", ":1", "h", "h:", "h:0", "h:65536", "h:+1", "::1:5", "a b:5", "[]:5", "h:5x"])
    func noEndpoints(text: String) { #expect(Endpoint(text) == nil) }

    @Test(
        "each kind refuses what it does not take, and says what it takes",
        arguments: [
            ("General", "State=~/konza", "\"~\" is the shell's: write the whole path"),
            ("General", "State=/var/../etc", "a path must not go up by \"..\""),
            ("General", "Socket=/\(String(repeating: "s", count: 107))", "longer than 107 bytes"),
            ("Postcards", "KeepOriginal=maybe", "\"maybe\" is neither yes nor no"),
            ("Postcards", "SpaceReserve=95%", "95% is out of range: 0% to 90%"),
            ("Postcards", "SpaceReserve=x%", "\"x%\" is no percentage such as 5%"),
            ("Postcards", "Template=../x", "\"../x\" is no name: letters, digits, - _ . up to 64"),
            ("Position", "StaleAfter=1h", "1h is out of range: 1s to 10min"),
            ("Position", "RecordingRate=fast", "\"fast\" is no number"),
            ("Position", "GPSD=localhost", "\"localhost\" is no host:port such as 127.0.0.1:2947 or [::1]:2947"),
            ("API", "AllowedOrigins=kiosk", "\"kiosk\" is no origin"),
            ("API", "MaxBody=1", "1 is out of range: 1K to 16M"),
            ("Camera", "Rotate=45", "\"45\" is not known; there are 0, 90, 180, 270"),
            ("Camera", "Rotate=-90", "\"-90\" is not known; there are 0, 90, 180, 270"),
            ("Camera", "Rotate=right", "\"right\" is not known; there are 0, 90, 180, 270"),
            ("Camera", "Mirror=left", "\"left\" is neither yes nor no"),
            ("Camera", "Controls=gain", "\"gain\" is no control such as brightness=10"),
        ])
    func refusals(section: String, line: String, reason: String) {
        let key = line.prefix { $0 != "=" }
        #expect(problems("[\(section)]\n\(line)") == ["konzad.conf:2: [\(section)] \(key)=: \(reason)"])
    }

    @Test("limits may be infinite")
    func limits() throws {
        let settings = try parse(
            "[Postcards]\nMaxBytes=2G\nMaxAge=30d\nMaxCount=100\nMaxCount=infinity\nSpaceReserve=5%")
        #expect(settings.postcards.maxBytes == 2 << 30)
        #expect(settings.postcards.maxAge == 2_592_000)
        #expect(settings.postcards.maxCount == nil)
        #expect(settings.postcards.spaceReserve.bytes(ofCapacity: 1_000_000) == 50_000)
    }
}

@Suite("Files and changes")
struct FileTests {
    private let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("konza-settings-\(UUID())").path
        try FileManager.default.createDirectory(atPath: "\(folder)/konzad.conf.d", withIntermediateDirectories: true)
    }

    private func write(_ name: String, _ text: String) {
        _ = FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data(text.utf8))
    }

    private func done() { try? FileManager.default.removeItem(atPath: folder) }

    @Test("drop-ins are read after the main file, by name; others are not")
    func dropIns() throws {
        defer { done() }
        write("konzad.conf", "[General]\nPlace=main\nStation=main\n[API]\nAllowedHosts=main\n")
        write("konzad.conf.d/20-b.conf", "[General]\nPlace=b\n[API]\nAllowedHosts=b\n")
        write("konzad.conf.d/10-a.conf", "[General]\nPlace=a\nStation=a\n")
        write("konzad.conf.d/30-c.conf.bak", "[General]\nPlace=bak\n")
        write("konzad.conf.d/.hidden.conf", "[General]\nPlace=hidden\n")
        let settings = try StationSettings.load(path: "\(folder)/konzad.conf")
        #expect(settings.general.place == "b")
        #expect(settings.general.station == "a")
        #expect(settings.api.allowedHosts == ["main", "b"])
    }

    @Test("problems in all files are told together, each with its file; a missing file is one")
    func problemsOfFiles() throws {
        defer { done() }
        write("konzad.conf", "[General]\nPlcae=x\n")
        write("konzad.conf.d/10-a.conf", "\n[Camera]\nQuality=101\n")
        #expect(
            StationSettings.check(path: "\(folder)/konzad.conf").map(\.description) == [
                "\(folder)/konzad.conf:2: [General] Plcae=: unknown key: did you mean Place=?",
                "\(folder)/konzad.conf.d/10-a.conf:3: [Camera] Quality=: 101 is out of range: 1 to 100",
            ])
        let missing = "\(folder)/none.conf"
        #expect(
            StationSettings.check(path: missing).map(\.description) == [
                "\(missing): cannot read the configuration: it is not there; name another by --config, or put one there"
            ])
        #expect(StationSettings.check(path: folder).count == 1)
        // Which would else be all the defaults.
        let pipe = "\(folder)/pipe.conf"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(
            StationSettings.check(path: pipe).map(\.description) == [
                "\(pipe): cannot read the configuration: it is a pipe, and nobody writes into it; name a file"
            ])
    }

    @Test("what changed is told by key, and what needs a restart is told apart")
    func difference() throws {
        defer { done() }
        let new = try parse("[General]\nState=/srv/konza\nPlace=Council Grove\n[Position]\nStaleAfter=5s\nGeotagWait=2")
        let changes = StationSettings.difference(from: StationSettings(), to: new)
        #expect(
            changes.map(\.description) == [
                "[General] State=: /var/lib/konza -> /srv/konza, from the next start on",
                "[General] Place=: Konza Prairie -> Council Grove",
                "[Position] StaleAfter=: 2500ms -> 5s, from the next start on",
                "[Position] GeotagWait=: 1200ms -> 2s",
            ])
        #expect(StationSettings.difference(from: new, to: new) == [])
        #expect(try parse(new.configurationText) == new)
    }

    @Test("the shipped configuration is the one that the table makes")
    func shippedFile() throws {
        defer { done() }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appendingPathComponent("config/konzad.conf")
        // After a change of the table: KONZA_UPDATE_REFERENCE=1 make test TEST=SettingsTests
        if ProcessInfo.processInfo.environment["KONZA_UPDATE_REFERENCE"] == "1" {
            try Data(SettingsReference.configurationFile.utf8).write(to: file)
        }
        let shipped = try String(contentsOf: file, encoding: .utf8)
        #expect(shipped == SettingsReference.configurationFile)
        #expect(StationSettings.check(path: file.path) == [])
    }

    @Test("every key is documented, in every form of the reference, on lines of at most 120 columns")
    func reference() {
        defer { done() }
        for key in SettingsTable.keys {
            #expect(key.documentation.hasSuffix("."), "\(key.name)")
            #expect(SettingsTable.sections.contains(key.section))
            #expect(SettingsReference.markdown.contains("| `\(key.name)=` |"))
            #expect(SettingsReference.manPageSection.contains(".BI \(key.name)= value"))
        }
        #expect(Set(SettingsTable.keys.map { "\($0.section).\($0.name)" }).count == SettingsTable.keys.count)
        #expect(SettingsReference.configurationFile.split(separator: "\n").allSatisfy { $0.count <= 120 })
    }
}
