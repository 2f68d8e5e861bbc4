import KonzaModel
import Testing

@testable import Capture

@Suite struct MultipartPreviewTests {
    private let instant = UTCInstant(nanoseconds: 1_780_000_000_012_345_678)

    private func frame(_ bytes: [UInt8]) -> Frame {
        Frame(
            data: FrameData(bytes), width: 1, height: 1, sequence: 0, exposedAt: MonotonicInstant(nanoseconds: 0),
            timestampSource: .arrival, source: .live)
    }

    private func bytes(_ part: MultipartPreview.Part, in steps: Int = 7) -> [UInt8] {
        var all: [UInt8] = []
        while true {
            var buffer = [UInt8](repeating: 0, count: steps)
            let count = buffer.withUnsafeMutableBytes { part.copy(from: all.count, into: $0) }
            if count == 0 { return all }
            all += buffer.prefix(count)
        }
    }

    @Test func aFrameIsFollowedAtOnceByTheBeginningOfTheNextPart() {
        var preview = MultipartPreview(boundary: "B")
        #expect(preview.contentType == "multipart/x-mixed-replace;boundary=B")
        let first = preview.part(for: frame(Array("one".utf8)), exposedAt: instant)
        #expect(
            String(decoding: bytes(first), as: UTF8.self)
                == "--B\r\nContent-Type: image/jpeg\r\nContent-Length: 3\r\nX-Timestamp: 1780000000.012345\r\n\r\none"
                + "\r\n--B\r\nContent-Type: image/jpeg\r\n")
        let second = preview.part(for: frame(Array("four".utf8)), exposedAt: instant)
        #expect(
            String(decoding: bytes(second), as: UTF8.self)
                == "Content-Length: 4\r\nX-Timestamp: 1780000000.012345\r\n\r\nfour"
                + "\r\n--B\r\nContent-Type: image/jpeg\r\n")
    }

    @Test func theLastFrameIsSentOnceMoreWhenFramesStop() {
        var preview = MultipartPreview()
        #expect(preview.partAfterSilence() == nil)
        _ = preview.part(for: frame([1, 2]), exposedAt: instant)
        let last = preview.part(for: frame([3, 4, 5]), exposedAt: instant)
        let again = preview.partAfterSilence()
        #expect(again.map { bytes($0) } == bytes(last))
        #expect(preview.partAfterSilence() == nil)
        _ = preview.part(for: frame([6]), exposedAt: instant)
        #expect(preview.partAfterSilence() != nil)
    }

    @Test(arguments: [1, 2, 3, 64, 100_000])
    func anyPieceSizeGivesTheSameBytes(_ size: Int) {
        var preview = MultipartPreview()
        let part = preview.part(for: frame(Sample.jpeg), exposedAt: instant)
        let whole = bytes(part, in: size)
        #expect(whole.count == part.count)
        #expect(whole == part.head + Sample.jpeg + part.tail)
    }
}
