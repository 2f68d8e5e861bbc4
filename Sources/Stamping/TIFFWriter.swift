/// One entry of a TIFF directory (TIFF 6.0 section 2), big-endian.
struct TIFFEntry {
    let tag: UInt16
    let type: UInt16
    let count: UInt32
    let value: [UInt8]

    /// Type 1.
    static func bytes(_ tag: UInt16, _ value: [UInt8]) -> TIFFEntry {
        TIFFEntry(tag: tag, type: 1, count: UInt32(clamping: value.count), value: value)
    }

    /// Type 2. The count includes the NUL. EXIF 2.32 means ASCII; bytes beyond are UTF-8, as readers expect today.
    static func text(_ tag: UInt16, _ value: String) -> TIFFEntry {
        let bytes = Array(value.utf8) + [0]
        return TIFFEntry(tag: tag, type: 2, count: UInt32(clamping: bytes.count), value: bytes)
    }

    /// Type 3.
    static func short(_ tag: UInt16, _ value: UInt16) -> TIFFEntry {
        TIFFEntry(tag: tag, type: 3, count: 1, value: value.bigEndianBytes)
    }

    /// Type 4.
    static func long(_ tag: UInt16, _ value: UInt32) -> TIFFEntry {
        TIFFEntry(tag: tag, type: 4, count: 1, value: value.bigEndianBytes)
    }

    /// Type 5.
    static func rationals(_ tag: UInt16, _ values: [Rational]) -> TIFFEntry {
        TIFFEntry(
            tag: tag, type: 5, count: UInt32(clamping: values.count),
            value: values.flatMap { $0.numerator.bigEndianBytes + $0.denominator.bigEndianBytes })
    }

    /// Type 7.
    static func undefined(_ tag: UInt16, _ value: [UInt8]) -> TIFFEntry {
        TIFFEntry(tag: tag, type: 7, count: UInt32(clamping: value.count), value: value)
    }
}

/// A TIFF directory to be laid out at an offset.
struct TIFFDirectory {
    var entries: [TIFFEntry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Directory and values together.
    var byteCount: Int {
        entries.reduce(6 + 12 * entries.count) { $0 + ($1.value.count > 4 ? $1.value.count + $1.value.count % 2 : 0) }
    }

    /// Entries rise by tag; values of more than four bytes follow on even offsets.
    ///
    /// - Parameters:
    ///   - offset: Of the directory in the TIFF stream.
    ///   - next: Offset of the next directory, 0 for none.
    /// - Returns: `byteCount` bytes.
    func laidOut(at offset: Int, next: Int) -> [UInt8] {
        var directory = UInt16(clamping: entries.count).bigEndianBytes
        var values: [UInt8] = []
        let valuesOffset = offset + 6 + 12 * entries.count
        for entry in entries.sorted(by: { $0.tag < $1.tag }) {
            directory += entry.tag.bigEndianBytes + entry.type.bigEndianBytes + entry.count.bigEndianBytes
            if entry.value.count <= 4 {
                directory += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
            } else {
                directory += UInt32(clamping: valuesOffset + values.count).bigEndianBytes
                values += entry.value
                if values.count % 2 == 1 { values.append(0) }
            }
        }
        return directory + UInt32(clamping: next).bigEndianBytes + values
    }
}

extension FixedWidthInteger {
    var bigEndianBytes: [UInt8] {
        (0..<(Self.bitWidth / 8)).reversed().map { UInt8(truncatingIfNeeded: self >> Self($0 * 8)) }
    }
}
