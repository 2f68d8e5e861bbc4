internal import FoundationEssentials
internal import KonzaModel

/// A sample in a list of MetPetDB's REST interface.
struct RemoteListing: Decodable {
    let sample: FoundSample

    private enum Key: String, CodingKey { case images, subsample_ids, chemical_analyses_ids }

    /// Something that is only counted.
    private struct Anything: Decodable { init(from decoder: any Decoder) {} }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        func count(_ key: Key) -> Int? { (try? members.decodeIfPresent([Anything].self, forKey: key))?.count }
        var sample = FoundSample(try RemoteSample(from: decoder))
        sample.imageCount = count(.images)
        sample.subsampleCount = count(.subsample_ids)
        sample.analysisCount = count(.chemical_analyses_ids)
        self.sample = sample
    }
}

extension FoundSample {
    init(_ remote: RemoteSample) {
        let content = remote.content
        self.init(id: remote.id, number: shortened(content.number), isPublic: content.isPublic)
        rockType = content.rockType.map { shortened($0) }
        if let latitude = content.latitude, let longitude = content.longitude {
            place = Coordinate(latitude: latitude, longitude: longitude)
        }
        locationError = content.locationError.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
        owner = remote.ownerName.map { shortened($0) }
        collector = content.collectorName.map { shortened($0) }
        collectionDate = content.collectionDate.flatMap(CalendarDate.init)
        country = content.country.map { shortened($0) }
        minerals = shortened(content.minerals)
        metamorphicGrades = shortened(content.metamorphicGrades)
        metamorphicRegions = shortened(content.metamorphicRegions)
        regions = shortened(content.regions)
    }
}

/// A text of a server, no longer than any of its fields that are shown in a list, and with no character that no text may
/// have (``TextRule``).
func shortened(_ text: String, to longest: Int = 200) -> String {
    TextRule.cleaned(String(text.unicodeScalars.prefix(longest)), hasLines: true)
}

/// No more names than any sample has.
func shortened(_ names: [String]) -> [String] { names.prefix(200).map { shortened($0) } }
