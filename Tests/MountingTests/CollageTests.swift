import Foundation
import JPEGCoding
import KonzaModel
import KonzaTesting
import Testing

@testable import Mounting

@Suite("Collages") struct CollageTests {
    private static let rounds = RandomTest.cases(40)

    @Test("have cards in 3:2, as long as the pictures are, up to 2560 pixels")
    func cards() {
        let rows: [((Int, Int), (Int, Int))] = [
            ((1920, 1080), (1920, 1280)), ((1080, 1920), (1280, 1920)), ((3840, 2160), (2560, 1706)),
            ((641, 480), (640, 426)), ((480, 480), (480, 320)),
        ]
        for (picture, card) in rows {
            #expect(CollageCells.cardSize(width: picture.0, height: picture.1) == card)
        }
    }

    /// Pictures of every proportion, in areas of every size from the least on.
    @Test("keep their pictures inside the area, apart, and in order, whatever the sizes")
    func cells() {
        let seed = RandomTest.seed(of: "collage cells")
        var random = SeededGenerator(seed: seed)
        for round in 0..<(Self.rounds * 10) {
            let picture = (random.next(in: 16...4000), random.next(in: 16...4000))
            let area = PixelArea(
                x: random.next(in: 0...50), y: random.next(in: 0...50), width: random.next(in: 64...2500),
                height: random.next(in: 64...2500))
            for layout in CollageLayout.allCases {
                for count in CollageCells.counts {
                    let cells = CollageCells(layout, count: count, picture: picture, in: area).cells
                    #expect(cells.count == count)
                    for (index, cell) in cells.enumerated() {
                        let isInside =
                            cell.x >= area.x && cell.y >= area.y && cell.x + cell.width <= area.x + area.width
                            && cell.y + cell.height <= area.y + area.height && cell.width > 0 && cell.height > 0
                        #expect(isInside, "seed \(seed), round \(round): \(cell) in \(area)")
                        for other in cells[(index + 1)...] {
                            #expect(
                                cell.x + cell.width < other.x || cell.y + cell.height < other.y,
                                "seed \(seed), round \(round): \(cell) and \(other)")
                        }
                    }
                }
            }
        }
    }

    /// The pixels of a part, each weighted by the area that a new pixel covers of it: in fractions, one by one.
    @Test("average exactly: each new pixel is the rounded mean of the area that it covers")
    func average() {
        let seed = RandomTest.seed(of: "averages")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<Self.rounds {
            let (width, height) = (random.next(in: 1...40), random.next(in: 1...40))
            let image = RGBImage(
                width: width, height: height,
                pixels: (0..<(width * height * 3)).map { _ in UInt8(random.next(in: 0...255)) })
            let (x, y) = (random.next(in: 0...(width - 1)), random.next(in: 0...(height - 1)))
            let part = PixelArea(
                x: x, y: y, width: random.next(in: 1...(width - x)), height: random.next(in: 1...(height - y)))
            let (newWidth, newHeight) = (random.next(in: 1...50), random.next(in: 1...50))
            let result = image.averaged(part, width: newWidth, height: newHeight)
            #expect(
                result == naive(image, part, newWidth, newHeight),
                "seed \(seed): \(part) to \(newWidth)x\(newHeight)")
        }
    }

    private func naive(_ image: RGBImage, _ part: PixelArea, _ width: Int, _ height: Int) -> RGBImage {
        func shared(_ pixel: Int, _ new: Int, _ length: Int, _ newLength: Int) -> Int {
            max(0, min((pixel + 1) * newLength, (new + 1) * length) - max(pixel * newLength, new * length))
        }
        var pixels: [UInt8] = []
        for row in 0..<height {
            for column in 0..<width {
                for channel in 0..<3 {
                    var sum = 0
                    for y in 0..<part.height {
                        for x in 0..<part.width {
                            let weight =
                                shared(x, column, part.width, width) * shared(y, row, part.height, height)
                            guard weight > 0 else { continue }
                            let at = ((part.y + y) * image.width + part.x + x) * 3 + channel
                            sum += weight * Int(image.pixels[at])
                        }
                    }
                    let total = part.width * part.height
                    pixels.append(UInt8((sum + total / 2) / total))
                }
            }
        }
        return RGBImage(width: width, height: height, pixels: pixels)
    }

    /// Four pictures of one colour each, of every subsampling and coding, some with odd sizes.
    @Test("show each picture in its own cell, whatever its size, subsampling and coding")
    func mounting() throws {
        let seed = RandomTest.seed(of: "collages")
        var random = SeededGenerator(seed: seed)
        let colours: [(UInt8, UInt8, UInt8)] = [(200, 40, 40), (40, 160, 60), (50, 60, 190), (220, 200, 60)]
        for _ in 0..<max(1, Self.rounds / 8) {
            let size = (random.next(in: 33...700), random.next(in: 33...700))
            var pictures: [CollageMounter.Picture] = []
            for colour in colours {
                let compressor = JPEGCompressor(
                    quality: random.next(in: 60...95),
                    subsampling: random.pick(JPEGCompressor.Subsampling.allCases),
                    restarts: random.pick([.none, .rows(1), .units(5)]),
                    coding: random.pick(JPEGCompressor.Coding.allCases))
                let data = try compressor.compress(Self.plain(colour, size))
                pictures.append(CollageMounter.Picture(data, width: size.0, height: size.1))
            }
            let card = CollageCells.cardSize(width: 640, height: 480)
            let area = PixelArea(x: 20, y: 20, width: 600, height: 300)
            let style = CollageStyle(
                paper: .init(red: 251, green: 241, blue: 216), line: .init(red: 42, green: 18, blue: 12), area: area)
            let count = random.next(in: CollageCells.counts)
            let layout = random.pick(CollageLayout.allCases)
            let chosen = Array(pictures.prefix(count))
            let data = try CollageMounter(limits: JPEGLimits(), memory: .unbounded).mount(
                chosen, layout, style: style, card: card)
            let image = try JPEGDecoder().decode(data).image
            #expect((image.width, image.height) == card)
            let cells = CollageCells(layout, count: count, picture: size, in: area).cells
            for (cell, colour) in zip(cells, colours) {
                let found = Self.pixel(image, cell.x + cell.width / 2, cell.y + cell.height / 2)
                #expect(
                    Self.distance(found, colour) < 24,
                    "seed \(seed): \(found) is not \(colour), \(layout) \(count)")
            }
            #expect(Self.distance(Self.pixel(image, 5, card.height - 5), (251, 241, 216)) < 12)
            let structure = try JPEGStructure(parsing: data)
            #expect(structure.segments.contains { $0.marker == .restartInterval })
        }
    }

    @Test("refuse a picture whose scan is damaged, and say which")
    func damage() throws {
        let sound = try JPEGCompressor(restarts: .none).compress(Self.plain((90, 120, 60), (320, 240), isNoisy: true))
        let cut = FrameData(Array(sound.array.prefix(sound.count / 2)) + [0xFF, 0xD9])
        let pictures = [sound, cut].map { CollageMounter.Picture($0, width: 320, height: 240) }
        let style = CollageStyle(
            paper: .init(red: 255, green: 255, blue: 255), line: .init(red: 0, green: 0, blue: 0),
            area: PixelArea(x: 0, y: 0, width: 300, height: 200))
        let failure = try #require(throws: CollageMounter.Failure.self) {
            try CollageMounter(limits: JPEGLimits(), memory: .unbounded).mount(
                pictures, .strip, style: style, card: (320, 212))
        }
        #expect(failure.damagedIndex == 1)
    }

    private static func plain(
        _ colour: (UInt8, UInt8, UInt8), _ size: (Int, Int), isNoisy: Bool = false
    ) -> RGBImage {
        var pixels: [UInt8] = []
        for index in 0..<(size.0 * size.1) {
            let noise = isNoisy ? UInt8(truncatingIfNeeded: (index &* 2_654_435_761) >> 11) & 63 : 0
            pixels += [colour.0 &+ noise, colour.1 &+ noise, colour.2 &+ noise]
        }
        return RGBImage(width: size.0, height: size.1, pixels: pixels)
    }

    private static func pixel(_ image: RGBImage, _ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8) {
        let at = (y * image.width + x) * 3
        return (image.pixels[at], image.pixels[at + 1], image.pixels[at + 2])
    }

    private static func distance(_ one: (UInt8, UInt8, UInt8), _ other: (UInt8, UInt8, UInt8)) -> Int {
        max(
            abs(Int(one.0) - Int(other.0)), abs(Int(one.1) - Int(other.1)), abs(Int(one.2) - Int(other.2)))
    }
}

extension CollageMounter.Failure {
    fileprivate var damagedIndex: Int? {
        if case .damaged(let index) = self { return index }
        return nil
    }
}

extension SeededGenerator {
    fileprivate mutating func next(in range: ClosedRange<Int>) -> Int { .random(in: range, using: &self) }

    fileprivate mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[next(in: 0...(elements.count - 1))]
    }
}
