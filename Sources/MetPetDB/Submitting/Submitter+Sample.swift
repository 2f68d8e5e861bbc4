internal import KonzaModel

extension Submitter {
    /// Looks for the sample, and creates it if it is not there.
    func create(_ record: inout Submission, _ specimen: Specimen, _ body: SampleBody) throws {
        let sent = SampleContent(json: record.sent)
        if let found = try client.findSample(number: specimen.number) {
            return try judge(&record, found, sent: sent, body)
        }
        record.state = .sending
        record.step = .create
        record.sent = body.content.json
        try keep(&record)
        do {
            let created = try client.createSample(body)
            take(&record, created, specimen, body)
            succeed(&record, specimen)
            try keep(&record)
        } catch let error as MetPetDBError {
            try look(&record, after: error, specimen, body)
        }
    }

    /// After a create that was answered with an error: the sample may be there.
    private func look(
        _ record: inout Submission, after error: MetPetDBError, _ specimen: Specimen, _ body: SampleBody
    ) throws {
        switch error.reason {
        case .fields: try refuse(&record, error)
        case .halfDone, .failed:
            // Without an answer to this the next try begins with the same question.
            if let found = try client.findSample(number: specimen.number) {
                try judge(&record, found, sent: body.content, body)
            } else if error.reason == .halfDone {
                try refuse(&record, error)
            } else {
                throw error
            }
        default: throw error
        }
    }

    /// Takes a sample of our number for ours, to be completed by an update, if it says what we were about to write.
    private func judge(
        _ record: inout Submission, _ found: RemoteSample, sent: SampleContent?, _ body: SampleBody
    ) throws {
        let isOurs = sent.map { found.content.isExplained(by: nil, $0) } ?? found.content.agrees(with: body.content)
        guard isOurs else {
            return try conflict(
                &record, found, body,
                "the account already has a sample of this number that says something else; if it is another rock, "
                    + "give this one another number")
        }
        record.state = .sending
        record.step = nil
        record.sent = nil
        record.remoteID = found.id
        record.remoteURL = url(found.id)
        record.lastKnown = found.content.json
        try keep(&record)
    }

    /// Brings a sample that is ours to what the specimen says.
    func update(_ record: inout Submission, _ id: String, _ specimen: Specimen, _ body: SampleBody) throws {
        let found: RemoteSample
        switch Result(catching: { () throws(MetPetDBError) in try client.sample(id: id) }) {
        case .success(let sample): found = sample
        case .failure(let error):
            guard error.reason == .missing || error.reason == .forbidden else { throw error }
            return try gone(&record, body, error)
        }
        let known = SampleContent(json: record.lastKnown)
        if let reason = try changed(found, known: known, sent: SampleContent(json: record.sent), body) {
            return try conflict(&record, found, body, reason)
        }
        record.state = .sending
        record.step = .update
        record.lastKnown = found.content.json
        record.sent = body.content.json
        try keep(&record)
        do {
            let updated = try client.updateSample(id: id, body.updating(found.content))
            take(&record, updated, specimen, body)
            succeed(&record, specimen)
            try keep(&record)
        } catch let error as MetPetDBError {
            switch error.reason {
            // `step` and `sent` stay: a part of it may have been written.
            case .fields, .halfDone: try refuse(&record, error)
            default: throw error
            }
        }
    }

    /// - Returns: why what was found is not ours to overwrite; nil if it is.
    private func changed(
        _ found: RemoteSample, known: SampleContent?, sent: SampleContent?, _ body: SampleBody
    ) throws(MetPetDBError) -> String? {
        if let owner = found.ownerID, owner != (try client.account()).id {
            return "the sample belongs to \(found.ownerName ?? "somebody else") now"
        }
        guard let known, !found.content.agrees(with: known), !found.content.agrees(with: body.content) else {
            return nil
        }
        if let sent, found.content.isExplained(by: known, sent) { return nil }
        let fields = found.content.differences(from: known).joined(separator: ", ")
        return "the sample was changed on the server since: \(fields)"
    }

    private func take(
        _ record: inout Submission, _ stored: RemoteSample, _ specimen: Specimen, _ body: SampleBody
    ) {
        record.remoteID = stored.id
        record.remoteURL = url(stored.id)
        record.lastKnown = stored.content.json
        record.submittedRevision = specimen.revision
        record.conflict = nil
        let differences = stored.content.differences(from: body.content)
        record.remarks =
            differences.isEmpty
            ? nil : differences.map { .init(field: $0, words: "the server stored it otherwise than it was sent") }
    }

    private func url(_ id: String) -> String { client.address.url("/api/samples/\(percentEncoded(id))/") }

    // MARK: - Conflicts

    private func conflict(
        _ record: inout Submission, _ found: RemoteSample, _ body: SampleBody, _ reason: String
    ) throws {
        record.state = .conflict
        record.conflict = .init(
            ours: body.content.json, theirs: found.content.json, reason: reason, remoteID: found.id)
        record.lastFailure = nil
        try keep(&record)
    }

    /// A sample that is not there for us any more is not made anew unasked.
    private func gone(_ record: inout Submission, _ body: SampleBody, _ error: MetPetDBError) throws {
        record.state = .conflict
        record.conflict = .init(
            ours: body.content.json, theirs: "null",
            reason: error.reason == .missing
                ? "the sample was deleted on the server" : "the sample is not the account's any more")
        try keep(&record)
    }
}
