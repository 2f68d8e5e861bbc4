import Foundation
import KonzaAPI
import KonzaModel
import Testing

@Suite("The contract's values")
struct ContractTests {
    @Test("every kind of problem has one name, a status and words")
    func problemKinds() {
        #expect(Set(ProblemKind.all.map(\.kind)).count == ProblemKind.all.count)
        for entry in ProblemKind.all {
            #expect((400...599).contains(entry.status), "\(entry.kind.rawValue)")
            #expect(Problem(entry.kind, "cannot test").title == entry.title)
        }
    }

    @Test("a kind from a newer daemon keeps its name")
    func unknownKind() throws {
        let text = #"{"type":"t","title":"T","status":418,"detail":"d","kind":"teapot","more":1}"#
        let problem = try JSONDecoder().decode(Problem.self, from: Data(text.utf8))
        #expect(problem.kind.rawValue == "teapot")
        #expect(problem.status == 418)
    }

    @Test("every schema has its own name and refers only to others that exist")
    func schemaReferences() {
        let names = Set(Schema.all.map(\.name))
        #expect(names.count == Schema.all.count)
        for schema in Schema.all {
            for reference in schema.shape.map(references) ?? [] {
                #expect(names.contains(reference), "\(schema.name) refers to \(reference)")
            }
            for member in schema.members {
                for reference in references(member.shape) {
                    #expect(names.contains(reference), "\(schema.name).\(member.name) refers to \(reference)")
                }
            }
        }
    }

    private func references(_ shape: Schema.Shape) -> [String] {
        switch shape {
        case .reference(let name): [name]
        case .array(let inner), .map(let inner), .list(let inner, _), .table(_, let inner), .nullable(let inner):
            references(inner)
        case .either(let inner): inner.flatMap(references)
        default: []
        }
    }
}

@Suite("A request body")
struct RequestTests {
    private func request(_ text: String) throws -> PostcardRequest {
        try PostcardRequest(JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)))
    }

    @Test("may leave everything out")
    func empty() throws {
        #expect(try PostcardRequest(nil) == PostcardRequest())
        #expect(try request("{}") == PostcardRequest())
        #expect(try request(#"{"message":null}"#) == PostcardRequest())
    }

    @Test("gives what it carries")
    func whole() throws {
        #expect(
            try request(#"{"template":"band","message":"Hi","place":"Kings Creek","countdownSeconds":3}"#)
                == PostcardRequest(template: "band", message: "Hi", place: "Kings Creek", countdownSeconds: 3))
    }

    @Test("is refused with the path of every fault at once")
    func faults() throws {
        let problem = #expect(throws: Problem.self) {
            try request(#"{"mesage":"Hi","template":7,"countdownSeconds":1.5}"#)
        }
        #expect(problem?.kind == .invalidRequest)
        #expect(problem?.errors?.map(\.path) == ["/template", "/countdownSeconds", "/mesage"])
    }

    @Test("is refused if it is no object", arguments: ["[]", "7", #""text""#])
    func noObject(text: String) {
        #expect(throws: Problem.self) { try request(text) }
    }
}
