internal import KonzaModel
@_spi(_Unicode) internal import Swift

/// Names as people write them of themselves and of each other: without regard to the case of letters, accents, marks and spaces.
enum PartyNames {
    private static func words(_ name: String) -> [String] {
        let plain = name.lowercased()._nfd.filter { $0.properties.generalCategory != .nonspacingMark }
        return String(String.UnicodeScalarView(plain)).split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    /// Whether two names are the same.
    static func areSame(_ first: String, _ second: String) -> Bool {
        let words = words(first)
        return !words.isEmpty && words == Self.words(second)
    }

    /// Whether two names could be one person's: each word of the shorter one is a word of the other, or its initial ("Ana M." and
    /// "Ana Maria Muñoz").
    static func couldBeSame(_ first: String, _ second: String) -> Bool {
        let (first, second) = (words(first), words(second))
        let (short, long) = first.count <= second.count ? (first, second) : (second, first)
        guard !short.isEmpty else { return false }
        var rest = long[...]
        for word in short {
            let isNamed = { (other: String) in
                other == word || (word.count == 1 && other.hasPrefix(word))
                    || (other.count == 1 && word.hasPrefix(other))
            }
            guard let place = rest.firstIndex(where: isNamed) else { return false }
            rest = rest[(place + 1)...]
        }
        return true
    }
}
