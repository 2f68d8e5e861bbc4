internal import FoundationEssentials
public import KonzaModel

/// Registers specimens with SESAR 2 as drafts, once each.
///
/// Only what SESAR's documentation says for certain is used: a draft with the fields of ``SesarBody``. Publishing it,
/// photographs, materials and later changes are done on SESAR's own pages, for their form is not documented; a specimen
/// that was changed since is left as it was registered. The name is looked for before every create. Names are not
/// documented to be unique: what bears ours is taken for ours only after a create of ours whose outcome is not known.
public struct SesarSubmitter<Ledger: OutboxLedger> {
    private let client: SesarClient
    private let ledger: Ledger
    private let clock: any StationClock
    private let policy: RetryPolicy
    private let random: () -> Double
    /// The account's code, a part of its numbers.
    private let code: String

    /// - Parameters:
    ///   - client: the registry.
    ///   - code: the account's SESAR code.
    ///   - ledger: keeps the records.
    ///   - clock: the station's.
    ///   - policy: when to try again.
    ///   - random: from 0 up to 1, for the jitter.
    public init(
        client: SesarClient, code: String, ledger: Ledger, clock: any StationClock, policy: RetryPolicy = RetryPolicy(),
        random: @escaping () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.client = client
        self.code = code
        self.ledger = ledger
        self.clock = clock
        self.policy = policy
        self.random = random
    }

    /// Registers a specimen, if its submission is `ready` or `sending`.
    ///
    /// - Parameters:
    ///   - submission: as the ledger has it.
    ///   - specimen: what it is of.
    /// - Returns: the record as it was left; the IGSN is its `remoteID`.
    /// - Throws: ``LedgerError``; nothing is lost by it.
    public func advance(_ submission: Submission, of specimen: Specimen) throws(LedgerError) -> Submission {
        guard submission.state == .ready || submission.state == .sending else { return submission }
        var record = submission
        do {
            try step(&record, specimen)
            return record
        } catch let refusals as Refusals {
            record.state = .refused
            record.refusals = refusals.list
            return try keep(record)
        } catch let error as MetPetDBError where error.reason == .fields {
            record.state = .refused
            record.refusals = error.refusals.isEmpty ? [.init(words: error.description)] : error.refusals
            return try keep(record)
        } catch let error as MetPetDBError {
            record.attempts = RetryPolicy.attempts(after: record.attempts)
            let pause = policy.pause(attempts: record.attempts, random: random())
            record.nextAttemptAt = clock.utc().advanced(bySeconds: max(pause, error.retryAfter ?? 0))
            record.lastFailure = error.description
            return try keep(record)
        } catch let error as LedgerError {
            throw error
        } catch {
            throw LedgerError(.unavailable, "cannot go on: \(error)")
        }
    }

    private func step(_ record: inout Submission, _ specimen: Specimen) throws {
        let body = try SesarBody(specimen, code: code)
        let found = try client.find(name: specimen.number)
        if !found.isEmpty {
            guard record.step == .create, found.count == 1 else {
                record.state = .conflict
                record.conflict = .init(
                    ours: String(decoding: body.json, as: UTF8.self), theirs: "null",
                    reason: "the account already has \(found.count) samples of this name at SESAR")
                record = try keep(record)
                return
            }
            return try finish(&record, specimen, found[0])
        }
        record.state = .sending
        record.step = .create
        record = try keep(record)
        try finish(&record, specimen, try client.create(body.json))
    }

    private func finish(_ record: inout Submission, _ specimen: Specimen, _ number: String?) throws {
        record.state = .submitted
        record.step = nil
        record.remoteID = number
        record.submittedRevision = specimen.revision
        record.submittedAt = clock.utc()
        record.attempts = 0
        record.nextAttemptAt = nil
        record.lastFailure = nil
        record.refusals = []
        record = try keep(record)
    }

    private func keep(_ record: Submission) throws(LedgerError) -> Submission {
        var record = record
        record.changedAt = clock.utc()
        return try ledger.record(record)
    }
}

/// A draft: the fields whose names and forms SESAR's documentation gives.
struct SesarBody: Encodable {
    private struct Collector: Encodable {
        struct Individual: Encodable { let label: String }
        let individual: Individual
    }

    private let sesar_code: String
    private let name: String
    private let object_type = "Rock hand sample"
    private let is_draft = true
    private let latitude: Double?
    private let longitude: Double?
    private let sample_description: String?
    private let country: String?
    private let collectors: [Collector]?

    init(_ specimen: Specimen, code: String) throws(Refusals) {
        var checks = SampleChecks(Vocabulary(terms: [:]))
        checks.number(specimen.number)
        if code.isEmpty { checks.refuse("sesar_code", "cannot be empty: set the account's code") }
        let place = specimen.position.flatMap { checks.position($0) }
        country = checks.text(specimen.country, 100, "country")
        let collector = checks.text(specimen.collector, 100, "collectors")
        sample_description = checks.text(
            DescriptionLine(specimen).joined(to: specimen.description), nil, "sample_description")
        if specimen.igsn != nil { checks.refuse("igsn", "the specimen has a number already") }
        try checks.finish()
        sesar_code = code
        name = specimen.number
        // A draft may go without them.
        latitude = place?.latitude
        longitude = place?.longitude
        collectors = collector.map { [Collector(individual: .init(label: $0))] }
    }

    var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }
}
