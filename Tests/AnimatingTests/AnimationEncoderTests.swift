import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Animating

@Suite("Animations") struct AnimationEncoderTests {
    private static let rounds = RandomTest.cases(6)

    /// Noise, which codes badly.
    private func picture(_ width: Int, _ height: Int, _ seed: Int) -> RGBImage {
        RGBImage(
            width: width, height: height,
            pixels: (0..<(width * height * 3)).map {
                UInt8(truncatingIfNeeded: (($0 &+ seed) &* 2_654_435_761) >> 13)
            })
    }

    private func info(_ file: [UInt8]) throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).webp")
        try Data(file).write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        let run = try ProgramRun("webpmux", ["-info", path.path])
        #expect(run.status == 0, "\(run.errors)")
        return run.text
    }

    @Test("are what webpmux reads: the size, the frames, their times, without an end")
    func readBack() throws {
        var random = SeededGenerator(seed: RandomTest.seed(of: "animations"))
        for _ in 0..<Self.rounds {
            let (width, height) = (Int.random(in: 1...150, using: &random), Int.random(in: 1...150, using: &random))
            let count = Int.random(in: 2...9, using: &random)
            let pictures = (0..<count).map {
                AnimationEncoder.Picture(picture(width, height, $0 * 7919), at: $0 * 100)
            }
            let text = try info(try AnimationEncoder(limit: 4 << 20).encode(pictures, end: count * 100))
            #expect(text.contains("Canvas size: \(width) x \(height)"), "\(text)")
            #expect(text.contains("Loop Count : 0"), "\(text)")
            #expect(text.contains("Number of frames: \(count)"), "\(width)x\(height): \(text)")
            // Number, width, height, alpha, both offsets, duration.
            var durations: [Substring] = []
            for line in text.split(separator: "\n") {
                let columns = line.split(separator: " ")
                guard columns.count > 6, let number = columns.first, Int(number.dropLast()) != nil else { continue }
                durations.append(columns[6])
            }
            #expect(durations == Array(repeating: "100", count: count), "\(text)")
        }
    }

    @Test("are made smaller until they fit, and refused where they cannot")
    func limit() throws {
        let pictures = (0..<4).map { AnimationEncoder.Picture(picture(200, 150, $0 * 31), at: $0 * 100) }
        let whole = try AnimationEncoder(limit: 4 << 20).encode(pictures, end: 400)
        let smaller = try AnimationEncoder(limit: whole.count * 3 / 4).encode(pictures, end: 400)
        #expect(smaller.count <= whole.count * 3 / 4)
        #expect(throws: AnimationError.tooLarge(limit: 1000)) {
            try AnimationEncoder(limit: 1000).encode(pictures, end: 400)
        }
    }

    @Test("are refused without pictures, with different sizes, and with times that do not rise")
    func refusals() {
        let one = AnimationEncoder.Picture(picture(8, 8, 1), at: 0)
        let rows: [([AnimationEncoder.Picture], Int)] = [
            ([], 100), ([one, .init(picture(9, 8, 1), at: 100)], 200), ([one, .init(picture(8, 8, 2), at: 0)], 200),
            ([one], 0), ([.init(picture(8, 8, 1), at: 5)], 100),
            (Array(repeating: one, count: AnimationEncoder.mostPictures + 1), 100),
        ]
        for (pictures, end) in rows {
            #expect(throws: AnimationError.self) { try AnimationEncoder(limit: 1 << 20).encode(pictures, end: end) }
        }
    }
}
