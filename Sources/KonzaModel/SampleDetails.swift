/// One sample, with all that its database shows of it.
public struct SampleDetails: Sendable, Equatable, Codable {
    /// The most characters of a description, and the most images, subsamples and comments that are taken over.
    public static let longestDescription = 20_000
    public static let mostParts = 200

    public var sample: FoundSample
    public var description: String?
    /// The International Generic Sample Number in its old form of nine characters.
    public var sesarNumber: String?
    /// The institution that holds the sample.
    public var presentLocation: String?
    public var references: [String] = []
    public var images: [Image] = []
    public var subsamples: [Subsample] = []
    /// Nil where the database was not asked, or did not say.
    public var analyses: Analyses?
    public var comments: [String] = []

    /// A picture of a sample.
    public struct Image: Sendable, Equatable, Codable {
        public var id: String
        /// The database's word for what kind of picture it is.
        public var imageType: String?
        public var description: String?
        /// The width of the whole picture on the sample, millimetres.
        public var scale: Int?
        /// `http` or `https` addresses, as the database gives them.
        public var fullSizeURL: String?
        public var thumbnailURL: String?
        /// Nil where the database does not say.
        public var isPublic: Bool?
        public var comments: [String] = []

        public init(id: String) { self.id = id }

        /// How large a copy of a picture is.
        public enum Size: String, Sendable, Codable, CaseIterable {
            case thumbnail
            case full
        }

        /// Where the copy of a size is on the internet; nil where the database names none.
        public func address(of size: Size) -> String? { size == .full ? fullSizeURL : thumbnailURL ?? fullSizeURL }
    }

    /// A part cut from a sample.
    public struct Subsample: Sendable, Equatable, Codable {
        public var id: String
        public var name: String
        /// Such as `Thin Section`.
        public var type: String?
        public var isPublic: Bool?

        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// What was analysed, without the analyses.
    public struct Analyses: Sendable, Equatable, Codable {
        /// How many analyses there are.
        public var total: Int
        /// The minerals that were analysed, the most frequent first.
        public var minerals: [NameCount]
        /// Whether the rock as a whole was.
        public var hasBulkRock: Bool

        public init(total: Int, minerals: [NameCount], hasBulkRock: Bool) {
            self.total = total
            self.minerals = minerals
            self.hasBulkRock = hasBulkRock
        }
    }

    public init(_ sample: FoundSample) { self.sample = sample }
}
