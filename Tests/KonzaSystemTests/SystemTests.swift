import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import KonzaSystem

@Suite("The system's door")
struct SystemTests {
    @Test("a wakeup ends a wait, once for any number of signals")
    func wakeup() throws {
        let wakeup = try Wakeup()
        #expect(try waitForEvents(on: [(wakeup.descriptor, .readable)], milliseconds: 0) == [[]])
        wakeup.signal()
        wakeup.signal()
        #expect(try waitForEvents(on: [(wakeup.descriptor, .readable)], milliseconds: 5000) == [.readable])
        wakeup.clear()
        #expect(try waitForEvents(on: [(wakeup.descriptor, .readable)], milliseconds: 0) == [[]])
    }

    @Test("a dedicated thread hands back its result, its error, and hears of the cancellation")
    func dedicatedThread() async throws {
        #expect(try await onDedicatedThread(named: "seven") { 7 } == 7)
        await #expect(throws: SystemError.self) {
            try await onDedicatedThread(named: "thrower") { throw SystemError(code: 5, action: "try") }
        }
        let wakeup = try Wakeup()
        let task = Task {
            try await onDedicatedThread(named: "waiter", onCancel: { wakeup.signal() }) {
                try waitForEvents(on: [(wakeup.descriptor, .readable)], milliseconds: 60_000)
            }
        }
        task.cancel()
        #expect(try await task.value == [.readable])
    }

    @Test("a subscriber hears everything until it cancels")
    func broadcaster() {
        let broadcaster = Broadcaster<Int>()
        let heard = Heard()
        let subscription = broadcaster.subscribe { heard.add($0) }
        broadcaster.send(1)
        broadcaster.send(2)
        subscription.cancel()
        broadcaster.send(3)
        #expect(heard.values == [1, 2])
        #expect(broadcaster.subscriberCount == 0)
    }

    @Test("local time follows the rules of the zone")
    func localTime() throws {
        // America/Chicago: UTC-5 in summer, UTC-6 in winter. The zone is the process's, so both are asked at once.
        let summer = try #require(UTCInstant(rfc3339: "2026-07-01T12:00:00Z"))
        let winter = try #require(UTCInstant(rfc3339: "2026-01-01T12:00:00Z"))
        #expect(LocalTime.setZone("America/Chicago"))
        #expect(LocalTime.offsetSeconds(at: summer) == -5 * 3600)
        #expect(LocalTime.offsetSeconds(at: winter) == -6 * 3600)
        #expect(!LocalTime.setZone("Kansas/Konza"))
        #expect(!LocalTime.setZone("../../etc/passwd"))
    }

    @Test("a manual clock wakes sleepers when their time has come, and drops the cancelled")
    func manualClock() async throws {
        let clock = ManualClock()
        let start = clock.monotonic()
        let sleeper = Task { try await clock.sleep(until: start.advanced(bySeconds: 10)) }
        let cancelled = Task { try await clock.sleep(until: start.advanced(bySeconds: 10)) }
        while clock.sleeperCount < 2 { await Task.yield() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        clock.advance(bySeconds: 10)
        try await sleeper.value
        #expect(clock.monotonic().seconds(since: start) == 10)
    }

    @Test("the mark of a time service counts while it is young, and not after the clock was set")
    func timeMark() throws {
        let folder = try TemporaryFolder()
        let mark = "\(folder.path)/synchronized"
        let now = SystemClock().utc()
        #expect(SystemClock.isSynchronized(mark: mark, at: now) == nil)
        close(open(mark, O_WRONLY | O_CREAT, 0o644))
        #expect(SystemClock.isSynchronized(mark: mark, at: now) == true)
        #expect(SystemClock.isSynchronized(mark: mark, at: now.advanced(bySeconds: 31_000)) == true)
        #expect(SystemClock.isSynchronized(mark: mark, at: now.advanced(bySeconds: 33_000)) == false)
        // A year back, as by a clock that lost its battery.
        #expect(SystemClock.isSynchronized(mark: mark, at: now.advanced(bySeconds: -365 * 86_400)) == false)
    }

    @Test("the run of the machine is the kernel's, and the same for as long as it runs")
    func run() throws {
        let kernel = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        #expect(SystemClock.bootID() == kernel.filter(\.isHexDigit) && SystemClock.bootID() == SystemClock.bootID())
    }

    @Test("an error says what could not be done and why")
    func errorText() {
        #expect(
            "\(SystemError(code: 13, action: "open /dev/video0"))" == "cannot open /dev/video0: Permission denied")
    }
}

private final class Heard: @unchecked Sendable {
    // Sendable: a lock guards every access.
    private let lock = NSLock()
    private var list: [Int] = []

    func add(_ value: Int) { lock.withLock { list.append(value) } }
    var values: [Int] { lock.withLock { list } }
}
