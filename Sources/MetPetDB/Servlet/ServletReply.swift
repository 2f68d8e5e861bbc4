internal import KonzaModel
internal import XMLReading

/// The servlet's replies, read from its XML. It writes Java objects: values stand within elements of their types, as in
/// `<id><long>7</long></id>`.
enum ServletReply {
    struct Listing {
        let total: Int
        let samples: [FoundSample]
    }

    /// `<set>` of a search.
    static func listing(_ root: XMLElement) -> Listing? {
        guard root.name == "set", let total = root["resultCount"]?.integer else { return nil }
        return Listing(
            total: max(0, total), samples: root.children.filter { $0.name == "sample" }.compactMap(sample))
    }

    /// `<set>` of a sample by its id: the sample is its only element, whatever its name.
    static func details(_ root: XMLElement) -> SampleDetails? {
        guard root.name == "set" else { return nil }
        let element = root.children.first { $0["number"] != nil }
        guard let element, let sample = sample(element) else { return nil }
        var details = SampleDetails(sample)
        details.description = element["description"]?.value.map { shortened($0, to: SampleDetails.longestDescription) }
        return details
    }

    static func sample(_ element: XMLElement) -> FoundSample? {
        guard let number = element["number"]?.value, let id = element["id"]?.integer else { return nil }
        var sample = FoundSample(
            id: String(id), number: shortened(number), isPublic: element["publicData"]?.value == "true")
        sample.rockType = element["rockType"]?.rock
        sample.minerals = element["minerals"]?.names ?? []
        sample.metamorphicGrades = element["metamorphicGrades"]?.names ?? []
        sample.regions = element["regions"]?.names ?? []
        sample.owner = element["owner"]?.value.map { shortened($0) }
        if let point = element["org.postgis.Point"], let x = point["x"]?.number, let y = point["y"]?.number {
            sample.place = Coordinate(latitude: y, longitude: x)
        }
        return sample
    }

    /// `<searchCriteria>`: names without counts.
    static func summary(_ root: XMLElement) -> SampleSummary? {
        guard root.name == "searchCriteria", let total = root["resultCount"]?.integer, total >= 0 else { return nil }
        func names(_ list: [String]?) -> [NameCount] { indexed(list ?? []).map { NameCount($0, nil) } }
        var summary = SampleSummary(total: total, counted: total)
        summary.rockTypes = names(root["criteriaRockTypes"]?.children.compactMap { $0["rockType"]?.value ?? $0.value })
        summary.minerals = names(root["criteriaMinerals"]?.names)
        summary.metamorphicGrades = names(root["criteriaMetGrades"]?.names)
        summary.owners = names(root["criteriaOwners"]?.names)
        if total > 0, let west = root["minLong"]?.number, let south = root["minLat"]?.number,
            let east = root["maxLong"]?.number, let north = root["maxLat"]?.number, west <= east
        {
            summary.extent = GeographicBox(west: west, south: south, east: east, north: north)
        }
        return summary
    }

    /// `<list>` of regions.
    static func regions(_ root: XMLElement) -> [String]? { root.name == "list" ? indexed(root.names) : nil }

    static func comments(_ root: XMLElement) -> [String]? {
        guard root.name == "comments" else { return nil }
        let texts = root.children.filter { $0.name == "string" }.prefix(SampleDetails.mostParts)
        return texts.map { shortened($0.text, to: 1024) }.filter { !$0.isEmpty }
    }

    struct Parts {
        let subsamples: Int?
        let images: Int?
        let analyses: SampleDetails.Analyses
    }

    static func parts(_ root: XMLElement) -> Parts? {
        guard root.name == "subsamples" else { return nil }
        return Parts(
            subsamples: root["int"]?.integer, images: root["imageCount"]?.integer,
            analyses: .init(
                total: max(0, root["analysisCount"]?.integer ?? 0),
                minerals: indexed(root["materials"]?.names ?? []).map { NameCount($0, nil) },
                hasBulkRock: root["bulkRock"]?.value == "true"))
    }

    struct Thumbnail {
        let id: String
        let checksum: String
        let type: String?
    }

    /// Pictures stand as threes of elements, one after another.
    static func thumbnails(_ root: XMLElement) -> [Thumbnail]? {
        guard root.name == "thumbnails" else { return nil }
        var thumbnails: [Thumbnail] = []
        var checksum: String?
        var id: String?
        for element in root.children where thumbnails.count < SampleDetails.mostParts {
            switch element.name {
            case "image": checksum = element.value
            case "imageID": id = element.integer.map { String($0) }
            case "imageType":
                let type = element.children.first?["imageType"]?.value
                if let checksum, let id, isChecksum(checksum) {
                    thumbnails.append(Thumbnail(id: id, checksum: checksum, type: type.map { shortened($0) }))
                }
                (checksum, id) = (nil, nil)
            default: break
            }
        }
        return thumbnails
    }

    /// The checksum of `<image>`, by which a picture is fetched.
    static func largeImage(_ root: XMLElement) -> String? {
        guard root.name == "image", let checksum = root["path"]?.value, isChecksum(checksum) else { return nil }
        return checksum
    }

    private static func isChecksum(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 128 && text.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }
}

extension XMLElement {
    fileprivate var integer: Int? { value.flatMap { Int($0) } }
    fileprivate var number: Double? { value.flatMap { Double($0) } }
    /// The texts of the `<string>` elements in it.
    fileprivate var names: [String] {
        children.filter { $0.name == "string" && !$0.text.isEmpty }.prefix(1000).map { shortened($0.text) }
    }
    /// The name within a rock type, whose number comes before it.
    fileprivate var rock: String? {
        (children.first?["rockType"]?.value ?? value).map { shortened($0) }
    }
}
