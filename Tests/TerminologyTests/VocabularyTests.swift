import KonzaModel
import Terminology
import Testing

@Suite("The vocabulary")
struct VocabularyTests {
    let vocabulary = Vocabulary.embedded

    @Test("The embedded list has as many names as the server's, where it claims to be whole, and none twice")
    func embeddedCounts() {
        #expect(vocabulary.terms[.rockTypes]?.count == 32)
        #expect(vocabulary.terms[.metamorphicGrades]?.count == 22)
        #expect(vocabulary.terms[.imageTypes]?.count == 16)
        #expect(vocabulary.terms[.metamorphicRegions]?.isEmpty == true)
        let minerals = vocabulary.terms[.minerals] ?? []
        #expect(minerals.count <= 193)
        #expect(minerals.filter { $0.synonymOf != nil }.count == 10)
        for terms in vocabulary.terms.values { #expect(Set(terms.map(\.name)).count == terms.count) }
    }

    @Test("A synonym and a parent are themselves terms", arguments: Vocabulary.embedded.terms[.minerals] ?? [])
    func referencesResolve(_ term: Vocabulary.Term) {
        let names = Set((vocabulary.terms[.minerals] ?? []).map(\.name))
        #expect(term.synonymOf.map(names.contains) ?? true)
        #expect(term.parents.allSatisfy(names.contains))
    }

    @Test(
        "Letter case, accents, spaces, hyphens and the word facies do not count",
        arguments: [
            ("gneiss", Vocabulary.Kind.rockTypes, "Gneiss"), ("  GNEISS ", .rockTypes, "Gneiss"),
            ("Gnéiss", .rockTypes, "Gneiss"), ("Gne\u{301}iss", .rockTypes, "Gneiss"),
            ("calc silicate", .rockTypes, "Calc-silicate"), ("Calcsilicate", .rockTypes, "Calc-silicate"),
            ("cordierite\u{2013}anthophyllite", .rockTypes, "Cordierite-Anthophyllite"),
            ("Amphibolite", .metamorphicGrades, "Amphibolite facies"),
            ("amphibolite FACIES", .metamorphicGrades, "Amphibolite facies"),
            ("ultrahigh-pressure", .metamorphicGrades, "Ultra high pressure facies"),
            ("garnet zone", .metamorphicGrades, "Garnet zone"), ("quartz", .minerals, "Quartz"),
        ])
    func spellings(_ name: String, _ kind: Vocabulary.Kind, _ expected: String) {
        #expect(vocabulary.term(name, as: kind)?.name == expected)
    }

    @Test(
        "A synonym is another word for its mineral",
        arguments: [
            ("Titanite", "Sphene"), ("k-feldspar", "Alkali feldspar"), ("KFeldspar", "Alkali feldspar"),
            ("microcline", "Orthoclase"), ("spinel", "Spinel Group"), ("Perthite", "Albite"),
        ])
    func synonyms(_ name: String, _ real: String) {
        guard case .synonym(_, let term) = vocabulary.match(name, as: .minerals) else {
            Issue.record("\(name) is no synonym")
            return
        }
        #expect(term.name == real)
        #expect(vocabulary.isSame(name, real, as: .minerals))
    }

    @Test(
        "An unknown name gets the nearest known ones, nearest first",
        arguments: [
            ("Shist", Vocabulary.Kind.rockTypes, "Schist"), ("garent", .minerals, "Garnet"),
            ("sillimanit", .minerals, "Sillimanite"), ("Granulit facies", .metamorphicGrades, "Granulite facies"),
        ])
    func nearest(_ name: String, _ kind: Vocabulary.Kind, _ expected: String) {
        guard case .unknown(let nearest) = vocabulary.match(name, as: kind) else {
            Issue.record("\(name) is known")
            return
        }
        #expect(nearest.first == expected)
        #expect(nearest.count <= Vocabulary.mostSuggestions)
    }

    @Test(
        "What is like no name gets no suggestion",
        arguments: ["", " - ", "xyzzyplugh", "\u{1F5FB}", String(repeating: "a", count: 100_000)])
    func nothingNear(_ name: String) {
        #expect(vocabulary.match(name, as: .rockTypes) == .unknown(nearest: []))
    }

    @Test("A question's names are put into the list's spelling, and an unknown one is told with those near it")
    func questions() throws {
        var query = SampleQuery()
        query.rockTypes = ["gneiss"]
        query.minerals = ["quartz", "titanite"]
        query.metamorphicGrades = ["amphibolite"]
        let spelt = try vocabulary.spelling(query)
        #expect(spelt.rockTypes == ["Gneiss"])
        #expect(spelt.minerals == ["Quartz", "Sphene"])
        #expect(spelt.metamorphicGrades == ["Amphibolite facies"])
        // A server that has the synonym stores samples under it.
        let server = Vocabulary(
            terms: [
                .minerals: [.init(name: "Sphene", id: "s"), .init(name: "Titanite", id: "t", synonymOf: "Sphene")]
            ])
        query = SampleQuery()
        query.minerals = ["titanite"]
        #expect(try server.spelling(query).minerals == ["Titanite"])
        query.minerals = ["sphen"]
        let error = #expect(throws: UnknownName.self) { try server.spelling(query) }
        #expect(error?.nearest == ["Sphene"])
        #expect(error?.description.hasPrefix("cannot look for \"sphen\"") == true)
    }

    @Test("A server's list keeps its own names and ids, and gains synonyms and kinds")
    func completing() {
        let fetched = Vocabulary(
            origin: "http://server",
            terms: [
                .minerals: [
                    .init(name: "Titanite", id: "t"), .init(name: "Sphene", id: "s"), .init(name: "X", id: "x"),
                ],
                .metamorphicGrades: [.init(name: "Amphibolite", id: "a")],
            ])
        let merged = fetched.completed(from: .embedded)
        #expect(merged.terms[.minerals]?.map(\.id) == ["t", "s", "x"])
        #expect(merged.term("titanite", as: .minerals)?.id == "s")
        #expect(merged.term("Amphibolite facies", as: .metamorphicGrades)?.id == "a")
        #expect(merged.term("Quartz", as: .minerals) == nil)
        #expect(merged.terms[.rockTypes]?.allSatisfy { $0.id == nil } == true)
    }
}
