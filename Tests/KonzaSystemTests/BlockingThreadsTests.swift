import KonzaTesting
import Synchronization
import Testing

@testable import KonzaSystem

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

    /// The name of the calling thread (proc(5)).
    private static func threadName() -> String {
        var text = [UInt8](repeating: 0, count: 64)
        let file = open("/proc/thread-self/comm", O_RDONLY)
        let count = read(file, &text, text.count)
        close(file)
        return String(decoding: text.prefix(max(0, count - 1)), as: UTF8.self)
    }

    @Test("what blocks goes from Swift's pool to the process's threads, and from one that may wait nowhere")
    func place() async {
        let fromPool = await Task.detached { await onBlockingThread { Self.threadName() } }.value
        #expect(fromPool == "blocking")
        let own = BlockingThreads(named: "own", limit: 1)
        let names = await Task(executorPreference: own) {
            let before = Self.threadName()
            return [before, await onBlockingThread { Self.threadName() }, Self.threadName()]
        }.value
        #expect(names == ["own", "own", "own"])
    }

    @Test("its error and its cancellation pass")
    func passing() async throws {
        let error = SystemError(code: 5, action: "try")
        let thrown = await #expect(throws: SystemError.self) {
            try await onBlockingThread { () throws(SystemError) in throw error }
        }
        #expect(thrown == error)
        let hasBegun = Mutex(false)
        let task = Task.detached {
            await onBlockingThread {
                hasBegun.withLock { $0 = true }
                for _ in 0..<60_000 where !Task.isCancelled { usleep(1000) }
                return Task.isCancelled
            }
        }
        #expect(await eventually { hasBegun.withLock { $0 } })
        task.cancel()
        #expect(await task.value)
    }

    @Test("a system without a thread left has the work done all the same")
    func withoutThreads() async {
        // More than there is of addresses.
        let threads = BlockingThreads(named: "none", limit: 2, stackBytes: 1 << 60)
        for number in 0..<3 {
            #expect(await Task(executorPreference: threads) { number }.value == number)
        }
    }
}
