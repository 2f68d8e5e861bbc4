import Foundation
import KonzaAPI
import KonzaModel
import KonzaSystem
import KonzaTesting
import Synchronization
import Systemd
import Testing

@testable import KonzaDaemon
@testable import Specimens

/// What waits for a disk, and where.
@Suite("Threads of the station") struct ThreadTests {
    private static func threadName() -> String {
        let text = (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
        return text.trimmingCharacters(in: .newlines)
    }

    @Test("A handler works on the disk where it is; what Swift's threads ask for is done on others")
    func places() async throws {
        let desks = try Desks()
        let specimens = desks.outbox.specimens
        let handlers = BlockingThreads(named: "handler", limit: 1)
        let byHandler = try await Task(executorPreference: handlers) {
            try await specimens.onDisk { () throws(SpecimenError) in Self.threadName() }
        }.value
        #expect(byHandler == "handler")
        let byTask = try await Task.detached {
            try await specimens.onDisk { () throws(SpecimenError) in Self.threadName() }
        }.value
        #expect(byTask == "blocking")
    }

    /// A disk that stands still.
    private final class StuckDisk: Sendable {
        private let users = Atomic<Int>(0)
        private let isReleased = Atomic<Bool>(false)

        var waiting: Int { users.load(ordering: .relaxed) }

        func use() {
            users.add(1, ordering: .relaxed)
            for _ in 0..<6000 where !isReleased.load(ordering: .relaxed) { usleep(10_000) }
        }

        func release() { isReleased.store(true, ordering: .relaxed) }
    }

    /// The disk stands still, and all threads that may wait for it do.
    @Test("The health is looked at while every thread that may wait does")
    func health() async throws {
        let desks = try Desks()
        let disk = StuckDisk()
        let stuck = (0..<200).map { _ in Task(executorPreference: BlockingThreads.shared) { disk.use() } }
        // No more of them come to run than there are threads.
        #expect(await eventually { disk.waiting >= 60 })
        #expect(disk.waiting < 200)
        let looks = Mutex<[String]>([])
        let health = StationHealth(parts: [
            Feature.Part("part") {
                looks.withLock { $0.append(Self.threadName()) }
                return .ok("well")
            }
        ])
        let monitor = HealthMonitor(
            parts: desks.parts, health: health, manager: ServiceManager(), socketPath: desks.folder.path + "/none")
        let running = Task { try await monitor.run() }
        #expect(
            await eventually {
                if desks.clock.sleeperCount > 0 { desks.clock.advance(bySeconds: 1) }
                return looks.withLock { $0.count } >= 3
            })
        running.cancel()
        desks.clock.advance(bySeconds: 10)
        disk.release()
        _ = try? await running.value
        for task in stuck { await task.value }
        #expect(Set(looks.withLock { $0 }) == ["health"])
    }
}
