import JPEGCoding
import KonzaModel
import KonzaTesting
import Testing

@testable import KonzaDaemon

/// The smaller versions of single frames: which size is given, and that it is made once for all.
@Suite struct ReducedFramesTests {
    private let clock = ManualClock()

    private func frame(width: Int = 64, exposedAt nanoseconds: Int64 = 7, _ data: FrameData? = nil) throws -> Frame {
        let pixels = (0..<(width * 48 * 3)).map { UInt8(truncatingIfNeeded: $0 / 3 % width) }
        let data = try data ?? JPEGCompressor().compress(RGBImage(width: width, height: 48, pixels: pixels))
        return Frame(
            data: data, width: width, height: 48, sequence: 1, exposedAt: MonotonicInstant(nanoseconds: nanoseconds),
            timestampSource: .arrival, source: .live)
    }

    // libjpeg divides and rounds up: 1921 pixels are 961, 481 and 241.
    @Test(arguments: [
        (1, 1920, 8), (240, 1920, 8), (241, 1920, 4), (480, 1920, 4), (481, 1920, 2), (960, 1920, 2), (961, 1920, 1),
        (65_535, 1920, 1), (241, 1921, 8), (242, 1921, 4), (961, 1921, 2), (962, 1921, 1), (1, 1, 8),
    ])
    func `the size is the smallest that is no narrower than wanted`(wanted: Int, width: Int, parts: Int) {
        #expect(ReducedFrames.scale(forWidth: wanted, of: width).rawValue == parts)
    }

    @Test(arguments: [(20, 32), (16, 16), (9, 16), (1, 8), (65, 64)])
    func `the picture has the size that was chosen, and is a JPEG of its own`(wanted: Int, width: Int) throws {
        let original = try frame()
        let reduced = try ReducedFrames(memory: .unbounded, clock: clock).reduced(original, width: wanted)
        #expect((reduced.width, reduced.height) == (width, width * 3 / 4))
        let image = try JPEGDecoder().decode(reduced.data).image
        #expect((image.width, image.height) == (reduced.width, reduced.height))
        #expect(reduced.exposedAt == original.exposedAt)
        // A frame that is small enough is given as it is.
        #expect((reduced.data === original.data) == (wanted > 32))
    }

    @Test func `a frame is reduced once for all who want that size, and again for another`() throws {
        let frames = ReducedFrames(memory: .unbounded, clock: clock)
        let original = try frame()
        let first = try frames.reduced(original, width: 32)
        #expect(try frames.reduced(original, width: 17).data === first.data)
        #expect(try frames.reduced(original, width: 16).data !== first.data)
        #expect(try frames.reduced(try frame(), width: 32).data !== first.data)
    }

    @Test func `a recorded picture that is exposed again is reduced once and has its own time`() throws {
        let frames = ReducedFrames(memory: .unbounded, clock: clock)
        let original = try frame()
        let first = try frames.reduced(original, width: 32)
        let second = try frames.reduced(try frame(exposedAt: 9, original.data), width: 32)
        #expect(second.data === first.data)
        #expect(second.exposedAt.nanoseconds == 9)
    }

    @Test func `one that was just made serves those who have an older one, for a tenth of a second`() throws {
        let frames = ReducedFrames(memory: .unbounded, clock: clock)
        let made = try frames.reduced(try frame(exposedAt: 1000), width: 32)
        func fresh(_ width: Int, notBefore nanoseconds: Int64?) -> Frame? {
            frames.fresh(width: width, exposedNotBefore: nanoseconds.map { MonotonicInstant(nanoseconds: $0) })
        }
        #expect(fresh(32, notBefore: nil)?.data === made.data)
        #expect(fresh(17, notBefore: 1000)?.data === made.data)
        #expect(fresh(32, notBefore: 1001) == nil, "whoever has it waits for another")
        #expect(fresh(16, notBefore: nil) == nil, "another size")
        #expect(fresh(33, notBefore: nil) == nil, "the whole frame")
        clock.advance(bySeconds: ReducedFrames.freshness + 0.01)
        #expect(fresh(32, notBefore: nil) == nil)
    }

    @Test func `what is no picture is refused`() throws {
        let frames = ReducedFrames(memory: .unbounded, clock: clock)
        #expect(throws: JPEGCodingError.self) { try frames.reduced(frame(FrameData([0xFF, 0xD8, 1])), width: 8) }
    }
}
