import HTTPServing
import KonzaModel
import KonzaSystem
import Testing

@testable import KonzaDaemon

/// What viewers of the preview hold is counted.
@Suite struct PreviewFramesTests {
    private let budget = MemoryBudget(bytes: 10_000)

    private func frame(_ count: Int = 3000) -> FrameData { FrameData([UInt8](repeating: 7, count: count)) }

    @Test func `a frame is counted once for all viewers, until the last of them lets go`() {
        let frames = PreviewFrames(budget)
        let original = frame()
        var first = frames.take(original)
        var second = frames.take(original)
        #expect(first === second && first?.array == original.array)
        #expect(budget.figures.total == 3000)
        first = nil
        #expect(budget.figures.total == 3000)
        second = nil
        #expect(budget.figures.total == 0)
        #expect(frames.take(original) != nil)
    }

    @Test func `without memory a frame is left out, and the viewer that most waits for is dropped`() {
        let frames = PreviewFrames(budget)
        let (slow, slower, quick) = (ResponseStream(), ResponseStream(), ResponseStream())
        for stream in [slow, slower, quick] { frames.add(stream) }
        for number in 0..<3 {
            guard let data = frames.take(frame()) else {
                Issue.record("frame \(number) was left out")
                return
            }
            slower.push(data)
            if number > 0 { slow.push(data) }
            if number == 2 { quick.push(data) }
        }
        #expect(frames.take(frame()) == nil)
        frames.dropSlowest(beyond: 3000)
        #expect(slower.wasDropped && !slow.wasDropped && !quick.wasDropped)
        frames.remove(slower)
        frames.dropSlowest(beyond: 3000)
        #expect(slow.wasDropped)
        frames.remove(slow)
        // Nobody else is slow: other things hold the memory.
        frames.dropSlowest(beyond: 3000)
        #expect(!quick.wasDropped)
    }
}
