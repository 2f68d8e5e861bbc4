import Foundation
import Testing

@Suite("The contract at /v1/openapi.json")
struct ContractTests {
    private let station: Station
    private let document: [String: Any]

    init() throws {
        station = try Station()
        document = try station.get("/v1/openapi.json").json()
    }

    @Test("names exactly the routes that are served")
    func routes() throws {
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        let index = try #require(try station.get("/v1").json()["routes"] as? [[String: Any]])
        var served: Set<String> = []
        for route in index {
            for method in route["methods"] as? [String] ?? [] {
                served.insert("\(method) \(route["path"] as? String ?? "")")
            }
        }
        let written = Set(paths.flatMap { path, methods in methods.keys.map { "\($0.uppercased()) \(path)" } })
        #expect(served == written)
        #expect(served.count > 15)
    }

    @Test("names both forms of a postcard: kept, and under way")
    func postcardForms() throws {
        let paths = try #require(try station.get("/v1/openapi.json").json()["paths"] as? [String: Any])
        var member: Any? = paths["/v1/postcards/{id}"]
        for name in ["get", "responses", "200", "content", "application/json", "schema", "oneOf"] {
            member = (member as? [String: Any])?[name]
        }
        let forms = ["Postcard", "PendingPostcard"].map { ["$ref": "#/components/schemas/\($0)"] }
        #expect(member as? [[String: String]] == forms)
    }

    @Test("refers only to schemas that it defines")
    func references() throws {
        let text = String(decoding: try station.get("/v1/openapi.json").body, as: UTF8.self)
        let schemas = try #require((document["components"] as? [String: Any])?["schemas"] as? [String: Any])
        let marker = "#/components/schemas/"
        for part in text.components(separatedBy: marker).dropFirst() {
            let name = String(part.prefix { $0 != "\"" })
            #expect(schemas[name] != nil, "\(name) is referred to and not defined")
        }
    }

    @Test("every route answers as itself: no 404 or 405 for what the contract names")
    func everyRouteAnswers() throws {
        // Without a fix, what asks where the station is says 404 in its own right.
        try waitUntil("a position is there", seconds: 20) {
            try station.get("/v1/position").json()["state"] as? String == "fix"
        }
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        for (path, methods) in paths where !path.contains("{") && path != "/v1/events" && path != "/v1/camera/preview" {
            for (method, operation) in methods {
                // There is no courier here to wait for.
                let parameters = (operation as? [String: Any])?["parameters"] as? [[String: Any]] ?? []
                let target = parameters.contains { $0["name"] as? String == "wait" } ? "\(path)?wait=0" : path
                let reply = try station.request(method.uppercased(), target, body: method == "get" ? nil : "{}")
                let words = String(decoding: reply.body.prefix(300), as: UTF8.self)
                #expect(![404, 405, 500].contains(reply.status), "\(method) \(path): \(reply.status) \(words)")
            }
        }
    }

    @Test("holds for the real replies")
    func replies() throws {
        try waitUntil("a position is there", seconds: 20) {
            try station.get("/v1/position").json()["state"] as? String == "fix"
        }
        let id = try #require(try station.post("/v1/postcards", #"{"message":"Hi"}"#).json()["id"] as? String)
        let specimen = try #require(
            try station.post(
                "/v1/specimens",
                #"{"rockType":"Gneiss","position":"here","minerals":[{"name":"Quartz"}],"measurements":[{"trend":1,"plunge":2}]}"#
            ).json()["id"] as? String)
        #expect(try station.post("/v1/specimens/\(specimen)/photographs").status == 201)
        let occupation = "/v1/specimens/\(specimen)/occupation"
        #expect(try station.post(occupation, #"{"timeLimitSeconds":1,"minimumSeconds":0}"#).status == 202)
        try waitUntil("the occupation has ended", seconds: 20) {
            try station.get(occupation).json()["state"] as? String == "ended"
        }
        #expect(try station.post("/v1/trails/recording", #"{"trail":"Contract"}"#).status == 201)
        #expect(try station.post("/v1/trails/recording/junction", "{}").status == 202)
        let photographs = try station.get("/v1/specimens/\(specimen)/photographs").json()["photographs"]
        let photograph = try #require(((photographs as? [[String: Any]])?.first)?["id"] as? String)
        let cases = [
            (occupation, "Occupation"), ("/v1/specimens/export/check?format=sesar", "ExportCheck"),
            ("/v1/specimens/\(specimen)/photographs/\(photograph)", "Photograph"),
            ("/v1/specimens/summary", "SpecimenSummary"), ("/v1/specimens", "SpecimenPage"),
            ("/v1/specimens/\(specimen)", "Specimen"),
            ("/v1/specimens/\(specimen)/photographs", "Photographs"), ("/v1/outbox", "Outbox"),
            ("/v1/vocabulary", "Vocabulary"), ("/v1/errands", "Errand"),
            ("/v1", "Index"), ("/v1/position", "Position"), ("/v1/satellites", "Satellites"), ("/v1/track", "Track"),
            ("/v1/camera", "Camera"), ("/v1/status", "Status"), ("/v1/templates", "Templates"),
            ("/v1/terrain/height", "GroundHeight"), ("/v1/sky", "Sky"), ("/v1/terrain/skyline?azimuths=8", "Skyline"),
            ("/v1/view", "View"), ("/v1/view/landmarks", "ViewLandmarks"),
            ("/v1/trails", "Trails"), ("/v1/trails/nearest", "NearestTrail"), ("/v1/trails/profile", "TrailProfile"),
            ("/v1/trails/nearest?latitude=39.1069&longitude=-96.6091", "NearestTrail"), ("/v1/trails/way", "TrailWay"),
            ("/v1/trails/closures", "TrailClosures"), ("/v1/trails/recording", "TrailRecording"),
            ("/v1/postcards", "PostcardPage"), ("/v1/postcards/\(id)", "Postcard"), ("/v1/nowhere", "Problem"),
        ]
        for (path, schema) in cases {
            let reply = try JSONSerialization.jsonObject(with: try station.get(path).body)
            let faults = SchemaCheck(document).faults(in: reply, against: ["$ref": "#/components/schemas/\(schema)"])
            #expect(faults.isEmpty, "\(path): \(faults.joined(separator: "; "))")
        }
    }
}

/// As much of JSON Schema 2020-12 as the contract uses. Members that the contract does not name are faults here:
/// clients may ignore them, the contract may not.
struct SchemaCheck {
    private let schemas: [String: Any]

    init(_ document: [String: Any]) {
        schemas = (document["components"] as? [String: Any])?["schemas"] as? [String: Any] ?? [:]
    }

    func faults(in value: Any, against schema: [String: Any], at path: String = "") -> [String] {
        if let reference = schema["$ref"] as? String {
            guard let target = schemas[reference.components(separatedBy: "/").last ?? ""] as? [String: Any] else {
                return ["\(path): no schema \(reference)"]
            }
            return faults(in: value, against: target, at: path)
        }
        if let choices = schema["enum"] as? [String] {
            return choices.contains(value as? String ?? "") ? [] : ["\(path): \(value) is none of \(choices)"]
        }
        switch schema["type"] as? String {
        case "string": return value is String ? [] : ["\(path): no string"]
        case "number", "integer": return value is NSNumber ? [] : ["\(path): no number"]
        case "boolean": return value is Bool ? [] : ["\(path): no boolean"]
        case "array":
            guard let list = value as? [Any], let items = schema["items"] as? [String: Any] else {
                return ["\(path): no array"]
            }
            return list.enumerated().flatMap { faults(in: $1, against: items, at: "\(path)/\($0)") }
        case "object": return objectFaults(value, schema, path)
        default: return []
        }
    }

    private func objectFaults(_ value: Any, _ schema: [String: Any], _ path: String) -> [String] {
        guard let object = value as? [String: Any] else { return ["\(path): no object"] }
        let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
        var found = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }.map { "\(path)/\($0) missing" }
        for (name, member) in object {
            if let property = properties[name] ?? schema["additionalProperties"] as? [String: Any] {
                found += faults(in: member, against: property, at: "\(path)/\(name)")
            } else {
                found.append("\(path)/\(name) is not in the contract")
            }
        }
        return found
    }
}
