import Foundation
import KonzaAPI
import KonzaModel
import KonzaTesting
import Testing

@Suite("A body of JSON")
struct JSONReaderTests {
    private func problem(_ bytes: [UInt8]) -> Problem? {
        do throws(Problem) {
            _ = try JSONReader.value(of: bytes)
            return nil
        } catch {
            return error
        }
    }

    private func problem(_ text: String) -> Problem? { problem(Array(text.utf8)) }

    @Test("is read as any reader does")
    func values() throws {
        let text =
            #" { "a" : [ 1 , -0.5e+1 , true , false , null , "" ] , "b\u00e9\ud83d\ude00\n\/" : { } , "" : [ ] } "#
        let value = try JSONReader.value(of: Array(text.utf8))
        #expect(value == (try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))))
    }

    @Test(
        "keeps the text of a number that says more than the number, and is that number",
        arguments: [
            ("5.50", JSONValue.decimal(5.5, text: "5.50")), ("5.0", .decimal(5, text: "5.0")), ("5.5", .number(5.5)),
            ("5", .number(5)), ("-0.10", .decimal(-0.1, text: "-0.10")), ("5.50e0", .number(5.5)),
            ("5.0E0", .number(5)),
        ])
    func decimals(text: String, value: JSONValue) throws {
        let read = try JSONReader.value(of: Array(text.utf8))
        #expect(read == value && read.double == Double(text))
        var members = RequestMembers(.object(["a": read, "b": read]))
        #expect(members.number("a", in: -10...10) == Double(text))
        #expect(members.integer("b", in: -10...10) == Int(exactly: Double(text) ?? 0.5))
        let encoded = try JSONEncoder().encode(read)
        #expect(try JSONDecoder().decode(JSONValue.self, from: encoded) == .number(Double(text) ?? .nan))
    }

    @Test("is UTF-8 without a byte order mark")
    func encoding() throws {
        let text = #"{"message":"Hi"}"#
        #expect(problem([0xEF, 0xBB, 0xBF] + text.utf8)?.detail.contains("byte order mark") == true)
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian] {
            let bytes = Array(try #require(text.data(using: encoding)))
            #expect(problem(bytes)?.detail.contains("UTF-16") == true)
        }
        for mark in [[0xFF, 0xFE], [0xFE, 0xFF]] as [[UInt8]] {
            #expect(problem(mark + Array(try #require(text.data(using: .utf16LittleEndian))))?.status == 400)
        }
        for bytes in [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] as [[UInt8]] {
            #expect(problem(bytes)?.kind == .malformedRequest)
        }
        let latin = Array(#"{"collector":"Jos"#.utf8) + [0xE9] + Array(#"","x":"y"}"#.utf8)
        #expect(problem(latin)?.detail.contains("at byte 17: it is not UTF-8") == true)
    }

    @Test(
        "has no member twice, however it is written",
        arguments: [
            (#"{"a":1,"a":1}"#, "/a"), (#"{"b":[{"a":1,"\u0061":2}]}"#, "/b/0/a"),
            (#"{"x/y":{"~":0,"~":0}}"#, "/x~1y/~0"),
        ])
    func duplicates(text: String, path: String) {
        #expect(problem(text)?.errors == [.init(path: path, detail: "the member is there twice")])
    }

    @Test(
        "follows the grammar",
        arguments: [
            "", " ", "{", "[", "[1", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}", "01", "-",
            "1.",
            ".5", "1e", "+1", "1e999", "0x1", "NaN", "tru", "truex", "nul", "\"", "\"\\", "\"\\x\"", "\"\\u12\"",
            "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"a\nb\"", "1 2", "{}{}", "// x\n1", "'a'",
        ])
    func malformed(text: String) {
        #expect(problem(text)?.kind == .malformedRequest, "\(text)")
        #expect(throws: Problem.self) { try JSONReader.check(Array(text.utf8)) }
    }

    @Test("nests 32 levels, and has 200 000 values")
    func bounds() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(problem(nested(32)) == nil)
        #expect(problem(nested(33))?.detail.contains("deeper") == true)
        #expect(problem(String(repeating: "[", count: 1_000_000))?.detail.contains("deeper") == true)
        func list(_ count: Int) -> String { "[" + String(repeating: "0,", count: count - 1) + "0]" }
        #expect(problem(list(JSONReader.mostValues - 1)) == nil)
        #expect(problem(list(JSONReader.mostValues))?.detail.contains("200000 values") == true)
    }

    @Test("that something else decodes has clean texts and names; the member at fault is named")
    func texts() throws {
        for (text, path) in [
            (#"{"terms":{"minerals":[{"name":"Ga\u202ernet"}]}}"#, "/terms/minerals/0/name"),
            (#"{"a":["x","\u0000"]}"#, "/a/1"), (#"{"a\u001b":1}"#, "/a\u{1B}"),
        ] {
            do throws(Problem) {
                try JSONReader.check(Array(text.utf8))
                Issue.record("\(text) is taken")
            } catch {
                #expect(error.errors?.first?.path == path)
            }
        }
        try JSONReader.check(Array(#"{"a":"two\nlines","b":""}"#.utf8))
    }

    @Test("a vocabulary's names can be names, and what it comes from is an address")
    func vocabulary() throws {
        func faults(_ vocabulary: Vocabulary) -> [String] {
            do throws(Problem) {
                try vocabulary.checkTexts()
                return []
            } catch {
                return error.errors?.map(\.path) ?? []
            }
        }
        #expect(
            faults(Vocabulary(origin: "https://example.org", terms: [.rockTypes: [.init(name: "Slate", id: "1")]]))
                == [])
        for terms: [Vocabulary.Kind: [Vocabulary.Term]] in [
            [:], [.rockTypes: []], [.minerals: [.init(name: "Garnet")]],
        ] {
            #expect(faults(Vocabulary(terms: terms)) == ["/terms/rock-types"])
        }
        #expect(faults(Vocabulary(origin: "javascript:1", terms: [:])) == ["/origin"])
        let bad = ["", "\u{200B}", "a\nb", "\u{202E}x", String(repeating: "a", count: 201)]
        #expect(
            faults(Vocabulary(terms: [.minerals: bad.map { .init(name: $0) }]))
                == bad.indices.map { "/terms/minerals/\($0)/name" })
        #expect(
            faults(Vocabulary(terms: [.rockTypes: [.init(name: "a", synonymOf: "", parents: ["b", " "])]]))
                == ["/terms/rock-types/0/synonymOf", "/terms/rock-types/0/parents/1"])
    }

    @Test("a submission points nowhere but to a server")
    func submission() throws {
        var submission = Submission(
            specimen: try #require(SpecimenID("01j0000000000000000000000a")), target: .metpetdb,
            changedAt: UTCInstant(nanoseconds: 0))
        for (address, isTaken) in [("https://example.org/1", true), ("javascript:alert(1)", false), ("", false)] {
            submission.remoteURL = address
            let body = try JSONReader.value(of: Array(try JSONEncoder().encode(submission)))
            let check: Void? = try? Schema.check(body, against: "SubmissionInput", as: "the submission")
            #expect((check != nil) == isTaken)
        }
    }

    @Test("whatever is changed in a body, it is read or refused, and what is read is written and read the same")
    func mutations() throws {
        let rounds = RandomTest.cases(2000)
        let seed = RandomTest.seed(of: "changed bodies")
        var random = SeededGenerator(seed: seed)
        let body = Array(#"{"a":[1,-2.5e3,true,null,"x\u00e9\ud83d\ude00"],"b":{"c":"\"\\","d":[]},"é":0}"#.utf8)
        for _ in 0..<rounds {
            var bytes = body
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let at = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: at)
                default: bytes.insert(body[Int.random(in: body.indices, using: &random)], at: at)
                }
            }
            guard let value = try? JSONReader.value(of: bytes) else { continue }
            // What is strict is no other JSON than what Foundation reads.
            let decoded = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
            #expect(decoded == value.withoutTexts, "\(bytes)")
        }
    }
}

extension JSONValue {
    /// The same with plain numbers.
    fileprivate var withoutTexts: JSONValue {
        switch self {
        case .decimal(let value, _): .number(value)
        case .array(let values): .array(values.map(\.withoutTexts))
        case .object(let members): .object(members.mapValues(\.withoutTexts))
        default: self
        }
    }
}
