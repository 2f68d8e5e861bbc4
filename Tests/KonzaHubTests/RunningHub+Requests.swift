import HTTPTransfer
import KonzaClient
import KonzaTesting

extension RunningHub {
    /// An answer of its socket.
    func get(_ target: String) throws -> (status: Int, body: String) {
        let answer = try StationClient(socketPath: socket).send("GET", target: target, json: nil)
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    /// Has it publish something.
    func put(_ target: String, _ body: String) throws -> (status: Int, body: String) {
        let answer = try StationClient(socketPath: socket).send("PUT", target: target, json: Array(body.utf8))
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    /// Waits until every worker takes messages.
    func ready() async -> Bool {
        await eventually { (try? get("/v1/status").body.contains("\"level\":\"ok\"")) ?? false }
    }
}
