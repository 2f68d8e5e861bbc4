public import KonzaModel

/// What came of an errand: the body of `POST /v1/errands/{id}`. Either there is a problem, or what was asked for.
public struct ErrandReport: Codable, Sendable, Equatable {
    /// Why a problem is one, as far as konzad has to tell them apart.
    public enum Reason: String, Codable, Sendable, CaseIterable {
        /// Nothing to do with the question: no network, no login, a server that fails.
        case unavailable
        /// The server cannot be asked this.
        case question
        /// The server does not have it, or does not show it.
        case missing
    }

    /// The most bytes of one, as JSON: four kilobytes for each of the most samples of an answer.
    public static let mostBytes = 4 << 20

    /// "cannot ..., why, remedy".
    public var problem: String?
    /// `unavailable` where it is left out.
    public var reason: Reason?
    /// Of samples: the server and the account that they come from, as the settings name them.
    public var origin: String?
    /// Of an errand `samples`.
    public var samples: SampleAnswer?
    /// Of an errand `summary`.
    public var summary: SampleSummary?
    /// Of an errand `sample`.
    public var sample: SampleDetails?
    /// Of an errand `regions`.
    public var regions: [String]?

    public init() {}

    public init(problem: String, reason: Reason) {
        self.problem = problem
        self.reason = reason
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case problem, reason, origin, samples, summary, sample, regions
    }

    /// A name as it stands in the text.
    private struct AnyName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// - Throws: `DecodingError`, also for a member that a report does not have.
    public init(from decoder: any Decoder) throws {
        let names = try decoder.container(keyedBy: AnyName.self).allKeys
        if let unknown = names.first(where: { CodingKeys(stringValue: $0.stringValue) == nil }) {
            throw DecodingError.dataCorrupted(.init(codingPath: [unknown], debugDescription: "unknown member"))
        }
        let members = try decoder.container(keyedBy: CodingKeys.self)
        problem = try members.decodeIfPresent(String.self, forKey: .problem)
        reason = try members.decodeIfPresent(Reason.self, forKey: .reason)
        origin = try members.decodeIfPresent(String.self, forKey: .origin)
        samples = try members.decodeIfPresent(SampleAnswer.self, forKey: .samples)
        summary = try members.decodeIfPresent(SampleSummary.self, forKey: .summary)
        sample = try members.decodeIfPresent(SampleDetails.self, forKey: .sample)
        regions = try members.decodeIfPresent([String].self, forKey: .regions)
    }
}
