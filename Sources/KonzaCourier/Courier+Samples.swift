internal import FoundationEssentials
internal import HTTPTransfer
internal import KonzaAPI
internal import KonzaClient
internal import KonzaModel
internal import KonzaSystem
internal import MetPetDB
internal import Settings

/// Errands about samples: what others have stored at MetPetDB.
extension Courier {
    /// Looks up what is asked and reports it.
    ///
    /// - Throws: if konzad is not reached.
    func lookUp(_ errand: Errand, _ surroundings: Surroundings, _ gate: NetworkGate.Choice) throws {
        var report: ErrandReport
        do {
            report = try self.report(on: errand, from: try source(for: errand, surroundings, gate))
        } catch let error as MetPetDBError {
            log(.notice, error.description)
            report = ErrandReport(problem: error.description, reason: error.errandReason)
        }
        report.origin = surroundings.settings.metPetDB.samplesOrigin
        try hand(report, errand)
    }

    /// Reports what came of an errand that somebody waits for.
    ///
    /// - Throws: if konzad is not reached.
    func hand(_ report: ErrandReport, _ errand: Errand) throws {
        var json = Array(try JSONEncoder().encode(report))
        if json.count > ErrandReport.mostBytes {
            let words = "cannot hand over what MetPetDB answered: it is \(json.count) bytes; narrow the search"
            log(.notice, words)
            json = Array(try JSONEncoder().encode(ErrandReport(problem: words, reason: .question)))
        }
        do throws(ClientError) {
            _ = try station.send("POST", target: "/v1/errands/\(percentEncoded(errand.id))", json: json)
        } catch {
            // konzad was started anew, and nobody waits any more.
            guard case .problem(let problem) = error, problem.kind == .notFound else { throw error }
            log(.debug, problem.detail)
        }
    }

    private func report(on errand: Errand, from source: any SampleSource) throws(MetPetDBError) -> ErrandReport {
        var report = ErrandReport()
        switch errand.kind {
        case "samples": report.samples = try source.search(errand.query ?? SampleQuery())
        case "summary": report.summary = try source.summary(errand.query ?? SampleQuery())
        case "sample": report.sample = try source.details(errand.sample ?? "")
        default: report.regions = try source.regions()
        }
        return report
    }

    /// Reading needs no account: without one only public samples are seen.
    private func source(
        for errand: Errand, _ surroundings: Surroundings, _ gate: NetworkGate.Choice
    ) throws -> any SampleSource {
        let settings = surroundings.settings.metPetDB
        let options = options(surroundings, gate)
        let address = try ServerAddress(settings.samplesURL)
        if settings.backend == .servlet {
            return try ServletSampleSource(
                address: address, user: settings.email.isEmpty ? nil : settings.email, options: options,
                cancellation: cancellation)
        }
        let wantsPrivate = errand.query?.visibility == .private
        if surroundings.credentials.metPetDB(email: settings.email) != nil,
            try wantsPrivate || ServerAddress(settings.url).isConfidential
        {
            return RESTSampleSource(client: try metPetDB(surroundings, gate), account: settings.email)
        }
        if wantsPrivate { throw MetPetDBError.noAccount }
        return RESTSampleSource(
            client: try MetPetDBClient(
                address: address, credentials: nil, options: options, cancellation: cancellation))
    }
}

extension MetPetDBError {
    fileprivate var errandReason: ErrandReport.Reason {
        switch reason {
        case .question, .fields: .question
        case .missing, .forbidden: .missing
        default: .unavailable
        }
    }
}
