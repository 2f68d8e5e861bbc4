import Foundation
import KonzaModel
import KonzaTesting
import Synchronization
import Testing

@testable import KonzaSystem

@Suite("What looks around again and again")
struct TickingTests {
    @Test("an instant that is over is not waited for, however late the thread comes", .timeLimit(.minutes(1)))
    func late() throws {
        let clock = SystemClock()
        let wakeup = try Wakeup()
        for seconds in [0, -0.5, -3600] {
            try sleep(until: clock.monotonic().advanced(bySeconds: seconds), of: clock, or: wakeup)
        }
        wakeup.signal()
        try sleep(until: clock.monotonic().advanced(bySeconds: 3600), of: clock, or: wakeup)
    }

    @Test("is called on one thread until it is not wanted, or the task is cancelled", .timeLimit(.minutes(1)))
    func ends() async throws {
        let names = Mutex<[String]>([])
        @Sendable func look() {
            let name = (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
            names.withLock { $0.append(name.trimmingCharacters(in: .newlines)) }
        }
        await onTicks(
            named: "looks", of: SystemClock(), everySeconds: 0.05, while: { names.withLock { $0.count } < 3 }, look)
        #expect(names.withLock { $0 } == ["looks", "looks", "looks"])
        let watching = Task { await onTicks(named: "looks", of: SystemClock(), everySeconds: 3600, look) }
        #expect(await eventually { names.withLock { $0.count } == 4 })
        watching.cancel()
        await watching.value
        #expect(names.withLock { $0.count } == 4)
    }
}
