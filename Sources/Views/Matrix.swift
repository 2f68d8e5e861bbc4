/// A small symmetric matrix of normal equations.
struct NormalMatrix {
    let size: Int
    var values: [Double]

    init(size: Int) {
        self.size = size
        values = [Double](repeating: 0, count: size * size)
    }

    subscript(row: Int, column: Int) -> Double {
        get { values[row * size + column] }
        set { values[row * size + column] = newValue }
    }

    /// The lower triangle of Cholesky's decomposition; nil if the matrix is not positive definite.
    private var root: NormalMatrix? {
        var root = NormalMatrix(size: size)
        for row in 0..<size {
            for column in 0...row {
                var sum = self[row, column]
                for index in 0..<column { sum -= root[row, index] * root[column, index] }
                if row == column {
                    // A pivot that has lost all of its digits is none.
                    guard sum > 1e-13 * self[row, row], sum.isFinite else { return nil }
                    root[row, row] = sum.squareRoot()
                } else {
                    root[row, column] = sum / root[column, column]
                }
            }
        }
        return root
    }

    func solved(_ right: [Double]) -> [Double]? { root.map { Self.solve($0, right) } }

    var inverse: NormalMatrix? {
        guard let root else { return nil }
        var inverse = NormalMatrix(size: size)
        for column in 0..<size {
            var unit = [Double](repeating: 0, count: size)
            unit[column] = 1
            for (row, value) in Self.solve(root, unit).enumerated() { inverse[row, column] = value }
        }
        return inverse
    }

    private static func solve(_ root: NormalMatrix, _ right: [Double]) -> [Double] {
        var values = right
        for row in 0..<root.size {
            for column in 0..<row { values[row] -= root[row, column] * values[column] }
            values[row] /= root[row, row]
        }
        for row in (0..<root.size).reversed() {
            for column in (row + 1)..<max(root.size, row + 1) { values[row] -= root[column, row] * values[column] }
            values[row] /= root[row, row]
        }
        return values
    }
}
