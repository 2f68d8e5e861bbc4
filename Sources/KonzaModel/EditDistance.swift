/// How many insertions, deletions, substitutions and swaps of neighbours turn one text into another, no part edited
/// twice (Damerau and Levenshtein's distance in its restricted form, "optimal string alignment").
///
/// - Parameters:
///   - left: one text.
///   - right: the other.
///   - limit: the greatest distance of interest.
/// - Returns: nil if the distance is greater than the limit.
public func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar], limit: Int) -> Int? {
    guard abs(left.count - right.count) <= limit else { return nil }
    guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 1...left.count {
        var current = [row] + Array(repeating: 0, count: right.count)
        for column in 1...right.count {
            let isSame = left[row - 1] == right[column - 1]
            var best = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1))
            if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                best = min(best, beforeLast[column - 2] + 1)
            }
            current[column] = best
        }
        (beforeLast, last) = (last, current)
    }
    return last[right.count] <= limit ? last[right.count] : nil
}
