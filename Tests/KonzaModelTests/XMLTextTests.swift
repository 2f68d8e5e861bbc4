import KonzaModel
import Testing

/// Those that XML allows; a literal may not hold them.
private let nonCharacters = String(
    String.UnicodeScalarView([0xFDD0, 0xFDEF, 0x1FFFE, 0x10FFFF].compactMap { Unicode.Scalar(UInt32($0)) }))

@Suite("Text in XML")
struct XMLTextTests {
    @Test(
        "has a reference for markup and for what is normalized, and no character that XML 1.0 forbids",
        arguments: [
            ("", ""), ("a b", "a b"), ("a & b", "a &amp; b"), ("<b>", "&lt;b&gt;"), ("]]>", "]]&gt;"),
            ("<![CDATA[x]]>", "&lt;![CDATA[x]]&gt;"), ("&amp;", "&amp;amp;"), ("\"'", "&quot;'"),
            // Sections 2.11 and 3.3.3: a parser makes line feeds of line ends, and spaces of both in attributes.
            ("\t\n\r", "&#9;&#10;&#13;"), ("\r\n", "&#13;&#10;"),
            // Section 2.2.
            ("\0\u{1}\u{B}\u{C}\u{1B}\u{1F}", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("\u{FFFE}\u{FFFF}", "\u{FFFD}\u{FFFD}"),
            // Discouraged, and allowed.
            ("\u{7F}\u{85}\u{9F}\u{2028}", "\u{7F}\u{85}\u{9F}\u{2028}"),
            (nonCharacters, nonCharacters), ("λ草🪨", "λ草🪨"),
            // A mark on a character that is escaped.
            ("<\u{338}", "&lt;\u{338}"),
        ])
    func escapes(text: String, escaped: String) {
        #expect(Array(XMLText.escaped(text).unicodeScalars) == Array(escaped.unicodeScalars))
    }
}

@Suite("Text of GPX")
struct GPXTextTests {
    @Test(
        "never has longitude 180, not by rounding to nine decimals either",
        arguments: [
            (180.0, -180.0), (179.999_999_999_6, -180), (179.999_999_999, 179.999_999_999), (-180, -180), (0, 0),
        ])
    func longitude(degrees: Double, written: Double) {
        #expect(GPXText.longitude(degrees) == written)
    }

    @Test(
        "says how a position was fixed in the words of its schema",
        arguments: [
            (.threeDimensional, .normal, "3d"), (.twoDimensional, .unknown, "2d"),
            (.twoDimensional, .differential, "dgps"), (.threeDimensional, .rtkFloat, "dgps"),
            (.threeDimensional, .rtkFixed, "dgps"), (.threeDimensional, .encryptedPulse, "pps"),
            (.noFix, .differential, nil), (.notSeen, .unknown, nil),
        ] as [(FixMode, FixStatus, String?)])
    func fix(mode: FixMode, status: FixStatus, word: String?) {
        #expect(GPXText.fix(mode, status) == word)
    }

    @Test("escapes the namespaces that are added")
    func namespaces() {
        let start = GPXText.start(namespaces: ["k": "urn:a&b"])
        #expect(start.contains(" xmlns:k=\"urn:a&amp;b\" "))
        #expect(start.hasSuffix("gpx.xsd\">\n"))
    }
}
