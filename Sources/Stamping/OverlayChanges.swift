internal import Glibc
internal import KonzaModel

/// Where two overlays of one size differ.
struct OverlayChanges: Sendable {
    /// The grid on which differences are looked for, pixels.
    private static let tile = 16

    private let columns: Int
    /// By row and column of the grid.
    private var tiles: [Bool]
    /// For each row of the grid.
    private var rows: [Bool]

    /// - Parameters:
    ///   - old: One overlay.
    ///   - new: Another of the same size.
    init(from old: Overlay, to new: Overlay) {
        columns = new.width.dividedRoundingUp(by: Self.tile)
        rows = [Bool](repeating: false, count: new.height.dividedRoundingUp(by: Self.tile))
        tiles = [Bool](repeating: false, count: columns * rows.count)
        let gone = old.patches.filter { patch in !new.patches.contains { $0.isSame(as: patch) } }
        let added = new.patches.filter { patch in !old.patches.contains { $0.isSame(as: patch) } }
        guard !gone.isEmpty || !added.isEmpty else { return }
        for row in rows.indices {
            let pixels = (row * Self.tile)..<min(new.height, (row + 1) * Self.tile)
            let (before, after) = (
                gone.filter { $0.rows.overlaps(pixels) }, added.filter { $0.rows.overlaps(pixels) }
            )
            let edges = (before + after).map(\.columns)
            guard let left = edges.map(\.lowerBound).min(), let right = edges.map(\.upperBound).max() else { continue }
            compare(row, pixels, (left / Self.tile * Self.tile)..<right, before, after)
        }
    }

    private mutating func compare(
        _ row: Int, _ pixels: Range<Int>, _ span: Range<Int>, _ before: [Overlay.Patch], _ after: [Overlay.Patch]
    ) {
        var (first, second) = ([UInt8](), [UInt8]())
        for y in pixels {
            Self.draw(before, y, span, into: &first)
            Self.draw(after, y, span, into: &second)
            guard !first.isSame(as: second, 0..<first.count) else { continue }
            var start = 0
            while start < first.count {
                let end = min(first.count, start + Self.tile * 4)
                if !first.isSame(as: second, start..<end) {
                    tiles[row * columns + span.lowerBound / Self.tile + start / (Self.tile * 4)] = true
                    rows[row] = true
                }
                start = end
            }
        }
    }

    /// A row of pixels as patches have it.
    private static func draw(_ patches: [Overlay.Patch], _ y: Int, _ span: Range<Int>, into line: inout [UInt8]) {
        line.removeAll(keepingCapacity: true)
        line.append(contentsOf: repeatElement(0, count: span.count * 4))
        for patch in patches where patch.rows.contains(y) {
            let start = (y - patch.y) * patch.width * 4
            let target = (patch.x - span.lowerBound) * 4
            line.replaceSubrange(
                target..<(target + patch.width * 4), with: patch.pixels[start..<(start + patch.width * 4)])
        }
    }

    /// Whether a row of pixels may differ anywhere.
    func touch(rows pixels: Range<Int>) -> Bool {
        guard !pixels.isEmpty else { return false }
        return rows[(pixels.lowerBound / Self.tile)...((pixels.upperBound - 1) / Self.tile)].contains(true)
    }

    /// Whether a rectangle of pixels may differ.
    func touch(_ columns: Range<Int>, _ rows: Range<Int>) -> Bool {
        guard !columns.isEmpty, !rows.isEmpty else { return false }
        for row in (rows.lowerBound / Self.tile)...((rows.upperBound - 1) / Self.tile) where self.rows[row] {
            let first = row * self.columns
            let part = (first + columns.lowerBound / Self.tile)...(first + (columns.upperBound - 1) / Self.tile)
            if tiles[part].contains(true) { return true }
        }
        return false
    }
}

extension Overlay.Patch {
    fileprivate func isSame(as other: Overlay.Patch) -> Bool {
        (x, y, width, height) == (other.x, other.y, other.width, other.height)
            && pixels.isSame(as: other.pixels, 0..<pixels.count)
    }
}

extension [UInt8] {
    /// Whether a part is the same in both: `==` goes byte by byte.
    fileprivate func isSame(as other: [UInt8], _ part: Range<Int>) -> Bool {
        precondition(part.lowerBound >= 0 && part.upperBound <= Swift.min(count, other.count))
        return unsafe withUnsafeBytes { mine in
            unsafe other.withUnsafeBytes { others in
                guard let one = mine.baseAddress, let two = others.baseAddress else { return true }
                // In bounds by the precondition.
                return unsafe one == two || memcmp(one + part.lowerBound, two + part.lowerBound, part.count) == 0
            }
        }
    }
}
