/// Words in the language that somebody reads.
public enum Translations {
    /// - Parameters:
    ///   - language: a tag (RFC 5646), letter case apart; nil for none.
    ///   - words: by their tags.
    /// - Returns: those of the tag, else of its language (RFC 4647 section 3.4); nil where there are none.
    public static func find<Words>(_ language: String?, in words: [String: Words]) -> Words? {
        guard var tag = language?.lowercased()[...] else { return nil }
        while !tag.isEmpty {
            if let found = words.first(where: { $0.key.lowercased() == tag }) { return found.value }
            guard let mark = tag.lastIndex(of: "-") else { return nil }
            tag = tag[..<mark]
        }
        return nil
    }
}
