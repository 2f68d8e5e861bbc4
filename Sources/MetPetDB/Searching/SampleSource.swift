public import KonzaModel

/// Where samples are looked up: MetPetDB's REST interface, or the servlet that was there before it. The calls block.
public protocol SampleSource: Sendable {
    /// What the answers came from, for a cache to keep them apart: the server, and the account that saw them. It holds
    /// no secret.
    var origin: String { get }

    /// Looks for samples.
    ///
    /// - Parameter query: names in the server's spelling.
    /// - Returns: at most ``SampleAnswer/mostSamples``, the nearest first where the query is a circle.
    /// - Throws: ``MetPetDBError``; `question` for what this server cannot be asked.
    func search(_ query: SampleQuery) throws(MetPetDBError) -> SampleAnswer

    /// What a search would find, without its samples.
    func summary(_ query: SampleQuery) throws(MetPetDBError) -> SampleSummary

    /// One sample with its images, subsamples, analyses and comments, as far as the server has them.
    ///
    /// - Parameter id: the server's, as in ``FoundSample/id``.
    /// - Returns: what the server shows to the account, or to anyone without one.
    /// - Throws: ``MetPetDBError``; `missing` if there is no such sample, `forbidden` if it is somebody else's.
    func details(_ id: String) throws(MetPetDBError) -> SampleDetails

    /// The names of regions that samples can be looked for in: no name twice, in the order of an alphabetical index.
    func regions() throws(MetPetDBError) -> [String]
}

extension SampleQuery {
    /// - Throws: a `question` error for what makes it unanswerable anywhere.
    func check() throws(MetPetDBError) {
        if let fault { throw MetPetDBError(.question, "cannot look for samples: \(fault)") }
    }
}

/// Names in the order of an index: letter case does not count, unless nothing else differs.
func indexed(_ names: some Sequence<String>) -> [String] {
    Set(names).map { (key: $0.lowercased(), name: $0) }.sorted { ($0.key, $0.name) < ($1.key, $1.name) }.map(\.name)
}
