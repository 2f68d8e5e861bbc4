internal import KonzaAPI
internal import KonzaModel
internal import Specimens
internal import Synchronization
internal import Terminology

/// Knows the controlled vocabulary, and checks the names of a specimen by it on the spot.
final class VocabularyDesk: Sendable {
    private let archive: SpecimenArchive
    private let kept: Mutex<Vocabulary>

    /// - Parameter archive: where the vocabulary that was fetched last is kept. The embedded one is there to begin with.
    init(archive: SpecimenArchive) {
        self.archive = archive
        kept = Mutex(archive.vocabulary() ?? .embedded)
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
            // A kind without names, such as regions of no known server, is not checked.
            guard let terms = vocabulary.terms[kind], !terms.isEmpty else { return name }
            switch vocabulary.match(name, as: kind) {
            case .known(let term), .synonym(_, let term): return term.name
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
        if case .set(let minerals) = patch.minerals {
            var seen: Set<String> = []
            for (index, mineral) in minerals.enumerated() where !seen.insert(mineral.name).inserted {
                faults.append(.init(path: "/minerals/\(index)/name", detail: "\(mineral.name) is named twice"))
            }
        }
        func list(_ change: Change<[String]>, _ kind: Vocabulary.Kind, _ path: String) -> Change<[String]> {
            guard case .set(let names) = change else { return change }
            // "Amphibolite" and "Amphibolite facies" are one.
            var seen: Set<String> = []
            let settled = names.enumerated().map { settled($1, kind, "\(path)/\($0)") }
            return .set(settled.filter { seen.insert($0).inserted })
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
