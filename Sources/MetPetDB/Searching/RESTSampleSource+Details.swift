internal import FoundationEssentials
internal import HTTPTransfer
public import KonzaModel

extension RESTSampleSource {
    /// Each subsample is a request of its own.
    private static let mostSubsamples = 50
    private static let mostAnalysisPages = 5

    public func details(_ id: String) throws(MetPetDBError) -> SampleDetails {
        guard !id.isEmpty, id.utf8.count <= 64, id.utf8.allSatisfy(isIdentifier) else {
            throw MetPetDBError(.question, "cannot read the sample: its id is none of MetPetDB's")
        }
        let answer = try client.get("/api/samples/\(percentEncoded(id))/", what: "read the sample")
        let remote = try client.decode(RemoteDetails.self, answer)
        var details = remote.details
        for id in remote.subsampleIDs.prefix(Self.mostSubsamples) where id.utf8.allSatisfy(isIdentifier) {
            if let subsample = try subsample(id) { details.subsamples.append(subsample) }
        }
        let analyses = try analyses(of: remote.subsampleIDs)
        details.analyses = analyses
        if let analyses { details.sample.analysisCount = analyses.total }
        return details
    }

    private func isIdentifier(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// - Returns: nil for one that is gone, or somebody else's.
    private func subsample(_ id: String) throws(MetPetDBError) -> SampleDetails.Subsample? {
        do {
            return try client.decode(
                RemoteSubsample.self, try client.get("/api/subsamples/\(id)/", what: "read a subsample")
            ).subsample
        } catch {
            guard error.reason == .missing || error.reason == .forbidden else { throw error }
            return nil
        }
    }

    private func analyses(of subsamples: [String]) throws(MetPetDBError) -> SampleDetails.Analyses? {
        let ids = subsamples.prefix(Self.mostSubsamples).joined(separator: ",")
        guard !ids.isEmpty else { return SampleDetails.Analyses(total: 0, minerals: [], hasBulkRock: false) }
        var counts: [String: Int] = [:]
        var hasBulkRock = false
        var total = 0
        for number in 1...Self.mostAnalysisPages {
            let query = [
                ("subsample_ids", ids), ("fields", "id,mineral"), ("page_size", "1000"), ("page", String(number)),
                ("format", "json"),
            ]
            let answer: HTTPAnswer
            do {
                answer = try client.get("/api/chemical_analyses/", query, what: "read the analyses")
            } catch {
                // A server without them is no reason to show nothing of the sample.
                guard error.reason == .missing || error.reason == .failed else { throw error }
                return nil
            }
            let page = try client.decode(Page<RemoteAnalysis>.self, answer)
            total = max(total, page.total)
            for analysis in page.items {
                if let mineral = analysis.mineral { counts[mineral, default: 0] += 1 } else { hasBulkRock = true }
            }
            if !page.hasMore { break }
        }
        let minerals = counts.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
        return SampleDetails.Analyses(
            total: total, minerals: minerals.map { NameCount($0.key, $0.value) }, hasBulkRock: hasBulkRock)
    }
}

/// An analysis; without a mineral it is one of the whole rock.
private struct RemoteAnalysis: Decodable {
    let mineral: String?

    private enum Key: String, CodingKey { case mineral }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        mineral =
            (try? members.decodeIfPresent(RemoteName.self, forKey: .mineral))?.name.isEmpty == false
            ? try? members.decode(RemoteName.self, forKey: .mineral).name : nil
    }
}

private struct RemoteSubsample: Decodable {
    let subsample: SampleDetails.Subsample

    private enum Key: String, CodingKey { case id, name, subsample_type, public_data }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        var subsample = SampleDetails.Subsample(
            id: shortened(try members.decode(String.self, forKey: .id)),
            name: shortened((try? members.decodeIfPresent(String.self, forKey: .name)) ?? ""))
        subsample.type = (try? members.decodeIfPresent(RemoteName.self, forKey: .subsample_type))?.name
        subsample.isPublic = try? members.decodeIfPresent(Bool.self, forKey: .public_data)
        self.subsample = subsample
    }
}

private struct RemoteDetails: Decodable {
    let details: SampleDetails
    let subsampleIDs: [String]

    private enum Key: String, CodingKey { case images, subsample_ids }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        let content = try RemoteSample(from: decoder).content
        var details = SampleDetails(try RemoteListing(from: decoder).sample)
        details.description = content.description.map { shortened($0, to: SampleDetails.longestDescription) }
        details.sesarNumber = content.sesarNumber.map { shortened($0) }
        details.presentLocation = content.locationName.map { shortened($0) }
        details.references = shortened(content.references)
        let images = (try? members.decodeIfPresent([RemotePicture].self, forKey: .images)) ?? []
        details.images = images.prefix(SampleDetails.mostParts).map(\.image)
        self.details = details
        subsampleIDs = (try? members.decodeIfPresent([String].self, forKey: .subsample_ids)) ?? []
    }
}

private struct RemotePicture: Decodable {
    let image: SampleDetails.Image

    private enum Key: String, CodingKey { case id, image, image_type, scale, description, public_data, comments }
    private enum PictureKey: String, CodingKey { case full_size, thumbnail }
    private enum TypeKey: String, CodingKey { case image_type, name }

    private struct Comment: Decodable {
        let text: String

        private enum Key: String, CodingKey { case comment, comment_text, text }

        init(from decoder: any Decoder) throws {
            if let text = try? decoder.singleValueContainer().decode(String.self) {
                self.text = text
                return
            }
            let members = try decoder.container(keyedBy: Key.self)
            let texts = [Key.comment_text, .comment, .text].compactMap { try? members.decode(String.self, forKey: $0) }
            text = texts.first ?? ""
        }
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        var image = SampleDetails.Image(id: shortened(try members.decode(String.self, forKey: .id)))
        let type = try? members.nestedContainer(keyedBy: TypeKey.self, forKey: .image_type)
        let name =
            (try? type?.decodeIfPresent(String.self, forKey: .image_type))
            ?? (try? type?.decodeIfPresent(String.self, forKey: .name))
        image.imageType = name.map { shortened($0) }
        let description = try? members.decodeIfPresent(String.self, forKey: .description)
        image.description = description.map { shortened($0, to: 1024) }
        image.scale = try? members.decodeIfPresent(Int.self, forKey: .scale)
        image.isPublic = try? members.decodeIfPresent(Bool.self, forKey: .public_data)
        let pictures = try? members.nestedContainer(keyedBy: PictureKey.self, forKey: .image)
        image.fullSizeURL = webAddress(try? pictures?.decodeIfPresent(String.self, forKey: .full_size))
        image.thumbnailURL = webAddress(try? pictures?.decodeIfPresent(String.self, forKey: .thumbnail))
        let comments = (try? members.decodeIfPresent([Comment].self, forKey: .comments)) ?? []
        image.comments = comments.prefix(SampleDetails.mostParts).map { shortened($0.text, to: 1024) }
            .filter { !$0.isEmpty }
        self.image = image
    }
}

/// - Returns: nil for anything but an `http` or `https` address of visible ASCII.
private func webAddress(_ text: String??) -> String? { (text ?? nil).flatMap { TextRule.isWebAddress($0) ? $0 : nil } }
