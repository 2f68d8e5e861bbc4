/// What the bench asks of a program's file: a little-endian 64-bit ELF (System V ABI, "Object Files").
struct ELFFile {
    /// Whether it has a symbol table beside the one it is linked by.
    let hasSymbols: Bool
    /// The shared libraries that it names.
    let libraries: [String]

    private struct Section {
        let type: UInt64
        let link: Int
        let range: Range<Int>
    }

    private static let symbols: UInt64 = 2
    private static let dynamic: UInt64 = 6
    private static let needed: UInt64 = 1

    /// - Returns: nil if the bytes are no such file, or its parts lie outside it.
    init?(_ bytes: [UInt8]) {
        func number(_ at: Int, _ size: Int) -> UInt64? {
            guard at >= 0, at <= bytes.count - size else { return nil }
            return (0..<size).reduce(0) { $0 | UInt64(bytes[at + $1]) << UInt64($1 * 8) }
        }
        func place(_ at: Int, _ size: Int) -> Int? { number(at, size).flatMap { Int(exactly: $0) } }
        guard bytes.count > 64, bytes[..<4] == [0x7F, 0x45, 0x4C, 0x46], bytes[4] == 2, bytes[5] == 1,
            let table = place(0x28, 8), let size = place(0x3A, 2), let count = place(0x3C, 2), size >= 64,
            table <= bytes.count
        else { return nil }
        var sections: [Section] = []
        for index in 0..<count {
            let at = table + index * size
            guard let type = number(at + 4, 4), let start = place(at + 24, 8), let length = place(at + 32, 8),
                let link = place(at + 40, 4)
            else { return nil }
            // A section of zeros (SHT_NOBITS) has no bytes in the file.
            let isInFile = type != 8 && start <= bytes.count && length <= bytes.count - start
            sections.append(Section(type: type, link: link, range: isInFile ? start..<start + length : 0..<0))
        }
        hasSymbols = sections.contains { $0.type == Self.symbols }
        var libraries: [String] = []
        for section in sections where section.type == Self.dynamic && sections.indices.contains(section.link) {
            let names = bytes[sections[section.link].range]
            for at in stride(from: section.range.lowerBound, to: section.range.upperBound - 15, by: 16)
            where number(at, 8) == Self.needed {
                guard let offset = place(at + 8, 8), offset < names.count else { return nil }
                libraries.append(
                    String(decoding: names.dropFirst(offset).prefix { $0 != 0 }, as: UTF8.self))
            }
        }
        self.libraries = libraries
    }
}
