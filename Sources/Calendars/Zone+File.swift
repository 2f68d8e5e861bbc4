extension Zone {
    /// The most bytes of a file: the largest of the database has 3.5 kB, before 2020 bundles had 40 kB.
    static let mostBytes = 64 << 10

    /// Reads a TZif file (RFC 9636), of any version; nil for what is no such file.
    ///
    /// - Parameters:
    ///   - bytes: of the file.
    ///   - name: of the zone.
    public init?(file bytes: [UInt8], name: String) {
        guard bytes.count <= Self.mostBytes, let first = TZifBlock(bytes, at: 0, wide: false) else { return nil }
        // From version 2 on a second block has numbers of 64 bits, and a footer follows it.
        guard first.version >= 0x32 else {
            guard let table = first.table(bytes) else { return nil }
            self.init(name: name, table, rule: nil)
            return
        }
        guard let block = TZifBlock(bytes, at: first.end, wide: true), let table = block.table(bytes) else {
            return nil
        }
        let footer = bytes[block.end...]
        var rule: ZoneRule?
        if footer.first == 0x0A, let end = footer.dropFirst().firstIndex(of: 0x0A), end > footer.startIndex + 1 {
            rule = ZoneRule(String(decoding: footer[(footer.startIndex + 1)..<end], as: UTF8.self))
        }
        self.init(name: name, table, rule: rule)
    }

    private init(name: String, _ table: TZifBlock.Table, rule: ZoneRule?) {
        self.init(name: name, changes: table.changes, offsets: table.offsets, first: table.first, rule: rule)
    }
}

/// One header of a TZif file with its data block (RFC 9636 section 3.1).
private struct TZifBlock {
    struct Table {
        let changes: [Int]
        let offsets: [Int]
        let first: Int
    }

    let version: UInt8
    let end: Int
    private let start: Int
    private let size: Int
    private let timeCount: Int
    private let typeCount: Int

    init?(_ bytes: [UInt8], at start: Int, wide: Bool) {
        guard start >= 0, bytes.count - start >= 44, bytes[start..<start + 4].elementsEqual("TZif".utf8) else {
            return nil
        }
        version = bytes[start + 4]
        let counts = (0..<6).map { Self.number(bytes, start + 20 + $0 * 4, 4) }
        // Of the database at most a few hundred; every count fits the file's bound.
        guard counts.allSatisfy({ (0...Zone.mostBytes).contains($0) }) else { return nil }
        let (isUTC, isStandard, leaps, times, types, characters) =
            (counts[0], counts[1], counts[2], counts[3], counts[4], counts[5])
        size = wide ? 8 : 4
        self.start = start + 44
        timeCount = times
        typeCount = types
        end = self.start + times * (size + 1) + types * 6 + characters + leaps * (size + 4) + isStandard + isUTC
        guard end <= bytes.count, types > 0 || !wide else { return nil }
    }

    func table(_ bytes: [UInt8]) -> Table? {
        let indices = start + timeCount * size
        let types = indices + timeCount
        var changes: [Int] = []
        var offsets: [Int] = []
        func offset(_ type: Int) -> Int? {
            guard type < typeCount else { return nil }
            let offset = Self.number(bytes, types + type * 6, 4)
            // RFC 9636 section 3.2: no farther than 26 hours.
            return abs(offset) < 93_600 ? offset : nil
        }
        for place in 0..<timeCount {
            let change = Self.number(bytes, start + place * size, size)
            guard let offset = offset(Int(bytes[indices + place])), changes.last.map({ $0 < change }) ?? true else {
                return nil
            }
            // Far beyond any calendar, and arithmetic on it would not fit.
            guard abs(change) < 1 << 50 else { continue }
            changes.append(change)
            offsets.append(offset)
        }
        guard let first = offset(0) else { return nil }
        return Table(changes: changes, offsets: offsets, first: first)
    }

    /// A big-endian number with a sign.
    private static func number(_ bytes: [UInt8], _ start: Int, _ size: Int) -> Int {
        var value: UInt64 = 0
        for byte in bytes[start..<start + size] { value = value << 8 | UInt64(byte) }
        return size == 4 ? Int(Int32(truncatingIfNeeded: value)) : Int(Int64(truncatingIfNeeded: value))
    }
}
