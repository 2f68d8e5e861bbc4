internal import CBlocks
internal import KonzaModel

/// Samples an overlay at the resolution of components of one sampling, by the mean over each sample's box.
struct InkSampler {
    private let columnRanges: [Range<Int>]
    private let rowRanges: [Range<Int>]
    /// The place of the sample in its block, 0 to 7, for each of the picture's columns and rows.
    private let sampleOfColumn: [UInt8]
    private let sampleOfRow: [UInt8]
    /// How many of the picture's columns (or rows) each of a block's eight samples stands for.
    private let acrossOf: [SIMD8<Float>]
    private let downOf: [SIMD8<Float>]
    /// How many columns each sample stands for, if that is one or two and the same for all; 0 otherwise.
    private let stride: Int

    /// Sums over the pixels of each sample: red with blue, green with alpha, 16 bits each. A sample has at most 16
    /// pixels, as sampling factors are at most 4 (T.81 B.2.2).
    private var redBlue = InlineArray<64, UInt32>(repeating: 0)
    private var greenAlpha = InlineArray<64, UInt32>(repeating: 0)
    /// Of the block's columns of samples, how many of the picture's columns they stand for, then the same of rows.
    private var counts = InlineArray<16, Float>(repeating: 1)

    init(geometry: OverlayGeometry, component: Int) {
        let size = geometry.blocks(component: component)
        let sampling = geometry.components[component]
        let maximum = geometry.maximum
        columnRanges = (0..<size.columns).map { geometry.pixelColumns(component: component, column: $0) }
        rowRanges = (0..<size.rows).map { geometry.pixelRows(component: component, row: $0) }
        sampleOfColumn = (0..<geometry.width).map { UInt8($0 * sampling.horizontal / maximum.horizontal & 7) }
        sampleOfRow = (0..<geometry.height).map { UInt8($0 * sampling.vertical / maximum.vertical & 7) }
        let ratio = maximum.horizontal / sampling.horizontal
        // Vectors are loaded with the machine's byte order.
        let isRegular = ratio * sampling.horizontal == maximum.horizontal && ratio <= 2 && UInt32(littleEndian: 1) == 1
        stride = isRegular ? ratio : 0
        acrossOf = columnRanges.map { [sampleOfColumn] in Self.counts($0, sampleOfColumn) }
        downOf = rowRanges.map { [sampleOfRow] in Self.counts($0, sampleOfRow) }
    }

    var rows: Int { rowRanges.count }

    /// The picture's rows whose samples lie in a row of blocks.
    func pixelRows(_ row: Int) -> Range<Int> { rowRanges[row] }

    /// The picture's columns whose samples lie in a column of blocks.
    func pixelColumns(_ column: Int) -> Range<Int> { columnRanges[column] }

    /// The columns of blocks that have some of the picture's columns.
    func columns(of pixels: Range<Int>) -> Range<Int> {
        let first = columnRanges.partitioningIndex { $0.upperBound > pixels.lowerBound }
        let end = columnRanges.partitioningIndex { $0.lowerBound >= pixels.upperBound }
        return first..<max(first, end)
    }

    /// No fewer blocks than an overlay touches.
    func blockCount(of overlay: Overlay) -> Int {
        var count = 0
        for patch in overlay.patches {
            let rows = rowRanges.count { $0.overlaps(patch.rows) }
            count += columns(of: patch.columns).count * rows
        }
        return count
    }

    /// Takes in a block of those patches that may have ink there; nil if they have none.
    mutating func take(_ patches: [Overlay.Patch], column: Int, row: Int) -> TouchedBlock? {
        let (columns, rows) = (columnRanges[column], rowRanges[row])
        redBlue = InlineArray(repeating: 0)
        greenAlpha = InlineArray(repeating: 0)
        var covered = 0
        for patch in patches where patch.columns.overlaps(columns) && patch.rows.overlaps(rows) {
            covered += add(patch, columns.clamped(to: patch.columns), rows.clamped(to: patch.rows))
        }
        guard covered > 0 else { return nil }
        let (across, down) = (acrossOf[column], downOf[row])
        for sample in 0..<8 { (counts[sample], counts[8 + sample]) = (across[sample], down[sample]) }
        if across[7] == 0 || down[7] == 0 { repeatEdges(across, down) }
        return TouchedBlock(column: column, row: row, isOpaque: covered == 255 * columns.count * rows.count)
    }

    /// - Returns: the sum of all alphas.
    private mutating func add(_ patch: Overlay.Patch, _ columns: Range<Int>, _ rows: Range<Int>) -> Int {
        // All columns of a block begin at a block's edge: they have it to its end.
        if stride > 0, columns.count == 8 * stride { return addWhole(patch, columns, rows) }
        let (columnTable, rowTable) = (sampleOfColumn, sampleOfRow)
        let (ofColumn, ofRow) = (columnTable.span, rowTable.span)
        let pixels = patch.pixels.span
        var covered = 0
        for y in rows {
            let line = Int(ofRow[y]) * 8
            let start = ((y - patch.y) * patch.width + columns.lowerBound - patch.x) * 4
            precondition(start >= 0 && start + columns.count * 4 <= pixels.count, "a row lies inside its patch")
            unsafe pixels.withUnsafeBytes { bytes in
                var at = start
                for x in columns {
                    // In bounds by the precondition; R is the lowest byte.
                    let pixel = unsafe UInt32(
                        littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))
                    at &+= 4
                    guard pixel > 0xFF_FFFF else { continue }
                    let sample = (line &+ Int(truncatingIfNeeded: ofColumn[x])) & 63
                    let (low, high) = (redBlue[sample], greenAlpha[sample])
                    redBlue[sample] = low &+ (pixel & 0xFF_00FF)
                    greenAlpha[sample] = high &+ (pixel &>> 8 & 0xFF_00FF)
                    covered &+= Int(truncatingIfNeeded: pixel &>> 24)
                }
            }
        }
        return covered
    }

    /// Adds rows of pixels that go over the whole block, eight samples at once.
    ///
    /// - Returns: the sum of all alphas.
    private mutating func addWhole(_ patch: Overlay.Patch, _ columns: Range<Int>, _ rows: Range<Int>) -> Int {
        let table = sampleOfRow
        let (ofRow, pixels, stride) = (table.span, patch.pixels.span, stride)
        var covered = SIMD8<UInt32>(repeating: 0)
        for y in rows {
            let start = ((y - patch.y) * patch.width + columns.lowerBound - patch.x) * 4
            precondition(start >= 0 && start + columns.count * 4 <= pixels.count, "a row lies inside its patch")
            let (low, high) = unsafe pixels.withUnsafeBytes { bytes in
                // In bounds by the precondition; R is the lowest byte.
                guard stride == 2 else {
                    return Self.parts(unsafe bytes.loadUnaligned(fromByteOffset: start, as: SIMD8<UInt32>.self))
                }
                let pair = unsafe bytes.loadUnaligned(fromByteOffset: start, as: SIMD16<UInt32>.self)
                let (even, odd) = (Self.parts(pair.evenHalf), Self.parts(pair.oddHalf))
                return (even.low &+ odd.low, even.high &+ odd.high)
            }
            covered &+= high &>> 16
            Self.add(low, to: &redBlue, Int(ofRow[y]))
            Self.add(high, to: &greenAlpha, Int(ofRow[y]))
        }
        return Int(covered.wrappedSum())
    }

    @inline(__always) private static func parts(
        _ pixels: SIMD8<UInt32>
    ) -> (low: SIMD8<UInt32>, high: SIMD8<UInt32>) {
        (pixels & 0xFF_00FF, pixels &>> 8 & 0xFF_00FF)
    }

    /// Adds to a row of sums.
    @inline(__always) private static func add(
        _ values: SIMD8<UInt32>, to sums: inout InlineArray<64, UInt32>, _ row: Int
    ) {
        var span = sums.mutableSpan
        unsafe span.withUnsafeMutableBytes { bytes in
            // A row of 64 values is 32 bytes.
            let offset = (row & 7) * 32
            let old = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt32>.self)
            unsafe bytes.storeBytes(of: old &+ values, toByteOffset: offset, as: SIMD8<UInt32>.self)
        }
    }

    /// Has samples beyond the picture's edge repeat the last ones, as encoders do.
    private mutating func repeatEdges(_ across: SIMD8<Float>, _ down: SIMD8<Float>) {
        if across[7] == 0 {
            let last = (0..<8).last { across[$0] > 0 } ?? 0
            for sample in 0..<64 where sample & 7 > last { take(sample, from: sample & ~7 | last) }
            for column in last..<8 { counts[column] = max(1, across[last]) }
        }
        if down[7] == 0 {
            let last = (0..<8).last { down[$0] > 0 } ?? 0
            for sample in (last * 8 + 8)..<64 { take(sample, from: last * 8 | sample & 7) }
            for row in last..<8 { counts[8 + row] = max(1, down[last]) }
        }
    }

    private mutating func take(_ sample: Int, from other: Int) {
        let (low, high) = (redBlue[other], greenAlpha[other])
        redBlue[sample] = low
        greenAlpha[sample] = high
    }

    /// The alpha of the block taken in last, column by column, in parts of `InkedComponent.alphaScale`.
    ///
    /// - Returns: What all samples have, or nil.
    func alpha(into values: inout Coefficients) -> Int32? {
        var values = values.mutableSpan
        let common = unsafe values.withUnsafeMutableBufferPointer { values in
            // All have as many values as their types say.
            unsafe greenAlpha.span.withUnsafeBufferPointer { sums in
                unsafe counts.span.withUnsafeBufferPointer { counts in
                    unsafe konza_ink_alpha(values.baseAddress, sums.baseAddress, counts.baseAddress)
                }
            }
        }
        return common < 0 ? nil : common
    }

    /// The light of the block taken in last, transformed, in parts of `InkedComponent.lightScale`.
    func light(_ factors: InlineArray<4, Float>) -> Coefficients {
        var light = Coefficients(repeating: 0)
        var values = light.mutableSpan
        unsafe values.withUnsafeMutableBufferPointer { values in
            // As above.
            unsafe redBlue.span.withUnsafeBufferPointer { low in
                unsafe greenAlpha.span.withUnsafeBufferPointer { high in
                    unsafe counts.span.withUnsafeBufferPointer { counts in
                        unsafe factors.span.withUnsafeBufferPointer { factors in
                            unsafe konza_ink_light(
                                values.baseAddress, low.baseAddress, high.baseAddress, counts.baseAddress,
                                factors.baseAddress)
                        }
                    }
                }
            }
        }
        return light
    }

    private static func counts(_ pixels: Range<Int>, _ samples: [UInt8]) -> SIMD8<Float> {
        var counts = SIMD8<Float>()
        for pixel in pixels { counts[Int(samples[pixel])] += 1 }
        return counts
    }
}

extension Array {
    /// The first place from which on a condition holds, which it does for a last part of the array.
    fileprivate func partitioningIndex(where holds: (Element) -> Bool) -> Int {
        var range = startIndex..<endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = holds(self[middle]) ? range.lowerBound..<middle : (middle + 1)..<range.upperBound
        }
        return range.lowerBound
    }
}
