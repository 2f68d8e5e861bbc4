import JPEGCoding
import KonzaModel
import KonzaTesting
import Testing

@Suite struct JPEGCompressorTests {
    @Test(arguments: [(64, 48), (1, 1), (17, 9), (33, 31), (640, 2)])
    func `what is compressed decodes to nearly the same`(width: Int, height: Int) throws {
        let picture = samplePicture(width: width, height: height)
        let data = try JPEGCompressor(quality: 95, subsampling: .none).compress(picture)
        let decoded = try JPEGDecoder().decode(data)
        #expect(decoded.warningCount == 0)
        #expect(meanDifference(decoded.image, picture) < 4)
    }

    /// A frame of one colour in each layout, at full range: Y 150, Cb 90, Cr 170.
    @Test(arguments: [(16, 16), (18, 10), (34, 21)], JPEGCompressor.Layout.allCases)
    func `every layout keeps its colour in its place`(size: (Int, Int), layout: JPEGCompressor.Layout) throws {
        let (width, height) = size
        let padding = 6
        let (luma, blue, red): (UInt8, UInt8, UInt8) = (150, 90, 170)
        var bytes: [UInt8] = []
        func row(_ pattern: [UInt8], _ count: Int, pad: Int) {
            for index in 0..<count { bytes.append(pattern[index % pattern.count]) }
            bytes += [UInt8](repeating: 0, count: pad)
        }
        let chromaRows = (height + 1) / 2
        let stride: Int
        switch layout {
        case .rgb:
            for _ in 0..<height { row([209, 133, 83], width * 3, pad: padding) }
            stride = width * 3 + padding
        case .grey:
            for _ in 0..<height { row([luma], width, pad: padding) }
            stride = width + padding
        case .yuyv:
            for _ in 0..<height { row([luma, blue, luma, red], width * 2, pad: padding) }
            stride = width * 2 + padding
        case .uyvy:
            for _ in 0..<height { row([blue, luma, red, luma], width * 2, pad: padding) }
            stride = width * 2 + padding
        case .nv12:
            for _ in 0..<height { row([luma], width, pad: padding) }
            for _ in 0..<chromaRows { row([blue, red], width, pad: padding) }
            stride = width + padding
        case .i420:
            for _ in 0..<height { row([luma], width, pad: padding) }
            for _ in 0..<chromaRows { row([blue], width / 2, pad: padding / 2) }
            for _ in 0..<chromaRows { row([red], width / 2, pad: padding / 2) }
            stride = width + padding
        }
        let data = try JPEGCompressor(quality: 98).compress(
            bytes.span, layout: layout, width: width, height: height, bytesPerLine: stride, range: .full)
        try JPEGStructure(parsing: data).requireSoundRestarts()
        let image = try JPEGDecoder().decode(data).image
        // JFIF: R = Y + 1.402 (Cr - 128), G = Y - 0.344 (Cb - 128) - 0.714 (Cr - 128), B = Y + 1.772 (Cb - 128).
        let expected: [Int] = layout == .grey ? [150, 150, 150] : [209, 133, 83]
        for index in image.pixels.indices {
            #expect(abs(Int(image.pixels[index]) - expected[index % 3]) <= 3)
        }
    }

    @Test func `limited range is stretched so that its black and white are black and white`() throws {
        var bytes: [UInt8] = []
        for _ in 0..<16 {
            bytes += [UInt8](repeating: 0, count: 0) + Array(repeating: [16, 128, 16, 128], count: 8).joined()
            bytes += Array(repeating: [235, 128, 235, 128] as [UInt8], count: 8).joined()
        }
        let data = try JPEGCompressor(quality: 100).compress(bytes.span, layout: .yuyv, width: 32, height: 16)
        let image = try JPEGDecoder().decode(data).image
        #expect(image.pixels[0] <= 1)
        #expect(image.pixels[31 * 3] >= 254)
    }

    @Test func `a buffer too short for its size is refused`() {
        let bytes = [UInt8](repeating: 0, count: 100)
        #expect(throws: JPEGCodingError.self) {
            try JPEGCompressor().compress(bytes.span, layout: .yuyv, width: 16, height: 16)
        }
        #expect(throws: JPEGCodingError.self) {
            try JPEGCompressor().compress(bytes.span, layout: .rgb, width: 0, height: 16)
        }
    }

    @Test func `the output stays within its limit`() throws {
        let picture = samplePicture(width: 400, height: 300)
        do {
            _ = try JPEGCompressor(largestOutput: 1000).compress(picture)
            Issue.record("1000 bytes were enough")
        } catch { #expect(error.cause == .outputLimit) }
    }

    @Test(arguments: JPEGDecoder.Scale.allCases)
    func `a scaled decode has a fraction of the size, rounded up`(scale: JPEGDecoder.Scale) throws {
        let data = try JPEGCompressor().compress(samplePicture(width: 203, height: 101))
        let image = try JPEGDecoder().decode(data, scale: scale).image
        #expect(image.width == (203 + scale.rawValue - 1) / scale.rawValue)
        #expect(image.height == (101 + scale.rawValue - 1) / scale.rawValue)
    }

    @Test func `limits on pixels and scans are kept, and a cut picture warns`() throws {
        let data = try JPEGCompressor(coding: .progressive).compress(samplePicture(width: 203, height: 101))
        func cause(_ limits: JPEGLimits) -> JPEGCodingError.Cause? {
            do {
                _ = try JPEGDecoder(limits: limits).decode(data)
                return nil
            } catch { return error.cause }
        }
        #expect(cause(JPEGLimits()) == nil)
        #expect(cause(JPEGLimits(pixels: 20_000)) == .pixelLimit)
        #expect(cause(JPEGLimits(scans: 4)) == .scanLimit)
        let cut = Array(data.array.prefix(data.count / 2))
        #expect(try JPEGDecoder().decode(cut.span).warningCount > 0)
    }
}
