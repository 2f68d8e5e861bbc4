/// Chance that can be repeated: the same seed gives the same numbers on every machine. `random.js` of the pages has the same
/// (mulberry32, begun by the FNV-1a hash of the seed); `Tests/Pages/learning_vectors.json` holds both to one another.
struct SeededChance: Sendable {
    private var state: UInt32

    /// - Parameter seed: any text.
    init(_ seed: String) {
        state = seed.utf8.reduce(0x811c_9dc5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }

    /// - Returns: the next number, from 0 to below 1.
    mutating func next() -> Double {
        state = state &+ 0x6d2b_79f5
        var mixed = (state ^ (state >> 15)) &* (state | 1)
        mixed = (mixed &+ ((mixed ^ (mixed >> 7)) &* (mixed | 61))) ^ mixed
        return Double(mixed ^ (mixed >> 14)) / 4_294_967_296
    }

    /// - Returns: another order of the same items (Fisher and Yates); all orders are alike.
    mutating func shuffled<Item>(_ items: [Item]) -> [Item] {
        var order = items
        for last in stride(from: order.count - 1, to: 0, by: -1) {
            order.swapAt(last, Int(next() * Double(last + 1)))
        }
        return order
    }

    /// The right answer among wrong ones.
    ///
    /// - Parameters:
    ///   - right: what is right.
    ///   - near: lists of candidates, the most plausible first; each is taken in a random order.
    ///   - count: how many there are to choose from, the right one included; fewer where there are not so many.
    /// - Returns: them in a random order.
    mutating func choices<Item: Equatable>(_ right: Item, near: [[Item]], count: Int) -> [Item] {
        var wrong: [Item] = []
        for list in near {
            for item in shuffled(list) where wrong.count < count - 1 && item != right && !wrong.contains(item) {
                wrong.append(item)
            }
        }
        return shuffled([right] + wrong)
    }
}
