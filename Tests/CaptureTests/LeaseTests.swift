import KonzaModel
import KonzaSystem
import KonzaTesting
import Synchronization
import Testing

@testable import Capture

@Suite struct LeaseTests {
    private func run(holding limit: Int, frames: Int, bufferCount: Int = 4) throws -> (ScriptedSystem, CameraStatus) {
        var model = ScriptedModel()
        model.bufferCount = bufferCount
        let system = ScriptedSystem(
            (0..<frames).map { .frames([ScriptedFrame(Sample.make(seed: $0 % 5))]) }, model: model)
        let hub = FrameHub(clock: system.clock)
        let held = Mutex<[(Frame, [UInt8])]>([])
        let subscription = hub.subscribe { frame in
            held.withLock { held in
                held.append((frame, frame.data.array))
                if held.count > limit { held.removeFirst() }
            }
        }
        let status = try runCamera(system, hub)
        for (frame, bytes) in held.withLock({ $0 }) { #expect(frame.data.array == bytes) }
        #expect(system.state.withLock { $0.violations } == [])
        let expected = limit > 0 ? min(system.state.withLock { $0.mapped }, limit) : 0
        #expect(system.state.withLock { $0.mapped - $0.unmapped } <= expected)
        held.withLock { $0 = [] }
        subscription.cancel()
        #expect(system.state.withLock { $0.mapped } == bufferCount)
        #expect(system.state.withLock { $0.unmapped } == bufferCount)
        return (system, status)
    }

    @Test func framesAreLentWithoutACopyToReadersThatLetGo() throws {
        let (_, status) = try run(holding: 0, frames: 20)
        #expect(status.counters.lent == 19)
        #expect(status.counters.copied == 0)
    }

    @Test(arguments: [1, 2, 3, 8, 100])
    func readersThatHoldFramesNeverStarveTheDriverNorSeeThemChange(_ limit: Int) throws {
        let (_, status) = try run(holding: limit, frames: 30)
        #expect(status.counters.delivered == 29)
        #expect(status.counters.lost == 0)
        if limit >= 3 { #expect(status.counters.copied > 0) }
    }

    @Test func withTwoBuffersEveryFrameIsCopied() throws {
        let (_, status) = try run(holding: 3, frames: 12, bufferCount: 2)
        #expect(status.counters.lent == 0)
        #expect(status.counters.copied == 11)
    }

    @Test func theBuffersOfALoopbackAreNeverLentSinceItsWriterDoesNotWait() throws {
        var model = ScriptedModel()
        model.capability.driver = "v4l2 loopback"
        let system = ScriptedSystem(
            (0..<5).map { _ in .frames([ScriptedFrame(Sample.jpeg + [0, 0])]) }, model: model)
        let hub = FrameHub(clock: system.clock)
        let watcher = hub.watch()
        let status = try runCamera(system, hub)
        #expect(status.counters.lent == 0)
        #expect(status.counters.copied == 4)
        #expect(watcher.take()?.data.array == Sample.jpeg)
    }

    @Test func aFrameOutlivesItsDevice() throws {
        let system = ScriptedSystem([.frames([ScriptedFrame(Sample.jpeg)]), .frames([ScriptedFrame(Sample.jpeg)])])
        let hub = FrameHub(clock: system.clock)
        let watcher = hub.watch()
        try runCamera(system, hub)
        #expect(system.state.withLock { $0.closed } == 1)
        var frame = watcher.take()
        #expect(frame?.data.array == Sample.jpeg)
        #expect(system.state.withLock { $0.mapped - $0.unmapped } == 1)
        frame = nil
        #expect(system.state.withLock { $0.mapped - $0.unmapped } == 0)
        #expect(hub.latest()?.data.array == Sample.jpeg)
    }

    @Test func aBufferThatComesBackFromAnotherThreadIsQueuedAgain() async throws {
        let wakeup = try Wakeup()
        let pool = LeasePool(wakeup: wakeup)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
        defer { bytes.deallocate() }
        bytes.initializeMemory(as: UInt8.self, repeating: 5)
        let buffer = MappedBuffer(memory: UnsafeRawBufferPointer(bytes)) {}
        var data: FrameData? = pool.lend(buffer, index: 3, count: 9)
        #expect(data?.count == 9)
        #expect(pool.isLent(3))
        #expect(pool.beginWaiting())
        await Task.detached { [data] in _ = data }.value
        data = nil
        #expect(try waitForEvents(on: [(wakeup.descriptor, .readable)], milliseconds: 5000)[0].contains(.readable))
        pool.endWaiting()
        #expect(pool.takeReturned() == [3])
        #expect(pool.lentCount == 0)
    }
}
