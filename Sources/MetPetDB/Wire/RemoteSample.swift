internal import FoundationEssentials
internal import KonzaModel

/// A sample as MetPetDB gives it back: ids go in, names come out.
public struct RemoteSample: Sendable, Equatable {
    public let id: String
    public let ownerID: String?
    public let ownerName: String?
    public let content: SampleContent
    public let images: [RemoteImage]
}

/// An image of a sample.
public struct RemoteImage: Sendable, Equatable {
    public let id: String
    /// The last segment of the URL of the picture in full size; nil where there is no picture.
    public let fileName: String?
}

/// What a sample says, in the server's terms and rounding, so that two states of it can be compared. Lists are sorted,
/// and empty texts are nil.
public struct SampleContent: Sendable, Equatable, Codable {
    public var number: String
    public var rockType: String?
    /// Degrees; nil where the server holds no point.
    public var latitude: Double?
    public var longitude: Double?
    /// Metres.
    public var locationError: Double?
    public var sesarNumber: String?
    public var collectorName: String?
    public var collectionDate: String?
    public var locationName: String?
    public var country: String?
    public var description: String?
    public var isPublic: Bool
    public var regions: [String] = []
    public var metamorphicGrades: [String] = []
    public var metamorphicRegions: [String] = []
    public var minerals: [String] = []
    public var references: [String] = []

    enum CodingKeys: String, CodingKey {
        case number, latitude, longitude, country, description, regions, minerals, references
        case rockType = "rock_type"
        case locationError = "location_error"
        case sesarNumber = "sesar_number"
        case collectorName = "collector_name"
        case collectionDate = "collection_date"
        case locationName = "location_name"
        case isPublic = "public_data"
        case metamorphicGrades = "metamorphic_grades"
        case metamorphicRegions = "metamorphic_regions"
    }

    /// As JSON with sorted members, for the outbox.
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    init(number: String, isPublic: Bool) {
        self.number = number
        self.isPublic = isPublic
    }

    /// - Returns: nil unless the text is what ``json`` writes.
    init?(json: String?) {
        guard let json, let content = try? JSONDecoder().decode(SampleContent.self, from: Data(json.utf8)) else {
            return nil
        }
        self = content
    }
}

extension RemoteSample: Decodable {
    private enum Key: String, CodingKey {
        case id, number, owner, images, latitude, longitude, country, description, regions, minerals, references
        case rock_type, location_error, sesar_number, collector_name, collection_date, location_name, public_data
        case metamorphic_grades, metamorphic_regions
    }

    private struct Owner: Decodable {
        let id: String?
        let name: String?
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        func text(_ key: Key) -> String? {
            let text = (try? members.decodeIfPresent(String.self, forKey: key)).map {
                normalized(TextRule.cleaned($0, hasLines: true))
            }
            return text?.isEmpty == true ? nil : text
        }
        func number(_ key: Key) -> Double? {
            if let number = try? members.decodeIfPresent(Double.self, forKey: key) { return number }
            return text(key).flatMap(Double.init)
        }
        func names(_ key: Key) -> [String] {
            let list = (try? members.decodeIfPresent([RemoteName].self, forKey: key)) ?? []
            return list.map { normalized($0.name) }.filter { !$0.isEmpty }.sorted()
        }
        id = try members.identifier(forKey: .id)
        let owner = try? members.decodeIfPresent(Owner.self, forKey: .owner)
        ownerID = owner?.id
        ownerName = owner?.name.map { TextRule.cleaned($0) }
        images = try members.decodeIfPresent([RemoteImage].self, forKey: .images) ?? []
        var content = SampleContent(
            number: TextRule.cleaned(try members.decode(String.self, forKey: .number)),
            isPublic: (try? members.decodeIfPresent(Bool.self, forKey: .public_data)) ?? false)
        content.rockType = (try? members.decodeIfPresent(RemoteName.self, forKey: .rock_type))?.name
        content.latitude = number(.latitude)
        content.longitude = number(.longitude)
        content.locationError = number(.location_error)
        content.sesarNumber = text(.sesar_number)
        content.collectorName = text(.collector_name)
        // A server that keeps a time gives the day first.
        content.collectionDate = text(.collection_date).map { String($0.prefix(10)) }
        content.locationName = text(.location_name)
        content.country = text(.country)
        content.description = text(.description)
        content.regions = names(.regions)
        content.metamorphicGrades = names(.metamorphic_grades)
        content.metamorphicRegions = names(.metamorphic_regions)
        content.minerals = names(.minerals)
        content.references = names(.references)
        self.content = content
    }
}

extension RemoteImage: Decodable {
    private enum Key: String, CodingKey { case id, image }
    private enum PictureKey: String, CodingKey { case full_size }

    public init(from decoder: any Decoder) throws {
        if let id = try? decoder.singleValueContainer().decode(String.self) {
            self.id = id
            fileName = nil
            return
        }
        let members = try decoder.container(keyedBy: Key.self)
        id = try members.identifier(forKey: .id)
        let pictures = try? members.nestedContainer(keyedBy: PictureKey.self, forKey: .image)
        let url = try? pictures?.decodeIfPresent(String.self, forKey: .full_size)
        let path = url?.prefix { $0 != "?" && $0 != "#" }
        fileName = path?.split(separator: "/").last.flatMap { percentDecoded($0) }
    }
}

extension KeyedDecodingContainer {
    /// The server's id of something: text that can be kept and shown.
    fileprivate func identifier(forKey key: Key) throws -> String {
        let id = try decode(String.self, forKey: key)
        guard TextRule.complaint(id, upTo: 200) == nil else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "no id")
        }
        return id
    }
}
