internal import FoundationEssentials
internal import KonzaModel
internal import Terminology

/// What is sent for a specimen: everything checked, for the server checks little and stores what it gets.
struct SampleBody {
    /// What the server should give back for it.
    let content: SampleContent
    private let rockTypeID: String
    private let gradeIDs: [String]
    private let regionIDs: [String]
    private let minerals: [(id: String, amount: String)]
    /// Seven decimals, a centimetre. Texts, because the server takes the number 0 for none.
    private let latitude: String
    private let longitude: String
    private let regions: [String]
    /// Fields to be emptied, in an update.
    private var cleared: Set<SampleContent.CodingKeys> = []

    /// - Parameters:
    ///   - specimen: what to send.
    ///   - vocabulary: the server's own, with ids.
    /// - Throws: ``Refusals`` with everything that the server would not take, or would take wrongly.
    init(_ specimen: Specimen, vocabulary: Vocabulary) throws(Refusals) {
        var checks = SampleChecks(vocabulary)
        var content = SampleContent(number: specimen.number, isPublic: specimen.isPublic)
        checks.number(specimen.number)
        let rockType = checks.term(specimen.rockType, .rockTypes, "rock_type")
        let grades = checks.terms(specimen.metamorphicGrades, .metamorphicGrades, "metamorphic_grades")
        let regionTerms = checks.terms(specimen.metamorphicRegions, .metamorphicRegions, "metamorphic_regions")
        let minerals = checks.minerals(specimen.minerals)
        content.collectorName = checks.text(specimen.collector, 50, "collector_name")
        content.country = checks.text(specimen.country, 100, "country")
        content.locationName = checks.text(specimen.presentLocation, 50, "location_name")
        let regions = specimen.regions.compactMap { checks.text($0, 100, "regions") }
        let references = specimen.references.compactMap { checks.text($0, 100, "references") }
        content.description = checks.text(
            DescriptionLine(specimen).joined(to: specimen.description), nil, "description")
        content.sesarNumber = RegistryNumber(specimen.igsn)?.short
        content.collectionDate = specimen.collectionDate?.description
        let coordinate = checks.position(specimen.position)
        content.locationError = checks.accuracy(specimen.position?.accuracy)
        try checks.finish()

        content.rockType = rockType?.name
        content.latitude = coordinate?.latitude
        content.longitude = coordinate?.longitude
        content.regions = regions.sorted()
        content.references = references.sorted()
        content.metamorphicGrades = grades.map(\.name).sorted()
        content.metamorphicRegions = regionTerms.map(\.name).sorted()
        content.minerals = minerals.map(\.term.name).sorted()
        self.content = content
        self.regions = regions
        rockTypeID = rockType?.id ?? ""
        gradeIDs = grades.compactMap(\.id)
        regionIDs = regionTerms.compactMap(\.id)
        self.minerals = minerals.compactMap { mineral in mineral.term.id.map { ($0, mineral.amount) } }
        latitude = decimal(coordinate?.latitude ?? .nan, 7)
        longitude = decimal(coordinate?.longitude ?? .nan, 7)
    }

    /// This, as an update of what the server holds: what it holds and we no longer say is emptied.
    func updating(_ held: SampleContent) -> SampleBody {
        var body = self
        for (key, path) in Self.texts where held[keyPath: path] != nil && content[keyPath: path] == nil {
            body.cleared.insert(key)
        }
        if held.locationError != nil, content.locationError == nil { body.cleared.insert(.locationError) }
        return body
    }

    private static var texts: [(SampleContent.CodingKeys, KeyPath<SampleContent, String?>)] {
        [
            (.sesarNumber, \.sesarNumber), (.collectorName, \.collectorName), (.collectionDate, \.collectionDate),
            (.locationName, \.locationName), (.country, \.country), (.description, \.description),
        ]
    }

    /// The JSON of the request.
    var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }
}

extension SampleBody: Encodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(content.number, forKey: Key("number"))
        try members.encode(rockTypeID, forKey: Key("rock_type_id"))
        try members.encode(latitude, forKey: Key("latitude"))
        try members.encode(longitude, forKey: Key("longitude"))
        try members.encode(content.isPublic, forKey: Key("public_data"))
        try members.encode(regions, forKey: Key("regions"))
        try members.encode(content.references, forKey: Key("references"))
        try members.encode(gradeIDs, forKey: Key("metamorphic_grade_ids"))
        try members.encode(regionIDs, forKey: Key("metamorphic_region_ids"))
        try members.encode(minerals.map { ["id": $0.id, "amount": $0.amount] }, forKey: Key("minerals"))
        try members.encodeIfPresent(content.locationError, forKey: Key("location_error"))
        for (key, path) in Self.texts {
            try members.encodeIfPresent(content[keyPath: path], forKey: Key(key.rawValue))
        }
        for key in cleared { try members.encodeNil(forKey: Key(key.rawValue)) }
    }
}
