public import KonzaModel
public import Storage

/// A place in the list of specimens.
public typealias SpecimenCursor = RecordCursor<Specimen>

/// Which specimens to list, newest first.
public struct SpecimenQuery: Sendable {
    /// The most that one page holds.
    public static let maximumLimit = 200

    /// A circle around a place.
    public struct Circle: Sendable, Equatable {
        public let centre: Coordinate
        /// Metres.
        public let radius: Double

        public init(centre: Coordinate, radius: Double) {
            self.centre = centre
            self.radius = radius
        }
    }

    /// How many to return, 1 to `maximumLimit`.
    public var limit = 50
    /// Where the page before ended: its `next`.
    public var cursor: SpecimenCursor?
    /// Only those taken in this box. A specimen without a position is in no box.
    public var box: GeographicBox?
    /// Only those taken in this circle.
    public var circle: Circle?
    /// Only those whose submission to this target is in this state; one that was never submitted is a draft.
    public var state: (target: SubmissionTarget, state: Submission.State)?
    /// Only those that hold every one of these words somewhere, letter case apart.
    public var words: [String] = []
    /// Only those that match these names, days, region and visibility; owners are collectors.
    public var criteria = SampleQuery()
    /// Only tombstones; else none of them.
    public var isDeleted = false

    public init() {}
}

/// Some specimens, newest first.
public struct SpecimenPage: Sendable {
    public var specimens: [Specimen]
    /// Where the next page begins; nil when this is the last.
    public var next: SpecimenCursor?
}

extension SpecimenArchive {
    /// One specimen, tombstones included: `deletedAt` tells.
    ///
    /// - Throws: `notFound`.
    public func specimen(_ id: SpecimenID) throws(SpecimenError) -> Specimen { try stored(id).specimen }

    /// The specimen with a number, letter case apart; nil if none that is not deleted has it.
    public func specimen(number: String) throws(SpecimenError) -> Specimen? {
        let holder = try read { connection throws(DatabaseError) in
            try SpecimenTable.holder(of: number, in: &connection)
        }
        guard let holder else {
            if !store.isStandingIn { try requireWhole() }
            return nil
        }
        guard !holder.isDeleted else { return nil }
        return try specimen(holder.id)
    }

    /// The specimens that match, newest first.
    ///
    /// - Throws: `invalid` for a limit out of range, `archive` if the index cannot be read.
    public func list(_ query: SpecimenQuery) throws(SpecimenError) -> SpecimenPage {
        guard (1...SpecimenQuery.maximumLimit).contains(query.limit) else {
            throw .invalid("a page holds 1 to \(SpecimenQuery.maximumLimit) specimens")
        }
        var found: [Specimen] = []
        var scanned = query.cursor
        var last: SpecimenCursor?
        // A circle is not in the index: its box is, and what lies in the corners is left out here, as what the criteria
        // leave out is.
        let batch =
            query.circle == nil && query.criteria == SampleQuery() ? query.limit + 1 : SpecimenQuery.maximumLimit + 1
        while true {
            let rows = try rows(query, after: scanned, limit: batch)
            for row in rows {
                guard let specimen = StoredText.decode(Specimen.self, row.record.utf8), query.isInCircle(specimen),
                    query.criteria.matches(FoundSample(specimen))
                else {
                    continue
                }
                if found.count == query.limit { return SpecimenPage(specimens: found, next: last) }
                found.append(specimen)
                last = row.cursor
            }
            scanned = rows.last?.cursor
            guard rows.count == batch else { return SpecimenPage(specimens: found, next: nil) }
        }
    }

    private struct ListedRow: Sendable {
        let cursor: SpecimenCursor
        let record: String
    }

    private func rows(
        _ query: SpecimenQuery, after cursor: SpecimenCursor?, limit: Int
    ) throws(SpecimenError) -> [ListedRow] {
        try read { connection throws(DatabaseError) in
            try SpecimenListing(query: query, cursor: cursor, limit: limit).rows(in: &connection).compactMap { row in
                SpecimenID(row.id).map {
                    ListedRow(
                        cursor: SpecimenCursor(createdNanoseconds: row.createdNanoseconds, id: $0), record: row.record)
                }
            }
        }
    }

    /// How many specimens there are, and how far their submissions are.
    public func usage() throws(SpecimenError) -> SpecimenUsage {
        try read { connection throws(DatabaseError) in try SpecimenTable.usage(in: &connection) }
    }
}

extension FoundSample {
    /// A specimen of the station, as lists show samples: its owner is its collector.
    public init(_ specimen: Specimen) {
        self.init(id: specimen.id.description, number: specimen.number, isPublic: specimen.isPublic)
        rockType = specimen.rockType
        place = specimen.position?.coordinate
        locationError = specimen.position?.accuracy
        owner = specimen.collector
        collector = specimen.collector
        collectionDate = specimen.collectionDate
        country = specimen.country
        minerals = specimen.minerals.map(\.name)
        metamorphicGrades = specimen.metamorphicGrades
        metamorphicRegions = specimen.metamorphicRegions
        regions = specimen.regions
        imageCount = specimen.photographs.count
    }
}

extension SpecimenQuery {
    fileprivate func isInCircle(_ specimen: Specimen) -> Bool {
        guard let circle else { return true }
        guard let place = specimen.position?.coordinate else { return false }
        return circle.centre.distance(to: place) <= circle.radius
    }
}

extension SpecimenQuery.Circle {
    /// A box that holds the circle. Near a pole, and where the circle is wide, it goes around the world.
    var box: GeographicBox {
        // The shortest degree of latitude of WGS 84 has 110 574 m; a little less leaves room for the sphere's error.
        let degrees = radius / 110_000
        let south = max(-90, centre.latitude - degrees)
        let north = min(90, centre.latitude + degrees)
        let narrowest = Coordinate.lengthOfLongitudeDegree(at: max(abs(south), abs(north)))
        let width = narrowest > 1 ? radius / (narrowest * 0.99) : 360
        let whole = GeographicBox(west: -180, south: south, east: 180, north: north)
        guard width < 180, abs(south) < 90, abs(north) < 90 else { return whole ?? everywhere }
        func wrapped(_ longitude: Double) -> Double {
            longitude < -180 ? longitude + 360 : longitude > 180 ? longitude - 360 : longitude
        }
        return GeographicBox(
            west: wrapped(centre.longitude - width), south: south, east: wrapped(centre.longitude + width),
            north: north) ?? whole ?? everywhere
    }

    private var everywhere: GeographicBox {
        guard let box = GeographicBox(west: -180, south: -90, east: 180, north: 90) else {
            preconditionFailure("the world is a box")
        }
        return box
    }
}
