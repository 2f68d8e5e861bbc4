import Foundation
import KonzaTesting
import MQTTTransfer
import PostgresAccess
import Synchronization

@testable import FleetMessaging
@testable import KonzaHub
@testable import KonzaModel

/// One server for all tests of this target; each test has a database of its own.
enum TestDatabases {
    static let server = Result {
        let server = try RealDatabase()
        // What is static is not let go of at the end.
        atexit { TestDatabases.end() }
        return server
    }

    private static func end() {
        guard let server = try? server.get() else { return }
        server.stop()
        try? FileManager.default.removeItem(atPath: server.folder.path)
    }

    private static let count = Atomic(0)

    /// - Returns: the name of a new database with PostGIS in it.
    static func make() throws -> String {
        let name = "test\(count.add(1, ordering: .relaxed).newValue)"
        try server.get().make(name)
        return name
    }

    static func address(_ name: String) throws -> PostgresAddress { try PostgresAddress(server.get().address(name)) }

    /// A store in a new database.
    static func store() throws -> HubStore { try HubStore(address(make())) }
}

extension HubStore {
    /// The rows of a question, values joined by bars.
    func ask(_ sql: String) throws -> [String] {
        let rows = try query(sql)
        return (0..<rows.count).map { row in
            (0..<rows.columns).map { rows[row, $0] ?? "-" }.joined(separator: "|")
        }
    }

    func keep(_ messages: [MQTTMessage]) throws { try keep(messages.compactMap { HubMessage($0) }) }
}

/// Messages as boxes send them.
enum Said {
    /// 2026-11-20T12:00:00Z
    static let noon: UInt64 = 1_795_176_000_000
    static let log = "01kb0000000000000000000000"
    static let laterLog = "01kc0000000000000000000000"

    /// An id of a day that has a partition, the same for the same number.
    static func id(_ number: Int, milliseconds: UInt64 = noon) -> String {
        RecordID<HubRecord>(milliseconds: milliseconds, high: 7, low: UInt64(number)).description
    }

    static func record(
        _ kind: FleetKind = .postcard, box: String = "knz07", id: String, seq: Int64, rev: Int64 = 1,
        log: String = log, at: String = "2026-11-20T12:00:00.000Z", body: String? = nil, isDeleted: Bool = false
    ) -> MQTTMessage {
        let body =
            body ?? "{\"id\":\"\(id)\",\"message\":\"rev \(rev)\",\"position\":{\"latitude\":39.1,\"longitude\":-96.6}}"
        let envelope = FleetEnvelope(
            kind, id: id, box: box, log: log, seq: seq, rev: rev, at: at, timeSource: "gps", isDeleted: isDeleted,
            body: Array(body.utf8))
        return message(kind, box, envelope.encoded)
    }

    static func state(
        _ kind: FleetKind, box: String = "knz07", at: String = "2026-11-20T12:00:00.000Z", isRetained: Bool = false,
        id: String = id(1), _ body: String
    ) -> MQTTMessage {
        let envelope = FleetEnvelope(kind, id: id, box: box, at: at, timeSource: "gps", body: Array(body.utf8))
        return message(kind, box, envelope.encoded, isRetained: isRetained)
    }

    /// What the hub takes for settings that somebody signed: whether the signature holds is the box's to say.
    static func desired(box: String, version: Int) -> String {
        #"{"schema":"konza.desired/1","box":"\#(box)","version":\#(version),"settings":{},"signature":"x"}"#
    }

    static func status(
        _ session: String, _ state: String, box: String = "knz07", at: String = "2026-11-20T12:00:00.000Z",
        isRetained: Bool = false
    ) -> MQTTMessage {
        Said.state(
            .status, box: box, at: at, isRetained: isRetained, id: session,
            "{\"session\":\"\(session)\",\"state\":\"\(state)\",\"software\":\"konza 1\"}")
    }

    static func message(
        _ kind: FleetKind, _ box: String, _ payload: [UInt8], isRetained: Bool = false
    ) -> MQTTMessage {
        MQTTMessage(
            topic: FleetTopic(site: "konza", box: box, kind: kind).description, payload: payload,
            isRetained: isRetained)
    }
}
