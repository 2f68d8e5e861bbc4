import KonzaModel
import Testing

@Suite("Text from outside")
struct TextRuleTests {
    @Test(
        "has no control, no turn of the reading direction and no noncharacter",
        arguments: [
            0x0, 0x7, 0x1B, 0x7F, 0x85, 0x9B, 0x2028, 0x2029, 0x202A, 0x202E, 0x2066, 0x2069, 0xFDD0, 0xFFFE, 0x1FFFF,
            0x10FFFE,
        ] as [UInt32])
    func forbidden(value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        let text = "a\(Character(scalar))b"
        #expect(TextRule.complaint(text)?.contains(TextRule.name(of: scalar)) == true)
        #expect(TextRule.complaint(text, hasLines: true) != nil)
        let cleaned = TextRule.cleaned(text, hasLines: true)
        #expect(TextRule.complaint(cleaned, hasLines: true) == nil && cleaned.hasPrefix("a") && cleaned.hasSuffix("b"))
    }

    @Test("may have line ends and tabs only where it has lines")
    func lines() {
        for character in ["\n", "\t", "\r"] {
            #expect(TextRule.complaint("a\(character)b") != nil)
            #expect(TextRule.complaint("a\(character)b", hasLines: true) == nil)
            #expect(TextRule.cleaned("a\(character)b") == "a b")
        }
    }

    @Test(
        "shows something, unless it is empty",
        arguments: [
            String(repeating: "\u{200B}", count: 80), " ", "\u{3000}", "\u{2060}\u{FEFF}", "\u{3164}", "\u{2800}",
            "\u{AD}", "\u{301}", "\u{FE0F}", "\u{E0020}",
        ])
    func blank(text: String) {
        #expect(TextRule.complaint(text)?.contains("blank") == true)
        #expect(TextRule.complaint(text + "x") == nil)
        #expect(TextRule.complaint("") == nil)
    }

    @Test(
        "may be in any script, with marks, emoji and flags",
        arguments: [
            "Grüße", "שלום\u{200F}", "مرحبا", "日本語", "नमस्ते", "👩‍👩‍👧",
            "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", "e\u{301}", "±",
        ])
    func scripts(text: String) {
        #expect(TextRule.complaint(text) == nil)
        #expect(TextRule.cleaned(text) == text)
    }

    @Test("is bounded in Unicode scalars")
    func length() {
        #expect(TextRule.complaint("e\u{301}", upTo: 2) == nil)
        #expect(TextRule.complaint("e\u{301}", upTo: 1) == "at most 1 characters, these are 2")
    }

    @Test("is an address to follow only as http or https in visible ASCII")
    func addresses() {
        for text in ["https://example.org/a?b#c", "http://localhost:80/"] { #expect(TextRule.isWebAddress(text)) }
        for text in [
            "javascript:alert(1)", "JAVASCRIPT:x", "data:text/html,x", "file:///etc/passwd", "//example.org", "",
            "https://a b", "https://a\u{202E}b", "http://\n", "https://" + String(repeating: "a", count: 2000),
        ] {
            #expect(!TextRule.isWebAddress(text), "\(text)")
        }
    }

    @Test("a specimen's number shows something")
    func number() {
        #expect(SpecimenNumber.complaint("\u{2800}\u{2800}") != nil)
        #expect(SpecimenNumber.complaint("K-1") == nil)
    }
}
