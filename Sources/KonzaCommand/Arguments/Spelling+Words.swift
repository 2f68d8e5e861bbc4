internal import KonzaModel

extension Spelling {
    /// The word of the command line nearest to one, if one is near enough to be meant.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        if let near = nearest(to: word, among: candidates.sorted(), always: 1) { return near }
        // A beginning is meant as well: "post" for "postcard".
        guard word.count >= 2 else { return nil }
        return candidates.filter { $0.hasPrefix(word) }.min { ($0.count, $0) < ($1.count, $1) }
    }
}
