public import HTTPTransfer
public import KonzaModel
internal import XMLReading

/// Samples over the servlet that MetPetDB's telephone app of 2010 spoke to, `searchIPhonePost.svc`. It is read only, and
/// knows neither collectors nor days. It asks for no password, so none is sent to it.
public struct ServletSampleSource: SampleSource {
    /// What the servlet shows at a time, whatever it is asked for.
    private static let pageSize = 50
    private static let mostLargeImages = 20

    private let address: ServerAddress
    private let user: String?
    private let options: MetPetDBClient.Options
    private let connection: HTTPConnection
    private let cancellation: TransferCancellation?

    /// - Parameters:
    ///   - address: what the servlet's name is added to.
    ///   - user: the account whose private samples are to be seen too; nil for public ones only.
    ///   - options: limits.
    ///   - cancellation: ends what is under way from elsewhere.
    /// - Throws: ``MetPetDBError`` if there is no memory.
    public init(
        address: ServerAddress, user: String? = nil, options: MetPetDBClient.Options = .init(),
        cancellation: TransferCancellation? = nil
    ) throws(MetPetDBError) {
        self.address = address
        self.user = user
        self.options = options
        self.cancellation = cancellation
        do {
            connection = try HTTPConnection()
        } catch {
            throw MetPetDBError(.local, error.description)
        }
    }

    public var origin: String { "\(address.text) servlet \(user ?? "")" }

    // MARK: - Searching

    public func search(_ query: SampleQuery) throws(MetPetDBError) -> SampleAnswer {
        try query.check()
        var samples: [FoundSample] = []
        var known: Set<String> = []
        var (total, seen) = (0, 0)
        for question in try ServletQuestion.searching(query, user: user) {
            var counted = 0
            for start in stride(from: 0, to: SampleAnswer.mostSamples, by: Self.pageSize) {
                let listing = try page(question, from: start)
                counted = max(counted, listing.total)
                seen += listing.samples.count
                samples += listing.samples.filter { known.insert($0.id).inserted && isWanted($0, query) }
                if listing.samples.isEmpty || start + Self.pageSize >= listing.total { break }
            }
            total += counted
        }
        let isWhole = seen >= total && samples.count <= SampleAnswer.mostSamples
        return answer(samples, isWhole ? samples.count : max(total, samples.count), query)
    }

    /// The servlet gives the nearest first, so within the way to the last that it gave nothing is missing.
    private func answer(_ samples: [FoundSample], _ total: Int, _ query: SampleQuery) -> SampleAnswer {
        let most = SampleAnswer.mostSamples
        guard case .circle(let center, _) = query.area else {
            return SampleAnswer(samples: Array(samples.prefix(most)), total: total)
        }
        let nearest = samples.sighted(from: center).prefix(most)
        var answer = SampleAnswer(samples: nearest.map(\.sample), total: total)
        // Of a circle across the antimeridian there are two lists, whose ends lie at different distances.
        let isOneList = query.area.box?.crossesAntimeridian == false
        if !answer.isWhole, isOneList, !query.needsAllMinerals { answer.wholeWithin = nearest.last?.distance }
        return answer
    }

    /// What the servlet finds too much: the corners of a circle's box, and samples with one of several minerals.
    private func isWanted(_ sample: FoundSample, _ query: SampleQuery) -> Bool {
        if case .circle = query.area, !query.area.contains(sample) { return false }
        return !query.needsAllMinerals || Set(query.minerals).isSubset(of: sample.minerals)
    }

    private func page(_ question: ServletQuestion, from start: Int) throws(MetPetDBError) -> ServletReply.Listing {
        var question = question
        try question.add("criteriaSummary", "false")
        try question.add("pagination", String(start))
        return try ask(question, "look for samples", ServletReply.listing)
    }

    // MARK: - Summing up

    public func summary(_ query: SampleQuery) throws(MetPetDBError) -> SampleSummary {
        try query.check()
        guard !(query.needsAllMinerals && query.minerals.count > 1) else {
            throw MetPetDBError(
                .question, "cannot sum samples up: the servlet cannot be asked for all of several minerals")
        }
        var summaries: [SampleSummary] = []
        for question in try ServletQuestion.searching(query, user: user) {
            var question = question
            try question.add("criteriaSummary", "true")
            summaries.append(try ask(question, "sum samples up", ServletReply.summary))
        }
        return summaries.dropFirst().reduce(summaries.first ?? SampleSummary(total: 0, counted: 0)) {
            $0.joined(with: $1)
        }
    }

    // MARK: - One sample

    public func details(_ id: String) throws(MetPetDBError) -> SampleDetails {
        guard let number = Int64(id), number > 0, String(number) == id else {
            throw MetPetDBError(.question, "cannot read the sample: its id is none of the servlet's, a whole number")
        }
        var question = try self.question([])
        try question.add("sampleID", id)
        var details = try ask(question, "read the sample", ServletReply.details)
        details.comments = try ask(try self.question([("comments", id)]), "read the comments", ServletReply.comments)
        let parts = try ask(try self.question([("subsampleInfo", id)]), "read the subsamples", ServletReply.parts)
        details.sample.subsampleCount = parts.subsamples
        details.sample.analysisCount = parts.analyses.total
        details.analyses = parts.analyses
        details.images = try images(id)
        details.sample.imageCount = details.images.count
        return details
    }

    private func images(_ id: String) throws(MetPetDBError) -> [SampleDetails.Image] {
        let thumbnails = try ask(try question([("thumbnails", id)]), "read the images", ServletReply.thumbnails)
        var images: [SampleDetails.Image] = []
        for (index, thumbnail) in thumbnails.enumerated() {
            var image = SampleDetails.Image(id: thumbnail.id)
            image.imageType = thumbnail.type
            image.thumbnailURL = imageURL(thumbnail.checksum)
            if index < Self.mostLargeImages {
                let question = try question([("largeImage", thumbnail.id)])
                image.fullSizeURL = imageURL(try ask(question, "read an image", ServletReply.largeImage))
            }
            images.append(image)
        }
        return images
    }

    private func imageURL(_ checksum: String) -> String { address.url("/image/", [("checksum", checksum)]) }

    public func regions() throws(MetPetDBError) -> [String] {
        var question = ServletQuestion()
        if let user { try question.add("username", user) }
        try question.add("regions", "true")
        return try ask(question, "fetch the regions", ServletReply.regions)
    }

    // MARK: - Asking

    private func question(_ lines: [(String, String)]) throws(MetPetDBError) -> ServletQuestion {
        var question = ServletQuestion()
        if let user { try question.add("user", user) }
        for (key, value) in lines { try question.add(key, value) }
        return question
    }

    private func ask<Value>(
        _ question: ServletQuestion, _ what: String, _ read: (XMLElement) -> Value?
    ) throws(MetPetDBError) -> Value {
        var request = HTTPRequest("POST", url: address.url("/searchIPhonePost.svc"))
        request.headers = [("Content-Type", "text/plain"), ("Accept", "text/xml")]
        request.body = question.bytes
        request.connectSeconds = options.connectSeconds
        request.totalSeconds = options.totalSeconds
        request.bytesPerSecond = options.bytesPerSecond
        request.interface = options.interface
        request.certificateAuthorities = options.certificateAuthorities
        request.maximumBytes = XMLLimits().bytes
        let answer: HTTPAnswer
        do {
            answer = try connection.send(request, cancellation: cancellation)
        } catch {
            throw MetPetDBError(transfer: error, what: what, origin: address.origin)
        }
        guard answer.status == 200 else {
            throw MetPetDBError(answer, what: what, origin: address.origin, secrets: [])
        }
        // The servlet prints its failures at home, and answers with what it had written until then.
        guard !answer.body.isEmpty else {
            throw MetPetDBError(.unreadable, "cannot \(what): \(address.origin) failed, and answered nothing")
        }
        do {
            let root = try XMLDocument.root(of: answer.body, encoding: encoding(of: answer))
            if let value = read(root) { return value }
        } catch {
            throw MetPetDBError(.unreadable, "cannot \(what): the answer of \(address.origin): \(error.description)")
        }
        throw MetPetDBError(.unreadable, "cannot \(what): \(address.origin) answers something else")
    }

    /// Java's servlets write Latin-1 unless they are told otherwise, and say so in the header or not at all.
    private func encoding(of answer: HTTPAnswer) -> XMLEncoding {
        let type = answer.header("Content-Type")?.lowercased() ?? ""
        if type.contains("utf-8") { return .utf8 }
        if type.contains("iso-8859-1") { return .latin1 }
        return String(validating: answer.body, as: UTF8.self) == nil ? .latin1 : .utf8
    }
}

extension SampleSummary {
    /// Both halves of a box that crosses the antimeridian, this one the western.
    fileprivate func joined(with other: SampleSummary) -> SampleSummary {
        func names(_ left: [NameCount], _ right: [NameCount]) -> [NameCount] {
            indexed((left + right).map(\.name)).map { NameCount($0, nil) }
        }
        var joined = SampleSummary(total: total + other.total, counted: counted + other.counted)
        joined.rockTypes = names(rockTypes, other.rockTypes)
        joined.minerals = names(minerals, other.minerals)
        joined.metamorphicGrades = names(metamorphicGrades, other.metamorphicGrades)
        joined.owners = names(owners, other.owners)
        guard let west = extent, let east = other.extent else {
            joined.extent = extent ?? other.extent
            return joined
        }
        joined.extent = GeographicBox(
            west: west.west, south: min(west.south, east.south), east: east.east, north: max(west.north, east.north))
        return joined
    }
}
