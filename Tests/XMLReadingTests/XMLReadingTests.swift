import Foundation
import KonzaTesting
import Testing

@testable import XMLReading

@Suite("Reading XML of strangers")
struct XMLReadingTests {
    private func read(_ text: String, _ limits: XMLLimits = XMLLimits()) throws(XMLError) -> XMLElement {
        try XMLDocument.root(of: Array(text.utf8), limits: limits)
    }

    private func reason(_ text: String, _ limits: XMLLimits = XMLLimits()) -> XMLError.Reason? {
        do throws(XMLError) {
            _ = try read(text, limits)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("attributes are kept where they are wanted, with their references resolved")
    func attributes() throws {
        let text = #"<a x="1 &amp; 2"><b y='z'/></a>"#
        #expect(try read(text).attributes.isEmpty)
        var limits = XMLLimits()
        limits.keepsAttributes = true
        let root = try read(text, limits)
        #expect(root.attributes == ["x": "1 & 2"])
        #expect(root.children.first?.attributes == ["y": "z"])
    }

    @Test("Elements, texts, the five entities and numbered characters are read; the rest is passed over")
    func reads() throws {
        let root = try read(
            "<?xml version=\"1.0\"?><!-- x --><a b=\"c\"> one <?pi x?>&amp;&lt;&gt;&quot;&apos;&#955;"
                + "<b><c><![CDATA[<raw>]]></c></b><b/> two </a>")
        #expect(root.text == "one &<>\"'λ two")
        #expect(root.children.map(\.name) == ["b", "b"])
        #expect(root["b"]?.value == "<raw>")
        #expect(root.children[1].value == nil)
        #expect(root["z"] == nil)
    }

    @Test(
        "Whoever declares entities is refused before they are looked at, and told so",
        arguments: [
            "<!DOCTYPE a><a/>", "<!DOCTYPE a SYSTEM \"http://127.0.0.1:9/a.dtd\"><a/>",
            "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>",
            "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>",
            "<!DOCTYPE a [<!ENTITY % p SYSTEM \"http://127.0.0.1:9/\">%p;]><a/>",
            "<!DOCTYPE l [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;\">]><l>&c;</l>",
        ])
    func documentType(_ text: String) throws {
        let error = #expect(throws: XMLError.self) { try read(text) }
        #expect(error?.reason == .documentType)
        #expect(error?.description.contains("document type") == true)
        #expect(error?.line == 1)
    }

    @Test("An entity that nobody declared, a cut document, a second root and nonsense are no XML")
    func malformed() {
        for text in ["<a>&x;</a>", "<a><b></a>", "<a>", "", "x", "<a/><a/>", "<a b=1/>", "<a>\u{0}</a>", "<a>]]></a"] {
            #expect(reason(text) == .malformed, "\(text)")
        }
        #expect(throws: XMLError.self) {
            try XMLDocument.root(of: Array("<a>".utf8) + [0xFF, 0xFE] + Array("</a>".utf8))
        }
    }

    @Test("Size, depth and number of elements have limits, and what is just within them is read")
    func limits() throws {
        var limits = XMLLimits()
        limits.bytes = 100
        limits.depth = 3
        limits.elements = 5
        #expect(reason("<a>" + String(repeating: " ", count: 93) + "</a>", limits) == nil)
        #expect(reason("<a>" + String(repeating: " ", count: 94) + "</a>", limits) == .tooLarge)
        #expect(reason("<a><b><c/></b></a>", limits) == nil)
        #expect(reason("<a><b><c><d/></c></b></a>", limits) == .tooDeep)
        #expect(reason("<a><b/><b/><b/><b/></a>", limits) == nil)
        #expect(reason("<a><b/><b/><b/><b/><b/></a>", limits) == .tooManyElements)
        let deep = String(repeating: "<a>", count: 500_000)
        #expect(reason(deep) == .tooDeep, "a million levels do not reach the stack")
    }

    @Test("Latin-1 is read where the transport says so")
    func latin1() throws {
        let bytes = Array("<a>".utf8) + [0xE9] + Array("</a>".utf8)
        #expect(try XMLDocument.root(of: bytes, encoding: .latin1).text == "é")
        #expect(throws: XMLError.self) { try XMLDocument.root(of: bytes, encoding: .utf8) }
    }

    // MARK: - Properties

    private func element(_ generator: inout SeededGenerator, depth: Int) -> XMLElement {
        let names = ["set", "string", "org.postgis.Point", "ä-1", "_x"]
        let texts = ["", "a & b", "<null/>", "]]>", "\"'", "λ\n\tμ", "&amp;", "🪨"]
        let count = depth == 0 ? 0 : Int.random(in: 0...3, using: &generator)
        return XMLElement(
            names.randomElement(using: &generator) ?? "a", text: texts.randomElement(using: &generator) ?? "",
            children: (0..<count).map { _ in element(&generator, depth: depth - 1) })
    }

    private func written(_ element: XMLElement) -> String {
        let text = element.text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        return "<\(element.name)>\(text)\(element.children.map(written).joined())</\(element.name)>"
    }

    @Test("Any tree is read back as it was written")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: RandomTest.seed(of: "XML round trips"))
        for _ in 0..<300 {
            let tree = element(&generator, depth: 4)
            #expect(try read(written(tree)) == tree)
        }
    }

    @Test("Damaged documents are read or refused, with a reason, and never more than the limits allow")
    func damaged() throws {
        var generator = SeededGenerator(seed: RandomTest.seed(of: "damaged XML"))
        var limits = XMLLimits()
        limits.depth = 6
        limits.elements = 60
        let scraps = [
            "<!DOCTYPE a [", "<!ENTITY x 'y'>", "]>", "&x;", "<", ">", "</", "<![CDATA[", "&#0;", "\u{FEFF}", "<a>",
        ]
        var (accepted, refused) = (0, 0)
        for _ in 0..<3000 {
            var bytes = Array(written(element(&generator, depth: 4)).utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0...bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes.insert(contentsOf: Array((scraps.randomElement(using: &generator) ?? "").utf8), at: place)
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + 5))
                case 2: bytes = Array(bytes.prefix(place))
                default: if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &generator) }
                }
            }
            do throws(XMLError) {
                let root = try XMLDocument.root(of: bytes, limits: limits)
                #expect(depth(root) <= limits.depth)
                #expect(count(root) <= limits.elements)
                accepted += 1
            } catch {
                #expect(error.description.hasPrefix("cannot read the XML: "))
                refused += 1
            }
        }
        #expect(accepted > 0 && refused > 0)
    }

    private func depth(_ element: XMLElement) -> Int { 1 + (element.children.map(depth).max() ?? 0) }
    private func count(_ element: XMLElement) -> Int { 1 + element.children.map(count).reduce(0, +) }
}
