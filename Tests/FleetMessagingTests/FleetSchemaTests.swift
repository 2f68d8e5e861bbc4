import Foundation
import KonzaAPI
import KonzaModel
import Testing

@testable import FleetMessaging

/// `KONZA_REWRITE=1 make test TEST=FleetSchemaTests` writes the files anew.
@Suite("The schemas of the fleet's messages", .serialized)
struct FleetSchemaTests {
    private static let rewrites = ProcessInfo.processInfo.environment["KONZA_REWRITE"] == "1"
    private static let id = "01k000000000000000000000aa"
    private static let time = "2026-11-23T06:00:00.000Z"

    @Test("are the files that are published", arguments: FleetKind.allCases)
    func published(_ kind: FleetKind) throws {
        let file = top.appending(path: "config/schemas/\(FleetSchemas.fileName(kind))")
        let compact = try JSONEncoder().encode(FleetSchemas.document(kind))
        let text =
            try JSONSerialization.data(
                withJSONObject: JSONSerialization.jsonObject(with: compact),
                options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]) + Data("\n".utf8)
        if Self.rewrites { try text.write(to: file) }
        #expect(try Data(contentsOf: file) == text)
    }

    private static func envelope(_ kind: FleetKind, _ body: some Encodable, isDeleted: Bool = false) throws -> [UInt8] {
        FleetEnvelope(
            kind, id: id, box: "knz07", log: id, seq: 48_213, rev: 2, at: time, timeSource: "gps", isDeleted: isDeleted,
            body: Array(try JSONEncoder().encode(body))
        ).encoded
    }

    private static func position() -> PositionReply {
        var position = PositionReply(state: .fix)
        (position.latitude, position.longitude, position.accuracy) = (39.1057, -96.6091, 2.5)
        position.timestamp = UTCInstant(rfc3339: time)
        return position
    }

    private static func postcard() throws -> PostcardReply {
        let instant = try #require(UTCInstant(rfc3339: time))
        var postcard = PostcardReply(
            id: id, createdAt: instant, requestedAt: instant, exposedAt: instant, timeSource: "gps",
            template: "vintage",
            place: "Konza Prairie", width: 1920, height: 1080, bytes: 465_000, source: .live,
            stamping: .init(way: "restartSplice", milliseconds: 3.5),
            links: .init(image: "/v1/postcards/a/image", original: nil, thumbnail: "/v1/postcards/a/thumbnail"))
        postcard.position = position()
        postcard.sha256 = String(repeating: "a", count: 64)
        return postcard
    }

    private static func status() throws -> StatusReply {
        let instant = try #require(UTCInstant(rfc3339: time))
        let ok = PartHealth(level: .ok, kind: "ok", reason: "all is well")
        let part = StatusReply.Part(health: ok, source: .recorded)
        return StatusReply(
            version: "1", startedAt: instant, uptimeSeconds: 5, health: ok, position: part, camera: part,
            templates: part,
            archive: .init(
                health: ok, folder: "/var/lib/konza", postcards: 1, bytes: 2, freeBytes: 3, reserveBytes: 4),
            clock: .init(health: ok, time: instant, timeSource: "gps", synchronized: true),
            process: .init(id: 1, residentBytes: 2, openDescriptors: 3, cpuSeconds: 0.5))
    }

    /// A message of each kind that is as it should be.
    private static func good() throws -> [(FleetKind, [UInt8])] {
        let answer: [String: String] = ["state": "done", "verb": "postcard", "reason": id]
        return [
            (.status, try envelope(.status, ["state": "online", "session": id, "software": "konza 1"])),
            (.health, try envelope(.health, status())), (.position, try envelope(.position, position())),
            (.position, try envelope(.position, PositionReply(state: .acquiring))),
            (.metrics, try envelope(.metrics, ["postcards_total": 5])),
            (.postcard, try envelope(.postcard, postcard())),
            (.postcard, try envelope(.postcard, postcard(), isDeleted: true)),
            (.latest, try envelope(.latest, ["id": id, "thumbnail": "konza/knz07/2026/11/\(id).thumb.jpg"])),
            (
                .reported,
                try envelope(
                    .reported,
                    try JSONReader.value(
                        of: Array(
                            #"{"version":3,"applied":{"Camera":{"Mirror":"no"}},"refused":[{"section":"API","key":"Group","reason":"it cannot be set from afar"}]}"#
                                .utf8)))
            ),
            (.answer, try envelope(.answer, answer)),
            (.receipt, FleetReceipts(box: "knz07", pairs: [.init(id: id, rev: 2)]).encoded),
        ]
    }

    @Test("take real messages")
    func taken() throws {
        let rows = try Self.good()
        let complaints = try Validator.complaints(rows.map { (FleetSchemas.fileName($0.0), $0.1) })
        for (row, complaint) in zip(rows, complaints) { #expect(complaint == "", "\(row.0)") }
        #expect(complaints.count == rows.count)
    }

    @Test("refuse another kind's message, a missing member, and a record without a body")
    func refused() throws {
        var rows: [(FleetKind, [UInt8])] = []
        for (kind, message) in try Self.good() {
            rows.append((kind == .postcard ? .specimen : .postcard, message))
            let text = String(decoding: message, as: UTF8.self)
            rows.append((kind, Array(text.replacing("\"box\":\"knz07\"", with: "\"bax\":\"knz07\"").utf8)))
            if kind != .receipt {
                rows.append((kind, Array(text.replacing("\"rev\":2", with: "\"rev\":0").utf8)))
                let end = try #require(text.range(of: "\"body\":"))
                rows.append((kind, Array((text[..<end.upperBound] + "5}").utf8)))
                if !text.contains("deleted") { rows.append((kind, Array((text[..<end.upperBound] + "null}").utf8))) }
            }
        }
        let complaints = try Validator.complaints(rows.map { (FleetSchemas.fileName($0.0), $0.1) })
        for (row, complaint) in zip(rows, complaints) {
            #expect(complaint != "", "\(row.0): \(String(decoding: row.1, as: UTF8.self))")
        }
    }

    @Test("refer to nothing outside")
    func closed() throws {
        for kind in FleetKind.allCases {
            let text = String(decoding: try JSONEncoder().encode(FleetSchemas.document(kind)), as: UTF8.self)
            #expect(!text.contains("components") && !text.contains("\\/schemas\\/"), "\(kind)")
        }
    }
}

@Suite("The names of pictures in the store")
struct FleetObjectKeyTests {
    @Test("are made of the id alone, below the box's prefix, by the month of the id in UTC")
    func names() throws {
        // 2026-11-30T23:59:59.999Z, and a millisecond later.
        let last = try #require(UTCInstant(rfc3339: "2026-11-30T23:59:59.999Z")).nanoseconds / 1_000_000
        for (milliseconds, month) in [(last, "2026/11"), (last + 1, "2026/12"), (0, "1970/01")] {
            let id = PostcardID(milliseconds: UInt64(milliseconds), high: 1, low: 2)
            let name = FleetObjectKey.picture(of: id, site: "konza", box: "knz07")
            #expect(name == "konza/knz07/\(month)/\(id).jpg")
            let small = FleetObjectKey.thumbnail(of: id, site: "konza", box: "knz07")
            #expect(small == "konza/knz07/\(month)/\(id).thumb.jpg")
            #expect(name.hasPrefix(FleetObjectKey.prefix(site: "konza", box: "knz07")))
        }
        let far = PhotographID(milliseconds: .max, high: 1, low: 2)
        #expect(FleetObjectKey.picture(of: far, site: "konza", box: "knz07") == "konza/knz07/2261/12/\(far).jpg")
    }
}
