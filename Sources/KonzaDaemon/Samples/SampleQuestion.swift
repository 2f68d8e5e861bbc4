internal import KonzaAPI
internal import KonzaModel
internal import Samples
internal import Storage

/// Something to know about samples: what to ask the courier, and where its answer stands in the cache.
struct SampleQuestion<Value: Sendable>: Sendable {
    /// Its id is given when it is asked.
    let errand: Errand
    /// Worded to follow "cannot".
    let what: String
    /// What the server answered to this very question.
    let kept: @Sendable (SampleCache) throws(DatabaseError) -> Kept<Value>?
    /// What answers to other questions left; the second value tells two states of it apart.
    let known: @Sendable (SampleCache) throws(DatabaseError) -> (value: Kept<Value>, stamp: Int64)?
    let value: @Sendable (ErrandReport) -> Value?
    let keep: @Sendable (Value, SampleCache, UTCInstant) throws(DatabaseError) -> Void
}

extension SampleQuestion<SampleAnswer> {
    static func search(_ query: SampleQuery) -> Self {
        Self(
            errand: Errand(id: "", kind: "samples", query: query), what: "look for samples",
            kept: { cache throws(DatabaseError) in try cache.answer(to: query) },
            known: { cache throws(DatabaseError) in
                let local = try cache.search(query)
                guard let oldest = local.oldest, let newest = local.newest else { return nil }
                let answer = SampleAnswer(samples: local.samples, total: local.total)
                return (Kept(answer, at: oldest), newest.nanoseconds &+ Int64(local.total))
            }, value: { $0.samples.flatMap { $0.samples.count <= SampleAnswer.mostSamples ? $0 : nil } },
            keep: { answer, cache, instant throws(DatabaseError) in try cache.keep(answer, to: query, at: instant) })
    }
}

extension SampleQuestion<SampleSummary> {
    static func summary(_ query: SampleQuery) -> Self {
        Self(
            errand: Errand(id: "", kind: "summary", query: query), what: "sum samples up",
            kept: { cache throws(DatabaseError) in try cache.summary(of: query) },
            known: { cache throws(DatabaseError) in
                let local = try cache.localSummary(of: query)
                return local.oldest.map { (Kept(local.summary, at: $0), 0) }
            }, value: \.summary,
            keep: { summary, cache, instant throws(DatabaseError) in try cache.keep(summary, of: query, at: instant) })
    }
}

extension SampleQuestion<SampleDetails> {
    static func details(_ id: String) -> Self {
        Self(
            errand: Errand(id: "", kind: "sample", sample: id), what: "show the sample",
            kept: { cache throws(DatabaseError) in try cache.wholeDetails(id) },
            known: { cache throws(DatabaseError) in try cache.details(id).map { ($0, 0) } },
            value: { $0.sample.flatMap { $0.sample.id == id ? $0 : nil } },
            keep: { details, cache, instant throws(DatabaseError) in try cache.keep(details, at: instant) })
    }
}

extension SampleQuestion<[String]> {
    /// - Parameter publicOnly: of the samples that are kept, those that everyone may see; the server's own list names the
    ///   regions of the account's private samples too.
    /// - Returns: the question.
    static func regions(publicOnly: Bool) -> Self {
        Self(
            errand: Errand(id: "", kind: "regions"), what: "list the regions",
            kept: { cache throws(DatabaseError) in publicOnly ? nil : try cache.regions() },
            known: { cache throws(DatabaseError) in try cache.knownRegions(publicOnly: publicOnly).map { ($0, 0) } },
            value: \.regions,
            keep: { regions, cache, instant throws(DatabaseError) in try cache.keep(regions: regions, at: instant) })
    }
}
