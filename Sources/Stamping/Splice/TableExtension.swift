/// Adds codes to Huffman tables that lack some, as tables made for one picture do.
///
/// A code is never changed or shortened, so that all bits coded with the table keep their meaning: new codes have 16
/// bits and follow the last one in use. Room for them is what no code begins with (T.81 annex C); an encoder that obeys
/// the standard leaves at least the code of 1-bits alone.
enum TableExtension {
    /// A DHT segment with the tables that could be extended.
    ///
    /// - Parameter specifications: By identifier, AC tables from 16 on, as in `ScanKey`.
    /// - Returns: nil if no table lacks a code for which it has room.
    static func segment(_ specifications: [Int: ArraySlice<UInt8>]) -> [UInt8]? {
        var body: [UInt8] = []
        for identifier in specifications.keys.sorted() {
            guard let known = specifications[identifier],
                let extended = extended(Array(known), isAC: identifier >= 16)
            else { continue }
            body += [UInt8(identifier)] + extended
        }
        guard !body.isEmpty else { return nil }
        // At most eight tables of 273 bytes.
        let length = body.count + 2
        return [0xFF, 0xC4, UInt8(length >> 8), UInt8(length & 255)] + body
    }

    private static func extended(_ specification: [UInt8], isAC: Bool) -> [UInt8]? {
        guard specification.count >= 16 else { return nil }
        var codes = 0
        for length in 0..<16 { codes = codes * 2 + Int(specification[length]) }
        let symbols = specification[16...]
        // Of 16 bits; the code of 1-bits stays free, and a count has eight bits.
        let room = min((1 << 16) - 1 - codes, 255 - Int(specification[15]), 256 - symbols.count)
        guard room > 0 else { return nil }
        let added = (isAC ? alternating : differences).filter { !symbols.contains($0) }.prefix(room)
        guard !added.isEmpty else { return nil }
        var counts = Array(specification[..<16])
        counts[15] += UInt8(added.count)
        return counts + symbols + added
    }

    /// What DC differences of 8-bit pictures need (T.81 table F.1).
    private static var differences: [UInt8] { Array(0...11) }

    /// What AC coefficients of 8-bit pictures need (T.81 table F.2), the likeliest first: the ends, then by size and run.
    private static var alternating: [UInt8] {
        let pairs = (0...15).flatMap { run in (1...10).map { (run: run, size: $0) } }
        return [0, 0xF0]
            + pairs.sorted { ($0.run + 2 * $0.size, $0.run) < ($1.run + 2 * $1.size, $1.run) }
            .map { UInt8($0.run << 4 | $0.size) }
    }
}
