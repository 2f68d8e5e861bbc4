import Dispatch
import Glibc
import JPEGCoding
import KonzaModel
import KonzaSystem
import KonzaTesting
import Testing

/// Pictures that strangers send, small in bytes and large in what decoding them takes.
@Suite struct ForeignPictureTests {
    private static func refusal(
        _ bytes: [UInt8], _ memory: PictureMemory = PictureMemory(MemoryBudget(), account: nil)
    ) -> ForeignPicture.Refusal? {
        do throws(ForeignPicture.Refusal) {
            _ = try ForeignPicture(checking: bytes.span, longestEdge: 320, memory: memory)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: CraftedPicture.Kind.allCases)
    func `a few bytes that claim many pixels are refused for what they cannot hold`(
        kind: CraftedPicture.Kind
    ) throws {
        for edge in [5000, 6600, 14_142] {
            let bytes = CraftedPicture.make(kind, width: edge, height: edge, scanBytes: 10)
            #expect(bytes.count < 400)
            guard case .unfit(let words) = Self.refusal(bytes) else {
                Issue.record("\(kind) of \(edge) is taken, or refused otherwise")
                continue
            }
            #expect(words.contains("entropy-coded bytes for"))
        }
        // The arithmetic decoder needs hardly any bytes for zeros, and says so of what is left.
        guard kind != .arithmetic else { return }
        #expect(Self.refusal(CraftedPicture.make(kind, width: 200, height: 100)) == nil)
    }

    @Test func `what is refused takes no memory, two at once neither`() async {
        await #expect(processExitsWith: .success) {
            Heap.keepSmall()
            let pictures = [
                CraftedPicture.make(.scanEach, width: 14_142, height: 14_142, scanBytes: 10),
                CraftedPicture.make(.scanEach, width: 6600, height: 6600, scanBytes: 10),
                // As many bytes as its blocks need, so that only the memory speaks against it.
                CraftedPicture.make(.scanEach, width: 6600, height: 6600),
                CraftedPicture.make(.progressive, width: 5000, height: 5000),
                CraftedPicture.make(.arithmetic, width: 14_142, height: 14_142, scanBytes: 10),
            ]
            let memory = PictureMemory(MemoryBudget(), account: nil)
            func refuseTwice(_ number: Int) {
                DispatchQueue.concurrentPerform(iterations: 2) { _ in
                    switch Self.refusal(pictures[number], memory) {
                    case .unfit: if [2, 3].contains(number) { exit(2) }
                    case .tooLarge(let words):
                        guard [2, 3].contains(number), words.contains("progressive") else { exit(3) }
                    case .busy, nil: exit(4)
                    }
                }
            }
            // The code of each way, and the threads, are resident before anything is counted.
            for number in pictures.indices { refuseTwice(number) }
            for number in pictures.indices {
                let peak = try PeakMemory.growth { refuseTwice(number) }
                // Room for the stack of the second thread, and for the kernel's count (see StampingTests.MemoryTests).
                guard peak < 2 << 20 else {
                    print("picture \(number): \(peak) bytes")
                    exit(EXIT_FAILURE)
                }
            }
        }
    }

    @Test func `what is decoded takes no more than was reserved, and gives it back`() async {
        await #expect(processExitsWith: .success) {
            Heap.keepSmall()
            // The code of each way is resident before anything is counted.
            for kind in CraftedPicture.Kind.allCases where kind != .arithmetic {
                guard Self.refusal(CraftedPicture.make(kind, width: 640, height: 480)) == nil else { exit(6) }
            }
            for (kind, width, height) in [
                (CraftedPicture.Kind.interleaved, 9000, 9000), (.interleaved, 60_000, 300), (.interleaved, 900, 700),
                (.scanEach, 2000, 2000), (.progressive, 2300, 2000), (.progressive, 60_000, 80),
            ] {
                let picture = CraftedPicture.make(kind, width: width, height: height)
                let budget = MemoryBudget()
                let peak = try PeakMemory.growth {
                    guard Self.refusal(picture, PictureMemory(budget, account: nil)) == nil else { exit(2) }
                }
                // A megabyte for pages touched by chance, and for the kernel's count (see StampingTests.MemoryTests).
                guard peak < budget.figures.peak + (1 << 20), budget.figures.total == 0 else {
                    print("\(kind) \(width)x\(height): \(peak) bytes, reserved \(budget.figures)")
                    exit(EXIT_FAILURE)
                }
                // Where coefficients are kept the reservation is no guess far beyond what is used.
                let isWhole = kind == .scanEach || kind == .progressive
                guard !isWhole || width > 10_000 || peak > budget.figures.peak / 2 else { exit(5) }
            }
        }
    }

    @Test func `a picture whose memory others hold is to be sent again`() throws {
        let budget = MemoryBudget(bytes: 8 << 20)
        let picture = CraftedPicture.make(.scanEach, width: 640, height: 560)
        let others = try #require(budget.reserve(7 << 20, for: .bodies, account: nil))
        let memory = PictureMemory(budget, account: nil)
        guard case .busy(let words) = Self.refusal(picture, memory) else {
            Issue.record("it is decoded all the same")
            return
        }
        #expect(words.hasPrefix("cannot ") && words.contains("again"))
        #expect(budget.figures.reserved[.pictures, default: 0] == 0)
        others.release()
        #expect(Self.refusal(picture, memory) == nil)
        #expect(budget.figures.total == 0)
        // Of what can never be had, the words say how much it is.
        guard
            case .tooLarge(let large) = Self.refusal(CraftedPicture.make(.scanEach, width: 1600, height: 1600), memory)
        else {
            Issue.record("a picture of more than all memory is taken")
            return
        }
        #expect(large.contains("MB"))
    }

    @Test func `coefficients are reserved as long as they are there`() throws {
        let budget = MemoryBudget()
        let picture = CraftedPicture.make(.interleaved, width: 800, height: 640)
        do {
            let coefficients = try JPEGCoefficients(reading: picture.span, memory: PictureMemory(budget, account: nil))
            // Three components of 100 x 80 blocks of 128 bytes.
            #expect(budget.figures.total > 3 * 100 * 80 * 128)
            #expect(coefficients.components.count == 3)
        }
        #expect(budget.figures.total == 0)
        #expect(throws: JPEGCodingError.self) {
            try JPEGCoefficients(reading: picture.span, limits: JPEGLimits(memoryBytes: 3 * 100 * 80 * 128)).components
        }
    }

    @Test func `a picture without one of its components, or with one twice, is refused`() throws {
        let whole = CraftedPicture.make(.scanEach, width: 64, height: 64)
        let scans = try JPEGStructure(parsing: whole.span).scans
        let (second, third) = (scans[1], scans[2])
        var lacking = whole
        lacking.removeSubrange(third.header.offset..<third.entropy.upperBound)
        #expect(Self.refusal(lacking)?.description.contains("component 2 is in 0 scans") == true)
        var twice = whole
        twice.insert(contentsOf: whole[second.header.offset..<second.entropy.upperBound], at: third.header.offset)
        #expect(Self.refusal(twice)?.description.contains("component 1 is in 2 scans") == true)
        #expect(Self.refusal(whole) == nil)
    }

    @Test(arguments: JPEGCompressor.Coding.allCases)
    func `whatever a program wrote is taken`(coding: JPEGCompressor.Coding) throws {
        for subsampling in JPEGCompressor.Subsampling.allCases {
            let picture = try JPEGCompressor(subsampling: subsampling, coding: coding).compress(
                samplePicture(width: 500, height: 333))
            let taken = try ForeignPicture(
                checking: picture.array.span, longestEdge: 320, memory: PictureMemory(MemoryBudget(), account: nil))
            #expect(taken.width == 500 && taken.height == 333 && taken.small.width == 500)
        }
    }

    @Test func `a lossless picture is refused with words`() throws {
        var bytes = CraftedPicture.make(.interleaved, width: 64, height: 64)
        let frame = try #require(bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
        bytes[frame + 1] = 0xC3
        #expect(Self.refusal(bytes)?.description.contains("lossless") == true)
    }
}
