internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

/// What a command line says about a specimen, as members of the API's JSON (`SpecimenRequest`).
struct SpecimenWords: Sendable {
    private enum Form {
        case text
        case list
        case minerals
        case choice
        case position
    }

    private struct Field {
        /// The option, which names the field in an assignment too.
        let name: String
        let member: String
        let form: Form
    }

    private static let fields = [
        Field(name: "number", member: "number", form: .text), Field(name: "rock-type", member: "rockType", form: .text),
        Field(name: "collector", member: "collector", form: .text),
        Field(name: "description", member: "description", form: .text),
        Field(name: "notes", member: "fieldNotes", form: .text), Field(name: "country", member: "country", form: .text),
        Field(name: "present-location", member: "presentLocation", form: .text),
        Field(name: "date", member: "collectionDate", form: .text), Field(name: "igsn", member: "igsn", form: .text),
        Field(name: "override", member: "override", form: .text),
        Field(name: "grade", member: "metamorphicGrades", form: .list),
        Field(name: "metamorphic-region", member: "metamorphicRegions", form: .list),
        Field(name: "region", member: "regions", form: .list),
        Field(name: "reference", member: "references", form: .list),
        Field(name: "mineral", member: "minerals", form: .minerals),
        Field(name: "public", member: "isPublic", form: .choice),
        Field(name: "position", member: "position", form: .position),
    ]

    private(set) var members: [String: JSONValue] = [:]

    /// Reads the options of a command.
    init(_ invocation: Invocation) throws(CommandFailure) {
        for field in Self.fields where invocation.has(field.name) {
            switch field.form {
            case .text: members[field.member] = .string(invocation.text(field.name) ?? "")
            case .list: members[field.member] = .array(invocation.all(field.name).map { .string($0) })
            case .minerals: members[field.member] = .array(invocation.all(field.name).map(Self.mineral))
            case .choice: members[field.member] = .bool(true)
            case .position: break
            }
        }
        if invocation.has("private") {
            guard !invocation.has("public") else { throw Self.failure("--public and --private at once: choose one") }
            members["isPublic"] = .bool(false)
        }
        if let position = try Self.position(invocation) { members["position"] = position }
        let readings = try Self.readings(invocation)
        if !readings.isEmpty { members["measurements"] = .array(readings) }
    }

    /// Reads a FIELD=VALUE.
    mutating func assign(_ text: String) throws(CommandFailure) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            throw Self.failure("\"\(TextSafety.shortened(text, to: 60))\": expected FIELD=VALUE, such as country=Chile")
        }
        let wanted = parts[0].lowercased()
        guard let field = Self.fields.first(where: { $0.name == wanted || $0.member.lowercased() == wanted }) else {
            let near = Spelling.nearest(to: wanted, among: Self.fields.map(\.name))
            throw Self.failure(
                "\"\(TextSafety.shortened(parts[0], to: 60))\": no such field of a specimen; "
                    + (near.map { "did you mean \($0)?" } ?? "see konza help specimens set"))
        }
        members[field.member] = parts[1].isEmpty ? .null : try Self.value(parts[1], field)
    }

    private static func value(_ text: String, _ field: Field) throws(CommandFailure) -> JSONValue {
        let pieces = text.split(separator: ",").map { trimmed($0) }.filter { !$0.isEmpty }
        switch field.form {
        case .text: return .string(text)
        case .list: return .array(pieces.map { .string($0) })
        case .minerals: return .array(pieces.map(mineral))
        case .choice:
            switch text.lowercased() {
            case "yes", "true", "on": return .bool(true)
            case "no", "false", "off": return .bool(false)
            default: throw failure("\(field.name)=\(TextSafety.shortened(text, to: 60)): expected yes or no")
            }
        case .position: return text == "here" ? .string("here") : .object(try place(text, field.name))
        }
    }

    // MARK: Parts

    private static func mineral(_ text: String) -> JSONValue {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { trimmed($0) }
        var members: [String: JSONValue] = ["name": .string(parts[0])]
        if parts.count > 1 { members["amount"] = .string(parts[1]) }
        return .object(members)
    }

    private static func position(_ invocation: Invocation) throws(CommandFailure) -> JSONValue? {
        let accuracy = invocation.measure("accuracy")
        guard let text = invocation.text("at") else {
            if accuracy != nil { throw failure("--accuracy: only with --at; a fix brings its own") }
            return invocation.has("here") ? .string("here") : nil
        }
        guard !invocation.has("here") else { throw failure("--here and --at at once: choose one") }
        var members = try place(text, "--at")
        if let accuracy { members["accuracy"] = .number(accuracy) }
        return .object(members)
    }

    private static func place(_ text: String, _ name: String) throws(CommandFailure) -> [String: JSONValue] {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double(trimmed($0)) }
        guard numbers.count == 2 || numbers.count == 3, let latitude = numbers[0], let longitude = numbers[1],
            Coordinate(latitude: latitude, longitude: longitude) != nil
        else {
            throw failure(
                "\(name) \"\(TextSafety.shortened(text, to: 60))\": expected latitude,longitude in degrees, and the "
                    + "elevation in metres where it is known, such as 39.1069,-96.6091,415")
        }
        var members: [String: JSONValue] = ["latitude": .number(latitude), "longitude": .number(longitude)]
        if numbers.count == 3 {
            guard let elevation = numbers[2], elevation.isFinite else {
                throw failure("\(name) \"\(TextSafety.shortened(text, to: 60))\": the elevation is no number")
            }
            members["altitudeMSL"] = .number(elevation)
        }
        return members
    }

    private static func readings(_ invocation: Invocation) throws(CommandFailure) -> [JSONValue] {
        var readings: [JSONValue] = []
        for (first, second) in [("strike", "dip"), ("trend", "plunge")] {
            let (azimuth, inclination) = (invocation.measure(first), invocation.measure(second))
            if azimuth == nil, inclination == nil { continue }
            guard let azimuth, let inclination else {
                throw failure("--\(azimuth == nil ? second : first): --\(first) and --\(second) go together")
            }
            var reading: [String: JSONValue] = [first: .number(azimuth), second: .number(inclination)]
            if let declination = invocation.measure("declination") {
                reading["north"] = .string("magnetic")
                reading["declination"] = .number(declination)
            }
            if let feature = invocation.text("feature") { reading["feature"] = .string(feature) }
            readings.append(.object(reading))
        }
        for name in ["declination", "feature"] where readings.isEmpty && invocation.has(name) {
            throw failure("--\(name): only with --strike and --dip, or --trend and --plunge")
        }
        return readings
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        return String(text.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }

    private static func failure(_ text: String) -> CommandFailure {
        CommandFailure("cannot understand \(text)", .usage)
    }
}
