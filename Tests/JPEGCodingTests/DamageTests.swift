import JPEGCoding
import KonzaModel
import KonzaTesting
import Testing

@Suite struct DamageTests {
    private let sound = try? JPEGCompressor(restarts: .none).compress(samplePicture(width: 320, height: 240)).array

    @Test(arguments: [JPEGDecoder.Scale.full, .eighth])
    func `a scan that ends early is damaged at every scale`(scale: JPEGDecoder.Scale) throws {
        var bytes = try #require(sound)
        // A third of the scan is missing, and the end marker is there.
        bytes.removeSubrange(bytes.count * 2 / 3..<bytes.count - 2)
        let decoded = try JPEGDecoder().decode(FrameData(bytes), scale: scale)
        #expect(decoded.isDamaged && decoded.warningCount > 0)
    }

    @Test(arguments: [(4, 0, false), (12, 1, false), (40, 1, true), (400, 1, true)])
    func `a few bytes before the last marker are harmless, many are not`(
        count: Int, warnings: Int, isDamaged: Bool
    ) throws {
        var bytes = try #require(sound)
        bytes.insert(contentsOf: [UInt8](repeating: 0x11, count: count), at: bytes.count - 2)
        let decoded = try JPEGDecoder().decode(FrameData(bytes))
        #expect(decoded.warningCount == warnings)
        #expect(decoded.isDamaged == isDamaged)
    }

    @Test func `a sound picture is not damaged`() throws {
        let decoded = try JPEGDecoder().decode(FrameData(try #require(sound)), scale: .eighth)
        #expect(!decoded.isDamaged && decoded.warningCount == 0)
    }
}
