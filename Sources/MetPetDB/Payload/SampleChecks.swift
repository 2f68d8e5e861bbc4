internal import KonzaModel
internal import Terminology

/// What a target would refuse, or take wrongly.
struct Refusals: Error {
    let list: [Submission.Refusal]
}

/// Checks what is to be sent against the limits of MetPetDB, and collects every fault. Lengths are counted in code
/// points, as PostgreSQL counts them. Control characters are refused, but for tabs and line ends in long texts.
struct SampleChecks {
    private let vocabulary: Vocabulary
    private var refusals: [Submission.Refusal] = []

    init(_ vocabulary: Vocabulary) { self.vocabulary = vocabulary }

    mutating func refuse(_ field: String, _ words: String) { refusals.append(.init(field: field, words: words)) }

    func finish() throws(Refusals) {
        guard refusals.isEmpty else { throw Refusals(list: refusals) }
    }

    /// A comma would make two numbers of one where the number is looked for; outer spaces would be cut by the server,
    /// and the number not found again.
    mutating func number(_ number: String) {
        let isClean = !number.unicodeScalars.contains { $0.properties.generalCategory == .control }
        if number.isEmpty { refuse("number", "cannot be empty") }
        if number.contains(",") { refuse("number", "cannot hold a comma") }
        if number != normalized(number) { refuse("number", "cannot begin or end with a space") }
        if !isClean { refuse("number", "cannot hold control characters") }
        if number.unicodeScalars.count > 35 { refuse("number", "cannot be longer than 35 characters") }
    }

    /// - Returns: the text without outer white space; nil if nothing is left.
    mutating func text(_ text: String?, _ longest: Int?, _ field: String) -> String? {
        guard let text = text.map(normalized), !text.isEmpty else { return nil }
        let mayHaveLines = longest == nil || longest == 1024
        let hasControl = text.unicodeScalars.contains { scalar in
            scalar.properties.generalCategory == .control && !(mayHaveLines && (scalar == "\n" || scalar == "\t"))
        }
        if hasControl { refuse(field, "cannot hold control characters") }
        if let longest, text.unicodeScalars.count > longest {
            refuse(field, "cannot be longer than \(longest) characters: \"\(text.prefix(40))...\"")
        }
        return text
    }

    mutating func position(_ position: SpecimenPosition?) -> Coordinate? {
        guard let position else {
            refuse("latitude", "cannot be missing: the specimen has no position")
            return nil
        }
        guard let coordinate = position.coordinate else {
            refuse("latitude", "cannot be out of range: -90 to 90, and longitude -180 to 180")
            return nil
        }
        return coordinate
    }

    /// Metres; half of the Earth's circumference is the most that means anything.
    mutating func accuracy(_ metres: Double?) -> Double? {
        guard let metres else { return nil }
        guard metres.isFinite, metres > 0, metres <= 20_037_509 else {
            refuse("location_error", "has to be a positive number of metres")
            return nil
        }
        return metres
    }

    /// - Returns: the term under its own name where the server has an id for that, else what it is a synonym of.
    mutating func term(_ name: String, _ kind: Vocabulary.Kind, _ field: String) -> Vocabulary.Term? {
        switch vocabulary.match(name, as: kind) {
        case .synonym(let term, _) where term.id != nil: return term
        case .known(let term) where term.id != nil, .synonym(_, let term) where term.id != nil: return term
        case .known, .synonym:
            refuse(field, "\(name) has no id on the server yet: fetch its vocabulary")
        case .unknown(let nearest):
            let advice = nearest.isEmpty ? "" : "; near it are \(nearest.joined(separator: ", "))"
            refuse(field, "\(name.prefix(60)) is not in the server's vocabulary\(advice)")
        }
        return nil
    }

    /// - Returns: each term once.
    mutating func terms(_ names: [String], _ kind: Vocabulary.Kind, _ field: String) -> [Vocabulary.Term] {
        var terms: [Vocabulary.Term] = []
        for name in names {
            if let term = term(name, kind, field), !terms.contains(where: { $0.id == term.id }) { terms.append(term) }
        }
        return terms
    }

    /// The server needs an amount with each, and fails after it has stored the sample if there is none.
    mutating func minerals(_ minerals: [Specimen.Mineral]) -> [(term: Vocabulary.Term, amount: String)] {
        var found: [(term: Vocabulary.Term, amount: String)] = []
        for mineral in minerals {
            guard let term = term(mineral.name, .minerals, "minerals") else { continue }
            guard !found.contains(where: { $0.term.id == term.id }) else {
                refuse("minerals", "\(mineral.name) is named twice")
                continue
            }
            found.append((term, text(mineral.amount, 30, "minerals") ?? "x"))
        }
        return found
    }
}
