import Foundation
import KonzaTesting
import Synchronization

/// A disk of its own that stands still on demand: ext4 on a loop device, frozen by fsfreeze(8). Writes and flushes wait
/// until it is thawed, and so do readers of the index, whose locks are in a file.
final class FreezableDisk {
    /// Whether this machine lets a test mount and freeze a disk; some containers mount and do not freeze.
    static let isAvailable: Bool = {
        guard geteuid() == 0, let disk = try? FreezableDisk() else { return false }
        let isFrozen = (try? disk.freeze()) != nil
        disk.thaw()
        return isFrozen
    }()

    let folder: String
    private let image: String
    private let guardian = Process()
    /// Closed when the disk is let go of, by whatever end of this process.
    private let lifeline = Pipe()

    /// - Throws: where no disk may be mounted.
    init() throws {
        folder =
            FileManager.default.temporaryDirectory.appendingPathComponent("konza-\(UUID().uuidString.prefix(8))").path
        image = folder + ".img"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try startGuardian()
        // Sparse: what konzad keeps free takes nothing.
        try Self.succeed("truncate", "-s", "2G", image)
        try Self.succeed("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=1,lazy_journal_init=1", image)
        try Self.succeed("mount", "-o", "loop", image, folder)
    }

    /// Thaws and removes the disk when this object or this process is gone, and after five minutes in any case. It is
    /// there before anything is frozen, in a session of its own that no signal to the test's reaches.
    private func startGuardian() throws {
        guardian.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        guardian.arguments = [
            "setsid", "--wait", "sh", "-c",
            """
            timeout 300 cat >/dev/null
            fsfreeze -u "$0"
            until umount "$0" || ! mountpoint -q "$0"; do sleep 0.2; n=x$n; [ ${#n} -gt 50 ] && umount -l "$0"; done
            rm -rf "$0" "$0.img"
            """, folder,
        ]
        guardian.standardInput = lifeline
        guardian.standardOutput = FileHandle.nullDevice
        guardian.standardError = FileHandle.nullDevice
        try guardian.run()
    }

    deinit {
        try? lifeline.fileHandleForWriting.close()
        guardian.waitUntilExit()
    }

    private static func succeed(_ program: String, _ arguments: String...) throws {
        let outcome = try run(program, arguments, seconds: 20)
        guard outcome.status == 0 else { throw Complaint("\(program) \(arguments): \(outcome.errors)") }
    }

    func freeze() throws { try Self.succeed("fsfreeze", "-f", folder) }

    func thaw() { try? Self.succeed("fsfreeze", "-u", folder) }
}

/// A request under way, by a curl of its own.
final class PendingRequest {
    let name: String
    private let process = Process()
    private let output = Pipe()
    private let file: URL

    init(_ method: String, _ path: String, body: String?, _ station: Station, seconds: Int) throws {
        name = "\(method) \(path)"
        file = station.folder.appendingPathComponent("reply-\(UUID().uuidString.prefix(8))")
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "curl", "-s", "-m", String(seconds), "-o", file.path, "-w", "%{http_code}", "--unix-socket",
            station.socket, "-X", method, "http://localhost\(path)",
        ]
        if let body { process.arguments? += ["-H", "Content-Type: application/json", "--data-binary", body] }
        process.standardOutput = output
        try process.run()
    }

    var hasEnded: Bool { !process.isRunning }

    /// The status of the answer; 0 if none came. Waits for it.
    func status() -> Int {
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Int(text) ?? 0
    }

    /// The answer's `id`, if it has one.
    var id: String? {
        guard let data = try? Data(contentsOf: file) else { return nil }
        return (try? JSONSerialization.jsonObject(with: data) as? [String: Any])?["id"] as? String
    }
}

/// A service manager's notification socket that counts what the watchdog is fed.
final class WatchdogSocket: Sendable {
    let path: String
    private let count = Counter()

    private final class Counter: Sendable {
        let value = Mutex(0)
    }

    init() throws {
        path = NSTemporaryDirectory() + "notify-\(UUID().uuidString.prefix(8))"
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw Complaint("cannot bind \(path)") }
        // Whoever notifies waits for a socket that nobody reads.
        Thread.detachNewThread { [count] in
            var bytes = [UInt8](repeating: 0, count: 2048)
            while case let length = recv(descriptor, &bytes, bytes.count, 0), length > 0 {
                let text = String(decoding: bytes.prefix(length), as: UTF8.self)
                if text.contains("WATCHDOG=1") { count.value.withLock { $0 += 1 } }
            }
            close(descriptor)
        }
    }

    deinit { unlink(path) }

    /// How often it was fed until now.
    var fed: Int { count.value.withLock { $0 } }
}
