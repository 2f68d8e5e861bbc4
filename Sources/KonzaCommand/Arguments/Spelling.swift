/// Finds what somebody probably meant.
enum Spelling {
    /// The candidate nearest to a word, if one is near enough to be meant.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let near = candidates.map { (candidate: $0, distance: distance(word, $0)) }
            .min { ($0.distance, $0.candidate) < ($1.distance, $1.candidate) }
        if let near, near.distance <= max(1, word.count / 3) { return near.candidate }
        // A beginning is meant as well: "post" for "postcard".
        guard word.count >= 2 else { return nil }
        return candidates.filter { $0.hasPrefix(word) }.min { ($0.count, $0) < ($1.count, $1) }
    }

    /// The number of single edits and swaps of neighbours between two words (optimal string alignment).
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, first) in left.enumerated() {
            var current = [row + 1]
            for (column, second) in right.enumerated() {
                var best = min(
                    last[column] + (first == second ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, first == right[column - 1], left[row - 1] == second {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
