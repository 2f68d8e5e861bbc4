import KonzaTesting
import Testing

@testable import KonzaFleet

@Suite("The pauses before a broker is tried again")
struct BackOffTests {
    @Test("spread the first tries over a window, and double from there to a quarter of an hour")
    func windows() {
        var backOff = BackOff(spread: 40)
        #expect(backOff.pause(random: 0.5) == 20)
        let further = (0..<12).map { _ in backOff.pause(random: 0.999) }
        #expect(further == further.sorted() && (further.last ?? 0) < BackOff.longest)
        #expect(further[0] >= 39 && further[11] > 800)
        backOff.connected()
        #expect(backOff.pause(random: 0.25) == 10)
    }

    @Test(
        "a name that somebody else uses is noticed after four short connections, and a broker that is away is not that")
    func takeovers() {
        var sense = TakeoverSense()
        #expect(!(0..<20).contains { _ in sense.ended(wasUp: false, after: 1) })
        #expect((0..<4).map { _ in sense.ended(wasUp: true, after: 30) } == [false, false, false, true])
        #expect((0..<3).map { _ in sense.ended(wasUp: true, after: 30) } == [false, false, false])
        #expect(!sense.ended(wasUp: true, after: 3600) && !sense.ended(wasUp: true, after: 30))
    }

    @Test("a broker that is restarted again and again is no other machine of the same name")
    func restarts() {
        var sense = TakeoverSense()
        for _ in 0..<20 {
            let isTakenOver = sense.ended(wasUp: true, after: 5)
            #expect(!isTakenOver)
            sense.brokerWentAway()
        }
        #expect((0..<4).map { _ in sense.ended(wasUp: true, after: 5) } == [false, false, false, true])
    }

    @Test("bring two thousand boxes back evenly: no tenth of the window has more than a sixth of them")
    func evenly() {
        var generator = SeededGenerator(seed: 2026)
        var tenths = [Int](repeating: 0, count: 10)
        for _ in 0..<2000 {
            var backOff = BackOff(spread: 40)
            tenths[Int(backOff.pause(random: .random(in: 0..<1, using: &generator)) / 4)] += 1
        }
        #expect((tenths.max() ?? 0) < 2000 / 6)
    }
}
