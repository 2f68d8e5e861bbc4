internal import FoundationEssentials
internal import KonzaAPI

/// An answer of the stand-in.
struct StandInAnswer {
    var status: Int
    var type = "application/json"
    var headers: [(String, String)] = []
    var body: [UInt8]

    static func json(_ status: Int, _ value: JSONValue) -> StandInAnswer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return StandInAnswer(status: status, body: (try? encoder.encode(value)).map { Array($0) } ?? [])
    }

    static func detail(_ status: Int, _ words: String) -> StandInAnswer {
        json(status, .object(["detail": .string(words)]))
    }

    static func error(_ status: Int, _ words: JSONValue) -> StandInAnswer { json(status, .object(["error": words])) }

    /// A page for people, as Django shows it with DEBUG set: long, and with the request's own headers in it.
    static func traceback(_ words: String, _ request: StandInRequest) -> StandInAnswer {
        let authorization = request.headers["authorization"] ?? ""
        let text =
            "\(words) at \(request.path) (HTTP_AUTHORIZATION: '\(authorization)')\n\n"
            + "Request Method: \(request.method)\nTraceback:\n"
            + String(
                repeating: "  File \"/srv/env/lib/python3/site-packages/django/core/handlers/base.py\"\n", count: 20)
            + "META:\nHTTP_AUTHORIZATION = '\(authorization)'\n"
        return StandInAnswer(status: 500, type: "text/plain", body: Array(text.utf8))
    }

    static func page(_ status: Int) -> StandInAnswer {
        StandInAnswer(
            status: status, type: "text/html",
            body: Array("<html><head><title>\(status) gateway</title></head></html>".utf8))
    }

    static let empty = StandInAnswer(status: 204, body: [])

    var bytes: [UInt8] {
        var head = "HTTP/1.1 \(status) X\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        return Array((head + "\r\n").utf8) + body
    }
}
