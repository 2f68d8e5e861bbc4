internal import Drawing
internal import Glibc
internal import JPEGCoding
internal import KonzaModel
internal import Stamping

/// Judges stamped pictures against the frame and the drawing that they were made of.
struct Fidelity {
    /// Pixels farther than this from any MCU that the overlay touches are outside. A decoder that smooths chroma over
    /// its neighbours, as libjpeg does, carries a change that far.
    private static let margin = 2

    /// Peak signal-to-noise ratios of a stamped picture, decibels; infinite where it is equal.
    struct Verdict: Sendable, Equatable {
        /// Of what should not have changed, against the frame. Nil if nothing lies outside.
        let outside: Double?
        /// Of the inked pixels, against the overlay laid on the decoded frame. Nil if nothing is inked.
        let inside: Double?
    }

    private enum Region: UInt8 {
        case between, outside, inside
    }

    private let frame: RGBImage
    private let ideal: RGBImage
    private let regions: [UInt8]

    init(frame: FrameData, kind: FrameKind, overlay: Overlay) throws {
        self.frame = try JPEGDecoder().decode(frame).image
        ideal = try self.frame.stamped(with: overlay)
        regions = Self.regions(kind, overlay)
    }

    /// - Throws: if the picture cannot be decoded or has another size.
    func judge(_ picture: FrameData) throws -> Verdict {
        let image = try JPEGDecoder().decode(picture).image
        guard image.width == frame.width, image.height == frame.height else {
            throw BenchError("cannot judge a stamped picture: it has \(image.width)x\(image.height) pixels")
        }
        return Verdict(
            outside: Self.ratio(image, frame, regions, .outside), inside: Self.ratio(image, ideal, regions, .inside))
    }

    private static func ratio(_ image: RGBImage, _ other: RGBImage, _ regions: [UInt8], _ region: Region) -> Double? {
        let (first, second, places) = (image.pixels.span, other.pixels.span, regions.span)
        var squares: UInt64 = 0
        var count: UInt64 = 0
        for pixel in 0..<places.count where places[pixel] == region.rawValue {
            count += 3
            for sample in pixel * 3..<pixel * 3 + 3 {
                let difference = Int(first[sample]) - Int(second[sample])
                squares += UInt64(difference * difference)
            }
        }
        guard count > 0 else { return nil }
        return peakSignalToNoise(squares: squares, count: count)
    }

    private static func regions(_ kind: FrameKind, _ overlay: Overlay) -> [UInt8] {
        let (width, height) = (kind.size.width, kind.size.height)
        var regions = [UInt8](repeating: Region.outside.rawValue, count: width * height)
        func mark(_ columns: Range<Int>, _ rows: Range<Int>, _ region: Region) {
            for row in rows.clamped(to: 0..<height) {
                for column in columns.clamped(to: 0..<width) { regions[row * width + column] = region.rawValue }
            }
        }
        let columns = (width + kind.unitWidth - 1) / kind.unitWidth
        for (unit, isTouched) in touchedUnits(kind, overlay, columns: columns).enumerated() where isTouched {
            let (x, y) = (unit % columns * kind.unitWidth, unit / columns * kind.unitHeight)
            mark(
                x - margin..<x + kind.unitWidth + margin, y - margin..<y + kind.unitHeight + margin, .between)
        }
        for patch in overlay.patches {
            for row in 0..<patch.height {
                for column in 0..<patch.width where patch.pixels[(row * patch.width + column) * 4 + 3] > 0 {
                    regions[(patch.y + row) * width + patch.x + column] = Region.inside.rawValue
                }
            }
        }
        return regions
    }

    /// Whether the overlay touches each MCU, row after row.
    private static func touchedUnits(_ kind: FrameKind, _ overlay: Overlay, columns: Int) -> [Bool] {
        let rows = (kind.size.height + kind.unitHeight - 1) / kind.unitHeight
        var touched = [Bool](repeating: false, count: columns * rows)
        for patch in overlay.patches {
            for row in 0..<patch.height {
                let first = (patch.y + row) / kind.unitHeight * columns
                for column in 0..<patch.width where patch.pixels[(row * patch.width + column) * 4 + 3] > 0 {
                    touched[first + (patch.x + column) / kind.unitWidth] = true
                }
            }
        }
        return touched
    }
}

/// The ratio of the largest square of a difference of 8-bit samples to the mean of the squares, decibels; infinite
/// where all are equal.
func peakSignalToNoise(squares: UInt64, count: UInt64) -> Double {
    squares == 0 ? .infinity : 10 * log10(255 * 255 * Double(count) / Double(squares))
}
