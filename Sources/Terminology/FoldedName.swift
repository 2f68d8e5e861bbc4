/// A name reduced to what tells it from another: letter case, accents, spaces and hyphens do not.
struct FoldedName: Hashable {
    let scalars: [Unicode.Scalar]

    init(_ name: some StringProtocol) {
        scalars = name.lowercased().unicodeScalars.compactMap { scalar in
            if scalar.properties.isWhitespace || scalar.properties.isDash || scalar == "_" { return nil }
            // A combining accent after its letter.
            if scalar.properties.generalCategory == .nonspacingMark { return nil }
            return Self.bare[scalar] ?? scalar
        }
    }

    /// The name of a grade with or without the word "facies": the Java server's list had it without.
    var withoutFacies: FoldedName {
        scalars.count > Self.facies.count && scalars.suffix(Self.facies.count).elementsEqual(Self.facies)
            ? FoldedName(Array(scalars.dropLast(Self.facies.count))) : self
    }

    private init(_ scalars: [Unicode.Scalar]) { self.scalars = scalars }

    private static let facies = Array("facies".unicodeScalars)

    /// The letters of the Latin blocks without their accents.
    private static let bare: [Unicode.Scalar: Unicode.Scalar] = {
        let rows: [(Unicode.Scalar, String)] = [
            ("a", "àáâãäåāăą"), ("c", "çćĉċč"), ("d", "ďđ"), ("e", "èéêëēĕėęě"), ("g", "ĝğġģ"), ("h", "ĥħ"),
            ("i", "ìíîïĩīĭįı"), ("j", "ĵ"), ("k", "ķ"), ("l", "ĺļľŀł"), ("n", "ñńņňŉ"), ("o", "òóôõöøōŏő"),
            ("r", "ŕŗř"), ("s", "śŝşš"), ("t", "ţťŧ"), ("u", "ùúûüũūŭůűų"), ("w", "ŵ"), ("y", "ýÿŷ"), ("z", "źżž"),
        ]
        var table: [Unicode.Scalar: Unicode.Scalar] = [:]
        for (letter, accented) in rows {
            for scalar in accented.unicodeScalars { table[scalar] = letter }
        }
        return table
    }()
}
