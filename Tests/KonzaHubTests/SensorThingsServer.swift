import Foundation

/// What a SensorThings server makes of requests, by the tables of OGC 18-088 (section 8.2): which properties an entity has to have
/// and may have, of which form, and what it has to be linked with. Whoever refers to an entity that is not there is refused.
struct SensorThingsServer {
    struct Refusal: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    private struct Form {
        let set: String
        let needed: [String: Check]
        let optional: [String: Check]
        /// By navigation property: the set, and whether there has to be one. Plural names hold lists.
        let links: [String: (set: String, isNeeded: Bool)]
    }

    private enum Check {
        case text
        case uri
        case time
        case any
        case object
        case unit
        case observationType
        case encoding([String])
        case geometry
    }

    private static let geoJSON = Check.encoding(["application/geo+json"])
    private static let forms: [Form] = [
        Form(
            set: "Things", needed: ["name": .text, "description": .text], optional: ["properties": .object],
            links: ["Locations": ("Locations", false), "Datastreams": ("Datastreams", false)]),
        Form(
            set: "Locations",
            needed: ["name": .text, "description": .text, "encodingType": geoJSON, "location": .geometry],
            optional: ["properties": .object], links: ["Things": ("Things", false)]),
        Form(
            set: "HistoricalLocations", needed: ["time": .time], optional: [:],
            links: ["Thing": ("Things", true), "Locations": ("Locations", true)]),
        Form(
            set: "Datastreams",
            needed: [
                "name": .text, "description": .text, "unitOfMeasurement": .unit, "observationType": .observationType,
            ], optional: ["properties": .object],
            links: [
                "Thing": ("Things", true), "Sensor": ("Sensors", true),
                "ObservedProperty": ("ObservedProperties", true), "Observations": ("Observations", false),
            ]),
        Form(
            set: "Sensors",
            needed: [
                "name": .text, "description": .text, "metadata": .any,
                "encodingType": .encoding([
                    "application/pdf", "http://www.opengis.net/doc/IS/SensorML/2.0", "text/html",
                ]),
            ], optional: ["properties": .object], links: [:]),
        Form(
            set: "ObservedProperties", needed: ["name": .text, "definition": .uri, "description": .text],
            optional: ["properties": .object], links: [:]),
        Form(
            set: "Observations", needed: ["phenomenonTime": .time, "result": .any, "resultTime": .time],
            optional: ["parameters": .object],
            links: ["Datastream": ("Datastreams", true), "FeatureOfInterest": ("FeaturesOfInterest", true)]),
        Form(
            set: "FeaturesOfInterest",
            needed: ["name": .text, "description": .text, "encodingType": geoJSON, "feature": .geometry],
            optional: ["properties": .object], links: [:]),
    ]

    /// By set and id.
    private(set) var entities: [String: [String: [String: Any]]] = [:]

    func count(_ set: String) -> Int { entities[set]?.count ?? 0 }

    /// Takes one request of a JSON batch.
    mutating func take(_ line: some StringProtocol) throws {
        guard let request = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
            Set(request.keys) == ["id", "method", "url", "body"], request["id"] is String,
            request["method"] as? String == "post", let set = request["url"] as? String,
            let body = request["body"] as? [String: Any]
        else { throw Refusal("no request of a batch: \(line)") }
        _ = try insert(body, into: set, parent: nil)
    }

    private mutating func insert(
        _ body: [String: Any], into set: String, parent: (link: String, id: String)?
    ) throws -> String {
        guard let form = Self.forms.first(where: { $0.set == set }) else { throw Refusal("no set is called \(set)") }
        guard let id = body["@iot.id"] as? String else { throw Refusal("an entity of \(set) without @iot.id") }
        // By its id alone it is one that is there (section 10.2.1.2).
        if body.count == 1 {
            guard entities[set]?[id] != nil else { throw Refusal("\(set)('\(id)') is not there") }
            return id
        }
        guard entities[set]?[id] == nil else { throw Refusal("\(set)('\(id)') is there already") }
        for (name, check) in form.needed {
            guard let value = body[name] else { throw Refusal("\(set)('\(id)') has no \(name)") }
            try Self.check(value, check, "\(set)('\(id)').\(name)")
        }
        var plain = body
        for (link, (other, isNeeded)) in form.links {
            plain[link] = nil
            if parent?.link == link { continue }
            let many = link.hasSuffix("s")
            guard let value = body[link] else {
                if isNeeded { throw Refusal("\(set)('\(id)') has no \(link)") }
                continue
            }
            let list = many ? value as? [[String: Any]] : (value as? [String: Any]).map { [$0] }
            guard let list, !list.isEmpty else { throw Refusal("\(set)('\(id)').\(link) is none") }
            let back = set == "Things" ? "Thing" : "Things"
            for one in list { _ = try insert(one, into: other, parent: (many ? back : "", id)) }
        }
        for (name, value) in plain where name != "@iot.id" && form.needed[name] == nil {
            guard let check = form.optional[name] else { throw Refusal("\(set) has no property \(name)") }
            try Self.check(value, check, "\(set)('\(id)').\(name)")
        }
        try checkResult(body, set)
        entities[set, default: [:]][id] = body
        return id
    }

    /// A measurement's result is a number (table 12).
    private func checkResult(_ body: [String: Any], _ set: String) throws {
        guard set == "Observations", let stream = (body["Datastream"] as? [String: Any])?["@iot.id"] as? String,
            let type = entities["Datastreams"]?[stream]?["observationType"] as? String, type.hasSuffix("OM_Measurement")
        else { return }
        guard body["result"] is Double else { throw Refusal("a result that is no number: \(body)") }
    }

    private static func check(_ value: Any, _ check: Check, _ name: String) throws {
        let isGood =
            switch check {
            case .text: (value as? String)?.isEmpty == false
            case .uri: (value as? String).flatMap { URL(string: $0)?.scheme } != nil
            case .time: (value as? String)?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/) != nil
            case .any: !(value is NSNull)
            case .object: value is [String: Any]
            case .unit: isUnit(value)
            case .observationType: (value as? String).map(observationTypes.contains) == true
            case .encoding(let known): (value as? String).map(known.contains) == true
            case .geometry: isPoint(value)
            }
        guard isGood else { throw Refusal("\(name) cannot be \(value)") }
    }

    private static let observationTypes = [
        "OM_CategoryObservation", "OM_CountObservation", "OM_Measurement", "OM_Observation", "OM_TruthObservation",
    ].map { "http://www.opengis.net/def/observationType/OGC-OM/2.0/\($0)" }

    private static func isUnit(_ value: Any) -> Bool {
        guard let unit = value as? [String: Any], Set(unit.keys) == ["name", "symbol", "definition"] else {
            return false
        }
        // All of them or none (requirement of section 8.2.4).
        return unit.values.allSatisfy { $0 is String } || unit.values.allSatisfy { $0 is NSNull }
    }

    /// RFC 7946 section 3.1.2, longitude first.
    private static func isPoint(_ value: Any) -> Bool {
        guard let point = value as? [String: Any], point["type"] as? String == "Point",
            let numbers = point["coordinates"] as? [Double], (2...3).contains(numbers.count)
        else { return false }
        return (-180...180).contains(numbers[0]) && (-90...90).contains(numbers[1])
    }
}
