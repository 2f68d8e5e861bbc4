import Markup
import Testing

@Suite("Texts in CommonMark")
struct MarkupTests {
    @Test("headings, numbered lists, emphasis and links become a tree")
    func tree() throws {
        let text = try MarkupText(
            "# Konza\n\nTall *grass* and **fire**.\n\n3. one\n4. [two](https://konza.k-state.edu/a)\n")
        #expect(text.remarks.isEmpty)
        #expect(text.blocks.map(\.kind) == [.heading, .paragraph, .list])
        #expect(text.blocks[0].level == 1)
        #expect(text.blocks[1].children?.map(\.kind) == [.text, .emphasis, .text, .strong, .text])
        #expect(text.blocks[2].start == 3 && text.blocks[2].isTight == true)
        let link = text.blocks[2].children?[1].children?[0].children?[0]
        #expect(link?.target == "https://konza.k-state.edu/a")
        #expect(text.plain == "Konza\n\nTall grass and fire.\n\n3. one\n4. two\n\n")
    }

    @Test("raw HTML is left out and named by its line")
    func html() throws {
        let text = try MarkupText("Hello\n\n<script>alert(1)</script>\n\nfire <b onclick=x>and</b> grass\n")
        #expect(text.blocks.map(\.kind) == [.paragraph, .paragraph])
        #expect(text.plain == "Hello\n\nfire and grass\n\n")
        #expect(text.remarks.map(\.line) == [3, 5, 5])
    }

    @Test(
        "an address that is not http, https, tel or mailto is left out, and its words stay",
        arguments: [
            "javascript:alert(1)", "JAVASCRIPT:alert(1)", "jav&#x61;script:alert(1)", "data:text/html,x", "//konza.org",
            "/v1/people", "page.html", "vbscript:x", "file:///etc/passwd", "mailto:a@b.c?bcc=d@e.f", "https://a@b.c/",
            "https:/x", "tel:911;phone-context=+1", "http://", "blob:x", "&#1;javascript:alert(1)", "mailto:a@b@c",
        ])
    func unsafeLink(address: String) throws {
        let text = try MarkupText("[words](<\(address)>)")
        #expect(text.blocks == (try MarkupText("words").blocks))
        #expect(text.remarks.count == 1)
    }

    @Test(
        "an address that a person may follow is kept",
        arguments: [
            ("HTTPS://konza.k-state.edu/a?b=c#d", "https://konza.k-state.edu/a?b=c#d"),
            ("tel:+1-785-532-6620", "tel:+17855326620"), ("mailto:keep@example.org", "mailto:keep@example.org"),
            ("http://[::1]:8080/", "http://[::1]:8080/"), ("https://example.org/año", "https://example.org/a%C3%B1o"),
        ])
    func safeLink(address: String, kept: String) throws {
        let text = try MarkupText("[words](<\(address)>)")
        #expect(text.blocks.first?.children?.first?.target == kept)
        #expect(text.remarks.isEmpty)
    }

    @Test(
        "a picture lies beside the text, or its words are shown",
        arguments: [
            ("bison.jpg", "bison.jpg"), ("./Big_blue-stem.png", "Big_blue-stem.png"), ("../bison.jpg", nil),
            ("https://example.org/x.jpg", nil), ("/etc/x.jpg", nil), (".x.jpg", nil), ("x.svg", nil),
            ("a..jpg", nil), ("data:image/png;base64,AAAA", nil),
        ])
    func pictures(address: String, kept: String?) throws {
        let text = try MarkupText("![A *bison*](\(address))")
        let node = text.blocks.first?.children?.first
        #expect(node?.target == kept)
        #expect(kept == nil ? node?.kind == .text : node?.text == "A bison")
        #expect(try MarkupText("![A](bison.jpg)", allowsPictures: false).blocks == MarkupText("A").blocks)
    }

    @Test("control characters and marks that turn the reading direction are not shown")
    func controls() throws {
        #expect(try MarkupText("a\u{202E}b\u{7}c").plain == "ab c\n\n")
        #expect(try MarkupText("a\0b").plain == "a\u{FFFD}b\n\n")
    }

    @Test("a text beyond the bounds is refused with words")
    func bounds() throws {
        _ = try MarkupText(String(repeating: "x", count: MarkupText.mostBytes))
        let large = #expect(throws: MarkupError.self) { try MarkupText(String(repeating: "x", count: 65_537)) }
        #expect(large?.reason == .tooLarge)
        let deep = #expect(throws: MarkupError.self) {
            try MarkupText("a\n\n" + String(repeating: "> ", count: 100) + "x")
        }
        #expect(deep?.reason == .tooDeep && deep?.line == 3)
        let many = #expect(throws: MarkupError.self) { try MarkupText(String(repeating: "*a* ", count: 16_000)) }
        #expect(many?.reason == .tooManyParts)
    }
}
