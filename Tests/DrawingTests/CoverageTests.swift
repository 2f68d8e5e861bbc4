import KonzaTesting
import Testing

@testable import Drawing

@Suite("Outlines with fewer points, and shadows at half the resolution")
struct CoverageTests {
    private static let seed: UInt64 = 20_261_123

    @Test("a thinned polyline keeps its ends, and every point that is left out lies within the tolerance of it")
    func thinning() {
        var random = SeededGenerator(seed: Self.seed)
        for round in 0..<40 {
            let tolerance = ([0.01, 0.1, 1] as [Double]).randomElement(using: &random) ?? 1
            var point = Point(0, 0)
            var points = [point]
            for _ in 0..<Int.random(in: 0...300, using: &random) {
                let isCorner = Int.random(in: 0..<20, using: &random) == 0
                let rise = isCorner ? 20.0 : tolerance
                point = point + Point(3, Double.random(in: -rise...rise, using: &random))
                points.append(point)
            }
            let thinned = points.thinned(tolerance: tolerance)
            #expect(thinned.first == points.first && thinned.last == points.last)
            #expect(points.count < 20 || thinned.count < points.count, "seed \(Self.seed), round \(round)")
            let strays = points.map { point in
                zip(thinned, thinned.dropFirst()).map { distance(point, $0, $1) }.min() ?? 0
            }
            #expect((strays.max() ?? 0) <= tolerance * 1.000_001, "seed \(Self.seed), round \(round)")
        }
    }

    @Test("thinning leaves curves and the corners of a shape as they are, and turns round where a line goes back")
    func corners() {
        let box = Outline(Box(left: 0, top: 0, right: 30, bottom: 20), radius: 5)
        #expect(box.thinned(tolerance: 0.1) == box)
        let split = Outline(Box(left: 0, top: 0, right: 30, bottom: 20)).subdivided(step: 1)
        #expect(split.elements.count == 102)
        #expect(split.thinned(tolerance: 0.1).elements.count == 6)
        let spike = [Point(0, 0), Point(10, 0), Point(5, 0)]
        #expect(spike.thinned(tolerance: 1) == spike)
    }

    @Test("a doubled coverage is the one between its pixels, weighed by their distance")
    func doubling() {
        var random = SeededGenerator(seed: Self.seed)
        for round in 0..<20 {
            let (width, height) = (Int.random(in: 1...20, using: &random), Int.random(in: 1...20, using: &random))
            let bytes = (0..<(width * height)).map { _ in UInt8.random(in: 0...255, using: &random) }
            let found = Coverage(bytes: bytes, width: width, height: height).doubled
            var expected: [UInt8] = []
            func value(_ x: Int, _ y: Int) -> Int {
                Int(bytes[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)])
            }
            for y in 0..<(2 * height) {
                for x in 0..<(2 * width) {
                    let (across, down) = (x / 2 + (x % 2 == 0 ? -1 : 1), y / 2 + (y % 2 == 0 ? -1 : 1))
                    let sum =
                        9 * value(x / 2, y / 2) + 3 * value(across, y / 2) + 3 * value(x / 2, down)
                        + value(across, down)
                    expected.append(UInt8((sum + 8) / 16))
                }
            }
            let isEqual = found == Coverage(bytes: expected, width: 2 * width, height: 2 * height)
            #expect(isEqual, "seed \(Self.seed), round \(round)")
        }
    }

    @Test("a wide shadow at half the resolution is the one at the whole, within 5 %", arguments: [12.0, 16, 40])
    func halfResolution(blur: Double) throws {
        let area = PixelRect(x: 7, y: 11, width: 151, height: 113)
        let disc = Outline(Box(left: 50, top: 45, right: 110, bottom: 80), radius: 15)
        func shadow(_ reduction: Int) throws -> Coverage {
            let canvas = try Canvas(coverageOf: area, reduction: reduction)
            let black = Paint.color(Color(red: 0, green: 0, blue: 0))
            canvas.fill(disc, black, over: area.box)
            canvas.stroke(disc, black, width: 5, over: area.box)
            return try canvas.coverage().blurred(radius: blur / 2 / Double(reduction))
        }
        let (whole, half) = (try shadow(1), try shadow(2).doubled)
        #expect(whole.bytes.contains { $0 > 100 })
        var worst = 0
        for y in 0..<area.height {
            for x in 0..<area.width {
                let difference = Int(whole.bytes[y * whole.width + x]) - Int(half.bytes[y * half.width + x])
                worst = max(worst, abs(difference))
            }
        }
        #expect(worst <= 12)
    }

    private func distance(_ point: Point, _ start: Point, _ end: Point) -> Double {
        let chord = end - start
        let offset = point - start
        let along = (offset.x * chord.x + offset.y * chord.y) / (chord.length * chord.length)
        return (offset - chord * min(max(along, 0), 1)).length
    }
}
