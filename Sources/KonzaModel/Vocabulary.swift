/// The names that a sample may be described with, and the target's ids of them where it was asked.
public struct Vocabulary: Sendable, Equatable, Codable {
    public enum Kind: String, Sendable, Codable, CaseIterable, CodingKeyRepresentable {
        case rockTypes = "rock-types"
        case metamorphicGrades = "metamorphic-grades"
        case metamorphicRegions = "metamorphic-regions"
        case minerals
        case imageTypes = "image-types"
    }

    /// One name.
    public struct Term: Sendable, Hashable, Codable {
        public var name: String
        /// The target's id; nil in the embedded list. Ids differ from one installation to another.
        public var id: String?
        /// The name that this one is another word for.
        public var synonymOf: String?
        /// The names of what it is a kind of.
        public var parents: [String]

        public init(name: String, id: String? = nil, synonymOf: String? = nil, parents: [String] = []) {
            self.name = name
            self.id = id
            self.synonymOf = synonymOf
            self.parents = parents
        }
    }

    /// The base URL it was fetched from; nil for the embedded list.
    public var origin: String?
    public var fetchedAt: UTCInstant?
    public var terms: [Kind: [Term]]

    public init(origin: String? = nil, fetchedAt: UTCInstant? = nil, terms: [Kind: [Term]]) {
        self.origin = origin
        self.fetchedAt = fetchedAt
        self.terms = terms
    }
}
