import Dispatch
import Synchronization
import Testing

@testable import KonzaDaemon

@Suite("Reading again", .timeLimit(.minutes(1)))
struct RepeatedReadingTests {
    @Test("nobody waits for a disk that stands still, and what is asked meanwhile is read once afterwards")
    func stuckDisk() {
        let began = DispatchSemaphore(value: 0)
        let disk = DispatchSemaphore(value: 0)
        let counts = Counts()
        let reading = RepeatedReading(named: "test") {
            counts.change {
                $0.now += 1
                $0.most = max($0.most, $0.now)
                $0.all += 1
            }
            began.signal()
            disk.wait()
            counts.change { $0.now -= 1 }
        }
        reading.ask()
        began.wait()
        // The disk does not answer; each of these returns all the same.
        for _ in 0..<5 { reading.ask() }
        #expect(counts.values.all == 1)
        disk.signal()
        began.wait()
        #expect(counts.values.all == 2)
        // One more than the two: what is asked in the second reading is not in it.
        reading.ask()
        disk.signal()
        began.wait()
        disk.signal()
        while counts.values.now > 0 {}
        #expect(counts.values.all == 3)
        #expect(counts.values.most == 1)
    }
}

/// Readings under way now, at most at one time, and ever.
private final class Counts: Sendable {
    struct Values: Sendable {
        var now = 0
        var most = 0
        var all = 0
    }

    private let state = Mutex(Values())

    var values: Values { state.withLock { $0 } }

    func change(_ body: (inout Values) -> Void) { state.withLock { body(&$0) } }
}
