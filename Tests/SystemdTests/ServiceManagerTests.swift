import Foundation
import KonzaModel
import KonzaSystem
import Systemd
import Testing

/// The environment belongs to the whole process, so these run one after another.
@Suite("The service manager", .serialized, .timeLimit(.minutes(1)))
struct ServiceManagerTests {
    @Test("hears readiness, status, reload and the watchdog's keep-alive")
    func notifications() throws {
        let path = NSTemporaryDirectory() + "notify-\(UUID().uuidString.prefix(8))"
        let descriptor = try Self.bind(path)
        defer {
            close(descriptor)
            unlink(path)
        }
        setenv("NOTIFY_SOCKET", path, 1)
        setenv("WATCHDOG_USEC", "15000000", 1)
        unsetenv("WATCHDOG_PID")
        defer {
            unsetenv("NOTIFY_SOCKET")
            unsetenv("WATCHDOG_USEC")
        }
        let manager = ServiceManager()
        #expect(manager.watchdogSeconds == 15)
        manager.tellReady()
        manager.tellStatus("camera: gone\nREADY=0")
        manager.feedWatchdog()
        manager.tellReloading(clock: SystemClock())
        manager.tellStopping()
        #expect(Self.receive(descriptor) == "READY=1")
        // A line feed in a reason must not begin another assignment.
        #expect(Self.receive(descriptor) == "STATUS=camera: gone READY=0")
        #expect(Self.receive(descriptor) == "WATCHDOG=1")
        #expect(Self.receive(descriptor)?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
        #expect(Self.receive(descriptor) == "STOPPING=1")
    }

    @Test("that reads nothing for a while holds nobody up, and is told the newest then, in order")
    func deafManager() throws {
        let path = NSTemporaryDirectory() + "notify-\(UUID().uuidString.prefix(8))"
        let descriptor = try Self.bind(path)
        setenv("NOTIFY_SOCKET", path, 1)
        defer {
            close(descriptor)
            unlink(path)
            unsetenv("NOTIFY_SOCKET")
        }
        let manager = ServiceManager()
        manager.tellReady()
        // More than a socket's queue holds (unix(7), max_dgram_qlen).
        let count = 5000
        for number in 1...count {
            manager.tellStatus("number \(number)")
            manager.feedWatchdog()
        }
        manager.tellStopping()
        var heard: [String] = []
        while heard.last != "STOPPING=1", let next = Self.receive(descriptor) { heard.append(next) }
        manager.finish(withinSeconds: 5)
        #expect(heard.first == "READY=1")
        #expect(heard.last == "STOPPING=1")
        #expect(heard.count < 2 * count)
        #expect(heard.last { $0.hasPrefix("STATUS=") } == "STATUS=number \(count)")
        #expect(heard.contains("WATCHDOG=1"))
    }

    @Test("has been told all before the process ends")
    func finishing() throws {
        let path = NSTemporaryDirectory() + "notify-\(UUID().uuidString.prefix(8))"
        let descriptor = try Self.bind(path)
        setenv("NOTIFY_SOCKET", path, 1)
        defer {
            close(descriptor)
            unlink(path)
            unsetenv("NOTIFY_SOCKET")
        }
        let manager = ServiceManager()
        manager.tellStatus("cannot go on")
        manager.finish(withinSeconds: 10)
        var bytes = [UInt8](repeating: 0, count: 64)
        #expect(recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT)) == "STATUS=cannot go on".utf8.count)
    }

    @Test("is not missed where there is none")
    func alone() throws {
        let manager = ServiceManager()
        #expect(manager.watchdogSeconds == nil)
        manager.tellReady()
        #expect(try manager.passedSockets().isEmpty)
        #expect(try manager.passedListeners().isEmpty)
    }

    private static func bind(_ path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(code == 0)
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return descriptor
    }

    private static func receive(_ descriptor: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
