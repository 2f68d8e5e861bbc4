internal import KonzaAPI
internal import KonzaModel

/// Judges what was seen on the machine and heard from the daemon.
struct Diagnosis {
    let machine: MachineFacts
    let station: StationFacts

    /// One finding a thing, from the socket to the outbox.
    var findings: [Finding] {
        [socket, daemon, access, gpsd, receiver, sky, camera, templates, disk, clock, outbox, fleet].compactMap { $0 }
            + portal
    }

    private var status: StatusReply? { try? station.status.get() }

    // MARK: the way to the daemon

    private var socket: Finding {
        let path = machine.socketPath
        switch machine.socket.kind {
        case .absent:
            return Finding(
                .fail, "Socket", "there is no \(path)",
                remedy: "start the daemon (systemctl start konzad, or make run), or name its socket with --socket or "
                    + "$KONZA_SOCKET")
        case .hidden:
            return Finding(
                .fail, "Socket", "\(path) lies in a folder that \(machine.user) may not enter",
                remedy: "run konza as the user who started the daemon")
        case .other:
            return Finding(
                .fail, "Socket", "\(path) is not a socket", remedy: "name the daemon's socket with --socket")
        case .socket where !machine.socket.isWritable:
            let group = machine.socket.group ?? "konza"
            return Finding(
                .fail, "Socket", "\(machine.user) may not use \(path)",
                remedy: "put \(machine.user) into the group \(group) (usermod -aG \(group) \(machine.user)), then log "
                    + "in again")
        case .socket:
            return Finding(.ok, "Socket", path)
        }
    }

    private var daemon: Finding? {
        switch station.status {
        case .success(let status):
            let seen = "konzad \(status.version) answers, running for \(Figures.span(seconds: status.uptimeSeconds))"
            guard status.version == ProgramVersion.number else {
                return Finding(
                    .warn, "Daemon", "\(seen); konza is \(ProgramVersion.number)",
                    remedy: "install both from the same release and restart the daemon")
            }
            return Finding(.ok, "Daemon", seen)
        case .failure(let failure):
            guard machine.socket.kind == .socket, machine.socket.isWritable else { return nil }
            return Finding(
                .fail, "Daemon", failure.message,
                remedy: "look at systemctl status konzad and journalctl -u konzad; the socket's file stays behind "
                    + "when a daemon dies")
        }
    }

    /// Who may take postcards, as the daemon decides it: root, its own user, and its group.
    private var access: Finding? {
        guard status != nil else { return nil }
        let group = machine.socket.group ?? "konza"
        if machine.userID == 0 || machine.userID == machine.socket.ownerID || machine.groups.contains(group) {
            return Finding(.ok, "Access", "\(machine.user) may take postcards")
        }
        return Finding(
            .warn, "Access", "\(machine.user) may look, but not take or delete postcards",
            remedy: "usermod -aG \(group) \(machine.user), then log in again")
    }

    // MARK: the position

    private var gpsd: Finding {
        let isServed = status?.position.health.level == .ok && status?.position.source == .live
        switch machine.gpsd {
        case .answers(let version, let devices) where devices.isEmpty:
            return Finding(
                .fail, "gpsd", "gpsd \(version) answers and has no receiver",
                remedy: "plug the receiver in; gpsdctl add /dev/ttyACM0 (or ttyUSB0) tells gpsd of one that it missed; "
                    + "DEVICES= in /etc/default/gpsd keeps it")
        case .answers(let version, let devices):
            return Finding(.ok, "gpsd", "gpsd \(version) with \(devices.joined(separator: ", "))")
        case .silent:
            return Finding(
                .fail, "gpsd", "something on port 2947 takes connections and is not gpsd",
                remedy: "ss -ltnp 'sport = 2947' shows what it is")
        case .refused where isServed:
            return Finding(.ok, "gpsd", "none on this machine; the daemon has its receiver elsewhere")
        case .refused:
            let isRecorded = StatusScreen.source(status?.position.source) != nil
            return Finding(
                isRecorded ? .warn : .fail, "gpsd",
                "nothing listens on port 2947 of this machine" + (isRecorded ? "; a recording is played instead" : ""),
                remedy: "apt-get install gpsd, then systemctl enable --now gpsd.socket")
        }
    }

    private var receiver: Finding? {
        guard let status else { return nil }
        let health = status.position.health
        if let word = StatusScreen.source(status.position.source) {
            return Finding(
                .warn, "Receiver", "none: the position is a \(word) one",
                remedy: "plug a receiver in, start gpsd and restart konzad; in konzad.conf set [Position] Source=gpsd")
        }
        var seen = health.reason
        if health.level == .ok, let position = station.position {
            let device = position.device?.path.map { " (\($0))" } ?? ""
            seen = "\(health.reason.isEmpty ? "a fresh fix" : health.reason)\(device)"
        }
        return Finding(Self.level(health), "Receiver", seen)
    }

    private var sky: Finding? {
        guard let sky = station.sky, status != nil, StatusScreen.source(status?.position.source) == nil
        else { return nil }
        guard !sky.satellites.isEmpty else {
            return Finding(
                .fail, "Sky", "no satellite is in view",
                remedy:
                    "check the antenna and its cable, and give it a free view of the sky; a cold start takes minutes")
        }
        let signals = sky.satellites.filter(\.used).compactMap(\.signal).sorted()
        let middle = signals.isEmpty ? nil : signals[signals.count / 2]
        let seen =
            "\(sky.used) of \(Figures.count(sky.visible, "satellite")) used"
            + (middle.map { ", signal about \(Figures.fixed($0, 0)) dB-Hz" } ?? "")
        if sky.used < 4 {
            return Finding(
                .fail, "Sky", "\(seen): too few for a position with height",
                remedy: "move the antenna away from walls, trees and metal; konza sky --watch shows what helps")
        }
        if let middle, middle < 30 {
            return Finding(
                .warn, "Sky", "\(seen): weak",
                remedy: "look for a damaged cable or a wet connector; 35 and more is usual in the open")
        }
        return Finding(.ok, "Sky", seen)
    }

    // MARK: the rest

    private var camera: Finding {
        let nodes = machine.cameras.map(\.path).joined(separator: ", ")
        guard let status else {
            guard let first = machine.cameras.first else {
                return Finding(
                    .fail, "Camera", "there is no /dev/video device",
                    remedy: "plug the camera in; lsusb and dmesg show whether the machine sees it")
            }
            if machine.cameras.contains(where: \.isUsable) { return Finding(.ok, "Camera", "\(nodes) can be opened") }
            return Finding(
                .warn, "Camera", "\(nodes): \(machine.user) may not open it",
                remedy: "who runs konzad must be in the group \(first.group ?? "video")")
        }
        let health = status.camera.health
        if let word = StatusScreen.source(status.camera.source) {
            let start = machine.cameras.isEmpty ? "plug a camera in" : "this machine has \(nodes)"
            return Finding(
                .warn, "Camera", "none: the pictures are \(word) ones",
                remedy: "\(start); restart konzad; in konzad.conf set [Camera] Source=v4l2")
        }
        let remedy =
            health.level == .ok
            ? nil
            : machine.cameras.isEmpty
                ? "there is no /dev/video device: plug the camera in; lsusb and dmesg show whether the machine sees it"
                : "this machine has \(nodes); konza camera tells more"
        return Finding(Self.level(health), "Camera", reason(health), remedy: remedy)
    }

    private var templates: Finding? {
        guard let health = status?.templates.health else { return nil }
        let remedy =
            health.level == .ok
            ? nil
            : "name a template of konza templates in [Postcards] Template=, or install its fonts (the package konza "
                + "depends on them); then restart"
        return Finding(Self.level(health), "Templates", reason(health), remedy: remedy)
    }

    private var disk: Finding? {
        if let archive = status?.archive {
            let free = archive.freeBytes ?? 0
            let seen = "\(Figures.bytes(free)) free at \(archive.folder)"
            if archive.health.level != .ok {
                return Finding(Self.level(archive.health), "Disk", "\(archive.health.reason) (\(seen))")
            }
            if free / 2 < archive.reserveBytes {
                return Finding(
                    .warn, "Disk", "\(seen), little more than the \(Figures.bytes(archive.reserveBytes)) kept back",
                    remedy: "delete what is not needed; the oldest postcards go first when room is short")
            }
            return Finding(.ok, "Disk", seen)
        }
        guard let folder = machine.folder, let free = machine.freeBytes else { return nil }
        let isShort = free < 500_000_000
        return Finding(
            isShort ? .warn : .ok, "Disk", "\(Figures.bytes(free)) free at \(folder)",
            remedy: isShort ? "make room: postcards are refused when the disk is full" : nil)
    }

    private var clock: Finding {
        if let clock = status?.clock {
            let seen = reason(clock.health)
            return Finding(
                Self.level(clock.health), "Clock", seen,
                remedy: clock.health.level == .ok
                    ? nil : "systemctl enable --now systemd-timesyncd, or chrony with gpsd")
        }
        let year = CivilTime(machine.now).year
        if year < 2024 {
            return Finding(
                .fail, "Clock", "this machine's clock is not set: it says \(year)",
                remedy: "set it (timedatectl set-time), or let a network or the receiver do it")
        }
        guard machine.isSynchronized == true else {
            let seen = machine.isSynchronized == nil ? "does not say whether its clock is" : "does not call its clock"
            return Finding(
                .warn, "Clock", "the kernel \(seen) synchronised",
                remedy: "systemctl enable --now systemd-timesyncd, or chrony with gpsd")
        }
        return Finding(.ok, "Clock", "synchronised")
    }

    private func reason(_ health: PartHealth) -> String {
        health.reason.isEmpty ? (health.level == .ok ? "works" : health.kind) : health.reason
    }

    private static func level(_ health: PartHealth) -> Finding.Level {
        switch health.level {
        case .ok: .ok
        case .degraded: .warn
        case .failed: .fail
        }
    }
}
