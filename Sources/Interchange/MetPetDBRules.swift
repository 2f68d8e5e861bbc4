internal import KonzaModel

/// What MetPetDB's bulk upload must not be given: it checks little, refuses a whole file for one row, and stores some
/// faults as they are (no range check of latitudes, for one). Lengths are those of its columns.
struct MetPetDBRules {
    /// Headings and fields of the server's own, in lower case, which no mineral may be called.
    private static let reserved: Set = [
        "sample number", "rock type", "latitude", "longitude", "location error", "collector", "date of collection",
        "present sample location", "country", "comment", "reference", "region", "metamorphic region",
        "metamorphic grade", "errors", "number", "rock_type_name", "location_error", "collector_name",
        "collection_date", "location_name", "description", "references", "regions", "metamorphic_regions",
        "metamorphic_grades", "minerals", "owner", "rock_type_id",
    ]

    private let known: [Vocabulary.Kind: Set<String>]
    private var refusals: [Submission.Refusal] = []

    /// - Parameter vocabulary: of the names that the server knows; kinds that are not in it go unchecked.
    init(_ vocabulary: Vocabulary?) {
        known = (vocabulary?.terms ?? [:]).mapValues { Set($0.map(\.name)) }
    }

    /// Everything that keeps a specimen out of a sheet; empty for a sound one.
    func judge(_ specimen: Specimen) -> [Submission.Refusal] {
        var judge = self
        if specimen.deletedAt != nil { judge.refuse(nil, "is deleted") }
        judge.checkNumber(specimen.number)
        judge.checkName("Rock Type", specimen.rockType, .rockTypes)
        judge.checkPosition(specimen.position)
        judge.checkLength("Collector", specimen.collector, 50)
        judge.checkLength("Present Sample Location", specimen.presentLocation, 50)
        judge.checkLength("Country", specimen.country, 100)
        for region in specimen.regions { judge.checkLength("Region", region, 100) }
        for grade in specimen.metamorphicGrades { judge.checkName("Metamorphic Grade", grade, .metamorphicGrades) }
        for area in specimen.metamorphicRegions { judge.checkName("Metamorphic Region", area, .metamorphicRegions) }
        judge.checkMinerals(specimen.minerals)
        return judge.refusals
    }

    private mutating func refuse(_ field: String?, _ words: String) {
        refusals.append(Submission.Refusal(field: field, words: words))
    }

    private mutating func checkNumber(_ number: String) {
        let field = "Sample Number"
        if number.isEmpty { refuse(field, "is missing") }
        // The server cuts spaces off at the ends, and would keep another number than the bag has.
        if number != number.onOneLine { refuse(field, "has spaces or control characters that would be lost") }
        if number.contains(",") { refuse(field, "has a comma, by which the server separates numbers") }
        checkLength(field, number, 35)
    }

    private mutating func checkName(_ field: String, _ name: String, _ kind: Vocabulary.Kind) {
        if name.isEmpty { return refuse(field, "is missing") }
        if name != name.onOneLine { return refuse(field, "has spaces or control characters that no name has") }
        guard let names = known[kind], !names.isEmpty, !names.contains(name) else { return }
        refuse(field, "\(name.prefix(100)) is not in the vocabulary")
    }

    private mutating func checkPosition(_ position: SpecimenPosition?) {
        guard let position else { return refuse("Latitude", "is missing") }
        if position.coordinate == nil { refuse("Latitude", "and longitude are not a place on the earth") }
        if let accuracy = position.accuracy, !(accuracy.isFinite && accuracy >= 0) {
            refuse("Location Error", "is not a number of metres")
        }
    }

    private mutating func checkLength(_ field: String, _ text: String?, _ limit: Int) {
        // PostgreSQL counts code points.
        guard let count = text?.onOneLine.unicodeScalars.count, count > limit else { return }
        refuse(field, "has \(count) characters; the server takes \(limit)")
    }

    private mutating func checkMinerals(_ minerals: [Specimen.Mineral]) {
        var seen: Set<String> = []
        for mineral in minerals {
            checkName("Mineral", mineral.name, .minerals)
            if Self.reserved.contains(mineral.name.lowercased()) {
                refuse("Mineral", "\(mineral.name) is the name of another column")
            }
            if !seen.insert(mineral.name).inserted { refuse("Mineral", "\(mineral.name) is there twice") }
            if mineral.amount.onOneLine.isEmpty { refuse("Mineral", "\(mineral.name) has no amount") }
            checkLength("Mineral", mineral.amount, 30)
        }
    }
}
