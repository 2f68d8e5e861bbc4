/// Finds the word that somebody may have meant.
enum Spelling {
    /// The candidate with the fewest differences, if they are few enough to be a slip.
    static func nearest(to word: String, in candidates: [String]) -> String? {
        // A word that long is no slip, and the comparison takes time by its length.
        guard word.count <= 64 else { return nil }
        let scored = candidates.map { ($0, distance(word.lowercased(), $0.lowercased())) }
        guard let best = scored.min(by: { $0.1 < $1.1 }), best.1 <= max(2, word.count / 3) else { return nil }
        return best.0
    }

    /// How many characters must be inserted, removed, changed or swapped with their neighbour (the optimal string
    /// alignment distance).
    static func distance(_ left: String, _ right: String) -> Int {
        let (a, b) = (Array(left), Array(right))
        if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
        var rows = [Array(0...b.count)]
        for i in 1...a.count {
            var row = [i]
            for j in 1...b.count {
                var cost = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { cost = min(cost, rows[i - 2][j - 2] + 1) }
                row.append(cost)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
