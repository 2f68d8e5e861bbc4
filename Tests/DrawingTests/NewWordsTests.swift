import KonzaModel
import KonzaTesting
import Testing

@testable import Drawing

@Suite("Drawing new words over what is kept")
struct NewWordsTests {
    private static let seed: UInt64 = 20_261_122

    private static func facts(using random: inout SeededGenerator) -> PostcardFacts {
        func perhaps<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
        return PostcardFacts(
            place: perhaps("Konza") ?? "Kings Creek",
            time: CivilTime(
                year: 2026, month: 5, day: Int.random(in: 1...28, using: &random), hour: 12,
                minute: Int.random(in: 0...59, using: &random)), zone: "CDT",
            coordinate: perhaps(Double.random(in: -80...80, using: &random)).flatMap {
                Coordinate(latitude: $0, longitude: -96.6)
            },
            elevationMetres: perhaps(Double.random(in: 0...4000, using: &random)),
            message: perhaps("") ?? ["Wish you were here!", "The bluestem is taller\nthan we are", "39", "Καλημέρα"]
                .randomElement(using: &random) ?? "")
    }

    @Test(
        "a drawing over what is kept is that of an artist who keeps nothing",
        arguments: ShippedTemplates.names, [(640, 400), (360, 640)])
    func equal(name: String, size: (Int, Int)) throws {
        var random = SeededGenerator(seed: Self.seed)
        let template = try shipped(name)
        let artist = PostcardArtist()
        for round in 0..<8 {
            let facts = Self.facts(using: &random)
            let fresh = PostcardArtist(cacheBytes: 0)
            let expected = try fresh.overlay(template: template, width: size.0, height: size.1, facts: facts)
            let found = try artist.overlay(template: template, width: size.0, height: size.1, facts: facts)
            let isEqual = found == expected
            #expect(isEqual, "seed \(Self.seed), round \(round)")
        }
    }

    @Test("words that are seen through a shape are drawn anew when they change")
    func inside() throws {
        let words =
            ##"{"type":"text","text":"{message}","font":"Cabin","size":"20s","at":["50w","50h"],"anchor":"center","paint":[{"fill":"#fff"}]}"##
        let template = try template(
            ##"{"type":"panel","at":["50w","50h"],"anchor":"center","width":"60w","height":"60h","paint":[{"fill":"#204030"},{"inside":[\##(words)]}]}"##
        )
        let artist = PostcardArtist()
        let first = try artist.overlay(
            template: template, width: 320, height: 240, facts: PostcardFacts(place: "", message: "one"))
        let second = try artist.overlay(
            template: template, width: 320, height: 240, facts: PostcardFacts(place: "", message: "two"))
        #expect(first != second)
    }

    @Test("a fixed item is drawn early only where nothing comes before it")
    func split() {
        func item(_ x: Int, _ isFixed: Bool) -> PlacedItem {
            let rect = PixelRect(x: x, y: 0, width: 10, height: 10)
            var item = DrawItem(bounds: rect.box) { (_: borrowing Canvas) throws(DrawingError) in }
            item.isFixed = isFixed
            return PlacedItem(item: item, rect: rect)
        }
        let (fixed, others) = Ground.split([item(0, true), item(20, false), item(25, true), item(40, true)])
        #expect(fixed.items.map(\.rect.x) == [0, 40])
        #expect(fixed.ground == PixelRect(x: 0, y: 0, width: 50, height: 10))
        #expect(others.map(\.rect.x) == [20, 25])
    }

    @Test("a blur is the mean over its window, three times each way")
    func blur() {
        var random = SeededGenerator(seed: Self.seed)
        for round in 0..<20 {
            let (width, height) = (Int.random(in: 1...40, using: &random), Int.random(in: 1...40, using: &random))
            let radius = Double(Int.random(in: 0...50, using: &random))
            let bytes = (0..<(width * height)).map { _ in
                UInt8([0, 255, Int.random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0)
            }
            let found = BoxBlur.blurred(bytes, width: width, height: height, radius: radius)
            let isEqual = found == plainBlur(bytes, width, height, Int(radius))
            #expect(isEqual, "seed \(Self.seed), round \(round)")
        }
    }

    private func plainBlur(_ bytes: [UInt8], _ width: Int, _ height: Int, _ reach: Int) -> [UInt8] {
        var result = bytes.map { Int($0) }
        func mean(_ values: [Int]) -> [Int] {
            values.indices.map { place in
                let window = values[max(0, place - reach)...min(values.count - 1, place + reach)]
                return (window.reduce(0, +) + reach) / (2 * reach + 1)
            }
        }
        for _ in 0..<(reach > 0 ? 3 : 0) {
            for row in 0..<height {
                result.replaceSubrange(
                    (row * width)..<(row * width + width),
                    with: mean(Array(result[(row * width)..<(row * width + width)])))
            }
            for column in 0..<width {
                let line = mean((0..<height).map { result[$0 * width + column] })
                for row in 0..<height { result[row * width + column] = line[row] }
            }
        }
        return result.map { UInt8($0) }
    }
}
