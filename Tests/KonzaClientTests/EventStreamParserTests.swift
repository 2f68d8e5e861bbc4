import KonzaClient
import Testing

@Suite struct EventStreamParserTests {
    typealias Event = EventStreamParser.Event

    /// The examples of the HTML standard, section 9.2.6, and its rules.
    static let rows: [(String, [Event])] = [
        ("data: YHOO\ndata: +2\ndata: 10\n\n", [Event(data: "YHOO\n+2\n10")]),
        (
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            [
                Event(data: "first event", lastEventID: "1"), Event(data: "second event"),
                Event(data: " third event"),
            ]
        ),
        ("data\n\ndata\ndata\n\ndata:", [Event(data: ""), Event(data: "\n")]),
        ("event: fix\ndata: {}\nretry: 100\r\n\r\n", [Event(name: "fix", data: "{}")]),
        ("data: a\r\rdata: b\r\n\r\n", [Event(data: "a"), Event(data: "b")]),
        ("\u{FEFF}data: marked\n\n", [Event(data: "marked")]),
        ("event: no data\n\ndata: x\n\n", [Event(data: "x")]),
        ("id: a\0b\ndata: x\n\n", [Event(data: "x")]),
        ("data: unfinished\n", []),
    ]

    @Test(arguments: rows.indices) func `reads a stream, whole or byte by byte`(_ row: Int) {
        let (text, expected) = Self.rows[row]
        var whole = EventStreamParser()
        #expect(whole.feed(text.utf8) == expected)
        var pieces = EventStreamParser()
        #expect(text.utf8.flatMap { pieces.feed([$0]) } == expected)
    }

    @Test func `a line without an end takes no more than its limit`() {
        var parser = EventStreamParser()
        for _ in 0..<64 { #expect(parser.feed([UInt8](repeating: 0x78, count: 65_536)).isEmpty) }
        #expect(parser.feed("\n\ndata: after\n\n".utf8) == [Event(data: "after")])
    }

    @Test func `keeps the time to wait`() {
        var parser = EventStreamParser()
        _ = parser.feed("retry: 250\nretry: soon\n".utf8)
        #expect(parser.retry == 250)
    }
}
