/// How many runs of sixteen zeros stand before the end of each block of an MCU.
struct ZeroRuns {
    private var counts = InlineArray<10, UInt8>(repeating: 0)

    init() {}

    subscript(block: Int) -> Int {
        get { Int(counts[block]) }
        set { counts[block] = UInt8(clamping: newValue) }
    }

    /// How many fit after the last coefficient that is not 0: the block's end must still be said.
    static func room(after last: Int) -> Int { last > 62 ? 0 : (62 - last) / 16 }

    /// The fewest runs that add so many bits, modulo 8.
    ///
    /// - Returns: nil if there is no room, or the tables have no code.
    init?(adding bits: Int, room: ZeroRuns, _ coding: ScanCoding) {
        // Reached remainders, each with its fewest runs; one run at a time, so the first way found is a shortest.
        var ways = InlineArray<8, ZeroRuns?>(repeating: nil)
        ways[0] = ZeroRuns()
        for _ in 0..<8 {
            if let found = ways[bits & 7] {
                self = found
                return
            }
            let known = ways
            for remainder in 0..<8 {
                guard let way = known[remainder] else { continue }
                for (block, role) in coding.roles.enumerated() where way[block] < room[block] {
                    let length = Int(role.ac.code(0xF0) & 31)
                    let reached = (remainder + length) & 7
                    guard length > 0, ways[reached] == nil else { continue }
                    var longer = way
                    longer[block] += 1
                    ways[reached] = longer
                }
            }
        }
        guard let found = ways[bits & 7] else { return nil }
        self = found
    }
}
