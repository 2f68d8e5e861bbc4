import Foundation
import JPEGCoding
import KonzaModel
import Stamping
import Testing

/// What fuzzing found worth keeping (`Tests/Fuzz/corpus/stamping`), stamped again: without the fuzzer's checks of
/// memory, but with each build.
@Suite struct CorpusTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fuzz/corpus/stamping")
    private static let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.sorted() ?? []
    private let limits = JPEGLimits(pixels: 1 << 14, scans: 20, outputBytes: 1 << 20)

    @Test func `there is a corpus, small enough to keep`() throws {
        let sizes = try Self.names.map { try Data(contentsOf: Self.folder.appending(path: $0)).count }
        #expect(sizes.count > 100)
        #expect(sizes.reduce(0, +) < 300_000)
    }

    @Test func `each hostile picture is stamped the same way twice, or refused with the place of what is wrong`() throws
    {
        var stamped = 0
        for name in Self.names {
            // The last byte chooses the fuzzer's overlay.
            let picture = FrameData(Array(try Data(contentsOf: Self.folder.appending(path: name)).dropLast()))
            let structure: JPEGStructure
            do {
                structure = try JPEGStructure(parsing: picture)
            } catch {
                #expect((0...picture.count).contains(error.offset), "\(name)")
                #expect(error.description.contains("at byte \(error.offset)"), "\(name)")
                continue
            }
            guard structure.width * structure.height <= limits.pixels else { continue }
            for overlay in overlays(structure.width, structure.height) {
                do {
                    let first = try StampingLadder(limits: limits).stamp(picture, with: overlay)
                    #expect(
                        try StampingLadder(limits: limits).stamp(picture, with: overlay).data.array == first.data.array)
                    stamped += 1
                } catch StampingError.structure(let error) {
                    #expect(error.description.contains("at byte \(error.offset)"), "\(name)")
                } catch {
                    // What libjpeg refuses, and what is never stamped, has no place.
                    #expect(error.description.hasPrefix("cannot "), "\(name): \(error)")
                }
            }
        }
        #expect(stamped > Self.names.count / 2)
    }

    private func overlays(_ width: Int, _ height: Int) -> [PreparedOverlay] {
        let half = max(1, height / 2)
        let patches = [
            patch(x: 0, y: height - half, width: width, height: half, [200, 40, 9, 255]),
            patch(x: 0, y: 0, width: width, height: half, [90, 40, 9, 120]),
            patch(x: width / 3, y: 0, width: max(1, width / 2), height: height, [90, 40, 120, 255]),
        ]
        return patches.map { PreparedOverlay(Overlay(width: width, height: height, patches: [$0])) }
    }
}
