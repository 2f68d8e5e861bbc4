internal import FleetMessaging
internal import Glibc
internal import KonzaAPI

/// What a real `konzad` answers, for the bodies of simulated boxes: their size and shape are a station's own.
struct StationBodies: Sendable {
    /// A reply with the id of its record taken out, so that it can be of any.
    struct Mould: Sendable {
        private let parts: [[UInt8]]

        init(_ text: String, id: String) {
            let pieces = id.isEmpty ? [Substring(text)] : text.split(separator: id, omittingEmptySubsequences: false)
            parts = pieces.map { Array($0.utf8) }
        }

        func body(id: String) -> [UInt8] { Array(parts.joined(separator: Array(id.utf8))) }
    }

    private let moulds: [FleetKind: Mould]

    /// The body of a message.
    func body(_ kind: FleetKind, id: String) -> [UInt8] { moulds[kind]?.body(id: id) ?? Array("{}".utf8) }

    /// Starts `konzad` with recorded sources, takes a postcard and opens a specimen, and keeps what it answers.
    ///
    /// - Throws: if it does not start, or does not answer.
    init(_ program: String) throws {
        let folder = try TemporaryFolder(in: "/tmp")
        let station = try StartedStation(program, folder: folder.path, width: 640, height: 480)
        let connection = try UnixHTTPConnection(station.socket)
        let end = steadySeconds() + 20
        func ask(_ method: String, _ target: String, _ body: String? = nil) throws -> String {
            var reply = try connection.exchange(UnixHTTPConnection.request(method, target, body: body))
            // The camera's first frame may take a while.
            while reply.status == 503, steadySeconds() < end {
                usleep(200_000)
                reply = try connection.exchange(UnixHTTPConnection.request(method, target, body: body))
            }
            guard (200...201).contains(reply.status) else {
                throw BenchError("cannot get \(target) from konzad: it answers \(reply.status)")
            }
            return String(decoding: connection.body, as: UTF8.self)
        }
        while !(try ask("GET", "/v1/position").contains("\"state\":\"fix\"")) {
            guard steadySeconds() < end else { throw BenchError("konzad has no position") }
            usleep(100_000)
        }
        var moulds: [FleetKind: Mould] = [:]
        for (kind, request) in [
            (FleetKind.postcard, #"{"message":"Greetings from the Konza Prairie"}"#),
            (.specimen, #"{"rockType":"Gneiss"}"#),
        ] {
            let made = try ask("POST", "/v1/\(kind.rawValue)s", request)
            let id = try Self.text("id", made)
            moulds[kind] = Mould(try ask("GET", "/v1/\(kind.rawValue)s/\(id)"), id: id)
        }
        moulds[.health] = Mould(try ask("GET", "/v1/status"), id: "")
        moulds[.position] = Mould(try ask("GET", "/v1/position"), id: "")
        moulds[.metrics] = Mould(
            String(decoding: FleetMetrics.encodedBody(of: try ask("GET", "/metrics"), .counters), as: UTF8.self), id: ""
        )
        self.moulds = moulds
        _ = try station.stop()
    }

    private static func text(_ name: String, _ document: String) throws -> String {
        guard case .object(let members) = try JSONReader.value(of: Array(document.utf8)),
            case .string(let text)? = members[name]
        else { throw BenchError("an answer of konzad has no member \(name)") }
        return text
    }
}
