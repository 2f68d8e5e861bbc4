public import JPEGCoding
public import KonzaModel
internal import KonzaSystem

/// Mounts photographs on paper: a collage of two to four pictures, as one JPEG.
public struct CollageMounter: Sendable {
    /// Why a picture could not be mounted.
    public enum Failure: Error {
        /// Pixels of a picture are lost; the index counts from 0.
        case damaged(index: Int)
        case coding(JPEGCodingError)
        /// So many pictures make no collage.
        case count(Int)
    }

    private let decoder: JPEGDecoder
    private let memory: PictureMemory
    private let quality: Int

    /// - Parameters:
    ///   - limits: of what is decoded.
    ///   - memory: whom to ask for memory.
    ///   - quality: of the JPEG, 1 to 100.
    public init(limits: JPEGLimits, memory: PictureMemory, quality: Int = 92) {
        decoder = JPEGDecoder(limits: limits, memory: memory)
        self.memory = memory
        self.quality = quality
    }

    /// One picture of a collage.
    public struct Picture: Sendable {
        public var data: FrameData
        /// Pixels.
        public var width: Int
        public var height: Int

        public init(_ data: FrameData, width: Int, height: Int) {
            self.data = data
            self.width = width
            self.height = height
        }
    }

    /// Composes and compresses a card.
    ///
    /// - Parameters:
    ///   - pictures: as many as `CollageCells.counts` allows.
    ///   - layout: how they lie.
    ///   - style: what the card looks like; its area lies inside the card.
    ///   - card: the size, pixels.
    /// - Throws: `Failure`.
    /// - Returns: a JPEG with a restart marker after each row of MCUs, so that lettering can be spliced in.
    public func mount(
        _ pictures: [Picture], _ layout: CollageLayout, style: CollageStyle, card: (width: Int, height: Int)
    ) throws(Failure) -> FrameData {
        guard let first = pictures.first, CollageCells.counts.contains(pictures.count) else {
            throw .count(pictures.count)
        }
        let plan = CollageCells(
            layout, count: pictures.count, picture: (first.width, first.height), in: style.area)
        let reservation: MemoryReservation?
        do throws(JPEGCodingError) {
            // The card, one picture at its size in the card, and the JPEG.
            reservation = try memory.reserve(card.width * card.height * 9, to: "compose the collage")
        } catch {
            throw .coding(error)
        }
        defer { withExtendedLifetime(reservation) {} }
        var paper = Paper(card, style.paper)
        for (index, (picture, cell)) in zip(pictures, plan.cells).enumerated() {
            let small = try reduced(picture, to: cell, index)
            paper.fill(cell.grown(by: plan.line), style.line)
            paper.lay(small, at: cell)
        }
        do throws(JPEGCodingError) {
            return try JPEGCompressor(quality: quality).compress(
                RGBImage(width: card.width, height: card.height, pixels: paper.pixels))
        } catch {
            throw .coding(error)
        }
    }

    /// The middle of a picture in the size of its cell. libjpeg decodes it at the smallest of its sizes that is still no
    /// smaller.
    private func reduced(_ picture: Picture, to cell: PixelArea, _ index: Int) throws(Failure) -> RGBImage {
        let crop = CollageCells.crop(of: (picture.width, picture.height), for: cell)
        let scale =
            [JPEGDecoder.Scale.eighth, .quarter, .half].first {
                crop.width / $0.rawValue >= cell.width && crop.height / $0.rawValue >= cell.height
            } ?? .full
        let decoded: JPEGDecoder.Decoded
        do throws(JPEGCodingError) {
            decoded = try decoder.decode(picture.data, scale: scale)
        } catch {
            throw .coding(error)
        }
        guard !decoded.isDamaged else { throw .damaged(index: index) }
        defer { withExtendedLifetime(decoded.memory) {} }
        let image = decoded.image
        let part = CollageCells.crop(of: (image.width, image.height), for: cell)
        return image.averaged(part, width: cell.width, height: cell.height)
    }
}

/// A card that pictures are laid on.
private struct Paper {
    let width: Int
    let height: Int
    private(set) var pixels: [UInt8]

    init(_ size: (width: Int, height: Int), _ colour: CollageStyle.Colour) {
        (width, height) = size
        pixels = []
        pixels.reserveCapacity(width * height * 3)
        for _ in 0..<(width * height) {
            pixels.append(colour.red)
            pixels.append(colour.green)
            pixels.append(colour.blue)
        }
    }

    /// Fills what of an area lies on the card.
    mutating func fill(_ area: PixelArea, _ colour: CollageStyle.Colour) {
        let columns = max(0, area.x)..<min(width, area.x + area.width)
        for y in max(0, area.y)..<min(height, area.y + area.height) {
            for x in columns {
                let at = (y * width + x) * 3
                pixels[at] = colour.red
                pixels[at + 1] = colour.green
                pixels[at + 2] = colour.blue
            }
        }
    }

    mutating func lay(_ picture: RGBImage, at area: PixelArea) {
        for y in 0..<picture.height {
            let from = y * picture.width * 3
            let to = ((area.y + y) * width + area.x) * 3
            pixels.replaceSubrange(
                to..<(to + picture.width * 3), with: picture.pixels[from..<(from + picture.width * 3)])
        }
    }
}

extension PixelArea {
    fileprivate func grown(by margin: Int) -> PixelArea {
        PixelArea(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
    }
}
