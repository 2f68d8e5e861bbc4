internal import CSVWriting
internal import KonzaModel

/// Rows for SESAR (geosamples.org), the registry of sample numbers: a CSV whose headings are the members of its JSON API
/// that its documentation names beyond doubt. What it only hints at (collectors, elevation with its datum, archive,
/// metamorphic classes of material) is written out in `sample_description`.
enum SESARForm {
    static let columns = [
        "sesar_code", "name", "object_type", "latitude", "longitude", "igsn", "general_material_type",
        "material_name_verbatim", "sample_description", "sampling_start_date", "location_method", "country",
    ]

    /// Why a specimen cannot be registered; empty if it can.
    static func judge(_ specimen: Specimen) -> [Submission.Refusal] {
        var reasons: [Submission.Refusal] = []
        if specimen.deletedAt != nil { reasons.append(.init(words: "is deleted")) }
        if specimen.number.onOneLine.isEmpty { reasons.append(.init(field: "name", words: "is missing")) }
        if specimen.position?.coordinate == nil {
            reasons.append(.init(field: "latitude", words: "is missing; only a draft may lack it"))
        }
        return reasons
    }

    /// - Parameters:
    ///   - specimens: those without a reason against them.
    ///   - code: the account's five letters; the column stays empty without it.
    ///   - sink: takes the bytes.
    /// - Throws: what the sink throws.
    static func write(
        _ specimens: [Specimen], code: String?, to sink: @escaping ByteSink
    ) throws(InterchangeError) {
        var output = TextOutput(sink)
        try output.add(CSVText.row(columns) + "\r\n")
        for specimen in specimens { try output.add(CSVText.row(cells(specimen, code).map(\.onOneLine)) + "\r\n") }
        try output.flush()
    }

    private static func cells(_ specimen: Specimen, _ code: String?) -> [String] {
        let position = specimen.position
        return [
            code ?? "", specimen.number, "Rock hand sample", position.map { NumberText.degrees($0.latitude) } ?? "",
            position.map { NumberText.degrees($0.longitude) } ?? "", specimen.igsn ?? "", "Rock", specimen.rockType,
            description(specimen), specimen.collectionDate?.description ?? "", position.flatMap(method) ?? "",
            specimen.country ?? "",
        ]
    }

    private static func description(_ specimen: Specimen) -> String {
        var parts: [String] = []
        func add(_ label: String, _ text: String?) {
            if let text = text?.onOneLine, !text.isEmpty { parts.append(label + text) }
        }
        add("", specimen.description)
        add("Minerals: ", specimen.minerals.map { "\($0.name) \($0.amount)" }.joined(separator: ", "))
        add("Metamorphic grade: ", specimen.metamorphicGrades.joined(separator: ", "))
        add("Metamorphic region: ", specimen.metamorphicRegions.joined(separator: ", "))
        add("Region: ", specimen.regions.joined(separator: ", "))
        add("References: ", specimen.references.joined(separator: ", "))
        add("Collector: ", specimen.collector)
        add("Present location: ", specimen.presentLocation)
        add("Position error (95 %), m: ", specimen.position?.accuracy.map(NumberText.plain))
        add("", DescriptionLine(specimen).text)
        return parts.joined(separator: " | ")
    }

    /// Nothing for a position that was written in, and nothing for one that no live receiver gave.
    private static func method(_ position: SpecimenPosition) -> String? {
        guard position.source != .given, position.kind == .live else { return nil }
        return switch position.status {
        case .differential: "DGPS"
        case .rtkFixed, .rtkFloat: "RTK GPS"
        case .deadReckoning, .timeOnly, .simulated: nil
        default: "GPS"
        }
    }
}
