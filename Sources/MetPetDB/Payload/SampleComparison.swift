/// Comparing what a server holds with what it was sent.
extension SampleContent {
    /// The names of the fields in which two contents differ, as far as the server keeps them: it rounds coordinates to
    /// five decimals, and does not keep the order of lists.
    func differences(from other: SampleContent) -> [String] {
        Self.fields.filter { !$0.agree(self, other) }.map(\.name)
    }

    func agrees(with other: SampleContent) -> Bool { differences(from: other).isEmpty }

    /// Whether every field is as one of our own writes left it, or would have: a write that failed half-way may have
    /// set the plain fields and not the lists.
    ///
    /// - Parameters:
    ///   - known: what the server held before the write; nil if there was no sample.
    ///   - sent: what was written.
    /// - Returns: false if some field holds a third thing.
    func isExplained(by known: SampleContent?, _ sent: SampleContent) -> Bool {
        Self.fields.allSatisfy { field in
            if field.agree(self, sent) || known.map({ field.agree(self, $0) }) ?? false { return true }
            guard let list = field.list else { return false }
            return list(self).allSatisfy { (list(sent) + (known.map(list) ?? [])).contains($0) }
        }
    }

    private struct Field {
        let name: String
        let agree: @Sendable (SampleContent, SampleContent) -> Bool
        var list: (@Sendable (SampleContent) -> [String])?
    }

    private static let fields: [Field] = [
        Field(name: "number") { $0.number == $1.number },
        Field(name: "rock_type") { $0.rockType == $1.rockType },
        Field(name: "latitude") { isNear($0.latitude, $1.latitude, 1.5e-5) },
        // 180 and -180 are one meridian.
        Field(name: "longitude") { left, right in
            isNear(left.longitude, right.longitude, 1.5e-5)
                || isNear(left.longitude.map(abs), 180, 1.5e-5) && isNear(right.longitude.map(abs), 180, 1.5e-5)
        },
        Field(name: "location_error") { left, right in
            isNear(left.locationError, right.locationError, 1e-3 * max(1, abs(left.locationError ?? 0)))
        },
        Field(name: "sesar_number") { $0.sesarNumber == $1.sesarNumber },
        Field(name: "collector_name") { $0.collectorName == $1.collectorName },
        Field(name: "collection_date") { $0.collectionDate == $1.collectionDate },
        Field(name: "location_name") { $0.locationName == $1.locationName },
        Field(name: "country") { $0.country == $1.country },
        Field(name: "description") { $0.description == $1.description },
        Field(name: "public_data") { $0.isPublic == $1.isPublic },
        listField("regions") { $0.regions },
        listField("metamorphic_grades") { $0.metamorphicGrades },
        listField("metamorphic_regions") { $0.metamorphicRegions },
        listField("minerals") { $0.minerals },
        listField("references") { $0.references },
    ]

    private static func listField(_ name: String, _ list: @escaping @Sendable (SampleContent) -> [String]) -> Field {
        Field(name: name, agree: { list($0).sorted() == list($1).sorted() }, list: list)
    }

    private static func isNear(_ left: Double?, _ right: Double?, _ tolerance: Double) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return abs(left - right) <= tolerance
    }
}
