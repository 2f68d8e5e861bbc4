import JPEGCoding
import KonzaModel
import KonzaTesting
import Synchronization
import Testing

@testable import Capture

@Suite struct FrameInspectorTests {
    private func inspect(_ bytes: [UInt8]) throws -> InspectedPicture {
        try bytes.withUnsafeBytes { try inspectPicture($0) }
    }

    @Test func everyShorterPieceOfAPictureIsRefused() {
        for count in 0..<Sample.jpeg.count {
            #expect(throws: FrameFault.self) { try inspect(Array(Sample.jpeg.prefix(count))) }
        }
    }

    /// A stray change may leave a sound structure, but it never crashes the check, reads beyond the bytes or passes
    /// a picture that claims more bytes than there are.
    @Test(arguments: [UInt64(1), 42, 0xC0FF_EE00, 2_026_053_0])
    func mutatedPicturesNeverBreakTheCheck(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var passed = 0
        for round in 0..<3000 {
            var bytes = round % 3 == 0 ? Sample.withoutTables : Sample.jpeg
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes[place] = 0xFF
                case 2: bytes.remove(at: place)
                case 3: bytes.insert(UInt8.random(in: 0xC0...0xFF, using: &random), at: place)
                default: bytes.removeSubrange(place..<min(bytes.count, place + 40))
                }
                if bytes.count < 8 { bytes = Sample.jpeg }
            }
            guard let picture = try? inspect(bytes) else { continue }
            passed += 1
            #expect(picture.count <= bytes.count, "seed \(seed), round \(round)")
            #expect(picture.width > 0 && picture.height > 0, "seed \(seed), round \(round)")
            if let repaired = picture.repaired {
                #expect(throws: Never.self, "seed \(seed), round \(round)") { try inspect(repaired.array) }
            }
        }
        #expect(passed < 3000)
    }

    /// The same through the whole camera: whatever comes, each frame is counted once.
    @Test func everyFrameOfAHostileStreamIsCountedOnce() throws {
        let seed: UInt64 = 77
        var random = SeededGenerator(seed: seed)
        var moments: [Moment] = []
        for _ in 0..<300 {
            var bytes = Sample.jpeg
            if Bool.random(using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            var frame = ScriptedFrame(bytes)
            if Int.random(in: 0..<8, using: &random) == 0 { frame.flags.insert(.error) }
            if Int.random(in: 0..<8, using: &random) == 0 {
                frame.bytesUsed = Int.random(in: 0..<70_000, using: &random)
            }
            if Int.random(in: 0..<8, using: &random) == 0 {
                frame.age = .random(in: .min / 4 ... .max / 4, using: &random)
            }
            if Int.random(in: 0..<8, using: &random) == 0 { frame.sequence = .random(in: 0 ... .max, using: &random) }
            moments.append(.frames([frame]))
        }
        let system = ScriptedSystem(moments)
        let hub = FrameHub(clock: system.clock)
        let watcher = hub.watch()
        let counters = try runCamera(system, hub).counters
        #expect(counters.frames == 300)
        #expect(counters.delivered + counters.bad + counters.startFrames + counters.skipped == 300, "seed \(seed)")
        #expect(counters.malformed.count <= JPEGStructureError.Cause.allCases.count + 2)
        watcher.cancel()
        #expect(system.state.withLock { $0.mapped == $0.unmapped })
        #expect(system.state.withLock { $0.violations } == [])
    }
}
