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
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            // What is freed goes back, whichever thread's it was, and so is counted when it is asked for again.
            Heap.keepSmall()
            for restarts in [JPEGCompressor.Restarts.none, .rows(1)] {
                for edge in [512, 1024, 2048] {
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
                    // Room is asked for what the picture has and the overlay might need more; 512 KiB for code and
                    // pages touched by chance.
                    let bound = max(jpeg.count, size) * 5 / 4 + (512 << 10)
                    guard peak < bound else {
                        print("\(edge)x\(edge), \(restarts): \(peak) bytes for a picture of \(jpeg.count)")
                        exit(EXIT_FAILURE)
                    }
                    // A reading of nothing would pass any bound.
                    guard edge < 2048 || peak > size / 2 else { exit(EXIT_FAILURE) }
                }
            }
        }
        if let result, result.exitStatus != .exitCode(EXIT_SUCCESS) {
            Issue.record("\(String(decoding: result.standardOutputContent, as: UTF8.self))")
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
