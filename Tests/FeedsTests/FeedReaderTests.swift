import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Feeds

@Suite("Feeds of every form")
struct FeedReaderTests {
    private func read(_ text: String) throws -> Feed { try FeedReader.read(Array(text.utf8)) }

    /// In the form of RFC 4287 section 1.1, with other words.
    static let atom = """
        <?xml version="1.0" encoding="utf-8"?>
        <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
          <title>Station notices</title><id>urn:uuid:1</id><updated>2026-05-01T10:00:00Z</updated>
          <entry>
            <title>Gate 4 is locked</title><id>urn:notice:1</id><updated>2026-05-01T09:00:00Z</updated>
            <published>2026-04-30T09:00:00-05:00</published>
            <link rel="self" href="https://station.example/1.atom"/><link href="https://station.example/1"/>
            <content type="html">&lt;p&gt;Use &lt;b&gt;gate 3&lt;/b&gt; &amp;amp; close it.&lt;/p&gt;&lt;ul&gt;&lt;li&gt;Bison&lt;/li&gt;&lt;/ul&gt;</content>
          </entry>
          <entry><title type="text">Sin fecha</title><id>urn:notice:2</id><summary>Uno</summary>
            <content type="xhtml" xml:lang="es"><div xmlns="http://www.w3.org/1999/xhtml"><p>Dos</p><p>tres</p></div></content>
          </entry>
        </feed>
        """

    @Test("reads Atom: ids as they are, html and xhtml as words, the alternate link, published and never updated")
    func atom() throws {
        let feed = try read(Self.atom)
        #expect(feed.title == "Station notices" && feed.items.map(\.id) == ["urn:notice:1", "urn:notice:2"])
        let first = feed.items[0]
        #expect(first.title == "Gate 4 is locked" && first.body == "Use gate 3 & close it.\n\n• Bison")
        #expect(first.link == "https://station.example/1" && first.language == "en")
        #expect(first.published == UTCInstant(rfc3339: "2026-04-30T14:00:00Z"))
        #expect(feed.items[1].published == nil && feed.items[1].body == "Dos\n\ntres" && feed.items[1].language == "es")
    }

    @Test("reads JSON Feed 1.1: text before HTML, a number as an id, items without a title by their first line")
    func jsonFeed() throws {
        let feed = try read(
            """
            {"version": "https://jsonfeed.org/version/1.1", "title": "Notices", "language": "en-US", "items": [
              {"id": "2", "content_text": "Second item.\\nMore of it.", "content_html": "<p>no</p>", "url": "https://example.org/2"},
              {"id": 1, "title": "Hay", "content_html": "<p>Hay &gt; 2 m</p><script>alert(1)</script>",
               "date_published": "2026-02-01T09:00:00-06:00", "date_modified": "2026-02-09T09:00:00-06:00"}]}
            """)
        #expect(feed.items.map(\.id) == ["2", "1"])
        #expect(feed.items[0].title == "Second item." && feed.items[0].body == "Second item.\nMore of it.")
        #expect(feed.items[1].body == "Hay > 2 m" && feed.items[1].language == "en-US")
        #expect(feed.items[1].published == UTCInstant(rfc3339: "2026-02-01T15:00:00Z"))
    }

    /// A message of CAP 1.2 with its own members.
    private func cap(
        _ id: String, _ kind: String = "Alert", status: String = "Actual", severity: String = "Severe",
        references: String = ""
    ) -> String {
        """
        <alert xmlns="urn:oasis:names:tc:emergency:cap:1.2"><identifier>\(id)</identifier><sender>w@example.gov</sender>
        <sent>2026-05-30T10:00:00-05:00</sent><status>\(status)</status><msgType>\(kind)</msgType><scope>Public</scope>
        <references>\(references)</references>
        <info><language>es-US</language><event>Tormenta</event><urgency>Immediate</urgency><severity>\(severity)</severity>
        <certainty>Observed</certainty><headline>Aviso</headline></info>
        <info><language>en-US</language><event>Severe Thunderstorm</event><urgency>Immediate</urgency>
        <severity>\(severity)</severity><certainty>Observed</certainty><effective>2026-05-30T15:00:00-00:00</effective>
        <expires>2026-05-30T16:00:00-00:00</expires><headline>Severe Thunderstorm Warning</headline>
        <description>HAIL of two inches
        is possible.

        * Where... Riley County.</description><instruction>Go inside.</instruction></info></alert>
        """
    }

    @Test("reads CAP 1.2: English of several languages, UTC written -00:00, the words unwrapped")
    func alert() throws {
        let item = try #require(try read(cap("a1")).items.first)
        #expect(item.title == "Severe Thunderstorm Warning" && item.more == "Go inside.")
        #expect(item.body == "HAIL of two inches is possible.\n\n* Where... Riley County.")
        #expect(item.end == UTCInstant(rfc3339: "2026-05-30T16:00:00Z") && item.isUrgent && item.isRequired)
        #expect(item.rank == 1 + 300 + 40 + 4)
        let minor = try #require(try read(cap("a1", severity: "Minor")).items.first)
        #expect(!minor.isUrgent && !minor.isRequired && minor.rank < item.rank)
    }

    @Test(
        "takes exercises for none, and an update for what it updates; a cancellation ends what it cancels, and is not shown"
    )
    func superseded() throws {
        func ids(_ alerts: String...) throws -> [String] {
            let entries = alerts.map { "<entry><id>e</id><content type=\"text/xml\">\($0)</content></entry>" }
            return try read("<feed>\(entries.joined())</feed>").items.map(\.id)
        }
        #expect(try ids(cap("a1", status: "Exercise"), cap("a2", status: "Test")).isEmpty)
        let reference = "w@example.gov,a1,2026-05-30T10:00:00-05:00"
        #expect(try ids(cap("a1"), cap("a2", "Update", references: reference)) == ["a2"])
        #expect(
            try ids(cap("a2", "Cancel", references: "\(reference) w@example.gov,a0,2026"), cap("a1"), cap("a0")).isEmpty
        )
        #expect(try ids(cap("a1"), cap("a1"), cap("a1")) == ["a1"])
        #expect(try ids(cap("a1", "Ack"), cap("a2", "Error")).isEmpty)
    }

    @Test("reads the Weather Service's collection: ends before expires, and what expiredReferences name is gone")
    func weatherService() throws {
        func feature(_ id: String, _ more: String = "") -> String {
            #"{"type":"Feature","properties":{"id":"\#(id)","status":"Actual","messageType":"Update","severity":"Extreme","#
                + #""urgency":"Immediate","certainty":"Likely","event":"Tornado Warning","headline":null,"#
                + #""description":"Take cover","instruction":null,"expires":"2026-05-30T16:00:00-05:00"\#(more)}}"#
        }
        let text =
            #"{"type":"FeatureCollection","title":"Alerts","features":["#
            + [
                feature("n1", #","ends":"2026-05-30T18:00:00-05:00""#), feature("n2"),
                feature("n3", #","references":[{"@id":"x","identifier":"n2"}]"#),
                feature("n4", #","parameters":{"expiredReferences":["w,n0,2026 w,n5,2026"]}"#), feature("n5"),
            ].joined(separator: ",") + "]}"
        let items = try read(text).items
        #expect(items.map(\.id) == ["n1", "n3", "n4"] && items.allSatisfy { $0.title == "Tornado Warning" })
        #expect(items[0].end == UTCInstant(rfc3339: "2026-05-30T23:00:00Z"))
        #expect(items[1].end == UTCInstant(rfc3339: "2026-05-30T21:00:00Z") && items[1].supersedes == ["n2"])
    }

    @Test(
        "refuses as a whole what is no feed, so that nothing is retired by it",
        arguments: [
            "", "   \n", "<!DOCTYPE html><html><body>Sign in</body></html>", "<html><p>Sign in</p></html>",
            "plain words",
            "{}", "[]", #"{"version":"https://jsonfeed.org/version/1.1"}"#, #"{"type":"FeatureCollection"}"#,
            #"{"version":"https://jsonfeed.org/version/1.1","items":[{"title":"no id"}]}"#,
            "<feed><entry><title>no id</title></entry></feed>", "<alert><identifier>1</identifier></alert>",
            "<feed><entry><id>1</id>", #"{"version":"https://jsonfeed.org/version/1.1","items":["#,
            "<rss><channel/></rss>",
            "<!DOCTYPE f [<!ENTITY a \"b\">]><feed><title>&a;</title></feed>",
        ])
    func refused(_ text: String) {
        #expect(throws: FeedError.self) { try read(text) }
    }

    @Test("refuses what was cut anywhere, and reads an empty feed, which is one")
    func truncated() throws {
        let bytes = Array(Self.atom.utf8)
        for count in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: FeedError.self, "\(count) bytes") { try FeedReader.read(Array(bytes.prefix(count))) }
        }
        #expect(try read("<feed><title>Nothing</title></feed>").items.isEmpty)
        #expect(try read(#"{"type":"FeatureCollection","features":[]}"#).items.isEmpty)
    }

    @Test(
        "bounds everything: the feed, its entries, their texts; characters that turn the reading direction are left out"
    )
    func bounds() throws {
        #expect(throws: FeedError.self) { try FeedReader.read([UInt8](repeating: 0x20, count: FeedBounds.bytes + 1)) }
        func feed(_ count: Int) -> String {
            "<feed>" + (0..<count).map { "<entry><id>\($0)</id><title>t</title></entry>" }.joined() + "</feed>"
        }
        #expect(try read(feed(FeedBounds.items)).items.count == FeedBounds.items)
        #expect(throws: FeedError.self) { try read(feed(FeedBounds.items + 1)) }
        let long = String(repeating: "e\u{301}", count: 20_000)
        let item = try #require(
            try read(
                "<feed><entry><id>1</id><title>a\u{202E}b \(long)</title><content>\(long)</content></entry></feed>"
            ).items.first)
        #expect(item.title.hasPrefix("ab ") && item.title.count <= FeedBounds.title)
        #expect(item.body.utf8.count <= FeedBounds.body && item.body.hasSuffix("…"))
        let deep = String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100)
        #expect(throws: FeedError.self) { try read("<feed>\(deep)</feed>") }
        #expect(throws: FeedError.self) { try read(String(repeating: "[", count: 100_000)) }
    }

    @Test("survives any damage to a feed: it is read or refused, and what is read is within its bounds")
    func damage() throws {
        let seed = RandomTest.seed(of: "damaged feeds")
        var random = SeededGenerator(seed: seed)
        let sources = [
            Self.atom, cap("a1"),
            #"{"version":"https://jsonfeed.org/version/1","items":[{"id":"1","content_html":"<p>x&amp;"}]}"#,
        ]
        for _ in 0..<RandomTest.cases(200) {
            var bytes = Array((sources.randomElement(using: &random) ?? "").utf8)
            for _ in 0..<Int.random(in: 1...8, using: &random) where !bytes.isEmpty {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[at] = .random(in: 0...255, using: &random)
                case 1: bytes.remove(at: at)
                default: bytes.insert(contentsOf: bytes[at...].prefix(40), at: at)
                }
            }
            guard let feed = try? FeedReader.read(bytes) else { continue }
            for item in feed.items {
                #expect(item.bounded() == item && TextRule.complaint(item.body, hasLines: true) == nil)
            }
        }
    }

    @Test("a letter under a heap of accents makes no title longer than its bound")
    func heapedAccents() throws {
        let heap = "e" + String(repeating: "\u{301}", count: 100_000)
        func feed(_ title: String) throws -> Feed {
            try read(
                #"{"version":"https://jsonfeed.org/version/1.1","title":"\#(title)","items":[{"id":"1","title":"\#(title)","content_text":"b"}]}"#
            )
        }
        let cut = try feed("Burn today " + heap)
        #expect(cut.title == "Burn today " && cut.items.map(\.title) == ["Burn today "])
        #expect(try feed(heap).items.map(\.title) == ["b"])
    }

    @Test("takes no more than its length to turn hostile HTML into words")
    func hostileHTML() {
        for unit in ["<a", "<a<", "&#", "&amp", "<script>", "</", "<!--", "<p>"] {
            let html = String(repeating: unit, count: 200_000)
            #expect(PlainText.of(html: html).utf8.count <= html.utf8.count)
        }
        #expect(PlainText.of(html: "a <b>c</b><br>d &#x41;&#66;&unknown; 1 < 2") == "a c\n\nd AB&unknown; 1 < 2")
    }
}
