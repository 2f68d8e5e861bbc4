import Foundation
import KonzaTesting
import Testing

@testable import KonzaCommand

@Suite("The terminal")
struct TerminalTests {
    @Test("never receives a command that came with a text")
    func hostileText() {
        var random = SeededGenerator(seed: RandomTest.seed(of: "hostile text on a terminal"))
        for _ in 0..<200 {
            let scalars = (0..<50).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...(Bool.random(using: &random) ? 0x2FF : 0x10FFFF), using: &random))
            }
            let text = String(String.UnicodeScalarView(scalars))
            let shown = Paint(usesColour: false, usesUnicode: true).text(Line(text) + text)
            #expect(!shown.unicodeScalars.contains(where: TextSafety.isDangerous), "\(text.debugDescription)")
            let quoted = JSONText.quoted(text)
            #expect(!quoted.unicodeScalars.contains(where: TextSafety.isDangerous))
            #expect((try? JSONDecoder().decode(String.self, from: Data(quoted.utf8))) == text)
        }
    }

    @Test("gets JSON that says the same, laid out, with what is dangerous escaped")
    func json() throws {
        let text = #"{"b":[1,{"c":"x, \"y\" {z}"}],"a":12345678901234567890.50,"e":[],"o":{ },"d":"\u009b31m"}"#
            .replacingOccurrences(of: #"\u009b"#, with: "\u{9B}")
        #expect(
            JSONText.indented(Array(text.utf8)) == #"""
                {
                  "b": [
                    1,
                    {
                      "c": "x, \"y\" {z}"
                    }
                  ],
                  "a": 12345678901234567890.50,
                  "e": [],
                  "o": {},
                  "d": "\u009b31m"
                }
                """#)
        #expect(
            JSONText.compact(Array("{\n \"a\" : [ 1 , 2 ]\n}".utf8)) == #"{"a":[1,2]}"#)
        #expect(JSONText.indented(Array("]]}}{[\"".utf8)).isEmpty == false)
    }

    @Test(
        "is painted only where that is wished",
        arguments: [
            (Paint.Wish.auto, true, ["TERM": "xterm"], true), (.auto, false, [:], false),
            (.auto, true, ["NO_COLOR": "1"], false), (.auto, true, ["NO_COLOR": ""], true),
            (.auto, true, ["TERM": "dumb"], false), (.always, false, ["NO_COLOR": "1"], true),
            (.never, true, [:], false),
        ])
    func colour(wish: Paint.Wish, isTerminal: Bool, environment: [String: String], expected: Bool) {
        #expect(Paint(wish: wish, isTerminal: isTerminal, environment: environment).usesColour == expected)
    }

    @Test("without UTF-8 keeps its columns")
    func ascii() {
        let line = Line("● 45° ±4 m ö", .good)
        let paint = Paint(wish: .never, isTerminal: true, environment: ["LC_ALL": "C", "LANG": "en_US.UTF-8"])
        #expect(paint.text(line) == "* 45d ~4 m ?")
        #expect(paint.text(line).count == line.width)
    }

    @Test("knows how wide a text is")
    func width() {
        for (text, width) in [("prairie", 7), ("草原", 4), ("e\u{301}", 1), ("🦬", 2), ("", 0), ("ё", 1)] {
            #expect(TextSafety.width(text) == width, "\(text)")
        }
        #expect(TextSafety.shortened("草原草原草原", to: 8) == "草原...")
        #expect(Line("abcdef", .good).cut(to: 5).text == "ab...")
    }

    @Test("wraps between words and hangs what goes on")
    func wrapping() {
        let lines = Line.hanging(Line("Head  "), "one two three four five six seven", columns: 26)
        #expect(lines.map(\.text) == ["Head  one two three four", "      five six seven"])
        #expect(Line.hanging(Line("H "), "", columns: 30).map(\.text) == ["H "])
        #expect(Line.hanging(Line("H "), String(repeating: "x", count: 50), columns: 30).count == 1)
    }
}
