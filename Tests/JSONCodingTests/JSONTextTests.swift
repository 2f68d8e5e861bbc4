import Foundation
import JSONCoding
import KonzaAPI
import KonzaModel
import KonzaTesting
import Testing

/// Foundation's coders, as the station used them.
private enum Reference {
    static func encode(_ value: some Encodable, words: Bool = false) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if words {
            encoder.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        }
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}

private func encoded(_ value: some Encodable, nonFinite: JSONText.NonFinite = .refused) throws -> String {
    String(decoding: try JSONText.encode(value, nonFinite: nonFinite), as: UTF8.self)
}

private func decoded<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try JSONText.decode(type, from: Array(text.utf8))
}

@Suite("A JSON text")
struct JSONTextTests {
    private static var rounds: Int { RandomTest.cases(200) }

    private static func generator(_ what: String) -> SeededGenerator {
        SeededGenerator(seed: RandomTest.seed(of: what))
    }

    @Test("of any value is Foundation's, byte for byte, and gives the value back")
    func anyValue() throws {
        var random = Self.generator("any value")
        for _ in 0..<Self.rounds {
            let sample = Sample(&random)
            let text = try encoded(sample)
            #expect(text == (try Reference.encode(sample)))
            #expect(try decoded(Sample.self, text) == sample)
            #expect(try decoded(JSONValue.self, text) == (try Reference.decode(JSONValue.self, text)))
        }
    }

    @Test("is read as Foundation reads it, however it is written, and refused where it is no JSON")
    func damagedTexts() throws {
        var random = Self.generator("damaged texts")
        var refused = 0
        for _ in 0..<Self.rounds {
            var bytes = Array(try Reference.encode(Sample(&random)).utf8)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(Array(#"{}[]",:\tu0 5.e-n"#.utf8).randomElement(using: &random) ?? 0, at: place)
                default: bytes[place] = Array(#"{}[]",:\tu0 5.e-n"#.utf8).randomElement(using: &random) ?? 0
                }
            }
            // Foundation also reads texts that are not JSON, such as those with a comma before the end of a list.
            let text = String(decoding: bytes, as: UTF8.self)
            do {
                let own = try JSONText.decode(Sample.self, from: bytes)
                #expect(own == (try Reference.decode(Sample.self, text)), "\(text)")
            } catch {
                refused += 1
            }
            // It also reads 85618116459253605.2 and 947746239006662e2 as whole numbers.
            guard (try? JSONReader.value(of: bytes)) != nil, !text.contains(/[0-9]{16,}\.|[0-9]{10,}[eE]/) else {
                continue
            }
            #expect(
                (try? JSONText.decode(Sample.self, from: bytes)) == (try? Reference.decode(Sample.self, text)),
                "\(text)")
        }
        #expect(refused > 0)
    }

    @Test(
        "has numbers as Foundation writes them",
        arguments: [
            0, -0.0, 1, -1, 0.1, 1e15, 1e16, 123_456_789_012_345_680, 1e21, 1e22, 1e-4, 1e-5, 1e-7,
            .leastNonzeroMagnitude,
            .greatestFiniteMagnitude, .leastNormalMagnitude, .pi, 39.1, -96.6, 1.0 / 3, 4503599627370497.5,
        ])
    func numbers(value: Double) throws {
        #expect(try encoded([value]) == Reference.encode([value]))
        #expect(try encoded([Float(value)].filter(\.isFinite)) == Reference.encode([Float(value)].filter(\.isFinite)))
        #expect(try decoded([Double].self, encoded([value]))[0].bitPattern == value.bitPattern)
    }

    @Test("has random numbers exactly")
    func randomNumbers() throws {
        var random = Self.generator("random numbers")
        for _ in 0..<Self.rounds {
            let bits = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &random))
            let decimal =
                Double(Int.random(in: -1_000_000_000_000...1_000_000_000_000, using: &random))
                / [1, 10, 1e3, 1e6, 1e7, 1e9].randomElement(using: &random)!
            for value in [bits, decimal] where value.isFinite {
                let text = try encoded(value)
                #expect(text == (try Reference.encode(value)))
                #expect(try decoded(Double.self, text) == value)
            }
        }
    }

    @Test(
        "with a number is read as Foundation reads it",
        arguments: [
            "5", "5.0", "5.5", "-5", "-0", "0", "1e2", "1E+2", "100e-2", "255", "256", "-128", "-129",
            "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
            "18446744073709551615", "18446744073709551616", "0.30000000000000004", "123456789012345678",
            "1234567890.12345", "0.000000000000001", "1e400", "-1e400", "01", "-", "+1", ".5", "1.", "1e",
            "0x1", "NaN", "Infinity", "\"5\"", "null", "true",
        ])
    func readNumbers(text: String) {
        func agree<Value: Decodable & Equatable>(_ type: Value.Type) {
            #expect((try? decoded([Value].self, "[\(text)]")) == (try? Reference.decode([Value].self, "[\(text)]")))
        }
        agree(Double.self)
        agree(Int.self)
        agree(Int8.self)
        agree(UInt8.self)
        agree(Int64.self)
        agree(UInt64.self)
        agree(UInt.self)
    }

    @Test(
        "has strings as Foundation writes them",
        arguments: [
            "", "a/b", "\"\\\n\r\t\u{8}\u{C}\u{0}\u{1f}\u{7f}", "é\u{301}😀", "\u{2028}\u{2029}\u{feff}", "</script>",
            String(repeating: "long \"", count: 50),
        ])
    func strings(text: String) throws {
        #expect(try encoded([text: text]) == Reference.encode([text: text]))
        #expect(try decoded([String: String].self, encoded([text: text])) == [text: text])
    }

    @Test(
        "with a string is read as Foundation reads it",
        arguments: [
            #"\u00e9\ud83d\ude00\/\n"#, #"\ud800"#, #"\ud800A"#, #"\udc00"#, #"\u12"#, #"\x"#, "\u{1}", #"\"#,
        ])
    func readStrings(text: String) {
        #expect(
            (try? decoded([String].self, "[\"\(text)\"]")) == (try? Reference.decode([String].self, "[\"\(text)\"]")))
    }

    @Test("is UTF-8")
    func encoding() {
        for bytes in [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] as [[UInt8]] {
            #expect(throws: DecodingError.self) { try JSONText.decode(String.self, from: bytes) }
        }
    }

    @Test(
        "follows the grammar",
        arguments: [
            "", " ", "{", "[", "[1", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}",
            "tru", "truex", "nul", "\"", "1 2", "{}{}", "// x\n1", "'a'", "]", "}", ",", "[}", "{]", "{\"a\":1]",
        ])
    func grammar(text: String) {
        #expect(throws: DecodingError.self) { try decoded(JSONValue.self, text) }
    }

    @Test("may have any space, and members twice: the first one counts, of what is encoded twice the last")
    func spaceAndTwins() throws {
        let text = " { \"b\" : [ 1 , 2 ] ,\n\t\"a\" : { } , \"b\":[ ]\r} "
        let value = JSONValue.object(["a": .object([:]), "b": .array([.number(1), .number(2)])])
        #expect(try decoded(JSONValue.self, text) == value)
        for padding in [0, 100] {
            #expect(try encoded(Twice(padding: padding)) == Reference.encode(Twice(padding: padding)))
        }
    }

    @Test("nests 512 levels deep and no deeper")
    func depth() throws {
        func text(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try decoded(Ignored.self, text(512)) == Ignored())
        #expect(throws: DecodingError.self) { try decoded(Ignored.self, text(513)) }
        #expect(throws: DecodingError.self) { try decoded(Ignored.self, text(100_000)) }
    }

    @Test("has infinities and not a number as words only where it was asked to")
    func nonFinite() throws {
        for value in [Double.infinity, -.infinity, .nan] {
            #expect(throws: EncodingError.self) { try encoded([value]) }
            let text = try encoded([value], nonFinite: .words)
            #expect(text == (try Reference.encode([value], words: true)))
            #expect(throws: DecodingError.self) { try decoded([Double].self, text) }
            let read = try JSONText.decode([Double].self, from: Array(text.utf8), nonFinite: .words)
            #expect(read.map(\.isNaN) == [value.isNaN] && (value.isNaN || read == [value]))
        }
    }

    @Test("of containers within containers, and of a value that adds members to another's, is Foundation's")
    func containers() throws {
        #expect(try encoded(Nesting()) == Reference.encode(Nesting()))
        #expect(try decoded(Nesting.self, encoded(Nesting())) == Nesting())
        #expect(try encoded([Nothing(), Nothing()]) == Reference.encode([Nothing(), Nothing()]))
    }

    @Test("is refused where containers are not used in the order of their nesting, not written wrong")
    func order() {
        #expect(throws: EncodingError.self) { try JSONText.encode(Disorder()) }
        #expect(throws: EncodingError.self) { try JSONText.encode(TwoValues()) }
        #expect(throws: EncodingError.self) { try JSONText.encode(Inherited()) }
    }

    @Test("lacks a member, or has another kind of value: the value is refused")
    func misfits() {
        struct Wanted: Decodable { var a: Int, b: String? }
        #expect(throws: DecodingError.self) { try decoded(Wanted.self, "{}") }
        #expect(throws: DecodingError.self) { try decoded(Wanted.self, #"{"a":null}"#) }
        #expect(throws: DecodingError.self) { try decoded(Wanted.self, #"{"a":"1"}"#) }
        #expect(throws: DecodingError.self) { try decoded(Wanted.self, #"{"a":1,"b":2}"#) }
        #expect(throws: DecodingError.self) { try decoded(Wanted.self, "[]") }
        #expect((try? decoded(Wanted.self, #"{"a":1,"b":null,"c":[{}]}"#))?.b == nil)
        #expect(throws: DecodingError.self) { try decoded(Couple.self, "[1]") }
        #expect((try? decoded(Couple.self, "[1,2,3]"))?.sum == 3)
    }
}
