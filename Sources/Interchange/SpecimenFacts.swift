internal import KonzaModel

/// One thing that is known of a specimen, for the forms that take any name.
struct Fact {
    enum Value {
        case text(String)
        /// With decimals after the point.
        case number(Double)
        case degrees(Double)
        case whole(Int)
        case flag(Bool)
        case list([Value])
        case group([Fact])

        /// A list of texts; nil if it is empty.
        static func texts(_ texts: [String]) -> Value? { texts.isEmpty ? nil : .list(texts.map(Value.text)) }
    }

    let name: String
    let value: Value

    /// - Returns: nil if there is nothing to say.
    init?(_ name: String, _ value: Value?) {
        guard let value else { return nil }
        self.name = name
        self.value = value
    }
}

extension Specimen {
    /// All that is known, in the names of the local API, in a fixed order.
    var facts: [Fact] {
        let said: [Fact?] = [
            Fact("number", .text(number)), Fact("rockType", .text(rockType)), Fact("igsn", igsn.map(Fact.Value.text)),
            Fact("collector", collector.map(Fact.Value.text)),
            Fact("collectionDate", collectionDate.map { .text($0.description) }),
            Fact("description", description.map(Fact.Value.text)), Fact("fieldNotes", fieldNotes.map(Fact.Value.text)),
            Fact("minerals", minerals.isEmpty ? nil : .list(minerals.map { .group($0.facts) })),
            Fact("metamorphicGrades", .texts(metamorphicGrades)),
            Fact("metamorphicRegions", .texts(metamorphicRegions)), Fact("country", country.map(Fact.Value.text)),
            Fact("regions", .texts(regions)), Fact("references", .texts(references)),
            Fact("presentLocation", presentLocation.map(Fact.Value.text)), Fact("isPublic", .flag(isPublic)),
        ]
        let kept: [Fact?] = [
            Fact("measurements", measurements.isEmpty ? nil : .list(measurements.map { .group($0.facts) })),
            Fact("photographs", photographs.isEmpty ? nil : .list(photographs.map { .group($0.facts) })),
            Fact("id", .text(id.description)), Fact("createdAt", .text(createdAt.rfc3339)),
            Fact("changedAt", .text(changedAt.rfc3339)), Fact("revision", .whole(revision)),
        ]
        return said.compactMap { $0 } + (position?.facts ?? []) + kept.compactMap { $0 }
    }
}

extension Specimen.Mineral {
    var facts: [Fact] {
        [Fact("name", .text(name)), Fact("amount", .text(amount))].compactMap { $0 }
    }
}

extension SpecimenPosition {
    /// Height of the geoid above the ellipsoid, metres.
    var geoidSeparation: Double? { altitude.flatMap { height in altitudeMSL.map { height - $0 } } }

    /// Members that say of the position what no coordinate says.
    var facts: [Fact] {
        [
            Fact("latitude", .degrees(latitude)), Fact("longitude", .degrees(longitude)),
            Fact("accuracy", accuracy.map(Fact.Value.number)), Fact("altitude", altitude.map(Fact.Value.number)),
            Fact("altitudeMSL", altitudeMSL.map(Fact.Value.number)),
            Fact("altitudeAccuracy", altitudeAccuracy.map(Fact.Value.number)),
            Fact("positionSource", .text(source.rawValue)), Fact("positionKind", .text(kind.rawValue)),
            Fact("positionTime", time.map { .text($0.rfc3339) }), Fact("fixMode", mode.map { .whole($0.rawValue) }),
            Fact("fixStatus", status.map { .whole($0.rawValue) }),
            Fact("satellitesUsed", satellitesUsed.map(Fact.Value.whole)), Fact("hdop", hdop.map(Fact.Value.number)),
            Fact("receiver", receiver.map(Fact.Value.text)), Fact("averaging", averaging.map { .group($0.facts) }),
            Fact("override", self.override.map { .group($0.facts) }),
        ].compactMap { $0 }
    }
}

extension SpecimenPosition.Averaging {
    var facts: [Fact] {
        [
            Fact("startedAt", .text(startedAt.rfc3339)), Fact("endedAt", .text(endedAt.rfc3339)),
            Fact("fixesUsed", .whole(fixesUsed)), Fact("fixesRejected", .whole(fixesRejected)),
            Fact("effectiveFixes", .number(effectiveFixes)), Fact("rule", .text(rule)), Fact("ended", .text(ended)),
        ].compactMap { $0 }
    }
}

extension SpecimenPosition.Override {
    var facts: [Fact] {
        [
            Fact("reason", .text(reason)), Fact("at", .text(at.rfc3339)),
            Fact("wantedAccuracy", .number(wantedAccuracy)),
        ].compactMap { $0 }
    }
}

extension StructuralMeasurement {
    var facts: [Fact] {
        [
            Fact("kind", .text(kind.rawValue)), Fact("azimuth", .number(azimuth)),
            Fact("inclination", .number(inclination)), Fact("declinationApplied", .number(declinationApplied)),
            Fact("declinationSource", .text(declinationSource)), Fact("feature", feature.map(Fact.Value.text)),
            Fact("note", note.map(Fact.Value.text)),
        ].compactMap { $0 }
    }
}

extension Photograph {
    var facts: [Fact] {
        [
            Fact("fileName", .text(fileName)), Fact("imageType", .text(imageType.rawValue)),
            Fact("mediaType", .text(mediaType)), Fact("byteCount", .whole(byteCount)), Fact("sha256", .text(sha256)),
            Fact("width", .whole(width)), Fact("height", .whole(height)), Fact("scale", scale.map(Fact.Value.whole)),
            Fact("description", description.map(Fact.Value.text)), Fact("direction", direction.map(Fact.Value.number)),
            Fact("takenAt", takenAt.map { .text($0.rfc3339) }),
            Fact("receiverTime", receiverTime.map { .text($0.rfc3339) }), Fact("origin", .text(origin)),
            Fact("cameraSource", cameraSource.map { .text($0.rawValue) }), Fact("id", .text(id.description)),
        ].compactMap { $0 }
    }
}

extension Fact.Value {
    /// As JSON, without an exponent in any number.
    var json: String {
        switch self {
        case .text(let text): JSONText.quoted(text)
        case .number(let value): value.isFinite ? NumberText.plain(value) : "null"
        case .degrees(let value): value.isFinite ? NumberText.degrees(value) : "null"
        case .whole(let value): String(value)
        case .flag(let value): value ? "true" : "false"
        case .list(let values): "[" + values.map(\.json).joined(separator: ",") + "]"
        case .group(let facts): Fact.json(facts)
        }
    }

    /// As text for people: lists with semicolons, groups as `name: value`.
    var text: String {
        switch self {
        case .text(let text): text
        case .list(let values): values.map(\.text).joined(separator: "; ")
        case .group(let facts): facts.map { "\($0.name): \($0.value.text)" }.joined(separator: ", ")
        default: json
        }
    }
}

extension Fact {
    /// As a JSON object, in order.
    static func json(_ facts: [Fact]) -> String {
        "{" + facts.map { "\(JSONText.quoted($0.name)):\($0.value.json)" }.joined(separator: ",") + "}"
    }
}
