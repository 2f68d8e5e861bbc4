internal import KonzaAPI
internal import KonzaModel

extension SampleScreens {
    /// Everything, for `konza sample`.
    static func page(_ reply: Dated<SampleDetailsReply>, dates: LocalDates, columns: Int?) -> [Line] {
        let details = reply.answer.details
        let isWhole = reply.origin.coverage == .answer
        let head = Line("Sample ", .strong) + details.sample.number + Line("  \(details.sample.id)", .quiet)
        var facts = place(details.sample, reply.answer.way) + names(details)
        if isWhole {
            facts += parts(details)
        } else {
            facts.append(("More", "not known here: only lists with this sample were fetched"))
        }
        return [head]
            + facts.flatMap { Line.hanging(Line("  \($0.0)").padded(to: 14), $0.1, columns: columns) }
            + origin(reply.origin, dates: dates, columns: columns)
    }

    private typealias Fact = (String, String)

    private static func place(_ sample: FoundSample, _ way: WayThere) -> [Fact] {
        guard let place = sample.place else { return [("Where", "not known")] }
        var text = CoordinateFormat.decimal.text(place)
        if let error = sample.locationError { text += ", ±\(Figures.metres(error))" }
        var facts = [("Where", text)]
        if let distance = way.distance, let bearing = way.bearing {
            facts.append(("Way", "\(Figures.metres(distance)) \(direction(bearing)) of the station"))
        }
        return facts
    }

    private static func names(_ details: SampleDetails) -> [Fact] {
        let sample = details.sample
        let texts: [(String, String?)] = [
            ("Rock type", sample.rockType), ("Owner", sample.owner), ("Collector", sample.collector),
            ("Collected", sample.collectionDate?.description), ("Country", sample.country),
            ("Held by", details.presentLocation), ("IGSN", details.sesarNumber),
            ("Access", sample.isPublic ? "public" : "private"), ("Description", details.description),
        ]
        let lists = [
            ("Minerals", sample.minerals), ("Grades", sample.metamorphicGrades), ("Regions", sample.regions),
            ("Belts", sample.metamorphicRegions), ("References", details.references),
        ]
        return texts.compactMap { name, text in text.flatMap { $0.isEmpty ? nil : (name, $0) } }
            + lists.filter { !$0.1.isEmpty }.map { ($0.0, $0.1.joined(separator: ", ")) }
    }

    private static func parts(_ details: SampleDetails) -> [Fact] {
        var facts: [Fact] = []
        if let analyses = details.analyses {
            var text = "\(analyses.total)"
            let minerals = analyses.minerals.map { entry in entry.count.map { "\(entry.name) \($0)" } ?? entry.name }
            if !minerals.isEmpty { text += ": \(minerals.joined(separator: ", "))" }
            if analyses.hasBulkRock { text += "; the bulk rock too" }
            facts.append(("Analyses", text))
        }
        let subsamples = details.subsamples.map { part in part.type.map { "\(part.name) (\($0))" } ?? part.name }
        let count = max(subsamples.count, details.sample.subsampleCount ?? 0)
        let list = subsamples.isEmpty ? "" : ": \(subsamples.joined(separator: ", "))"
        facts.append(("Subsamples", "\(count)\(list)"))
        facts.append(("Images", "\(max(details.images.count, details.sample.imageCount ?? 0))"))
        for (index, image) in details.images.enumerated() {
            let words = [image.imageType, image.description, image.scale.map { "\($0) mm wide" }, image.fullSizeURL]
            facts.append(("", "\(index + 1): \(words.compactMap { $0 }.joined(separator: ", "))"))
        }
        return facts + details.comments.map { ("Comment", $0) }
    }
}
