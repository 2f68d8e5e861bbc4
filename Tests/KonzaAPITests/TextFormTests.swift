import KonzaAPI
import KonzaModel
import Testing

@Suite("A form of text")
struct TextFormTests {
    static let forms: [(name: String, form: TextForm)] = [
        ("text", .text), ("longText", .longText), ("anyLines", .anyLines), ("id", .id), ("day", .day),
        ("instant", .instant), ("webAddress", .webAddress), ("specimenNumber", .specimenNumber), ("amount", .amount),
        ("place", .place), ("box", .box), ("recordCursor", .recordCursor), ("key", .key),
    ]

    /// Texts at the edges of the forms.
    static let texts: [String] =
        [
            "x", "Gneiss", "Kings Creek", "KP-7", " KP", "KP ", "a,b", "\u{A0}", "a\u{85}b", "a\tb", "a\nb",
            "a\u{2028}b",
            "a\u{202E}b", "a\u{2066}b", "\u{7F}", "~", "🦬", "é", "\u{3000}a", "01k2b3c4d5e6f7g8h9j0kmnpqr",
            "81k2b3c4d5e6f7g8h9j0kmnpqr",
            "01K2B3C4D5E6F7G8H9J0KMNPQR", "01k2b3c4d5e6f7g8h9j0kmnpql", "2026-05-30", "2026-13-30", "0000-01-01",
            "2026-5-30", "1678-01-01T00:00:00Z", "1677-12-31T23:59:59Z", "2261-12-31T23:59:59.5+02:00",
            "2262-01-01T00:00:00Z", "2026-05-30t14:03:07z", "2026-05-30T24:00:00Z", "2026-05-30T14:03:07",
            "http://a", "https://a b", "ftp://a", "here", "39.1,-96.6", "90,180", "90.1,0", "0,180.5", "-90.0,-180",
            "1,2,3",
            "+1,2", "1e-5,2", "1e5,2", ".5,2", "5.,2", "nan,1", "0x1,2", "-97,39,-96,40", "-181,39,-96,40", "1,91,2,3",
            "1gq4.01k2b3c4d5e6f7g8h9j0kmnpqr", "w.01k2b3c4d5e6f7g8h9j0kmnpqr", ".01k2b3c4d5e6f7g8h9j0kmnpqr",
            "fvvvvvvvvvvvv.01k2b3c4d5e6f7g8h9j0kmnpqr", "gvvvvvvvvvvvv.01k2b3c4d5e6f7g8h9j0kmnpqr", "ü", " ", "",
        ]
        + [0xFDCF, 0xFDD0, 0xFFFD, 0xFFFE, 0x1FFFD, 0x1FFFE, 0x10FFFD, 0x10FFFF].compactMap(Unicode.Scalar.init).map(
            String.init)

    @Test("takes what its expression in the contract matches, and nothing else", arguments: texts)
    func agreement(text: String) throws {
        for (name, form) in Self.forms {
            let expression = try Regex(form.pattern).matchingSemantics(.unicodeScalar)
            let matches = try expression.wholeMatch(in: text) != nil
            #expect((form.complaint(text) == nil) == matches, "\(name): \(form.pattern)")
        }
    }

    @Test("takes its own examples")
    func examples() {
        for (name, form) in Self.forms {
            #expect(!form.examples.isEmpty)
            for example in form.examples {
                #expect(form.complaint(example) == nil && form.objection(example) == nil, "\(name): \(example)")
            }
        }
    }

    @Test("leaves to the server what no expression says: text that shows nothing")
    func objections() {
        #expect(TextForm.text.complaint("\u{200B}") == nil)
        #expect(TextForm.text.objection("\u{200B}") != nil)
        #expect(TextForm.amount.objection("101") != nil)
        #expect(TextForm.amount.objection("99.5") == nil)
    }
}

@Suite("A share that fits the contract and cannot be kept as it is written")
struct ShareTests {
    @Test(
        "is refused with 422, and one that does not fit with 400",
        arguments: [("1.1e-308", 422), ("0.0000000000000000000000000000000001", 422), ("101", 400), ("-0.1", 400)])
    func share(text: String, status: Int) throws {
        let body = #"{"rockType":"Gneiss","minerals":[{"name":"Quartz","amount":\#(text)}]}"#
        let value = try JSONReader.value(of: Array(body.utf8))
        #expect(throws: Problem.self) { try SpecimenRequest(value) }
        do throws(Problem) { _ = try SpecimenRequest(value) } catch { #expect(error.status == status) }
    }
}

@Suite("What is sent to konzad")
struct SentSchemaTests {
    private func problem(_ text: String, _ schema: String) -> Problem? {
        do throws(Problem) {
            try Schema.check(try JSONReader.value(of: Array(text.utf8)), against: schema, as: "it")
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "is checked against its schema, the schemas inside it included",
        arguments: [
            (#"{"terms":{"minerals":[{"name":"Quartz","parents":[]}]}}"#, nil),
            (#"{"terms":{"minerals":[{"name":"Quartz","parents":[],"id":null}]},"origin":null}"#, nil),
            (#"{"terms":{"colours":[]}}"#, "/terms/colours"),
            (#"{"terms":{},"more":1}"#, "/more"),
            (#"{"terms":{"minerals":[{"name":"Quartz","parents":[7]}]}}"#, "/terms/minerals/0/parents/0"),
            (#"{"terms":{"minerals":[{"name":"","parents":[]}]}}"#, "/terms/minerals/0/name"),
            (#"{"terms":{"minerals":[{"parents":[]}]}}"#, "/terms/minerals/0/name"),
            ("[]", ""), (#"{"terms":{},"fetchedAt":"2026-05-30"}"#, "/fetchedAt"),
        ] as [(String, String?)])
    func vocabulary(text: String, fault: String?) {
        #expect(problem(text, "VocabularyInput")?.errors?.first?.path == fault)
    }

    @Test("has no members beside those that the contract names, at any depth")
    func closed() {
        #expect(problem(#"{"samples":{"samples":[],"total":1,"more":1}}"#, "ErrandReport")?.status == 400)
        #expect(problem(#"{"samples":{"samples":[],"total":1}}"#, "ErrandReport") == nil)
    }

    @Test("is refused with 422 where it fits and shows nothing")
    func blank() {
        #expect(problem(#"{"terms":{"minerals":[{"name":" ","parents":[]}]}}"#, "VocabularyInput")?.status == 422)
    }
}
