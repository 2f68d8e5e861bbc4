internal import KonzaAPI
internal import KonzaModel
internal import Terminology

/// `konza specimens vocabulary`.
enum VocabularyScreen {
    static func lines(
        _ vocabulary: Vocabulary, _ kind: Vocabulary.Kind?, dates: LocalDates, columns: Int?
    ) -> [Line] {
        if let kind { return (vocabulary.terms[kind] ?? []).map(line) }
        let origin = vocabulary.origin.map { origin in
            "from \(origin)" + (vocabulary.fetchedAt.map { ", \(dates.dateAndTime($0))" } ?? "")
        }
        return Line.hanging(
            Line("Names "), origin ?? "that came with konza; the courier fetches the server's", columns: columns)
            + Vocabulary.Kind.allCases.map { kind in
                Line("  ") + Line(kind.rawValue, .strong).padded(to: 22) + "\(vocabulary.terms[kind]?.count ?? 0)"
            }
    }

    private static func line(_ term: Vocabulary.Term) -> Line {
        var line = Line(term.name, .strong)
        if let real = term.synonymOf { line += ", another word for \(real)" }
        if !term.parents.isEmpty { line += Line(" (\(term.parents.joined(separator: ", ")))", .quiet) }
        return line
    }

    static func isKnown(_ match: VocabularyMatch) -> Bool {
        if case .unknown = match { false } else { true }
    }

    /// What became of looking a name up: where it is known, else the nearest.
    static func lines(
        _ name: String, _ matches: [(kind: Vocabulary.Kind, match: VocabularyMatch)], columns: Int?
    ) -> [Line] {
        let known = matches.filter { isKnown($0.match) }
        if !known.isEmpty { return known.map { Line("\($0.kind.rawValue)").padded(to: 22) + found($0.match) } }
        let near = matches.flatMap { kind, match in
            if case .unknown(let nearest) = match { nearest.map { "\($0) (\(kind.rawValue))" } } else { [String]() }
        }
        let head = Line("\"\(name)\" ") + Line("is not known", .caution)
        return near.isEmpty
            ? [head + ", and nothing is like it"]
            : Line.hanging(head + "; near it: ", near.joined(separator: ", "), columns: columns)
    }

    private static func found(_ match: VocabularyMatch) -> Line {
        switch match {
        case .known(let term): line(term)
        case .synonym(let term, let real): Line(term.name) + " is another word for " + Line(real.name, .strong)
        case .unknown: Line()
        }
    }

    /// The same for programs.
    static func json(_ matches: [(kind: Vocabulary.Kind, match: VocabularyMatch)]) -> JSONValue {
        .array(
            matches.map { kind, match in
                var members: [String: JSONValue] = ["kind": .string(kind.rawValue)]
                switch match {
                case .known(let term): members["name"] = .string(term.name)
                case .synonym(let term, let real):
                    members["name"] = .string(real.name)
                    members["synonym"] = .string(term.name)
                case .unknown(let nearest): members["nearest"] = .array(nearest.map { .string($0) })
                }
                return .object(members)
            })
    }
}
