import FleetMessaging
import KonzaAPI
import KonzaTesting
import Testing

@Suite("Messages of a fleet")
struct FleetMessageTests {
    static let topic = FleetTopic(site: "konza", box: "knz07", kind: .postcard)

    @Test("a topic is its five levels, and nothing else is one")
    func topics() {
        #expect(Self.topic.description == "konza/1/konza/knz07/postcard")
        for kind in FleetKind.allCases {
            let topic = FleetTopic(site: "konza", box: "knz07", kind: kind)
            #expect(FleetTopic(topic.description) == topic)
        }
        for text in [
            "", "konza/1/konza/knz07", "konza/2/konza/knz07/postcard", "konza/1/konza/knz07/postcard/x",
            "konza/1//knz07/postcard", "konza/1/konza/kn/postcard", "konza/1/konza/Knz07/postcard",
            "konza/1/konza/knz.07/postcard", "konza/1/konza/hub/receipt", "konza/1/konza/+/postcard",
            "konza/1/konza/knz07/none",
            "konza/1/konza/\(String(repeating: "a", count: 21))/postcard",
        ] { #expect(FleetTopic(text) == nil, "\(text)") }
    }

    @Test("a command is never retained, and what a box says of itself is")
    func retained() {
        #expect(!FleetKind.command.isRetained && !FleetKind.postcard.isRetained && FleetKind.status.isRetained)
    }

    @Test("an envelope comes out as it went in, with its body untouched")
    func envelopes() throws {
        let body = #"{"id":"01","message":"a \"word\" \n é 🌾","n":1.50}"#
        let sent = FleetEnvelope(
            .postcard, id: "01j0000000000000000000000a", box: "knz07", log: "01j0000000000000000000000b", seq: 48_213,
            rev: 2, at: "2026-11-23T06:00:00.000Z", timeSource: "gps", body: Array(body.utf8))
        let head = try FleetMessageHead(sent.encoded, on: Self.topic)
        #expect(head.seq == 48_213 && head.rev == 2 && head.log == sent.log && !head.isDeleted)
        #expect(head.body == (try JSONReader.value(of: Array(body.utf8))))
        #expect(String(decoding: sent.encoded, as: UTF8.self).hasSuffix(body + "}"))
    }

    @Test("a deleted record has no body")
    func deleted() throws {
        let sent = FleetEnvelope(
            .postcard, id: "01j0000000000000000000000a", box: "knz07", rev: 3, at: "2026-11-23T06:00:00Z",
            timeSource: "clock", isDeleted: true, body: Array("{}".utf8))
        let head = try FleetMessageHead(sent.encoded, on: Self.topic)
        #expect(head.isDeleted && head.body == .null && head.seq == nil)
    }

    @Test(
        "what does not fit says why",
        arguments: [
            ("", "JSON"), ("[]", "object"), ("{", "JSON"),
            (#"{"schema":"konza.postcard/2","id":"a","box":"knz07","rev":1,"at":"2026-11-23T06:00:00Z"}"#, "schema"),
            (#"{"schema":"konza.postcard/1","id":"a","box":"knz08","rev":1,"at":"2026-11-23T06:00:00Z"}"#, "knz08"),
            (#"{"schema":"konza.postcard/1","id":"a","box":"knz07","rev":0,"at":"2026-11-23T06:00:00Z"}"#, "rev"),
            (#"{"schema":"konza.postcard/1","id":"a","box":"knz07","rev":1.5,"at":"2026-11-23T06:00:00Z"}"#, "rev"),
            (#"{"schema":"konza.postcard/1","id":"a","box":"knz07","rev":1,"at":"yesterday"}"#, "at"),
            (#"{"schema":"konza.postcard/1","id":"","box":"knz07","rev":1,"at":"2026-11-23T06:00:00Z"}"#, "id"),
        ])
    func refused(_ payload: String, _ word: String) {
        let error = #expect(throws: FleetMessageError.self) {
            try FleetMessageHead(Array(payload.utf8), on: Self.topic)
        }
        #expect(error?.description.contains(word) == true, "\(error?.description ?? "")")
    }

    @Test("damaged messages are refused or read, and never more than that")
    func damaged() {
        let seed = RandomTest.seed(of: "FleetMessageTests")
        var generator = SeededGenerator(seed: seed)
        let whole = FleetEnvelope(
            .postcard, id: "01j0000000000000000000000a", box: "knz07", rev: 1, at: "2026-11-23T06:00:00Z",
            timeSource: "gps", body: Array(#"{"a":[1,2,{"b":null}]}"#.utf8)
        ).encoded
        for _ in 0..<2000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator)) }
            _ = try? FleetMessageHead(bytes, on: Self.topic)
            _ = try? FleetReceipts(bytes, on: FleetTopic(site: "konza", box: "knz07", kind: .receipt))
        }
    }

    @Test("receipts come out as they went in, two hundred of them and no more")
    func receipts() throws {
        let topic = FleetTopic(site: "konza", box: "knz07", kind: .receipt)
        let pairs = (1...200).map { FleetReceipts.Pair(id: "01j00000000000000000000\($0 + 100)", rev: Int64($0)) }
        let sent = FleetReceipts(box: "knz07", pairs: pairs)
        #expect(try FleetReceipts(sent.encoded, on: topic) == sent)
        let more = FleetReceipts(box: "knz07", pairs: pairs + [.init(id: "a", rev: 1)])
        #expect(throws: FleetMessageError.self) { try FleetReceipts(more.encoded, on: topic) }
        let foreign = FleetReceipts(box: "knz08", pairs: [])
        #expect(throws: FleetMessageError.self) { try FleetReceipts(foreign.encoded, on: topic) }
    }
}
