import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Interchange

@Suite("What a zlib stream inflates to")
struct InflatedSizeTests {
    /// Zeros as Python's zlib compresses them.
    private func zeros(_ count: Int) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let text = try python(
            "import zlib, json; print(json.dumps(list(zlib.compress(bytes(\(count)), 9))))", in: folder.path)
        return try #require(text as? [Int]).map { UInt8($0) }
    }

    @Test("is known to the byte, in one piece or in many")
    func limit() throws {
        let stream = try zeros(300_000)
        let file = FrameData([1, 2, 3] + stream + [4])
        let whole = [3..<3 + stream.count]
        let single = (3..<3 + stream.count).map { $0..<$0 + 1 }
        for pieces in [whole, single] {
            #expect(!InflatedSize.exceeds(300_000, in: file, pieces))
            #expect(InflatedSize.exceeds(299_999, in: file, pieces))
        }
    }

    @Test("a cut or damaged stream, and none at all, are for their reader to find out")
    func damaged() throws {
        let stream = try zeros(300_000)
        #expect(!InflatedSize.exceeds(300_000, in: FrameData(stream), [0..<stream.count / 2]))
        #expect(!InflatedSize.exceeds(10, in: FrameData([7, 7, 7, 7]), [0..<4]))
        #expect(!InflatedSize.exceeds(10, in: FrameData([]), []))
    }
}
