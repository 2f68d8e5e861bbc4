internal import KonzaModel

/// Writes a zip (PKWARE APPNOTE 6.3.10) into a sink, in one pass and without going back: sizes and checksums stand
/// before each file, names are UTF-8 (flag 11), times are UTC in both forms, and ZIP64 (4.3.14, 4.5.3) comes in where
/// a number needs it. The same entries make the same bytes.
struct ZipWriter {
    private let sink: ByteSink
    /// From this value on a number goes into the 64-bit fields; tests lower it.
    private let limit: UInt64
    /// From this number of entries on the directory's end has its 64-bit form.
    private let entryLimit: UInt64
    private var offset: UInt64 = 0
    private var directory: [UInt8] = []
    private var entries: UInt64 = 0

    init(_ sink: @escaping ByteSink, limit: UInt64 = 0xFFFF_FFFF, entryLimit: UInt64 = 0xFFFF) {
        self.sink = sink
        self.limit = limit
        self.entryLimit = entryLimit
    }

    /// Adds a file.
    ///
    /// - Parameters:
    ///   - entry: the file; its content is read once more.
    ///   - measure: what ``ZipEntry/measured()`` said.
    /// - Throws: ``InterchangeError/Reason/photographChanged`` if that is not true any more; the archive is broken then.
    mutating func add(_ entry: ZipEntry, _ measure: ZipEntry.Measure) throws(InterchangeError) {
        let fields = EntryFields(entry, measure, offset: offset, limit: limit)
        try put(fields.localHeader)
        let sent = try entry.send(into: sink)
        guard sent == measure else {
            throw InterchangeError(
                .photographChanged, "cannot go on with \(entry.name): its bytes changed while it was read; try again")
        }
        offset += sent.compressedSize
        directory += fields.directoryHeader
        entries += 1
    }

    /// Writes the directory; to be called last.
    mutating func finish() throws(InterchangeError) {
        let start = offset
        let size = UInt64(directory.count)
        try put(directory)
        var end = LittleEndian()
        if entries >= entryLimit || start >= limit || size >= limit {
            end.add32(0x0606_4B50)
            end.add64(44)
            end.add16(EntryFields.madeBy)
            end.add16(45)
            end.add32(0)
            end.add32(0)
            end.add64(entries)
            end.add64(entries)
            end.add64(size)
            end.add64(start)
            end.add32(0x0706_4B50)
            end.add32(0)
            end.add64(start + size)
            end.add32(1)
        }
        end.add32(0x0605_4B50)
        end.add16(0)
        end.add16(0)
        end.add16(entries >= entryLimit ? 0xFFFF : UInt16(truncatingIfNeeded: entries))
        end.add16(entries >= entryLimit ? 0xFFFF : UInt16(truncatingIfNeeded: entries))
        end.add32(size >= limit ? 0xFFFF_FFFF : UInt32(truncatingIfNeeded: size))
        end.add32(start >= limit ? 0xFFFF_FFFF : UInt32(truncatingIfNeeded: start))
        end.add16(0)
        try put(end.bytes)
    }

    private mutating func put(_ bytes: [UInt8]) throws(InterchangeError) {
        offset += UInt64(bytes.count)
        try sink(bytes)
    }
}

/// The two headers of one entry (4.3.7, 4.3.12).
private struct EntryFields {
    /// Unix, so that the attributes are a file's mode; version 4.5 for ZIP64.
    static let madeBy: UInt16 = 3 << 8 | 45

    let localHeader: [UInt8]
    let directoryHeader: [UInt8]

    init(_ entry: ZipEntry, _ measure: ZipEntry.Measure, offset: UInt64, limit: UInt64) {
        let name = Array(entry.name.utf8)
        let isLarge = measure.size >= limit || measure.compressedSize >= limit
        let isFar = offset >= limit
        let time = Self.timeField(entry.time)

        var common = LittleEndian()
        common.add16(isLarge || isFar ? 45 : 20)
        common.add16(1 << 11)
        common.add16(entry.isCompressed ? 8 : 0)
        common.add32(Self.dosTime(entry.time))
        common.add32(measure.crc)
        common.add32(isLarge ? 0xFFFF_FFFF : UInt32(truncatingIfNeeded: measure.compressedSize))
        common.add32(isLarge ? 0xFFFF_FFFF : UInt32(truncatingIfNeeded: measure.size))
        common.add16(UInt16(truncatingIfNeeded: name.count))

        var sizes = LittleEndian()
        if isLarge {
            sizes.add64(measure.size)
            sizes.add64(measure.compressedSize)
        }
        let localExtra = Self.zip64Field(sizes.bytes) + time
        var local = LittleEndian()
        local.add32(0x0403_4B50)
        local.bytes += common.bytes
        local.add16(UInt16(truncatingIfNeeded: localExtra.count))
        localHeader = local.bytes + name + localExtra

        if isFar { sizes.add64(offset) }
        let directoryExtra = Self.zip64Field(sizes.bytes) + time
        var central = LittleEndian()
        central.add32(0x0201_4B50)
        central.add16(Self.madeBy)
        central.bytes += common.bytes
        central.add16(UInt16(truncatingIfNeeded: directoryExtra.count))
        central.add16(0)
        central.add16(0)
        central.add16(0)
        central.add32(0o100644 << 16)
        central.add32(isFar ? 0xFFFF_FFFF : UInt32(truncatingIfNeeded: offset))
        directoryHeader = central.bytes + name + directoryExtra
    }

    private static func zip64Field(_ content: [UInt8]) -> [UInt8] {
        guard !content.isEmpty else { return [] }
        var field = LittleEndian()
        field.add16(0x0001)
        field.add16(UInt16(truncatingIfNeeded: content.count))
        return field.bytes + content
    }

    /// Info-ZIP's extended timestamp: seconds since 1970, UTC; none outside of 32 bits.
    private static func timeField(_ time: UTCInstant) -> [UInt8] {
        guard let seconds = Int32(exactly: time.nanoseconds / 1_000_000_000) else { return [] }
        var field = LittleEndian()
        field.add16(0x5455)
        field.add16(5)
        field.bytes.append(1)
        field.add32(UInt32(bitPattern: seconds))
        return field.bytes
    }

    /// MS-DOS date and time (4.4.6), to two seconds, of 1980 to 2107. It has no zone; here it is UTC.
    private static func dosTime(_ time: UTCInstant) -> UInt32 {
        let civil = CivilTime(time)
        guard civil.year >= 1980 else { return 1 << 21 | 1 << 16 }
        guard civil.year <= 2107 else { return 127 << 25 | 12 << 21 | 31 << 16 }
        let date = UInt32(civil.year - 1980) << 9 | UInt32(civil.month) << 5 | UInt32(civil.day)
        return date << 16 | UInt32(civil.hour) << 11 | UInt32(civil.minute) << 5 | UInt32(civil.second / 2)
    }
}

private struct LittleEndian {
    var bytes: [UInt8] = []

    mutating func add16(_ value: UInt16) { add(UInt64(value), 2) }
    mutating func add32(_ value: UInt32) { add(UInt64(value), 4) }
    mutating func add64(_ value: UInt64) { add(value, 8) }

    private mutating func add(_ value: UInt64, _ count: Int) {
        for index in 0..<UInt64(count) { bytes.append(UInt8(truncatingIfNeeded: value >> (index * 8))) }
    }
}
