public import KonzaModel

/// A name in a query that the vocabulary does not have.
public struct UnknownName: Error, Sendable, Equatable, CustomStringConvertible {
    public let kind: Vocabulary.Kind
    public let name: String
    /// The names most like it, nearest first.
    public let nearest: [String]

    public var description: String {
        let list = kind.rawValue.replacing("-", with: " ")
        let advice = nearest.isEmpty ? "" : "; near it are \(nearest.joined(separator: ", "))"
        return "cannot look for \"\(name.prefix(60))\": it is not among the \(list)\(advice)"
    }
}

extension Vocabulary {
    /// A query with its rock types, minerals and grades in this vocabulary's spelling, which is the one that its server
    /// compares with. A synonym that is a term of the server's own is left as it is: samples are stored under it.
    ///
    /// - Parameter query: names as a person wrote them.
    /// - Returns: the same question.
    /// - Throws: ``UnknownName`` for the first name that the vocabulary does not have.
    public func spelling(_ query: SampleQuery) throws(UnknownName) -> SampleQuery {
        var query = query
        query.rockTypes = try spelling(query.rockTypes, .rockTypes)
        query.minerals = try spelling(query.minerals, .minerals)
        query.metamorphicGrades = try spelling(query.metamorphicGrades, .metamorphicGrades)
        return query
    }

    private func spelling(_ names: [String], _ kind: Kind) throws(UnknownName) -> [String] {
        var spelt: [String] = []
        for name in names {
            switch match(name, as: kind) {
            case .known(let term): spelt.append(term.name)
            case .synonym(let term, let real): spelt.append(term.id == nil ? real.name : term.name)
            case .unknown(let nearest): throw UnknownName(kind: kind, name: name, nearest: nearest)
            }
        }
        return spelt
    }
}
