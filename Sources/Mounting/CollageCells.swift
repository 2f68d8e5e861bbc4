public import KonzaModel

/// Where the pictures of a collage lie. All arithmetic is of whole numbers, so that a layout is the same everywhere.
public struct CollageCells: Sendable, Equatable {
    /// How many pictures a collage can have.
    public static let counts = 2...4
    /// The longest edge of a card, pixels.
    public static let longestEdge = 2560
    /// A picture is cut to no less than this part of its width or height.
    private static let leastShown = (numerator: 1, denominator: 3)

    /// In the order of the pictures.
    public let cells: [PixelArea]
    /// The thickness of the lines around them, pixels.
    public let line: Int

    /// The size of a card: 3:2, as photographic paper is, and as long as the pictures are, up to `longestEdge`.
    ///
    /// - Parameters:
    ///   - width: of the pictures, pixels.
    ///   - height: of the pictures, pixels.
    /// - Returns: even numbers of pixels.
    public static func cardSize(width: Int, height: Int) -> (width: Int, height: Int) {
        let long = min(max(width, height), longestEdge) / 2 * 2
        let short = long * 2 / 3 / 2 * 2
        return width >= height ? (long, short) : (short, long)
    }

    /// Places pictures.
    ///
    /// - Parameters:
    ///   - layout: how they lie.
    ///   - count: how many, in `counts`.
    ///   - picture: the size of the pictures, pixels.
    ///   - area: what they may take of the card, at least 64 pixels each way.
    public init(_ layout: CollageLayout, count: Int, picture: (width: Int, height: Int), in area: PixelArea) {
        let short = min(area.width, area.height)
        line = max(1, short / 240)
        let gap = max(2, short / 40)
        let wholes: [PixelArea]
        switch layout {
        case .strip: wholes = Self.strip(count, picture, area, gap)
        case .grid where count == 4:
            wholes = Self.split(area, 2, gap, isRow: false).flatMap { Self.split($0, 2, gap, isRow: true) }
        case .grid where count == 3:
            let isWide = area.width * picture.height >= area.height * picture.width
            let parts = Self.unequal(area, gap, isRow: isWide)
            wholes = [parts.0] + Self.split(parts.1, 2, gap, isRow: !isWide)
        case .grid: wholes = Self.strip(count, picture, area, gap)
        }
        cells = wholes.map { Self.limited($0, picture) }
    }

    /// What of a picture is shown in a cell: its middle, in the cell's proportions.
    public static func crop(of picture: (width: Int, height: Int), for cell: PixelArea) -> PixelArea {
        if picture.width * cell.height > picture.height * cell.width {
            let width = max(1, picture.height * cell.width / cell.height)
            return PixelArea(x: (picture.width - width) / 2, y: 0, width: width, height: picture.height)
        }
        let height = max(1, min(picture.height, picture.width * cell.height / cell.width))
        return PixelArea(x: 0, y: (picture.height - height) / 2, width: picture.width, height: height)
    }

    /// A row or a column, whichever cuts the pictures less.
    private static func strip(
        _ count: Int, _ picture: (width: Int, height: Int), _ area: PixelArea, _ gap: Int
    ) -> [PixelArea] {
        let ways = [true, false].map { split(area, count, gap, isRow: $0) }
        let shown = ways.map { way -> Int in
            let part = crop(of: picture, for: way[0])
            return part.width * part.height
        }
        return shown[1] > shown[0] ? ways[1] : ways[0]
    }

    /// Equal parts, which differ by a pixel where the length cannot be divided.
    private static func split(_ area: PixelArea, _ count: Int, _ gap: Int, isRow: Bool) -> [PixelArea] {
        let length = (isRow ? area.width : area.height) - gap * (count - 1)
        return (0..<count).map { index in
            let start = length * index / count
            let part = length * (index + 1) / count - start
            let offset = start + gap * index
            return isRow
                ? PixelArea(x: area.x + offset, y: area.y, width: part, height: area.height)
                : PixelArea(x: area.x, y: area.y + offset, width: area.width, height: part)
        }
    }

    /// Two thirds and a third.
    private static func unequal(_ area: PixelArea, _ gap: Int, isRow: Bool) -> (PixelArea, PixelArea) {
        let length = (isRow ? area.width : area.height) - gap
        let large = length * 2 / 3
        guard isRow else {
            return (
                PixelArea(x: area.x, y: area.y, width: area.width, height: large),
                PixelArea(x: area.x, y: area.y + large + gap, width: area.width, height: length - large)
            )
        }
        return (
            PixelArea(x: area.x, y: area.y, width: large, height: area.height),
            PixelArea(x: area.x + large + gap, y: area.y, width: length - large, height: area.height)
        )
    }

    /// The middle of a cell, where the whole of it would show too little of a picture.
    private static func limited(_ cell: PixelArea, _ picture: (width: Int, height: Int)) -> PixelArea {
        let (numerator, denominator) = leastShown
        var cell = cell
        let tallest = cell.width * picture.height * denominator / (picture.width * numerator)
        if cell.height > tallest {
            cell.y += (cell.height - tallest) / 2
            cell.height = max(1, tallest)
        }
        let widest = cell.height * picture.width * denominator / (picture.height * numerator)
        if cell.width > widest {
            cell.x += (cell.width - widest) / 2
            cell.width = max(1, widest)
        }
        return cell
    }
}
