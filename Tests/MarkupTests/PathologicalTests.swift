import Markup
import Testing

/// Inputs that made cmark slow, and shapes of the same kind (commonmark/cmark `test/pathological_tests.py`, cmark#457, #520).
@Suite("Hostile texts in CommonMark")
struct PathologicalTests {
    private static func times(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    private static let shapes: [(String, String)] = [
        ("nested strong emphasis", times("*a **a ", 9000) + "b" + times(" a** a*", 300)),
        ("emphasis closed and never opened", times("a_ ", 21_000)),
        ("emphasis opened and never closed", times("_a ", 21_000)),
        ("links closed and never opened", times("a]", 32_000)),
        ("links opened and never closed", times("[a", 32_000)),
        ("openers and closers that do not match", times("*a_ ", 16_000)),
        ("openers and closers by threes", times("a***b", 13_000)),
        ("nested brackets", times("[", 32_000) + "a" + times("]", 32_000)),
        ("nested quotations", times("> ", 32_000) + "a"),
        ("nested lists", (0..<340).map { times("  ", $0 / 2) + "* a\n" }.joined()),
        ("brackets that might be links", times("[a](b", 13_000)),
        ("pictures that might be", times("![[]()", 10_000)),
        ("backticks of many lengths", (1..<350).map { "e" + times("`", $0) }.joined()),
        ("brackets with a code span", times("[`", 32_000)),
        ("links that are nested", times("[a](<b", 10_000)),
        ("comments that do not end", times("<!-- ", 13_000)),
        ("declarations that do not end", times("<!A ", 16_000)),
        ("processing instructions that do not end", times("<?", 32_000)),
        ("CDATA that does not end", times("<![CDATA[", 7_000)),
        ("tags that do not end", times("<a ", 21_000)),
        ("attributes without end", "<a " + times("x=\"", 21_000)),
        ("references", times("[a]: u\n", 4000) + times("[a] ", 9000)),
        ("references that do not end", times("[a\n", 21_000)),
        ("reference with a long label", "[" + times("a", 60_000) + "]: x"),
        ("many empty lines in a list", "- " + times("\n", 60_000)),
        ("leading marks of lists", times("- ", 32_000)),
        ("setext underlines", times("a\n=\n", 16_000)),
        ("entities", times("&", 64_000)), ("entities without end", times("&amp", 16_000)),
        ("tabs", times("\t", 60_000) + "a"), ("tabs in quotations", times(">\t", 30_000)),
        ("dashes", times("-", 65_000)), ("fences", times("```\n", 16_000)), ("hard breaks", times("\\\n", 32_000)),
        ("unclosed titles", times("[a](b \"", 9_000)), ("U+0000", times("a\0", 32_000)),
        ("autolinks without end", times("<http:", 10_000)), ("underscores alone", times("_", 65_000)),
        ("stars and underscores", times("*_", 32_000)), ("quotation lines", times(">\n", 32_000)),
        ("lazy continuations", times("> ", 20) + "a\n" + times("a\n", 30_000)),
    ]

    @Test("ends with a tree or a refusal", arguments: shapes.indices)
    func hostile(_ index: Int) {
        let (name, text) = Self.shapes[index]
        let clock = ContinuousClock()
        let spent = clock.measure {
            do throws(MarkupError) {
                let tree = try MarkupText(text)
                #expect(tree.remarks.count <= 20, "\(name)")
            } catch {
                #expect(error.description.hasPrefix("cannot read the text"), "\(name)")
            }
        }
        if spent > .milliseconds(300) { print("\(name): \(spent)") }
    }
}
