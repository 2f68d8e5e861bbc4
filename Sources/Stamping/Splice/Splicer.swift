internal import JPEGCoding
internal import KonzaModel

/// Makes the entropy-coded data of a stamped picture: MCUs that the overlay touches anew, all others bit for bit.
struct Splicer: ~Copyable {
    let plan: SplicePlan
    private let scan: JPEGStructure.Scan
    var reader: BitReader
    /// The DC values of the picture, where the reader stands.
    var levels = Levels()
    var output: CodedOutput

    private init(
        _ bytes: UnsafeRawBufferPointer, _ scan: JPEGStructure.Scan, _ plan: SplicePlan, limit: Int
    ) throws(SpliceFault) {
        // The overlay may need more bytes than it hides.
        let room = 4096 + plan.touched.units.count * 64
        guard let reader = unsafe BitReader(bytes, from: scan.entropy.lowerBound),
            let output = CodedOutput(capacity: bytes.count + room, limit: limit)
        else { throw .outputLimit }
        self.plan = plan
        self.scan = scan
        self.reader = reader
        self.output = output
    }

    /// The stamped picture: the header as it is, with Huffman tables that it lacks put before the scan, the scan, EOI.
    static func splice(
        _ jpeg: FrameData, _ scan: JPEGStructure.Scan, _ plan: SplicePlan, addedTables: [UInt8]?, limit: Int
    ) throws(SpliceFault) -> FrameData {
        try unsafe jpeg.withBytes { bytes throws(SpliceFault) in
            var splicer = unsafe try Splicer(bytes, scan, plan, limit: limit)
            unsafe splicer.output.bits.append(UnsafeRawBufferPointer(rebasing: bytes[..<scan.header.offset]))
            if let addedTables { splicer.output.bits.append(addedTables.span) }
            unsafe try splicer.scan(bytes)
            splicer.output.bits.append([0xFF, JPEGMarker.endOfImage.rawValue].span)
            guard !splicer.output.bits.isFull else { throw .outputLimit }
            return splicer.output.bits.finish()
        }
    }

    /// Copies what lies between the intervals that the overlay touches, markers included, and opens those.
    private mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(SpliceFault) {
        var restarts = RestartCursor(scan)
        var copied = scan.header.offset
        var first = 0
        while first < plan.touched.units.count {
            let interval = plan.touched.units[first].index / plan.coding.interval
            let places = plan.touched.places(of: plan.coding.units(ofInterval: interval), from: first)
            guard let range = unsafe restarts.bytes(ofInterval: interval, in: bytes) else {
                throw .broken(offset: scan.entropy.upperBound)
            }
            unsafe output.bits.append(UnsafeRawBufferPointer(rebasing: bytes[copied..<range.lowerBound]))
            if let known = plan.coded.intervals[interval] {
                output.bits.append(known.span)
            } else {
                try unsafe splice(interval: interval, range, places, bytes)
            }
            copied = range.upperBound
            first = places.upperBound
        }
        unsafe output.bits.append(UnsafeRawBufferPointer(rebasing: bytes[copied..<scan.entropy.upperBound]))
    }

    /// Makes one interval anew.
    ///
    /// - Parameters:
    ///   - interval: Its number.
    ///   - range: Its bytes, without the markers around it.
    ///   - places: Of its touched units in the plan, at least one.
    ///   - bytes: The picture.
    /// - Throws: `SpliceFault`.
    private mutating func splice(
        interval: Int, _ range: Range<Int>, _ places: Range<Int>, _ bytes: UnsafeRawBufferPointer
    ) throws(SpliceFault) {
        guard let reader = unsafe BitReader(bytes, from: range.lowerBound) else { return }
        self.reader = reader
        levels = Levels()
        output.levels = Levels()
        output.bits.beginInterval()
        let units = plan.coding.units(ofInterval: interval)
        var next = units.lowerBound
        var first = places.lowerBound
        while first < places.upperBound {
            let run = plan.touched.run(from: first, before: places.upperBound)
            let unit = plan.touched.units[first].index
            try copy(units: unit - next)
            next = unit + run.count
            if next == units.upperBound {
                try stampEnd(run)
            } else if run.upperBound == places.upperBound {
                try stamp(run.dropLast())
                try unsafe finish(
                    after: run.upperBound - 1, units: units.upperBound - next, end: range.upperBound, bytes)
                return
            } else {
                try stamp(run)
            }
            first = run.upperBound
        }
        output.bits.pad()
    }

    /// Stamps the last units of an interval: of those that are hidden to its end, nothing need be read.
    private mutating func stampEnd(_ places: Range<Int>) throws(SpliceFault) {
        let hidden = places.reversed().prefix { plan.touched.units[$0].isOpaque }.count
        try stamp(places.dropLast(hidden))
        try output.put(opaqueUnits: places.suffix(hidden), plan.touched, plan.coding, plan.coded)
    }

    /// Stamps the last touched unit of an interval and copies the rest.
    ///
    /// The rest needs no reading if it keeps its place within the bytes: it is then copied as it is, padding and all.
    /// Runs of zeros before a block's end change no coefficient and move the bits (T.81 F.1.2.2.1 has an encoder leave
    /// them out; decoders count them like others).
    private mutating func finish(
        after place: Int, units: Int, end: Int, _ bytes: UnsafeRawBufferPointer
    ) throws(SpliceFault) {
        let start = (reader, levels, output.levels, output.bits.mark)
        var room = ZeroRuns()
        try stamp(place, zeroRuns: ZeroRuns(), room: &room)
        var rest = try units - correctLevels()
        let shift = (reader.consumed - output.bits.bitLength) & 7
        if rest > 0, shift != 0 {
            guard let runs = ZeroRuns(adding: shift, room: room, plan.coding) else {
                try copy(units: rest)
                output.bits.pad()
                return
            }
            (reader, levels, output.levels) = (start.0, start.1, start.2)
            output.bits.rewind(to: start.3)
            try stamp(place, zeroRuns: runs, room: &room)
            rest = try units - correctLevels()
        }
        guard rest > 0 else {
            output.bits.pad()
            return
        }
        guard let byte = reader.partialByte, byte.next <= end else { throw .broken(offset: reader.position) }
        if output.bits.phase == 0 {
            output.bits.flush()
            unsafe output.bits.append(UnsafeRawBufferPointer(rebasing: bytes[byte.offset..<end]))
        } else {
            output.bits.complete(with: byte.value)
            unsafe output.bits.append(UnsafeRawBufferPointer(rebasing: bytes[byte.next..<end]))
        }
    }
}

/// Finds restart intervals, in rising order.
private struct RestartCursor {
    private let scan: JPEGStructure.Scan
    private var known: (marker: Int, offset: Int)?

    init(_ scan: JPEGStructure.Scan) { self.scan = scan }

    /// The bytes of an interval without the markers around it.
    mutating func bytes(ofInterval interval: Int, in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        var start = scan.entropy.lowerBound
        if interval > 0 {
            guard let marker = unsafe offset(interval - 1, bytes) else { return nil }
            start = marker + 2
        }
        guard interval < scan.restartCount else { return start..<scan.entropy.upperBound }
        guard let end = unsafe offset(interval, bytes), end >= start else { return nil }
        return start..<end
    }

    private mutating func offset(_ marker: Int, _ bytes: UnsafeRawBufferPointer) -> Int? {
        if let near = scan.restarts.nearest(marker), near.marker > known?.marker ?? -1 { known = near }
        guard var at = known, at.marker <= marker else { return nil }
        while at.marker < marker {
            guard let next = unsafe Self.next(after: at.offset + 2, scan.entropy.upperBound, bytes) else { return nil }
            at = (at.marker + 1, next)
        }
        known = at
        return at.offset
    }

    private static func next(after start: Int, _ end: Int, _ bytes: UnsafeRawBufferPointer) -> Int? {
        var at = start
        while at + 1 < end {
            if unsafe bytes[at] == 0xFF, unsafe JPEGMarker(rawValue: bytes[at + 1]).isRestart { return at }
            at += 1
        }
        return nil
    }
}
