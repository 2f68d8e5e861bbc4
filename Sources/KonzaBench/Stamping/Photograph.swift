internal import JPEGCoding
internal import KonzaModel
internal import Stamping

/// The picture that frames are made of, reduced to each size that is asked for.
struct Photograph {
    /// From Debian's lomiri-wallpapers-16.04: hills after sunset, with a sky that fades, haze, and grass and stones with
    /// the sensor's noise, 4272x2848: larger than any frame, so that each has detail down to the pixel.
    static let debian = "/usr/share/backgrounds/sunset_by_Aitzol_Berasategi.jpg"

    private let image: RGBImage

    /// - Throws: if the file cannot be read or decoded.
    init(file: String) throws {
        image = try JPEGDecoder().decode(FrameData(try Files.read(file))).image
    }

    init(_ image: RGBImage) {
        self.image = image
    }

    /// The middle of the picture in the proportions of a size, each new pixel the mean of those that it covers.
    func reduced(to size: PixelSize) -> RGBImage {
        let scale = min(Double(image.width) / Double(size.width), Double(image.height) / Double(size.height))
        let columns = Shares(count: size.width, of: image.width, scale: scale)
        let rows = Shares(count: size.height, of: image.height, scale: scale)
        var pixels = [UInt8](repeating: 0, count: size.width * size.height * 3)
        var sums = [Float](repeating: 0, count: image.width * 3)
        for row in 0..<size.height {
            for index in sums.indices { sums[index] = 0 }
            for (source, share) in rows[row] { add(row: source, share, to: &sums) }
            write(sums, columns, to: &pixels, at: row * size.width * 3)
        }
        return RGBImage(width: size.width, height: size.height, pixels: pixels)
    }

    private func add(row: Int, _ share: Float, to sums: inout [Float]) {
        let source = image.pixels.span
        var target = sums.mutableSpan
        let first = row * image.width * 3
        for index in 0..<target.count { target[index] += Float(source[first + index]) * share }
    }

    private func write(_ sums: [Float], _ columns: Shares, to pixels: inout [UInt8], at start: Int) {
        let source = sums.span
        var target = pixels.mutableSpan
        for column in 0..<columns.count {
            for channel in 0..<3 {
                var value: Float = 0.5
                for (from, share) in columns[column] { value += source[from * 3 + channel] * share }
                target[start + column * 3 + channel] = UInt8(min(max(value, 0), 255))
            }
        }
    }

    /// Which old samples of a line make up each new one.
    struct Shares {
        let count: Int
        private let first: Double
        private let scale: Double
        private let available: Int

        /// - Parameters:
        ///   - count: New samples.
        ///   - available: Old samples; the middle of them is taken.
        ///   - scale: Old samples for each new one.
        init(count: Int, of available: Int, scale: Double) {
            self.count = count
            self.available = available
            self.scale = scale
            first = (Double(available) - Double(count) * scale) / 2
        }

        /// Old samples with their shares, which add up to 1.
        subscript(index: Int) -> [(Int, Float)] {
            let start = max(0, first + Double(index) * scale)
            let end = min(Double(available), first + Double(index + 1) * scale)
            let (low, high) = (Int(start), min(available - 1, Int(end)))
            return (low...max(low, high)).compactMap { sample in
                let covered = min(end, Double(sample + 1)) - max(start, Double(sample))
                return covered > 0 ? (sample, Float(covered / (end - start))) : nil
            }
        }
    }
}
