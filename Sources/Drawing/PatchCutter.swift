internal import KonzaModel

/// Cuts what was drawn into few rectangles that hold little that is transparent.
enum PatchCutter {
    /// The grid on which emptiness is judged: the largest JPEG MCU (ISO/IEC 10918-1, A.2) is 16 pixels in the
    /// common samplings, and nothing is gained by finer cutting.
    static let tile = 16

    /// Groups boxes so that no two groups overlap.
    static func clusters(_ rects: [PixelRect]) -> [PixelRect] {
        var clusters: [PixelRect] = []
        for rect in rects {
            var merged = rect
            while let index = clusters.firstIndex(where: { $0.overlaps(merged) }) {
                merged = merged.union(clusters.remove(at: index))
            }
            clusters.append(merged)
        }
        return clusters
    }

    static func patches(_ canvas: borrowing Canvas) throws(DrawingError) -> [Overlay.Patch] {
        let area = canvas.area
        return try canvas.withPixels { (pixels, stride) throws(DrawingError) in patches(pixels, stride, area) }
    }

    /// Cuts some of the picture's rows alone.
    static func patches(_ ground: Ground, rows: Range<Int>) -> [Overlay.Patch] {
        let rect = ground.rect
        let rows = rows.clamped(to: rect.y..<(rect.y + rect.height))
        guard !rows.isEmpty else { return [] }
        let stride = rect.width * 4
        let first = (rows.lowerBound - rect.y) * stride
        return patches(
            ground.pixels.span.extracting(first..<(first + rows.count * stride)), stride,
            PixelRect(x: rect.x, y: rows.lowerBound, width: rect.width, height: rows.count))
    }

    private static func patches(_ pixels: Span<UInt8>, _ stride: Int, _ area: PixelRect) -> [Overlay.Patch] {
        var rects = occupiedRuns(pixels, stride, area)
        merge(&rects)
        return rects.map { rect in
            let tight = trimmed(rect, pixels, stride, area)
            return copy(tight, pixels, stride, area)
        }
    }

    /// Runs of tiles that have something in them, as pixel rectangles; short gaps are bridged.
    private static func occupiedRuns(_ pixels: Span<UInt8>, _ stride: Int, _ area: PixelRect) -> [PixelRect] {
        var rects: [PixelRect] = []
        let firstRow = area.y / tile
        let lastRow = (area.y + area.height - 1) / tile
        let firstColumn = area.x / tile
        let lastColumn = (area.x + area.width - 1) / tile
        for row in firstRow...lastRow {
            let top = max(area.y, row * tile)
            let bottom = min(area.y + area.height, (row + 1) * tile)
            var run: PixelRect?
            for column in firstColumn...lastColumn {
                let left = max(area.x, column * tile)
                let right = min(area.x + area.width, (column + 1) * tile)
                let rect = PixelRect(x: left, y: top, width: right - left, height: bottom - top)
                guard hasInk(rect, pixels, stride, area) else { continue }
                if let open = run, left - (open.x + open.width) <= 6 * tile {
                    run = open.union(rect)
                } else {
                    if let open = run { rects.append(open) }
                    run = rect
                }
            }
            if let open = run { rects.append(open) }
        }
        return rects
    }

    private static func hasInk(_ rect: PixelRect, _ pixels: Span<UInt8>, _ stride: Int, _ area: PixelRect) -> Bool {
        for y in rect.y..<rect.y + rect.height {
            let start = (y - area.y) * stride + (rect.x - area.x) * 4
            let line = pixels.extracting(start..<(start + rect.width * 4))
            // Where nothing covers a pixel, it has no colour either: colours are premultiplied.
            let found = unsafe line.withUnsafeBytes { bytes in
                var found: UInt32 = 0
                for column in 0..<rect.width {
                    // In bounds: the row has as many pixels.
                    unsafe found |= bytes.loadUnaligned(fromByteOffset: column &* 4, as: UInt32.self)
                }
                return found
            }
            if found != 0 { return true }
        }
        return false
    }

    /// Joins rectangles while that wastes little and touches no third one.
    private static func merge(_ rects: inout [PixelRect]) {
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            var index = 0
            while index < rects.count {
                if let other = partner(of: index, in: rects) {
                    rects[index] = rects[index].union(rects[other])
                    rects.remove(at: other)
                    hasChanged = true
                } else {
                    index += 1
                }
            }
        }
    }

    private static func partner(of index: Int, in rects: [PixelRect]) -> Int? {
        for other in rects.indices where other > index {
            let union = rects[index].union(rects[other])
            let waste = union.area - rects[index].area - rects[other].area
            guard waste * 100 <= union.area * 22 else { continue }
            let isFree = rects.indices.allSatisfy { $0 == index || $0 == other || !rects[$0].overlaps(union) }
            if isFree { return other }
        }
        return nil
    }

    private static func trimmed(_ rect: PixelRect, _ pixels: Span<UInt8>, _ stride: Int, _ area: PixelRect) -> PixelRect
    {
        var tight = rect
        func row(_ y: Int) -> PixelRect { PixelRect(x: tight.x, y: y, width: tight.width, height: 1) }
        func column(_ x: Int) -> PixelRect { PixelRect(x: x, y: tight.y, width: 1, height: tight.height) }
        while tight.height > 1, !hasInk(row(tight.y), pixels, stride, area) {
            tight.y += 1
            tight.height -= 1
        }
        while tight.height > 1, !hasInk(row(tight.y + tight.height - 1), pixels, stride, area) { tight.height -= 1 }
        while tight.width > 1, !hasInk(column(tight.x), pixels, stride, area) {
            tight.x += 1
            tight.width -= 1
        }
        while tight.width > 1, !hasInk(column(tight.x + tight.width - 1), pixels, stride, area) { tight.width -= 1 }
        return tight
    }

    private static func copy(_ rect: PixelRect, _ pixels: Span<UInt8>, _ stride: Int, _ area: PixelRect)
        -> Overlay.Patch
    {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: rect.area * 4) { buffer, count in
            let target = UnsafeMutableRawBufferPointer(buffer)
            for row in 0..<rect.height {
                let start = (rect.y - area.y + row) * stride + (rect.x - area.x) * 4
                let line = pixels.extracting(start..<(start + rect.width * 4))
                unsafe line.withUnsafeBytes { source in
                    for column in 0..<rect.width {
                        // In bounds: a row of the patch is a row of both.
                        let pixel = unsafe UInt32(
                            littleEndian: source.loadUnaligned(fromByteOffset: column &* 4, as: UInt32.self))
                        let swapped = pixel & 0xFF00_FF00 | pixel &>> 16 & 0xFF | (pixel & 0xFF) &<< 16
                        unsafe target.storeBytes(
                            of: swapped.littleEndian, toByteOffset: (row &* rect.width &+ column) &* 4, as: UInt32.self)
                    }
                }
            }
            count = rect.area * 4
        }
        return Overlay.Patch(x: rect.x, y: rect.y, width: rect.width, height: rect.height, pixels: bytes)
    }
}
