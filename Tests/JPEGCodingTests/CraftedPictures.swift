import KonzaModel

/// JPEGs of a few bytes that claim any size: every code is one bit, 0, for a difference of zero or the end of a block.
enum CraftedPicture {
    enum Kind: CaseIterable {
        /// One scan of all three components.
        case interleaved
        /// Sequential, one scan for each component: libjpeg keeps all coefficients.
        case scanEach
        /// DC alone, as a first scan of a progressive picture.
        case progressive
        /// One scan of all, coded arithmetically.
        case arithmetic
    }

    /// A picture of so many pixels, with so many bytes of zeros in each scan, or as many as its blocks need.
    static func make(_ kind: Kind, width: Int, height: Int, scanBytes: Int? = nil) -> [UInt8] {
        func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
            [0xFF, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 255)] + payload
        }
        func size(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }
        var bytes: [UInt8] = [0xFF, 0xD8] + segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        let frame: UInt8 =
            switch kind {
            case .interleaved, .scanEach: 0xC0
            case .progressive: 0xC2
            case .arithmetic: 0xC9
            }
        bytes += segment(
            frame, [8] + size(height) + size(width) + [3] + (1...3).flatMap { [UInt8($0), 0x11, 0] })
        if kind != .arithmetic {
            // One code of one bit, for the symbol 0; the standard keeps the code of ones free.
            for table in [0x00, 0x10] as [UInt8] {
                bytes += segment(0xC4, [table, 1] + [UInt8](repeating: 0, count: 16))
            }
        }
        let blocks = ((width + 7) / 8) * ((height + 7) / 8)
        let isProgressive = kind == .progressive
        let spectrum: [UInt8] = isProgressive ? [0, 0, 0] : [0, 63, 0]
        let scans: [[UInt8]] = kind == .scanEach ? [[1], [2], [3]] : [[1, 2, 3]]
        for scan in scans {
            bytes += segment(0xDA, [UInt8(scan.count)] + scan.flatMap { [$0, 0] } + spectrum)
            let bits = blocks * scan.count * (isProgressive ? 1 : 2)
            bytes += [UInt8](repeating: 0, count: scanBytes ?? (bits + 7) / 8)
        }
        return bytes + [0xFF, 0xD9]
    }
}
