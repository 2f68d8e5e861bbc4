internal import Foundation
internal import KonzaTesting

/// The package in a machine where nothing was edited: installed, upgraded, removed, purged.
extension Scenario {
    static let package: [Scenario] = [packageGreen]
    /// Run last: what comes after them in the same machine would run on a package that was installed anew.
    static let packageChanges: [Scenario] = [packageUpgrade, packagePurge]

    private static let packageGreen = Scenario(
        "package-green", .guest, .short, limitSeconds: 180,
        promise: """
            The package was installed on a machine with a camera, and a receiver is plugged in; nothing is edited. The \
            unit runs under systemd's watchdog, the position is a fix by gpsd within 30 s, a postcard carries it, and \
            konza doctor finds everything in order.
            """
    ) { station in
        _ = try VividCamera()
        try station.start()
        try station.expect(
            !FileManager.default.fileExists(atPath: station.settingsFile), "something was configured beforehand")
        let receiver = try USBReceiver()
        let fix = try station.untilPosition("fix", within: 30)
        let postcard = try station.expectPostcard()
        try station.expect(
            abs((postcard.reply["position", "latitude"]?.number ?? 0) - 39.1069) < 1e-3, "the postcard has no position")
        let unit = try station.unit()
        try station.expect(
            unit["ActiveState"] == "active" && unit["UnitFileState"] == "enabled" && unit["WatchdogUSec"] == "30s",
            "the unit is \(unit)")
        try station.until("the doctor finds everything in order", within: 20) {
            let findings = JSON(parsing: Array(try Program("konza", "doctor", "--json").run().output))?.elements ?? []
            let amiss = findings.filter { $0["level"]?.text != "ok" }
            guard findings.count >= 9, amiss.isEmpty else {
                throw Complaint(
                    amiss.map { "\($0["subject"]?.text ?? "?"): \($0["observation"]?.text ?? "?")" }
                        .joined(separator: "; ") + " (\(findings.count) findings)")
            }
            return true
        }
        try station.expect(
            !(try station.journal().contains("thread priority")), "the journal has complaints of the runtime")
        station.note("fix \(fix.inTenths) s after the plug, postcard \(postcard.seconds.inTenths) s")
        withExtendedLifetime(receiver) {}
    }

    private static let packageUpgrade = Scenario(
        "package-upgrade", .guest, limitSeconds: 400,
        promise: """
            A later version whose conffile differs is installed over one whose conffile was changed by hand, while \
            postcards are taken: the changed conffile stays in force and the new one lies beside it, no request is \
            refused with a closed socket, every acknowledged postcard is there, the new version serves.
            """
    ) { station in
        defer { try? installAnew() }
        try "[Camera]\nSource=recorded\nWidth=640\nHeight=480\n".appending(to: conffile)
        try station.start()
        let before = try station.expectPostcard()
        let process = try station.processID()
        let next = try nextVersion()
        let storm = PostcardStorm(station.socket)
        let start = ContinuousClock.now
        try Program("dpkg", "--force-confold", "-i", next).succeed(seconds: 300)
        let seconds = start.duration(to: .now).inSeconds
        try station.until("postcards are taken after the upgrade", within: 60) {
            try station.processID() != process && storm.acknowledged.count > 1
        }
        let storming = storm.end()
        try station.expect(storming.unanswered.isEmpty, "requests were not answered: \(storming.unanswered.prefix(3))")
        let text = try String(contentsOfFile: conffile, encoding: .utf8)
        try station.expect(text.contains("Source=recorded"), "the changed conffile was replaced")
        try station.expect(
            try String(contentsOfFile: conffile + ".dpkg-dist", encoding: .utf8).contains("# a later version"),
            "the new conffile does not lie beside the changed one")
        let source = try station.get("/v1/status")["camera", "source"]?.text
        try station.expect(source == "simulated", "the changed conffile is not in force: \(source ?? "-")")
        try station.verify(before)
        for postcard in storming.acknowledged { try station.verify(postcard) }
        station.note(
            "dpkg \(seconds.inTenths) s, \(storming.acknowledged.count) postcards meanwhile, longest answer "
                + "\(storming.longest.inTenths) s")
        try Program("dpkg", "--verify", "konza").succeed()
    }

    private static let packagePurge = Scenario(
        "package-purge", .guest, limitSeconds: 400,
        promise: """
            Removed, the service and its socket are gone, configuration and pictures stay. Purged, the pictures stay \
            and it is said where. Installed again every acknowledged postcard is served; purged with \
            KONZA_PURGE_PICTURES=yes nothing of the package is left.
            """
    ) { station in
        let files = FileManager.default
        defer { try? installAnew() }
        try station.configure("[Camera]\nSource=recorded\nWidth=640\nHeight=480\n")
        try station.start()
        let taken = try (0..<3).map { _ in try station.expectPostcard() }
        try Program("dpkg", "--remove", "konza").succeed(seconds: 300)
        try station.expect(
            !files.fileExists(atPath: station.socket) && !files.fileExists(atPath: "/usr/bin/konzad"),
            "the socket or the program is still there")
        let left = try Program("systemctl", "list-units", "--all", "--plain", "--no-legend", "konzad*").succeed().text
        try station.expect(!left.contains("running") && !left.contains("listening"), "units stay: \(left)")
        try station.expect(files.fileExists(atPath: conffile), "the configuration went with a removal")
        let words = try Program("dpkg", "--purge", "konza").succeed(seconds: 300)
        try station.expect(
            (words.text + words.errors).contains("rm -r \(station.state)"),
            "a purge does not say where the pictures are")
        try station.expect(!files.fileExists(atPath: conffile), "the configuration stays after a purge")
        try Program("dpkg", "-i", "/lab/konza.deb").succeed(seconds: 300)
        try station.until("konzad answers again", within: 60) { (try? station.get("/v1/status").status) == 200 }
        for postcard in taken { try station.verify(postcard) }
        // What the scenario itself configured is the keeper's, and dpkg leaves it.
        try files.removeItem(atPath: station.settingsFile)
        try "secret\n".write(toFile: "/etc/konza/credentials/metpetdb-password", atomically: true, encoding: .utf8)
        try Program("env", "KONZA_PURGE_PICTURES=yes", "dpkg", "--purge", "konza").succeed(seconds: 300)
        for path in [
            station.state, "/etc/konza", "/usr/share/konza", "/var/lib/konza-courier", "/var/cache/konza-courier",
            station.socket,
        ] {
            let content = (try? files.contentsOfDirectory(atPath: path)) ?? []
            try station.expect(!files.fileExists(atPath: path), "\(path) is left: \(content)")
        }
    }

    /// Puts the package back as the machine had it at first, with the conffile that it brings.
    private static func installAnew() throws {
        try? FileManager.default.removeItem(atPath: conffile)
        try? FileManager.default.removeItem(atPath: conffile + ".dpkg-dist")
        try Program("dpkg", "--force-confmiss", "--force-downgrade", "-i", "/lab/konza.deb").succeed(seconds: 300)
    }

    private static let conffile = "/etc/konza/konzad.conf"

    /// The installed package as a later version, with one more line in its conffile.
    private static func nextVersion() throws -> String {
        let folder = "/tmp/next"
        try Program("dpkg-deb", "-R", "/lab/konza.deb", folder).succeed(seconds: 300)
        let control = try String(contentsOfFile: "\(folder)/DEBIAN/control", encoding: .utf8)
        let lines = control.split(separator: "\n").map { $0.hasPrefix("Version: ") ? "\($0)+next" : String($0) }
        try (lines.joined(separator: "\n") + "\n")
            .write(toFile: "\(folder)/DEBIAN/control", atomically: true, encoding: .utf8)
        try "# a later version\n".appending(to: "\(folder)\(conffile)")
        try Program("dpkg-deb", "--root-owner-group", "-Znone", "-b", folder, "/tmp/next.deb").succeed(seconds: 300)
        return "/tmp/next.deb"
    }
}

extension String {
    /// Appends this text to a file.
    func appending(to path: String) throws {
        guard let handle = FileHandle(forWritingAtPath: path) else { throw Complaint("cannot open \(path)") }
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(utf8))
    }
}
