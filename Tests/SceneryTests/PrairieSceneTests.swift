import KonzaModel
import Testing

@testable import Scenery

@Suite("The prairie scene")
struct PrairieSceneTests {
    private let noon = SceneMoment(hour: 13, dayOfYear: 200)

    private func scene(_ width: Int = 192, _ height: Int = 108) throws -> PrairieScene {
        try #require(PrairieScene(width: width, height: height))
    }

    /// The mean of a channel over some rows.
    private func mean(_ image: RGBImage, rows: Range<Int>, channel: Int) -> Double {
        var sum = 0
        for y in rows {
            for x in 0..<image.width { sum += Int(image.pixels[(y * image.width + x) * 3 + channel]) }
        }
        return Double(sum) / Double(rows.count * image.width)
    }

    @Test("the same size, moment and frame give the same picture")
    func repeatable() throws {
        let one = try scene().frame(index: 42, at: noon)
        let other = try scene()
        _ = other.frame(index: 7, at: SceneMoment(hour: 3, dayOfYear: 1))
        _ = other.frame(index: 7, at: noon)
        #expect(other.frame(index: 42, at: noon) == one)
        other.releaseMemory()
        #expect(other.keptBytes == 0)
        #expect(other.frame(index: 42, at: noon) == one)
        // The frame, and its lower half without the grass that moves.
        #expect(other.keptBytes == 192 * (108 + 54) * 3)
    }

    @Test("the wind moves the grass and leaves the sky alone")
    func wind() throws {
        let scene = try scene(320, 180)
        let first = scene.frame(index: 0, at: noon)
        let second = scene.frame(index: 10, at: noon)
        #expect(first != second)
        let sky = 320 * 80 * 3
        #expect(first.pixels[..<sky] == second.pixels[..<sky])
    }

    @Test("the grass that moves stands in the lower rows, which are painted anew, and has room above it")
    func reach() throws {
        for (width, height) in [(320, 180), (180, 320), (200, 200)] {
            let scene = try scene(width, height)
            // In autumn it is highest.
            let autumn = SceneMoment(hour: 13, dayOfYear: 250)
            let first = scene.frame(index: 0, at: autumn)
            let top = (height - min(width, height) / 2) * width * 3
            let room = 2 * width * 3
            for index in stride(from: UInt64(5), to: 100, by: 5) {
                let frame = scene.frame(index: index, at: autumn)
                #expect(frame.pixels[..<(top + room)] == first.pixels[..<(top + room)])
                #expect(frame.pixels[(top + room)...] != first.pixels[(top + room)...])
            }
        }
    }

    @Test(
        "every hour, season and shape of picture can be drawn", arguments: [0, 5.5, 6.5, 12, 18, 19.8, 21, 24],
        [1, 100, 172, 290, 366])
    func anyMoment(hour: Double, day: Int) throws {
        for (width, height) in [(64, 64), (160, 90), (90, 160)] {
            let image = try scene(width, height).frame(index: .max, at: SceneMoment(hour: hour, dayOfYear: day))
            #expect(image.pixels.count == width * height * 3)
            #expect(Set(image.pixels).count > 8)
        }
    }

    @Test("it is bright by day, blue and dim but not black by night, and red in the evening")
    func light() throws {
        let scene = try scene()
        let day = scene.frame(index: 0, at: noon)
        let night = scene.frame(index: 0, at: SceneMoment(hour: 0.5, dayOfYear: 200))
        // Sunset at Konza on 22 September is about 19:25 by daylight saving time.
        let evening = scene.frame(index: 0, at: SceneMoment(hour: 19.3, dayOfYear: 265))
        #expect(mean(day, rows: 0..<40, channel: 2) > 150)
        #expect(mean(night, rows: 0..<40, channel: 2) < 120)
        #expect(mean(night, rows: 0..<40, channel: 2) > 2 * mean(night, rows: 0..<40, channel: 0))
        // The land lies in moonlight: well below the day's, and to be seen.
        let (meadow, moonlit) = (mean(day, rows: 70..<108, channel: 1), mean(night, rows: 70..<108, channel: 1))
        #expect(moonlit > 25)
        #expect(moonlit < meadow * 0.7)
        #expect(mean(evening, rows: 42..<52, channel: 0) > mean(evening, rows: 42..<52, channel: 2) + 40)
    }

    @Test("the sun stands where it does in Kansas")
    func sun() {
        // At solar noon of the solstices: 90 - 39.1 ± 23.44.
        #expect(abs(Light(SceneMoment(hour: 13.44, dayOfYear: 172)).elevation - 74.3) < 0.5)
        #expect(abs(Light(SceneMoment(hour: 12.44, dayOfYear: 355)).elevation - 27.5) < 0.5)
        #expect(Light(SceneMoment(hour: 1, dayOfYear: 172)).elevation < -15)
    }

    @Test("the grass is green in June and russet in October")
    func season() {
        let june = Season(dayOfYear: 160).grass
        let october = Season(dayOfYear: 290).grass
        #expect(june.y > june.x)
        #expect(october.x > october.y)
    }

    @Test("the cottonwood loses its leaves from October to December and stands bare")
    func leaves() throws {
        let foliage = [200, 285, 300, 330].map { Season(dayOfYear: $0).foliage }
        #expect(foliage.first == 1)
        #expect(foliage.last == 0)
        #expect(foliage == foliage.sorted(by: >))
        let scene = try scene(320, 180)
        let bare = scene.frame(index: 0, at: SceneMoment(hour: 13, dayOfYear: 330))
        // Its twigs are dark against the sky at the top of the crown, where the far hills have not begun.
        let row = 84
        let band = (255..<286).map { Int(bare.pixels[(row * 320 + $0) * 3 + 2]) }
        #expect((band.max() ?? 0) - (band.min() ?? 0) > 25)
    }

    @Test("a size out of range is refused", arguments: [(63, 64), (64, 8193), (-1, 100), (0, 0)])
    func size(size: (Int, Int)) { #expect(PrairieScene(width: size.0, height: size.1) == nil) }

    @Test("a moment out of range is brought into it")
    func moment() {
        #expect(SceneMoment(hour: .nan, dayOfYear: -4) == SceneMoment(hour: 12, dayOfYear: 1))
        #expect(SceneMoment(hour: 99, dayOfYear: 999) == SceneMoment(hour: 24, dayOfYear: 366))
    }
}
