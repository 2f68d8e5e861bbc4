/// 64 samples or coefficients of a block, eight rows of eight.
struct Block {
    typealias Row = SIMD8<Float>

    var rows: (Row, Row, Row, Row, Row, Row, Row, Row)

    static let zero = Block(rows: (.zero, .zero, .zero, .zero, .zero, .zero, .zero, .zero))

    /// Turns it over its diagonal.
    // Kept apart: inlined, its exchange of lanes makes the optimiser take the arithmetic around it apart too.
    @inline(never) mutating func transpose() {
        // Three rounds of exchanging halves, pairs, singles.
        let (a, b, c, d, e, f, g, h) = rows
        @inline(__always) func low(_ x: Row, _ y: Row) -> Row { Row(lowHalf: x.lowHalf, highHalf: y.lowHalf) }
        @inline(__always) func high(_ x: Row, _ y: Row) -> Row { Row(lowHalf: x.highHalf, highHalf: y.highHalf) }
        let (a1, e1, b1, f1) = (low(a, e), high(a, e), low(b, f), high(b, f))
        let (c1, g1, d1, h1) = (low(c, g), high(c, g), low(d, h), high(d, h))
        @inline(__always) func pairLow(_ x: Row, _ y: Row) -> Row {
            Row(x[0], x[1], y[0], y[1], x[4], x[5], y[4], y[5])
        }
        @inline(__always) func pairHigh(_ x: Row, _ y: Row) -> Row {
            Row(x[2], x[3], y[2], y[3], x[6], x[7], y[6], y[7])
        }
        let (a2, c2, b2, d2) = (pairLow(a1, c1), pairHigh(a1, c1), pairLow(b1, d1), pairHigh(b1, d1))
        let (e2, g2, f2, h2) = (pairLow(e1, g1), pairHigh(e1, g1), pairLow(f1, h1), pairHigh(f1, h1))
        @inline(__always) func oneLow(_ x: Row, _ y: Row) -> Row { Row(x[0], y[0], x[2], y[2], x[4], y[4], x[6], y[6]) }
        @inline(__always) func oneHigh(_ x: Row, _ y: Row) -> Row {
            Row(x[1], y[1], x[3], y[3], x[5], y[5], x[7], y[7])
        }
        rows = (
            oneLow(a2, b2), oneHigh(a2, b2), oneLow(c2, d2), oneHigh(c2, d2), oneLow(e2, f2), oneHigh(e2, f2),
            oneLow(g2, h2), oneHigh(g2, h2)
        )
    }

    /// The orthonormal two-dimensional DCT (T.81 A.3.3) of samples that are turned over their diagonal.
    @inline(__always) mutating func transform() {
        self = forwardColumns()
        transpose()
        self = forwardColumns()
    }

    // cos(k pi / 16) / 2, and 1 / sqrt(8).
    private static let c1: Float = 0.490392640, c2: Float = 0.461939766, c3: Float = 0.415734806
    private static let c4: Float = 0.353553391, c5: Float = 0.277785117, c6: Float = 0.191341716
    private static let c7: Float = 0.0975451610

    @inline(__always) private func forwardColumns() -> Block {
        let (x0, x1, x2, x3, x4, x5, x6, x7) = rows
        let (s0, s1, s2, s3) = (x0 + x7, x1 + x6, x2 + x5, x3 + x4)
        let (d0, d1, d2, d3) = (x0 - x7, x1 - x6, x2 - x5, x3 - x4)
        let (t0, t1, t2, t3) = (s0 + s3, s1 + s2, s0 - s3, s1 - s2)
        let (c1, c2, c3, c4, c5, c6, c7) = (
            Self.c1, Self.c2, Self.c3, Self.c4, Self.c5, Self.c6, Self.c7
        )
        let y1 = d0 * c1 + d1 * c3 + d2 * c5 + d3 * c7
        let y3 = d0 * c3 - d1 * c7 - d2 * c1 - d3 * c5
        let y5 = d0 * c5 - d1 * c1 + d2 * c7 + d3 * c3
        let y7 = d0 * c7 - d1 * c5 + d2 * c3 - d3 * c1
        return Block(
            rows: ((t0 + t1) * c4, y1, t2 * c2 + t3 * c6, y3, (t0 - t1) * c4, y5, t2 * c6 - t3 * c2, y7))
    }

    subscript(row: Int) -> Row {
        get {
            switch row {
            case 0: rows.0
            case 1: rows.1
            case 2: rows.2
            case 3: rows.3
            case 4: rows.4
            case 5: rows.5
            case 6: rows.6
            default: rows.7
            }
        }
        set {
            switch row {
            case 0: rows.0 = newValue
            case 1: rows.1 = newValue
            case 2: rows.2 = newValue
            case 3: rows.3 = newValue
            case 4: rows.4 = newValue
            case 5: rows.5 = newValue
            case 6: rows.6 = newValue
            default: rows.7 = newValue
            }
        }
    }
}
