internal import KonzaModel
@_spi(_Unicode) internal import Swift

/// Names as people write them of themselves and of each other: without regard to the case of letters, accents, marks and spaces.
enum PartyNames {
    private static func words(_ name: String) -> [String] {
        let plain = name.lowercased()._nfd.filter { $0.properties.generalCategory != .nonspacingMark }
        return split(String(String.UnicodeScalarView(plain)))
    }

    private static func split(_ text: String) -> [String] {
        text.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    /// Whether two names are the same.
    static func areSame(_ first: String, _ second: String) -> Bool {
        let words = words(first)
        return !words.isEmpty && words == Self.words(second)
    }

    /// A text with another word for a name, where the name stands as a whole: Ann is not a part of Annette.
    static func replacing(_ name: String, in text: String, by other: String) -> String {
        guard !name.isEmpty else { return text }
        func isPart(_ character: Character) -> Bool { character.isLetter || character.isNumber }
        var (made, rest) = ("", text[...])
        while let found = rest.firstRange(of: name) {
            let before = found.lowerBound == text.startIndex ? nil : text[text.index(before: found.lowerBound)]
            let after = found.upperBound == text.endIndex ? nil : text[found.upperBound]
            let isWhole = !(before.map(isPart) ?? false) && !(after.map(isPart) ?? false)
            made += rest[..<found.lowerBound]
            made += isWhole ? other : name
            rest = rest[found.upperBound...]
        }
        return made + rest
    }

    /// Whether two names look or are written the same: also without the umlauts, in letters of another script that look alike, and
    /// with characters that nobody sees.
    static func areAlike(_ first: String, _ second: String) -> Bool {
        let words = alikeWords(first)
        return !words.isEmpty && words == alikeWords(second)
    }

    /// Whether two names could be one person's: each word of the shorter one is a word of the other, or its initial ("Ana M." and
    /// "Ana Maria Muñoz"), in whatever order ("Muñoz, Ana") and however it is written (``areAlike(_:_:)``), or both are one without their
    /// spaces.
    static func couldBeSame(_ first: String, _ second: String) -> Bool {
        let (first, second) = (alikeWords(first), alikeWords(second))
        let (short, long) = first.count <= second.count ? (first, second) : (second, first)
        guard !short.isEmpty else { return false }
        if short.joined() == long.joined() { return true }
        var rest = long
        // Whole words first: an initial takes none of theirs.
        for word in short.sorted(by: { $0.count > $1.count }) {
            let isInitial = { (other: String) in
                (word.count == 1 && other.hasPrefix(word)) || (other.count == 1 && word.hasPrefix(other))
            }
            guard let place = rest.firstIndex(of: word) ?? rest.firstIndex(where: isInitial) else { return false }
            rest.remove(at: place)
        }
        return true
    }

    /// Whether a text is a name by which somebody else would know who it is: two letters at least, and no word for oneself.
    static func isName(_ text: String) -> Bool {
        let words = words(text)
        return words.joined().count(where: \.isLetter) >= 2 && !(words.count == 1 && oneself.contains(words[0]))
    }

    private static let oneself: Set<String> = ["me", "myself", "self", "us", "yo", "mi", "nosotros"]

    // MARK: - How it is written

    private static func alikeWords(_ name: String) -> [String] {
        var text = ""
        for scalar in name._nfd {
            let properties = scalar.properties
            guard properties.generalCategory != .nonspacingMark, !properties.isDefaultIgnorableCodePoint else {
                continue
            }
            // By the shape that was typed: a Greek capital looks like another letter than its small one.
            text +=
                lookalikes[scalar] ?? lookalikes[properties.lowercaseMapping.unicodeScalars.first ?? scalar]
                ?? properties.lowercaseMapping
        }
        return split(text).map(folded)
    }

    /// `Mueller`, `Müller` and `Muller` are one: of a vowel that stands for an umlaut the first letter is taken, and of a double s one.
    private static func folded(_ word: String) -> String {
        var letters: [Character] = []
        for letter in word {
            if let last = letters.last, pairs.contains("\(last)\(letter)") { continue }
            letters.append(letter)
        }
        return String(letters)
    }

    private static let pairs: Set<String> = ["ae", "oe", "ue", "aa", "ss"]

    private static let lookalikes: [Unicode.Scalar: String] = {
        // Latin letters that no mark can be taken from; then what looks like a Latin letter, capitals where only they do.
        let table = [
            ("ß", "s"), ("ẞ", "s"), ("ø", "o"), ("æ", "a"), ("œ", "o"), ("ł", "l"), ("đ", "d"), ("ð", "d"), ("þ", "th"),
            ("ı", "i"),
            ("а", "a"), ("в", "b"), ("е", "e"), ("к", "k"), ("м", "m"), ("н", "h"), ("о", "o"), ("р", "p"), ("с", "c"),
            ("т", "t"), ("у", "y"),
            ("х", "x"), ("і", "i"), ("ѕ", "s"), ("ј", "j"), ("ԁ", "d"), ("ԛ", "q"), ("ԝ", "w"), ("һ", "h"), ("ӏ", "l"),
            ("Α", "a"), ("Β", "b"), ("Ε", "e"), ("Ζ", "z"), ("Η", "h"), ("Ι", "i"), ("Κ", "k"), ("Μ", "m"), ("Ν", "n"),
            ("Ο", "o"), ("Ρ", "p"),
            ("Τ", "t"), ("Υ", "y"), ("Χ", "x"), ("α", "a"), ("ε", "e"), ("ι", "i"), ("κ", "k"), ("ν", "v"), ("ο", "o"),
            ("ρ", "p"), ("τ", "t"),
            ("υ", "u"), ("χ", "x"), ("γ", "y"),
        ]
        var letters: [Unicode.Scalar: String] = [:]
        for (letter, latin) in table { for scalar in letter.unicodeScalars { letters[scalar] = latin } }
        return letters
    }()
}
