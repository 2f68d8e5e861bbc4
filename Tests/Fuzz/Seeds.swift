import Glibc
import JPEGCoding
import KonzaModel

// Writes the seed corpus: one small picture of each kind that the compressor makes, with each overlay of the fuzz
// target in turn. The first argument is the folder.
@main enum Seeds {
    static func main() throws {
        let folder = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "."
        var number = 0
        let restarts: [JPEGCompressor.Restarts] = [.none, .rows(1), .units(3)]
        for subsampling in JPEGCompressor.Subsampling.allCases {
            for coding in JPEGCompressor.Coding.allCases {
                for restart in restarts {
                    let compressor = JPEGCompressor(
                        quality: [30, 75, 95][number % 3], subsampling: subsampling, restarts: restart, coding: coding)
                    try write(try compressor.compress(picture(41, 27)), number, folder)
                    number += 1
                }
            }
        }
        for restart in restarts {
            let grey = picture(41, 27).pixels.enumerated().filter { $0.offset % 3 == 0 }.map(\.element)
            let compressor = JPEGCompressor(quality: 80, restarts: restart)
            try write(try compressor.compress(grey.span, layout: .grey, width: 41, height: 27), number, folder)
            number += 1
        }
    }

    private static func write(_ jpeg: FrameData, _ number: Int, _ folder: String) throws {
        let path = folder + "/seed-\(number)"
        guard let file = unsafe fopen(path, "wb") else { throw JPEGCodingError.outputTooLarge }
        defer { unsafe fclose(file) }
        let bytes = jpeg.array + [UInt8(truncatingIfNeeded: number * 37)]
        unsafe bytes.withUnsafeBytes { _ = unsafe fwrite($0.baseAddress, 1, $0.count, file) }
    }

    private static func picture(_ width: Int, _ height: Int) -> RGBImage {
        var pixels: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                pixels += [UInt8(x * 6 & 255), UInt8((x * y) & 255), (x / 8 + y / 8) % 2 == 0 ? 40 : 200]
            }
        }
        return RGBImage(width: width, height: height, pixels: pixels)
    }
}
