import KonzaSystem
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#endif

@Suite("Threads for what blocks")
struct BlockingThreadsTests {
    /// How many are inside at once, now and at most.
    private final class Crowd: Sendable {
        private let counts = Mutex((now: 0, most: 0))

        var most: Int { counts.withLock { $0.most } }
        var now: Int { counts.withLock { $0.now } }

        func enter() {
            counts.withLock { counts in
                counts.now += 1
                counts.most = max(counts.most, counts.now)
            }
        }

        func leave() { counts.withLock { $0.now -= 1 } }
    }

    @Test("more tasks than processors wait for one another, each on a thread of its own")
    func waits() async {
        let count = 3 * max(2, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        let threads = BlockingThreads(named: "test", limit: count)
        let crowd = Crowd()
        let tasks = (0..<count).map { _ in
            Task(executorPreference: threads) {
                crowd.enter()
                // Not one of them ends before the last has come.
                for _ in 0..<60_000 where crowd.most < count { usleep(1000) }
                return crowd.most
            }
        }
        for task in tasks { #expect(await task.value == count) }
    }

    @Test("there are never more than the limit, and every task comes to its turn, after a wait as well")
    func limited() async {
        let threads = BlockingThreads(named: "test", limit: 3)
        let crowd = Crowd()
        let tasks = (0..<200).map { number in
            Task(executorPreference: threads) {
                crowd.enter()
                usleep(200)
                crowd.leave()
                await Task.yield()
                crowd.enter()
                crowd.leave()
                return number
            }
        }
        var sum = 0
        for task in tasks { sum += await task.value }
        #expect(sum == 199 * 200 / 2)
        #expect(crowd.most <= 3 && crowd.now == 0)
    }
}
