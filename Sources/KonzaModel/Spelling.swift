/// Finds the word that somebody may have meant.
public enum Spelling {
    /// The longest word that is compared, in characters: a longer one is no slip, and the comparison takes time by its
    /// length.
    private static let longestWord = 64

    /// The candidate with the fewest differences (``editDistance(_:_:limit:)``), if they are few enough to be a slip:
    /// a third of the word's characters. Letter case does not count.
    ///
    /// - Parameters:
    ///   - word: as it was written.
    ///   - candidates: of which the first counts where several are as near.
    ///   - always: as many differences are a slip in the shortest word too.
    /// - Returns: nil if no candidate is near enough.
    public static func nearest(to word: String, among candidates: [String], always: Int) -> String? {
        let wanted = Array(word.lowercased().unicodeScalars)
        guard wanted.count <= longestWord else { return nil }
        let limit = max(always, wanted.count / 3)
        let near = candidates.compactMap { candidate in
            editDistance(wanted, Array(candidate.lowercased().unicodeScalars), limit: limit).map { ($0, candidate) }
        }
        return near.min { $0.0 < $1.0 }?.1
    }
}
