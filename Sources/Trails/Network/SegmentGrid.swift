internal import Glibc

/// Which pieces of lines are near a point: squares of 50 m, or larger ones where the network is wide, each with the pieces
/// that touch it. Two arrays of numbers, whatever the network.
struct SegmentGrid: Sendable {
    /// The least size of a square, metres, and the most squares.
    private static let leastSize = 50.0
    private static let mostSquares = 262_144.0

    let size: Double
    private let west: Double
    private let south: Double
    private let columns: Int
    private let rows: Int
    /// Where the pieces of each square begin, and one more.
    private let starts: [Int32]
    private let pieces: [Int32]

    /// - Parameters:
    ///   - count: of the pieces.
    ///   - ends: of a piece.
    init(count: Int, ends: (Int) -> (PlanePoint, PlanePoint)) {
        var (west, south, east, north) = (Double.infinity, Double.infinity, -Double.infinity, -Double.infinity)
        for piece in 0..<count {
            let (first, last) = ends(piece)
            west = min(west, first.east, last.east)
            east = max(east, first.east, last.east)
            south = min(south, first.north, last.north)
            north = max(north, first.north, last.north)
        }
        if count == 0 { (west, south, east, north) = (0, 0, 0, 0) }
        let size = max(Self.leastSize, ((east - west + 1) * (north - south + 1) / Self.mostSquares).squareRoot())
        let columns = Int((east - west) / size) + 1
        let rows = Int((north - south) / size) + 1
        (self.size, self.west, self.south, self.columns, self.rows) = (size, west, south, columns, rows)
        var counts = [Int32](repeating: 0, count: columns * rows + 1)
        func visit(_ body: (Int, Int32) -> Void) {
            for piece in 0..<count {
                let (first, last) = ends(piece)
                Self.squares(first, last, west, south, size, columns, rows) { body($0, Int32(piece)) }
            }
        }
        visit { square, _ in counts[square + 1] += 1 }
        for square in 0..<(columns * rows) { counts[square + 1] += counts[square] }
        var next = counts
        var pieces = [Int32](repeating: 0, count: Int(counts[columns * rows]))
        visit { square, piece in
            pieces[Int(next[square])] = piece
            next[square] += 1
        }
        (starts, self.pieces) = (counts, pieces)
    }

    /// The squares that a piece touches, row by row, and no others but where it passes a corner.
    private static func squares(
        _ first: PlanePoint, _ last: PlanePoint, _ west: Double, _ south: Double, _ size: Double, _ columns: Int,
        _ rows: Int, _ body: (Int) -> Void
    ) {
        let (low, high) = first.north <= last.north ? (first, last) : (last, first)
        let bottom = clamp((low.north - south) / size, rows)
        let top = clamp((high.north - south) / size, rows)
        let rise = high.north - low.north
        for row in bottom...top {
            let from = max(low.north, south + Double(row) * size)
            let to = min(high.north, south + Double(row + 1) * size)
            let slope = rise > 0 ? (high.east - low.east) / rise : 0
            var (left, right) = (low.east + (from - low.north) * slope, low.east + (to - low.north) * slope)
            if bottom == top { (left, right) = (low.east, high.east) }
            if left > right { swap(&left, &right) }
            for column in clamp((left - west) / size - 1e-9, columns)...clamp((right - west) / size + 1e-9, columns) {
                body(row * columns + column)
            }
        }
    }

    private static func clamp(_ index: Double, _ count: Int) -> Int {
        min(count - 1, max(0, Int(max(-1, min(index, Double(count))).rounded(.down))))
    }

    /// Calls the body for each piece of the squares within a distance; a piece in several squares comes several times.
    func visit(near point: PlanePoint, within metres: Double, _ body: (Int) -> Void) {
        let left = Self.clamp((point.east - metres - west) / size, columns)
        let right = Self.clamp((point.east + metres - west) / size, columns)
        let bottom = Self.clamp((point.north - metres - south) / size, rows)
        let top = Self.clamp((point.north + metres - south) / size, rows)
        for row in bottom...top {
            let first = Int(starts[row * columns + left])
            let end = Int(starts[row * columns + right + 1])
            for index in first..<end { body(Int(pieces[index])) }
        }
    }

    /// Calls the body for each piece of the squares that a line touches.
    func visit(along first: PlanePoint, _ last: PlanePoint, _ body: (Int) -> Void) {
        Self.squares(first, last, west, south, size, columns, rows) { square in
            for index in Int(starts[square])..<Int(starts[square + 1]) { body(Int(pieces[index])) }
        }
    }

    /// How many pairs of pieces are in one square, summed over all: what it takes to compare each piece with its neighbours.
    var pairs: Double {
        (0..<(starts.count - 1)).reduce(0) { sum, square in
            let count = Double(starts[square + 1] - starts[square])
            return sum + count * count
        }
    }

    /// Whether pieces of these lengths all together touch so many squares that a grid of them is not to be made.
    ///
    /// - Parameters:
    ///   - metres: the length of all pieces.
    ///   - extent: how wide they are spread, metres.
    /// - Returns: true above eight million squares.
    static func isTooLarge(metres: Double, extent: Double) -> Bool {
        metres / max(leastSize, extent / mostSquares.squareRoot() / 2) > 8_000_000
    }

    /// A distance that reaches every square from a point.
    func reach(from point: PlanePoint) -> Double {
        let east = max(abs(point.east - west), abs(point.east - west - Double(columns) * size))
        let north = max(abs(point.north - south), abs(point.north - south - Double(rows) * size))
        return hypot(east, north)
    }
}
