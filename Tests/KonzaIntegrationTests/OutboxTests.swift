import Foundation
import Testing

@Suite("The outbox, as a courier and a person see it")
struct OutboxTests {
    private let station: Station

    init() throws {
        station = try Station(
            Station.recorded + "\n[MetPetDB]\nSubmit=yes\n[SESAR]\nSubmit=yes\n[Specimens]\nMaxPhotograph=64K\n")
    }

    /// The id of a specimen that can be submitted.
    private func open(_ number: String) throws -> String {
        let body = #"{"rockType":"Gneiss","number":"\#(number)","position":{"latitude":1,"longitude":2,"accuracy":3}}"#
        return try #require(try station.post("/v1/specimens", body).json()["id"] as? String)
    }

    private func submit(_ id: String, to target: String = "metpetdb") throws -> [String: Any] {
        let reply = try station.post("/v1/specimens/\(id)/submit", #"{"target":"\#(target)"}"#)
        #expect(reply.status == 202)
        return try reply.json()
    }

    private func write(_ record: [String: Any]) throws -> Station.Reply {
        var record = record
        record["number"] = nil
        let path = "/v1/outbox/\(record["specimen"] ?? "")/\(record["target"] ?? "")"
        let body = String(decoding: try JSONSerialization.data(withJSONObject: record), as: UTF8.self)
        return try station.request("PUT", path, body: body)
    }

    @Test("shows a conflict, which a person ends once; until then the status asks for one")
    func conflict() throws {
        let id = try open("K-1")
        var record = try submit(id)
        record["state"] = "conflict"
        record["conflict"] = [
            "ours": "{}", "theirs": #"{"number":"x"}"#, "reason": "changed on the server", "remoteID": "7",
        ]
        #expect(try write(record).status == 200)
        let outbox = try station.get("/v1/status").json()["outbox"] as? [String: Any]
        #expect((outbox?["health"] as? [String: Any])?["kind"] as? String == "outbox-needs-a-person")
        #expect(outbox?["waiting"] as? Int == 0)
        #expect((outbox?["submissions"] as? [String: Int]) == ["conflict": 1])
        let path = "/v1/outbox/\(id)/metpetdb"
        #expect(try station.get(path).json()["state"] as? String == "conflict")
        #expect(try station.post("\(path)/resolve", #"{"keep":"both"}"#).status == 400)
        let resolved = try station.post("\(path)/resolve", #"{"keep":"ours"}"#).json()
        #expect(resolved["state"] as? String == "ready" && resolved["lastKnown"] as? String == #"{"number":"x"}"#)
        #expect(resolved["remoteID"] as? String == "7")
        #expect(try station.post("\(path)/resolve", #"{"keep":"ours"}"#).status == 409)
        #expect((try station.get("/v1/status").json()["outbox"] as? [String: Any])?["waiting"] as? Int == 1)
        #expect(try station.get("/v1/outbox/\(id)/sesar").status == 404)
        #expect(try station.get("/v1/outbox/\(id)/elsewhere").status == 404)
    }

    @Test("ends a conflict over a number when the specimen gets another")
    func renumbered() throws {
        let id = try open("K-1")
        var record = try submit(id)
        record["state"] = "conflict"
        record["conflict"] = ["ours": "{}", "theirs": "{}", "reason": "the account already has K-1", "remoteID": "7"]
        #expect(try write(record).status == 200)
        let path = "/v1/outbox/\(id)/metpetdb"
        _ = try station.request("PATCH", "/v1/specimens/\(id)", body: #"{"country":"Chile"}"#)
        #expect(try station.get(path).json()["state"] as? String == "conflict")
        _ = try station.request("PATCH", "/v1/specimens/\(id)", body: #"{"number":"K-1b"}"#)
        let ready = try station.get(path).json()
        #expect(ready["state"] as? String == "ready" && ready["conflict"] == nil && ready["remoteID"] == nil)
    }

    @Test("holds back what became too inaccurate since it was submitted")
    func vague() throws {
        let id = try open("K-1")
        _ = try submit(id)
        let worse = #"{"position":{"latitude":39.1,"longitude":-96.6,"accuracy":5000}}"#
        #expect(try station.request("PATCH", "/v1/specimens/\(id)", body: worse).status == 200)
        #expect(try station.get("/v1/errands").json()["kind"] as? String != "submission")
        let held = try station.get("/v1/outbox/\(id)/metpetdb").json()
        #expect(held["state"] as? String == "refused")
        let better = #"{"position":{"latitude":39.1,"longitude":-96.6,"accuracy":5}}"#
        #expect(try station.request("PATCH", "/v1/specimens/\(id)", body: better).status == 200)
        #expect(try station.get("/v1/outbox/\(id)/metpetdb").json()["state"] as? String == "ready")
    }

    @Test("refuses a reason of a failure of more than 4096 bytes, which is in every event, and keeps one of 4096")
    func longFailure() throws {
        let id = try open("K-1")
        var record = try submit(id)
        record["lastFailure"] = String(repeating: "\u{e9}", count: 2048) + "x"
        let refused = try write(record)
        #expect(refused.status == 422)
        let problem = try refused.json()
        #expect(problem["kind"] as? String == "invalid-request")
        #expect((problem["errors"] as? [[String: String]])?.first?["path"] == "/lastFailure")
        #expect((problem["detail"] as? String)?.contains("4097 bytes") == true)
        #expect(try station.get("/v1/outbox/\(id)/metpetdb").json()["lastFailure"] == nil)
        record["lastFailure"] = String(repeating: "\u{e9}", count: 2048)
        #expect(try write(record).status == 200)
        #expect((try station.get("/v1/outbox/\(id)/metpetdb").json()["lastFailure"] as? String)?.utf8.count == 4096)
    }

    @Test("tells a photograph's progress to whoever listens, and keeps nothing of it")
    func progress() throws {
        let id = try open("K-1")
        _ = try submit(id)
        let listener = try station.listen("outbox", seconds: 60)
        let photograph = id
        for sent in [0, 500, 1000] {
            let body = #"{"photograph":"\#(photograph)","sentBytes":\#(sent),"totalBytes":1000}"#
            #expect(try station.post("/v1/outbox/\(id)/metpetdb/progress", body).status == 204)
        }
        // What is written durably comes after it in the same stream.
        #expect(try submit(id, to: "sesar")["state"] as? String == "ready")
        try waitUntil("that is told", seconds: 20) { listener.text.contains("sesar") }
        let events = listener.stop()
        #expect(events.compactMap { $0["sentBytes"] as? Int } == [0, 500, 1000])
        #expect(events.last?["target"] as? String == "sesar")
        #expect(try station.post("/v1/outbox/\(id)/metpetdb/progress", #"{"sentBytes":1}"#).status == 400)
        #expect(try station.get("/v1/outbox/\(id)/metpetdb").json()["version"] as? Int == 1)
    }

    @Test("hands out one errand at a time; what waits for a later try comes at once when it is flushed")
    func errands() throws {
        // The vocabulary was never fetched: that is asked for once.
        let first = try station.get("/v1/errands").json()
        #expect(first["kind"] as? String == "vocabulary")
        #expect(try station.post("/v1/errands/vocabulary", #"{"problem":"no network"}"#).status == 204)
        #expect(try station.get("/v1/errands?wait=0.2").status == 204)
        let id = try open("K-1")
        var record = try submit(id)
        record["nextAttemptAt"] = "2099-01-01T00:00:00.000Z"
        record["attempts"] = 3
        #expect(try write(record).status == 200)
        #expect(try station.get("/v1/errands").status == 204)
        #expect(try station.request("POST", "/v1/outbox/flush").status == 202)
        let errand = try station.get("/v1/errands?wait=20").json()
        #expect((errand["submission"] as? [String: Any])?["specimen"] as? String == id)
        #expect(try station.get("/v1/errands?wait=56").status == 400)
        #expect(try station.post("/v1/errands/samples-99", "{}").status == 404)
    }

    @Test("comes in pages, by state; a photograph above its bound is refused")
    func pages() throws {
        let ids = try ["K-1", "K-2", "K-3"].map(open)
        for id in ids { _ = try submit(id) }
        let page = try station.get("/v1/outbox?limit=2").json()
        #expect((page["submissions"] as? [[String: Any]])?.compactMap { $0["number"] as? String } == ["K-3", "K-2"])
        let next = try #require(page["next"] as? String)
        let rest = try station.get("/v1/outbox?limit=2&cursor=\(next)").json()
        #expect((rest["submissions"] as? [[String: Any]])?.compactMap { $0["number"] as? String } == ["K-1"])
        #expect(rest["next"] == nil)
        #expect((try station.get("/v1/outbox?state=refused").json()["submissions"] as? [Any])?.isEmpty == true)
        #expect(try station.get("/v1/specimens?state=ready&target=metpetdb").json()["specimens"] as? [Any] != nil)
        for query in ["limit=0", "limit=201", "cursor=x", "state=lost"] {
            #expect(try station.get("/v1/outbox?\(query)").status == 400, "\(query)")
        }
        let words = (0..<21).map { "w\($0)" }.joined(separator: "%20")
        #expect(try station.get("/v1/specimens?text=\(words)").status == 400)
        let large = station.folder.appendingPathComponent("large.jpg")
        try Data(count: 65_537).write(to: large)
        let refused = try station.upload("/v1/specimens/\(ids[0])/photographs", large.path, type: "image/jpeg")
        #expect(refused.status == 413)
        #expect(try refused.json()["kind"] as? String == "body-too-large")
    }
}
