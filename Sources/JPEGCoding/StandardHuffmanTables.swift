public import KonzaModel

extension JPEGStructure {
    /// The bytes of a DHT segment with the standard tables that the scans lack (T.81 annex K.3; table 0 for luma,
    /// 1 for chroma), or nil if none is missing.
    ///
    /// - Throws: `badHuffmanTable` if a missing table has no standard one.
    public func standardHuffmanSegment() throws(JPEGStructureError) -> [UInt8]? {
        guard !missingHuffmanTables.isEmpty else { return nil }
        guard process.isSequentialHuffman, precision == 8, missingHuffmanTables.allSatisfy({ $0.identifier < 2 })
        else {
            throw JPEGStructureError(
                .badHuffmanTable, at: scans.first?.header.offset ?? 0,
                "a Huffman table is missing that has no standard one")
        }
        var body: [UInt8] = []
        for isAC in [false, true] {
            for identifier in 0...1
            where missingHuffmanTables.contains(TableID(isAC: isAC, identifier: identifier)) {
                body.append((isAC ? 0x10 : 0) | UInt8(identifier))
                body += StandardHuffmanTable.specification(isAC: isAC, identifier: identifier)
            }
        }
        let length = body.count + 2
        return [0xFF, 0xC4, UInt8(length >> 8), UInt8(length & 255)] + body
    }

    /// The picture with the standard Huffman tables inserted before its first scan, where Motion-JPEG left them
    /// out; the same bytes if none is missing.
    ///
    /// - Throws: `badHuffmanTable` if a missing table has no standard one.
    public func withStandardHuffmanTables(_ data: FrameData) throws(JPEGStructureError) -> FrameData {
        guard let tables = try standardHuffmanSegment(), let place = scans.first?.header.offset else { return data }
        return unsafe data.withBytes { bytes in
            var repaired: [UInt8] = []
            repaired.reserveCapacity(bytes.count + tables.count)
            unsafe repaired.append(contentsOf: bytes[..<place])
            repaired.append(contentsOf: tables)
            unsafe repaired.append(contentsOf: bytes[place...])
            return FrameData(repaired)
        }
    }
}

/// The typical tables of T.81 annex K.3, as a DHT segment lists them: 16 counts, then the values.
enum StandardHuffmanTable {
    static func specification(isAC: Bool, identifier: Int) -> [UInt8] {
        switch (isAC, identifier) {
        case (false, 0): [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0] + Array(0...11)
        case (false, _): [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0] + Array(0...11)
        case (true, 0): [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125] + lumaAC + tail(after: lumaAC)
        case (true, _): [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119] + chromaAC + tail(after: chromaAC)
        }
    }

    /// Tables K.5 and K.6 end with all run/size pairs not listed before, in rising order: the 16-bit codes.
    private static func tail(after head: [UInt8]) -> [UInt8] {
        var rest: [UInt8] = []
        for run in UInt8(0)...15 {
            for size in UInt8(1)...10 where !head.contains(run << 4 | size) { rest.append(run << 4 | size) }
        }
        return rest
    }

    /// Table K.5 up to its codes of 15 bits.
    private static let lumaAC: [UInt8] = [
        0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07,
        0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52, 0xD1, 0xF0,
        0x24, 0x33, 0x62, 0x72, 0x82,
    ]

    /// Table K.6 up to its codes of 15 bits.
    private static let chromaAC: [UInt8] = [
        0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71,
        0x13, 0x22, 0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xA1, 0xB1, 0xC1, 0x09, 0x23, 0x33, 0x52, 0xF0,
        0x15, 0x62, 0x72, 0xD1, 0x0A, 0x16, 0x24, 0x34, 0xE1, 0x25, 0xF1,
    ]
}
