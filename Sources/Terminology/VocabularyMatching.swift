public import KonzaModel

/// What became of looking a name up.
public enum VocabularyMatch: Sendable, Equatable {
    /// The vocabulary has it; the term is in its spelling.
    case known(Vocabulary.Term)
    /// The vocabulary has it as another word for a term.
    case synonym(Vocabulary.Term, of: Vocabulary.Term)
    /// The vocabulary does not have it; the names most like it, nearest first, at most ``Vocabulary/mostSuggestions``.
    case unknown(nearest: [String])
}

extension Vocabulary {
    /// How many names are suggested for one that is unknown.
    public static let mostSuggestions = 5
    /// Names longer than this, in characters, are not compared: no term comes near.
    static let longestName = 120

    /// Looks a name up: letter case, accents, spaces and hyphens do not count, nor does the word "facies" at the end of
    /// a grade.
    ///
    /// - Parameters:
    ///   - name: as a person wrote it.
    ///   - kind: the list to look in.
    /// - Returns: the term, or the names nearest to what was written: those within a third of its letters, and within
    ///   three edits (insertion, deletion, substitution, swap of neighbours).
    public func match(_ name: String, as kind: Kind) -> VocabularyMatch {
        let terms = terms[kind] ?? []
        guard name.unicodeScalars.count <= Self.longestName else { return .unknown(nearest: []) }
        if let exact = terms.first(where: { $0.name == name }) { return resolved(exact, in: terms, kind) }
        let wanted = Self.key(name, kind)
        guard !wanted.scalars.isEmpty else { return .unknown(nearest: []) }
        if let term = terms.first(where: { Self.key($0.name, kind) == wanted }) {
            return resolved(term, in: terms, kind)
        }
        return .unknown(nearest: Self.nearest(to: wanted, in: terms, kind))
    }

    /// The term that a name stands for, synonyms resolved.
    ///
    /// - Returns: nil if the name is unknown.
    public func term(_ name: String, as kind: Kind) -> Term? {
        switch match(name, as: kind) {
        case .known(let term), .synonym(_, let term): term
        case .unknown: nil
        }
    }

    /// Whether two names stand for the same term, or are spelt alike as far as it matters.
    public func isSame(_ left: String, _ right: String, as kind: Kind) -> Bool {
        if Self.key(left, kind) == Self.key(right, kind) { return true }
        guard let one = term(left, as: kind), let other = term(right, as: kind) else { return false }
        return Self.key(one.name, kind) == Self.key(other.name, kind)
    }

    private func resolved(_ term: Term, in terms: [Term], _ kind: Kind) -> VocabularyMatch {
        guard let real = term.synonymOf else { return .known(term) }
        let wanted = Self.key(real, kind)
        // A list without the real name, as one cut short by its server: the synonym has to do.
        guard let target = terms.first(where: { $0.synonymOf == nil && Self.key($0.name, kind) == wanted }) else {
            return .known(term)
        }
        return .synonym(term, of: target)
    }

    private static func nearest(to wanted: FoldedName, in terms: [Term], _ kind: Kind) -> [String] {
        let limit = min(3, max(1, wanted.scalars.count / 3))
        let candidates = terms.compactMap { term -> (distance: Int, name: String)? in
            editDistance(wanted.scalars, key(term.name, kind).scalars, limit: limit).map { ($0, term.name) }
        }
        return candidates.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(mostSuggestions)
            .map(\.name)
    }

    private static func key(_ name: String, _ kind: Kind) -> FoldedName {
        let folded = FoldedName(name)
        return kind == .metamorphicGrades ? folded.withoutFacies : folded
    }
}

extension Vocabulary {
    /// This vocabulary as a server has it, completed with what only the other knows: synonyms and kinds. Names that the
    /// server does not have are left out, for it would not take them.
    ///
    /// - Parameter other: the list to take synonyms and parents from, as ``embedded``.
    /// - Returns: every kind that this one has, and of the others those of `other`, without ids.
    public func completed(from other: Vocabulary) -> Vocabulary {
        var merged = self
        for (kind, known) in other.terms {
            guard let own = terms[kind], !own.isEmpty else {
                merged.terms[kind] = known.map { Term(name: $0.name, synonymOf: $0.synonymOf, parents: $0.parents) }
                continue
            }
            let byKey = Dictionary(known.map { (Self.key($0.name, kind), $0) }) { first, _ in first }
            merged.terms[kind] = own.map { term in
                guard let twin = byKey[Self.key(term.name, kind)] else { return term }
                var term = term
                if term.synonymOf == nil { term.synonymOf = twin.synonymOf }
                if term.parents.isEmpty { term.parents = twin.parents }
                return term
            }
        }
        return merged
    }
}
