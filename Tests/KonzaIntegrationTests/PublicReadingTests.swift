import Foundation
import KonzaTesting
import Testing

/// Specimens and samples as visitors and the kiosk see them: what the portal passes on for them, asked of konzad itself.
@Suite("What may be public")
struct PublicReadingTests {
    private let server: StandInMetPetDB
    private let station: Station
    private let courier: RunningCourier

    init() throws {
        server = try StandInMetPetDB()
        server.start()
        station = try Station("\(Station.recorded)\n[MetPetDB]\nURL=\(server.baseURL)\n")
        courier = RunningCourier(folder: station.folder.path)
    }

    private static let readers = ["visitor 10.0.0.7", "kiosk front-door"]
    private static let crew = ["collector ana", "ranger ben", "keeper eve"]

    private func get(_ path: String, by reader: String? = nil) throws -> (status: Int, json: [String: Any]) {
        let reply = try station.get(path, headers: reader.map { ["Konza-On-Behalf-Of: \($0)"] } ?? [])
        return (reply.status, (try? JSONSerialization.jsonObject(with: reply.body) as? [String: Any]) ?? [:])
    }

    private func open(_ number: String, _ rock: String, _ isPublic: Bool, _ latitude: Double) throws -> String {
        let body = """
            {"number":"\(number)","rockType":"\(rock)","isPublic":\(isPublic),"collector":"Doe, Jane",
            "fieldNotes":"the owner's gate is locked","minerals":[{"name":"Garnet"}],
            "position":{"latitude":\(latitude),"longitude":-96.6,"accuracy":3}}
            """
        let reply = try station.post("/v1/specimens", body)
        #expect(reply.status == 201, "\(String(decoding: reply.body, as: UTF8.self))")
        return try #require(try reply.json()["id"] as? String)
    }

    private func numbers(_ json: [String: Any], _ member: String) -> [String] {
        (json[member] as? [[String: Any]] ?? []).compactMap { $0["number"] as? String }.sorted()
    }

    @Test("is all that visitors and the kiosk see of specimens, without what stays with the crew")
    func specimens() throws {
        let open = try open("P-1", "Gneiss", true, 39.10)
        let closed = try self.open("S-1", "Schist", false, 39.11)
        #expect(try station.post("/v1/specimens/\(open)/photographs").status == 201)
        #expect(try station.post("/v1/specimens/\(closed)/photographs").status == 201)
        func photograph(_ id: String) throws -> String {
            let all = try get("/v1/specimens/\(id)/photographs").json["photographs"] as? [[String: Any]]
            return "/v1/specimens/\(id)/photographs/\(try #require(all?.first?["id"] as? String))"
        }
        let (shown, hidden) = (try photograph(open), try photograph(closed))
        for reader in Self.readers {
            let list = try get("/v1/specimens", by: reader)
            #expect(list.status == 200 && numbers(list.json, "specimens") == ["P-1"])
            let one = try get("/v1/specimens/\(open)", by: reader)
            #expect(one.status == 200 && one.json["fieldNotes"] == nil && one.json["number"] as? String == "P-1")
            #expect(try get("/v1/specimens/summary", by: reader).json["total"] as? Int == 1)
            for path in ["", "/file", "/thumbnail.jpg"] {
                #expect(try get(shown + path, by: reader).status == 200)
                #expect(try get(hidden + path, by: reader).status == 404)
            }
            for path in ["/v1/specimens/\(closed)", "/v1/specimens/\(closed)/photographs"] {
                #expect(try get(path, by: reader).status == 404)
            }
            for query in ["access=private", "access=both", "text=gate", "state=draft", "state=deleted"] {
                #expect(try get("/v1/specimens?\(query)", by: reader).status == 403, "\(query)")
            }
        }
        for reader in Self.crew {
            let list = try get("/v1/specimens", by: reader)
            #expect(numbers(list.json, "specimens") == ["P-1", "S-1"])
            #expect(try get("/v1/specimens/\(closed)", by: reader).json["fieldNotes"] != nil)
            #expect(try get(hidden + "/file", by: reader).status == 200)
        }
        #expect(try station.request("DELETE", "/v1/specimens/\(open)").status == 204)
        #expect(try get("/v1/specimens/\(open)", by: "visitor phone").status == 404)
        #expect(try get("/v1/specimens/\(open)", by: "ranger ben").status == 200)
    }

    @Test("narrows the list and the summary of specimens by rock type, mineral, grade, collector and visibility")
    func criteria() throws {
        _ = try open("P-1", "Gneiss", true, 39.10)
        _ = try open("S-1", "Schist", false, 39.11)
        _ = try open("S-2", "Schist", true, 39.12)
        let cases: [(query: String, numbers: [String])] = [
            ("rockType=schist", ["S-1", "S-2"]), ("rockType=Gneiss&rockType=Schist", ["P-1", "S-1", "S-2"]),
            ("rockType=Schist&access=public", ["S-2"]), ("access=private", ["S-1"]),
            ("mineral=Garnet&limit=1", ["S-2"]),
            ("mineral=Quartz", []), ("owner=Doe,%20Jane&access=public", ["P-1", "S-2"]), ("owner=Nobody", []),
            ("box=-97,39.105,-96,39.115", ["S-1"]), ("near=39.1,-96.6&radius=300&access=public", ["P-1"]),
        ]
        for (query, expected) in cases {
            let list = try get("/v1/specimens?\(query)")
            #expect(list.status == 200 && numbers(list.json, "specimens") == expected, "\(query)")
        }
        let first = try get("/v1/specimens?mineral=Garnet&limit=2").json
        let rest = try get("/v1/specimens?mineral=Garnet&limit=2&cursor=\(try #require(first["next"] as? String))").json
        #expect(numbers(first, "specimens") + numbers(rest, "specimens") == ["S-1", "S-2", "P-1"])
        #expect(rest["next"] == nil)
        let sums = try get("/v1/specimens/summary?box=-97,39.105,-96,40").json
        #expect(sums["total"] as? Int == 2 && sums["isComplete"] as? Bool == true)
        let rocks = sums["rockTypes"] as? [[String: Any]]
        #expect(
            rocks?.count == 1 && rocks?.first?["name"] as? String == "Schist" && rocks?.first?["count"] as? Int == 2)
        #expect((sums["extent"] as? [String: Double])?["south"] == 39.11)
        let unknown = try get("/v1/specimens?rockType=Schist&mineral=Granat")
        #expect(unknown.status == 422 && unknown.json["kind"] as? String == "unknown-term")
    }

    @Test("of MetPetDB's samples is answered to visitors from what is kept, and they have nobody asked")
    func samples() throws {
        func add(_ number: String, isPublic: Bool) -> String {
            let sample = StandInSample(
                id: UUID().uuidString.lowercased(), ownerID: server.ownerID, number: number, isPublic: isPublic,
                rockType: "Gneiss", latitude: 39.1, longitude: -96.6)
            server.change { $0.append(sample) }
            return sample.id
        }
        let (open, closed) = (add("open", isPublic: true), add("closed", isPublic: false))
        let settings = "\(Station.recorded)\n[MetPetDB]\nURL=\(server.baseURL)\nEmail=\(StandInMetPetDB.email)\n"
        try station.reload(settings)
        try courier.start(password: StandInMetPetDB.password)
        let around = "near=39.1,-96.6&radius=5000"
        let nothing = try get("/v1/samples?\(around)", by: "visitor phone")
        #expect(nothing.status == 503 && server.requests.allSatisfy { $0.path != "/api/samples/" })
        try waitUntil("the ranger has MetPetDB's answer with the station's account", seconds: 30) {
            let crew = try get("/v1/samples?\(around)&wait=5&maxAge=0", by: "ranger ben")
            return numbers(crew.json, "samples") == ["closed", "open"]
        }
        let asked = server.requests.count { $0.path == "/api/samples/" }
        for reader in Self.readers {
            let list = try get("/v1/samples?\(around)&maxAge=0", by: reader)
            #expect(numbers(list.json, "samples") == ["open"] && list.json["source"] as? String == "cache")
            #expect(try get("/v1/samples/summary?\(around)", by: reader).json["total"] as? Int == 1)
            #expect(try get("/v1/samples/\(open)", by: reader).status == 200)
            #expect(try get("/v1/samples/\(closed)", by: reader).status == 404)
            #expect(try get("/v1/samples?\(around)&access=private", by: reader).status == 403)
        }
        #expect(server.requests.count { $0.path == "/api/samples/" } == asked)
        #expect(try get("/v1/samples/\(closed)", by: "keeper eve").status == 200)
    }
}
