public import KonzaModel
public import Storage

/// Where a specimen's number comes from.
public enum NumberChoice: Sendable, Equatable {
    /// Written on the bag already.
    case given(String)
    /// The next one of a template, on a local day.
    case next(NumberTemplate, CivilTime)
}

/// A specimen that was opened, or was so before by the same request.
public enum OpenedSpecimen: Sendable, Equatable {
    case new(Specimen)
    case known(Specimen)

    public var specimen: Specimen {
        switch self {
        case .new(let specimen), .known(let specimen): specimen
        }
    }
}

extension SpecimenArchive {
    /// Opens a specimen and returns when it is durable.
    ///
    /// - Parameters:
    ///   - draft: with an id of `newID`; its number and its revision are set here.
    ///   - number: where the number comes from.
    ///   - key: of the request; a repeated request finds the specimen that it made.
    /// - Returns: the specimen as it is kept.
    /// - Throws: `numberTaken`, `keyConflict`, `tooLarge`, `invalid`, and what the disk refuses.
    public func open(
        _ draft: Specimen, number: NumberChoice, key: IdempotencyKey? = nil
    ) throws(SpecimenError) -> OpenedSpecimen {
        if let complaint = key?.complaint { throw .invalid(complaint) }
        return try writing(to: draft.id, taking: Self.indexAllowance) { database throws(SpecimenError) in
            if let key, let known = try known(key) { return .known(known) }
            var specimen = draft
            specimen.number = try settled(number)
            specimen.revision = 1
            specimen.changedAt = specimen.createdAt
            specimen.deletedAt = nil
            let stored = StoredSpecimen(specimen, idempotency: key)
            let text = try StoredText.encode(stored, limit: StoredSpecimen.maximumSize)
            let operated = store.operatingTime.now
            do throws(SpecimenError) {
                try replace(
                    [Replacement(name: SpecimenNames.specimen, new: text, old: nil)],
                    of: specimen.id, database
                ) { connection throws(DatabaseError) in
                    try SpecimenTable.put(stored, text: text, in: &connection)
                    if let key {
                        try IdempotencyTable.specimens.complete(key, id: specimen.id, at: operated, in: &connection)
                    }
                }
            } catch {
                files.removeEmptyFolder(folder(of: specimen.id))
                throw error
            }
            return .new(StoredText.decode(Specimen.self, text) ?? specimen)
        }
    }

    private func known(_ key: IdempotencyKey) throws(SpecimenError) -> Specimen? {
        let operated = store.operatingTime.now
        let found = try read { connection throws(DatabaseError) in
            try IdempotencyTable.specimens.find(key.key, now: operated, in: &connection)
        }
        guard let found else { return nil }
        guard found.requestHash == key.requestHash else { throw .keyConflict }
        return try stored(found.id).specimen
    }

    private func settled(_ number: NumberChoice) throws(SpecimenError) -> String {
        switch number {
        case .given(let number):
            try checkNumber(number, for: nil)
            return number
        case .next(let template, let day):
            return try nextNumber(template, day)
        }
    }

    /// - Throws: `numberTaken` if another specimen has it, `invalid` if nothing may have it.
    func checkNumber(_ number: String, for own: SpecimenID?) throws(SpecimenError) {
        if let complaint = SpecimenNumber.complaint(number) { throw .invalid("the number: \(complaint)") }
        guard let holder = try holder(of: number), holder.id != own else { return }
        throw .numberTaken(number, by: holder.id, isDeleted: holder.isDeleted)
    }

    private func holder(of number: String) throws(SpecimenError) -> (id: SpecimenID, isDeleted: Bool)? {
        try read { connection throws(DatabaseError) in try SpecimenTable.holder(of: number, in: &connection) }
    }

    /// Counts on, durably, before the number is used: a number that a crash wasted is not given again.
    private func nextNumber(_ template: NumberTemplate, _ day: CivilTime) throws(SpecimenError) -> String {
        let path = "\(store.folder)/\(SpecimenNames.root)/\(SpecimenNames.sequence)"
        var counts = NumberCounts(text: (try? Folder.contents(path, limit: NumberCounts.maximumSize)) ?? nil)
        let series = template.series(day)
        var count = counts.last(of: series)
        repeat {
            count += 1
            guard count <= NumberCounts.maximumCount else { throw .invalid("the numbers of \(template) are used up") }
        } while try holder(of: template.number(day, count: count)) != nil
        counts.set(series, to: count)
        let text = try StoredText.encode(counts, limit: NumberCounts.maximumSize)
        try specimens { () throws(StorageError) in
            try storing { () throws(FileError) in
                try files.makeFolders(SpecimenNames.root, below: store.folder)
                try files.replace(
                    DurableFiles.Item(name: SpecimenNames.sequence, content: FileContent(text)),
                    in: "\(store.folder)/\(SpecimenNames.root)")
            }
        }
        return template.number(day, count: count)
    }
}

/// How far each series of numbers is, in `sequence.json`. It is a file of its own, not of the index: a number is not
/// given again when its specimen is long gone and the index was made anew.
struct NumberCounts: Codable, Sendable {
    static let maximumSize = 1 << 20
    /// The last number of a series.
    static let maximumCount = 999_999_999
    /// A template with days makes a series a day: the least recently used go first.
    private static let maximumSeries = 4096

    struct Series: Codable, Sendable, Equatable {
        var name: String
        var last: Int
    }

    /// The least recently used first.
    private(set) var series: [Series] = []

    /// From the file's text; without one, or with one that cannot be read, counting starts over, past the numbers that
    /// specimens have.
    init(text: [UInt8]?) {
        guard let text, let counts = StoredText.decode(NumberCounts.self, text) else { return }
        series = counts.series.map { Series(name: $0.name, last: min(max(0, $0.last), NumberCounts.maximumCount)) }
    }

    func last(of name: String) -> Int { series.first { $0.name == name }?.last ?? 0 }

    mutating func set(_ name: String, to last: Int) {
        series.removeAll { $0.name == name }
        series.append(Series(name: name, last: last))
        if series.count > Self.maximumSeries { series.removeFirst(series.count - Self.maximumSeries) }
    }
}
