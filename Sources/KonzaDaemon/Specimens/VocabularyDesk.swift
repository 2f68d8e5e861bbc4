internal import Archive
internal import KonzaAPI
internal import KonzaModel
internal import Synchronization

/// What a name is, judged by the vocabulary.
enum TermMatch: Sendable, Equatable {
    /// A known name, in the vocabulary's spelling.
    case known(String)
    /// Not a known name; these are the nearest.
    case unknown(nearest: [String])
    /// There is no list to judge it by.
    case unchecked
}

/// Knows the controlled vocabulary, and checks the names of a specimen by it on the spot.
final class VocabularyDesk: Sendable {
    /// Judges a name by a vocabulary.
    typealias Matching = @Sendable (_ name: String, _ kind: Vocabulary.Kind, _ vocabulary: Vocabulary) -> TermMatch

    private let archive: SpecimenArchive
    private let matching: Matching
    private let kept: Mutex<Vocabulary>

    /// - Parameters:
    ///   - archive: where the vocabulary that was fetched last is kept.
    ///   - embedded: the one to begin with, before any was fetched.
    ///   - matching: how a name is looked up.
    init(archive: SpecimenArchive, embedded: Vocabulary, matching: @escaping Matching) {
        self.archive = archive
        self.matching = matching
        kept = Mutex(archive.vocabulary() ?? embedded)
    }

    var current: Vocabulary { kept.withLock { $0 } }

    /// Takes a newer vocabulary, durably.
    func replace(with vocabulary: Vocabulary) throws(Problem) {
        do throws(SpecimenError) {
            try archive.keep(vocabulary)
        } catch {
            throw Problem(error)
        }
        kept.withLock { $0 = vocabulary }
    }

    /// Puts the names of a request into the vocabulary's spelling.
    ///
    /// - Throws: a problem that names every unknown name with the nearest known ones.
    func check(_ patch: inout SpecimenPatch) throws(Problem) {
        let vocabulary = current
        var faults: [Problem.Fault] = []
        func settled(_ name: String, _ kind: Vocabulary.Kind, _ path: String) -> String {
            switch matching(name, kind, vocabulary) {
            case .known(let spelling): return spelling
            case .unchecked: return name
            case .unknown(let nearest):
                let hint = nearest.isEmpty ? "see GET /v1/vocabulary" : "nearest are \(nearest.joined(separator: ", "))"
                faults.append(.init(path: path, detail: "\"\(name.prefix(60))\" is not in the vocabulary; \(hint)"))
                return name
            }
        }
        if case .set(let name) = patch.rockType { patch.rockType = .set(settled(name, .rockTypes, "/rockType")) }
        if case .set(let minerals) = patch.minerals {
            patch.minerals = .set(
                minerals.enumerated().map { index, mineral in
                    .init(
                        name: settled(mineral.name, .minerals, "/minerals/\(index)/name"), amount: mineral.amount)
                })
        }
        func list(_ change: Change<[String]>, _ kind: Vocabulary.Kind, _ path: String) -> Change<[String]> {
            guard case .set(let names) = change else { return change }
            return .set(names.enumerated().map { settled($1, kind, "\(path)/\($0)") })
        }
        patch.metamorphicGrades = list(patch.metamorphicGrades, .metamorphicGrades, "/metamorphicGrades")
        patch.metamorphicRegions = list(patch.metamorphicRegions, .metamorphicRegions, "/metamorphicRegions")
        guard faults.isEmpty else {
            throw Problem(
                .unknownTerm,
                "cannot take the request: "
                    + faults.map { "\($0.path) (\($0.detail))" }
                    .joined(separator: ", "), errors: faults)
        }
    }
}

extension VocabularyDesk {
    /// Looks a name up letter case apart. A kind of which the vocabulary has no names is not checked.
    static let plainMatching: Matching = { name, kind, vocabulary in
        guard let terms = vocabulary.terms[kind], !terms.isEmpty else { return .unchecked }
        let key = name.lowercased()
        if let term = terms.first(where: { $0.name.lowercased() == key }) { return .known(term.synonymOf ?? term.name) }
        return .unknown(
            nearest: terms.map(\.name).filter { $0.lowercased().hasPrefix(key.prefix(3)) }.prefix(3).map { $0 })
    }
}
