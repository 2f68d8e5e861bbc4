import Glibc
import JPEGCoding
import KonzaModel
import KonzaSystem
import KonzaTesting
import Stamping
import Testing

/// What a stamp takes of memory at most, by the kernel's own count, in a process of its own.
@Suite struct MemoryTests {
    @Test func `a splice takes its output and little beside, however large the picture`() async {
        await #expect(processExitsWith: .success) {
            // What is freed goes back, whichever thread's it was, and so is counted when it is asked for again.
            Heap.keepSmall()
            for restarts in [JPEGCompressor.Restarts.none, .rows(1)] {
                for edge in [1024, 2048] {
                    let jpeg = try noise(edge, restarts)
                    let overlay = PreparedOverlay(
                        Overlay(
                            width: edge, height: edge,
                            patches: [patch(x: 0, y: 64, width: edge, height: 64, [1, 2, 3, 128])]))
                    // The first stamp makes the plan, which is kept for the overlay.
                    let size = try StampingLadder().stamp(jpeg, with: overlay).data.count
                    let peak = try PeakMemory.growth {
                        let stamped = try StampingLadder().stamp(jpeg, with: overlay)
                        try #require(stamped.way == (restarts == .none ? .entropySplice : .restartSplice))
                    }
                    // Room is asked for what the picture has and the overlay might need more; 2 MiB for code, and for
                    // the kernel's count, which may lag by 32 pages for each processor and kind of page
                    // (percpu_counter). Decoded pixels would be beyond it.
                    let bound = max(jpeg.count, size) * 5 / 4 + (2 << 20)
                    #expect(peak < bound, "\(edge)x\(edge), \(restarts), a picture of \(jpeg.count) bytes")
                    // A reading of nothing would pass any bound.
                    #expect(edge < 2048 || peak > size / 2)
                }
            }
        }
    }
}

/// A picture that compresses badly: megabytes.
private func noise(_ edge: Int, _ restarts: JPEGCompressor.Restarts) throws -> FrameData {
    var random = SeededGenerator(seed: 0x5EED_0121)
    var pixels: [UInt8] = []
    pixels.reserveCapacity(edge * edge * 3)
    for _ in 0..<(edge * edge * 3 / 8 + 1) {
        let bits = random.next()
        for shift in 0..<8 { pixels.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift * 8))) }
    }
    pixels.removeLast(pixels.count - edge * edge * 3)
    return try JPEGCompressor(quality: 90, restarts: restarts).compress(
        RGBImage(width: edge, height: edge, pixels: pixels))
}
