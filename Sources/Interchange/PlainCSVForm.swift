internal import CSVWriting
internal import KonzaModel

/// A table for a spreadsheet (RFC 4180, UTF-8, CRLF): a row for each specimen, a column for each fact. Numbers stand
/// as they are; text that begins like a formula is guarded (``CSVText/guarded(_:)``).
enum PlainCSVForm {
    static let columns = [
        "number", "rockType", "igsn", "collector", "collectionDate", "description", "fieldNotes", "minerals",
        "metamorphicGrades", "metamorphicRegions", "country", "regions", "references", "presentLocation", "isPublic",
        "latitude", "longitude", "accuracy", "altitude", "altitudeMSL", "altitudeAccuracy", "positionSource",
        "positionKind", "positionTime", "fixMode", "fixStatus", "satellitesUsed", "hdop", "receiver", "averaging",
        "override", "measurements", "photographs", "id", "createdAt", "changedAt", "revision",
    ]

    static func write(_ specimens: [Specimen], to sink: @escaping ByteSink) throws(InterchangeError) {
        var output = TextOutput(sink)
        try output.add(CSVText.row(columns) + "\r\n")
        for specimen in specimens {
            let facts = Dictionary(specimen.facts.map { ($0.name, $0.value) }) { first, _ in first }
            try output.add(CSVText.row(columns.map { facts[$0].map(cell) ?? "" }) + "\r\n")
        }
        try output.flush()
    }

    private static func cell(_ value: Fact.Value) -> String {
        switch value {
        case .number, .degrees, .whole, .flag: value.json
        case .text, .list, .group: CSVText.guarded(value.text)
        }
    }
}
