internal import KonzaModel

/// The servlet that the 2010 telephone app spoke to: `POST searchIPhonePost.svc`, lines of `key= value`, XML back. It
/// reads; it cannot create. Samples are numbered from 1 in the order in which they came.
extension StandInStore {
    func legacy(_ request: StandInRequest) -> StandInAnswer {
        var query = LegacyQuery()
        for line in String(decoding: request.body, as: UTF8.self).split(whereSeparator: \.isNewline) {
            // Only what stands between the first and the second "= " is read, as the servlet's scanner does.
            let parts = line.split(separator: "= ", omittingEmptySubsequences: false)
            if parts.count > 1 { query.values[String(parts[0]), default: []].append(String(parts[1])) }
        }
        return StandInAnswer(status: 200, type: "text/xml", body: legacyReply ?? Array(reply(query).utf8))
    }

    private struct LegacyQuery {
        var values: [String: [String]] = [:]
        func first(_ name: String) -> String? { values[name]?.first }
        func number(_ name: String) -> Double? { first(name).flatMap { Double($0) } }
    }

    /// Results come in pages of this many.
    private static let legacyPage = 50

    private func reply(_ query: LegacyQuery) -> String {
        if let password = query.first("password") {
            let isRight = users.contains { $0.email == query.first("username") && $0.password == password }
            return "<response>authentication \(isRight ? "succeeded" : "failed")</response>"
        }
        if query.first("regions") != nil {
            let names = Set(samples.filter(\.isPublic).flatMap(\.regions)).sorted()
            return "<list>\n\(names.map { "  <string>\(XMLText.escaped($0))</string>\n" }.joined())</list>"
        }
        // Nothing is written for a comment that was added.
        if query.first("addCommentSampleID") != nil { return "" }
        if let sample = query.number("comments").flatMap({ legacySample(Int($0)) }) {
            return
                "<comments><int>\(sample.comments.count)</int>\(sample.comments.map(Self.string).joined())</comments>"
        }
        if let sample = query.number("subsampleInfo").flatMap({ legacySample(Int($0)) }) { return parts(sample) }
        if let image = query.number("largeImage").flatMap({ legacyImage(Int($0)) }) {
            return "<image><path><string>\(Self.checksum(image))</string></path><filename>"
                + "\(Self.string(image.fileName))</filename></image>"
        }
        if let sample = query.number("thumbnails").flatMap({ legacySample(Int($0)) }) { return thumbnails(sample) }
        var found = legacySearch(query)
        if query.first("criteriaSummary") == "true" { return summary(found.map(\.element)) }
        sortByDistance(&found, query)
        let start = query.number("pagination").map { Int($0) } ?? 0
        let items = found.dropFirst(max(0, start)).prefix(Self.legacyPage).map { xml($0.element, $0.offset + 1) }
        return "<set><resultCount><int>\(found.count)</int></resultCount>\(items.joined())</set>"
    }

    private func legacySample(_ id: Int) -> StandInSample? { samples.indices.contains(id - 1) ? samples[id - 1] : nil }

    private func legacySearch(_ query: LegacyQuery) -> [(offset: Int, element: StandInSample)] {
        // No password is asked for: whoever names a user sees what is theirs.
        let me = users.first { $0.email == query.first("user") }?.id
        func isAmong(_ name: String, _ texts: [String]) -> Bool {
            query.values[name].map { !Set($0).isDisjoint(with: texts) } ?? true
        }
        return samples.enumerated().filter { entry in
            let sample = entry.element
            guard sample.isPublic || sample.ownerID == me else { return false }
            if me != nil, query.first("sampleType") == "public", !sample.isPublic { return false }
            if me != nil, query.first("sampleType") == "private", sample.isPublic { return false }
            if let north = query.number("north"), let south = query.number("south"), let east = query.number("east"),
                let west = query.number("west"), north != -1
            {
                guard let latitude = sample.latitude, let longitude = sample.longitude, latitude >= south,
                    latitude <= north, longitude >= west, longitude <= east
                else { return false }
            }
            if let id = query.number("sampleID"), Int(id) != entry.offset + 1 { return false }
            let owner = users.first { $0.id == sample.ownerID }?.name ?? ""
            return isAmong("searchRegion", sample.regions) && isAmong("rockType", [sample.rockType])
                && isAmong("mineral", sample.minerals.map(\.name))
                && isAmong("metamorphicGrade", sample.metamorphicGrades) && isAmong("owner", [owner])
        }
    }

    private func sortByDistance(_ found: inout [(offset: Int, element: StandInSample)], _ query: LegacyQuery) {
        guard let latitude = query.number("currentLatitude"), let longitude = query.number("currentLongitude"),
            let center = Coordinate(latitude: latitude, longitude: longitude)
        else { return }
        func distance(_ sample: StandInSample) -> Double {
            let place = Coordinate(latitude: sample.latitude ?? 100, longitude: sample.longitude ?? 0)
            return place.map { center.distance(to: $0) } ?? .infinity
        }
        found.sort { distance($0.element) < distance($1.element) }
    }

    private func xml(_ sample: StandInSample, _ id: Int) -> String {
        let owner = users.first { $0.id == sample.ownerID }?.name ?? ""
        let description = sample.description.map { Self.string($0) } ?? "<null/>"
        return "<sample><number>\(Self.string(sample.number))</number><id><long>\(id)</long></id>"
            + "<rockType>\(rock(sample.rockType))</rockType>\(Self.list("minerals", sample.minerals.map(\.name)))"
            + Self.list("metamorphicGrades", sample.metamorphicGrades) + Self.list("regions", sample.regions)
            + "<publicData><boolean>\(sample.isPublic)</boolean></publicData>\(Self.point(sample))"
            + "<owner>\(Self.string(owner))</owner><description>\(description)</description></sample>"
    }

    private func rock(_ name: String) -> String {
        let number = (vocabulary.lists["rock_types"]?.firstIndex { $0.name == name } ?? 0) + 1
        let type = "edu.rpi.metpetdb.client.model.RockType"
        return "<\(type)>\n  <id>\(number)</id>\n  <rockType>\(XMLText.escaped(name))</rockType>\n</\(type)>"
    }

    private static func point(_ sample: StandInSample) -> String {
        "<org.postgis.Point>\n  <dimension>2</dimension>\n  <haveMeasure>false</haveMeasure>\n  <type>1</type>\n"
            + "  <srid>4326</srid>\n  <x>\(sample.longitude ?? 0)</x>\n  <y>\(sample.latitude ?? 0)</y>\n"
            + "  <z>0.0</z>\n  <m>0.0</m>\n</org.postgis.Point>"
    }

    private func parts(_ sample: StandInSample) -> String {
        let analyses = sample.subsamples.flatMap(\.analyses)
        let materials = Self.list("materials", Set(analyses.compactMap(\.self)).sorted())
        return
            "<subsamples><int>\(sample.subsamples.count)</int><imageCount><int>\(sample.images.count)</int></imageCount>"
            + "<analysisCount><int>\(analyses.count)</int></analysisCount>\(materials)"
            + "<bulkRock><boolean>\(analyses.contains(nil))</boolean></bulkRock></subsamples>"
    }

    /// Images are numbered over all samples.
    private func legacyImage(_ id: Int) -> StandInImage? {
        let images = samples.flatMap(\.images)
        return images.indices.contains(id - 1) ? images[id - 1] : nil
    }

    private func legacyImageID(_ image: StandInImage) -> Int {
        (samples.flatMap(\.images).firstIndex { $0.id == image.id } ?? -1) + 1
    }

    private static func checksum(_ image: StandInImage) -> String { image.id.filter { $0 != "-" } }

    private func summary(_ samples: [StandInSample]) -> String {
        func names(_ list: [String]) -> [String] { Set(list).sorted() }
        func double(_ name: String, _ value: Double?) -> String {
            "<\(name)><double>\(value ?? 0)</double></\(name)>"
        }
        let rocks = names(samples.map(\.rockType)).map(rock).joined()
        let owners = names(samples.compactMap { sample in users.first { $0.id == sample.ownerID }?.name })
        let latitudes = samples.compactMap(\.latitude)
        let longitudes = samples.compactMap(\.longitude)
        return "<searchCriteria><resultCount><int>\(samples.count)</int></resultCount>"
            + Self.list("criteriaMinerals", names(samples.flatMap { $0.minerals.map(\.name) }))
            + Self.list("criteriaMetGrades", names(samples.flatMap(\.metamorphicGrades)))
            + "<criteriaRockTypes>\(rocks)</criteriaRockTypes>\(Self.list("criteriaOwners", owners))"
            + double("maxLat", latitudes.max()) + double("minLat", latitudes.min())
            + double("maxLong", longitudes.max()) + double("minLong", longitudes.min()) + "</searchCriteria>"
    }

    private func thumbnails(_ sample: StandInSample) -> String {
        let type = "edu.rpi.metpetdb.client.model.ImageType"
        let images = sample.images.map { image in
            "<image><string>\(Self.checksum(image))</string></image><imageID><long>\(legacyImageID(image))</long></imageID>"
                + "<imageType><\(type)>\n  <id>\(image.imageType)</id>\n  <imageType>Field Photo</imageType>\n"
                + "  <abbreviation>FIELDPHOTO</abbreviation>\n</\(type)></imageType>"
        }
        return "<thumbnails>\(images.joined())<imageCount><int>\(images.count)</int></imageCount></thumbnails>"
    }

    private static func list(_ name: String, _ values: [String]) -> String {
        "<\(name)>\(values.map(string).joined())</\(name)>"
    }

    private static func string(_ text: String) -> String { "<string>\(XMLText.escaped(text))</string>" }
}
