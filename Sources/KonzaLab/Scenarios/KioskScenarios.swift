internal import Foundation

/// The package that shows the page, in a machine with a screen, as a visitor sees it.
extension Scenario {
    static let kiosk: [Scenario] = [
        Scenario(
            "kiosk-screen", .alone, limitSeconds: 5400,
            promise: """
                konza and konza-kiosk are installed on a machine with a screen and a camera, nothing is edited, and what \
                they have enabled is started: the first page is on the screen, its words are read from the picture. The \
                camera is unplugged: the screen says that it is out of service, and why; plugged in again the first page \
                is back. The GPU process is killed: the same browser draws on. The renderer is killed, then the browser: \
                another browser shows the first page.
                """
        ) { station in
            let box = try KioskBox(station)
            defer { box.cut() }
            try box.run()
        }
    ]
}

/// The machine with a screen, seen from outside.
private final class KioskBox {
    private static let invitation = "Take a postcard"
    /// Chromium takes an emulated machine minutes, and logind and systemd their part of it.
    private static let patience = 1500.0

    private let station: LabStation
    private let machine: LabMachine
    private let orders: LabOrders
    private let screen: LabScreen

    init(_ station: LabStation) throws {
        self.station = station
        let folder = "\(LabMachine.tree)/.build/lab/kiosk"
        try? FileManager.default.removeItem(atPath: folder)
        machine = try LabMachine(folder: folder, command: LabOrders.command, hasScreen: true, seconds: 7200)
        orders = try LabOrders(machine)
        screen = LabScreen(of: folder)
    }

    func cut() { machine.cut() }

    func run() throws {
        do {
            try install()
            try start()
            try unplug()
            try killGraphics()
            try killRenderer()
            try killBrowser()
        } catch {
            keepEvidence()
            throw error
        }
    }

    /// The machine is up and has both packages.
    private func install() throws {
        let seconds = try station.until("the packages are installed", within: 900, every: 1) {
            guard machine.isOn else { throw Complaint("the machine ended with \(machine.waitUntilOff())") }
            let log = try String(contentsOfFile: "\(machine.folder)/guest.log", encoding: .utf8)
            return log.contains("konza is installed")
        }
        station.note("installed \(seconds.inTenths) s after power-on")
        for unit in ["konza-kiosk.service", "konza-portal.service", "konza-portal.socket", "konzad.socket"] {
            try orders.give("systemctl is-enabled \(unit)")
        }
        // A first installation leaves the screen to whoever installs.
        try orders.give("! systemctl is-active konza-kiosk.service")
    }

    /// What the packages have enabled is started, as the next start of the machine does.
    private func start() throws {
        try orders.give("systemctl start konzad.socket konza-portal.socket konza-portal.service", within: 600)
        try orders.give("systemctl start --no-block konza-kiosk.service")
        station.note("page \(try untilAlive("start").inTenths) s after the start")
    }

    private func unplug() throws {
        try orders.give("echo vivid.0 >/sys/bus/platform/drivers/vivid/unbind")
        let seen = try untilShown("unplugged", "Out of service", "The camera does not answer", within: 300)
        try orders.give("echo vivid.0 >/sys/bus/platform/drivers/vivid/bind")
        let back = try untilAlive("plugged")
        station.note("out of service \(seen.inTenths) s after the plug was pulled, back after \(back.inTenths) s")
    }

    private func killGraphics() throws {
        let browser = try self.browser()
        let old = try process("--type=gpu-process")
        try orders.give("kill -9 \(old)")
        try station.until("there is another GPU process", within: Self.patience, every: 1) {
            let new = try process("--type=gpu-process")
            return !new.isEmpty && new != old
        }
        let seconds = try untilAlive("graphics-killed")
        try station.expect(try self.browser() == browser, "the browser did not survive its GPU process")
        station.note("page \(seconds.inTenths) s after the GPU process was killed")
    }

    private func killRenderer() throws {
        let browser = try self.browser()
        try orders.give("pkill -9 -u konza-kiosk -f -- --type=renderer")
        let seconds = try untilOther(than: browser, "renderer-killed")
        try orders.give("journalctl --no-pager -b -t kiosk-session | grep 'the page has been silent'")
        station.note("page \(seconds.inTenths) s after the renderer was killed")
    }

    private func killBrowser() throws {
        let browser = try self.browser()
        try orders.give("kill -9 \(browser)")
        station.note("page \(try untilOther(than: browser, "browser-killed").inTenths) s after the browser was killed")
    }

    /// The browser's process: of the kiosk's Chromium the one that was there first.
    private func browser() throws -> String { try orders.give("pgrep -o -u konza-kiosk -x chromium") }

    private func process(_ word: String) throws -> String {
        try orders.give("pgrep -o -u konza-kiosk -f -- \(word)")
    }

    /// Waits until another browser shows the first page.
    private func untilOther(than browser: String, _ name: String) throws -> Double {
        let gone = try station.until("there is another browser", within: Self.patience, every: 1) {
            try self.browser() != browser
        }
        return gone + (try untilAlive(name))
    }

    /// Waits until the first page is on the screen and is drawn: two pictures of it differ, for the greeting changes its
    /// language and the prairie behind it is live.
    ///
    /// - Parameter name: what the picture is kept as.
    /// - Returns: the seconds that it took.
    /// - Throws: ``Complaint`` with what was read instead.
    private func untilAlive(_ name: String) throws -> Double {
        let first = try untilShown(name, Self.invitation, within: Self.patience)
        let before = FileManager.default.contents(atPath: picture(name))
        let second = try station.until("the page is drawn anew", within: 300, every: 5) {
            try screen.takePicture(picture(name))
            return try FileManager.default.contents(atPath: picture(name)) != before && shows(name, Self.invitation)
        }
        return first + second
    }

    /// Waits until words can be read on the screen.
    private func untilShown(_ name: String, _ words: String..., within seconds: Double) throws -> Double {
        try station.until("the screen shows \"\(words.joined(separator: "\" and \""))\"", within: seconds, every: 10) {
            guard machine.isOn else { throw Complaint("the machine ended with \(machine.waitUntilOff())") }
            try screen.takePicture(picture(name))
            return try words.allSatisfy { try shows(name, $0) }
        }
    }

    private func shows(_ name: String, _ words: String) throws -> Bool {
        let read = try LabScreen.words(on: picture(name))
        guard read.localizedCaseInsensitiveContains(words) else { throw Complaint("read was: \(read.prefix(300))") }
        return true
    }

    private func picture(_ name: String) -> String { "\(station.folder)/\(name).png" }

    private func keepEvidence() {
        try? screen.takePicture(picture("last"))
        let journal = try? orders.give("journalctl --no-pager -b")
        try? (journal ?? "cannot be had\n").write(
            toFile: "\(station.folder)/machine-journal", atomically: false, encoding: .utf8)
        for name in ["console", "guest.log", "qemu.log", "boot.log"] {
            try? FileManager.default.copyItem(atPath: "\(machine.folder)/\(name)", toPath: "\(station.folder)/\(name)")
        }
    }
}
