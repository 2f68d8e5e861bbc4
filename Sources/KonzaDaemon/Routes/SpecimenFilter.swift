internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Positioning
internal import Specimens
internal import Storage
internal import Terminology

/// Which specimens a request is about, as the list and the exports understand it.
struct SpecimenFilter: Sendable {
    /// The most words that are sought at once.
    private static let maximumWords = 20

    let desk: SpecimenDesk
    private var parts: StationParts { desk.parts }

    private static let words = TextForm(
        #"\s*(?:\S+(?:\s+\S+){0,19})?\s*"#, examples: ["folded gneiss"], expected: "at most \(maximumWords) words",
        accepts: { $0.split(whereSeparator: \.isWhitespace).count <= maximumWords })

    static let parameters =
        [
            QueryParameter(
                "box", "Taken in west,south,east,north, degrees, south not above north.", .form(.box),
                excludes: ["region"]),
            QueryParameter(
                "near", "Taken near latitude,longitude, or near here; with radius.", .form(.place),
                excludes: ["region"]),
            QueryParameter("radius", "Metres, 1000 by default.", .range(1...2e7), needs: "near"),
            QueryParameter(
                "state", "How far the submission is; deleted for tombstones.",
                values: Submission.State.allCases.map(\.rawValue) + ["deleted"]),
            QueryParameter(
                "target", "Which submission the state is of; metpetdb by default.",
                values: SubmissionTarget.allCases.map(\.rawValue)),
            QueryParameter(
                "text", "Words that all are somewhere in it, letter case apart; at most \(maximumWords).", .form(words)),
        ] + criteria

    private static let name = Schema.Shape.name(SampleQuery.longestName)

    /// What a list is narrowed by, as that of MetPetDB's samples.
    static let criteria = [
        QueryParameter("rockType", "One of these; may come more than once, as all names.", name, repeats: true),
        QueryParameter("mineral", "With one of these.", name, repeats: true),
        QueryParameter("grade", "Of one of these metamorphic grades.", name, repeats: true),
        QueryParameter("owner", "Taken by one of these collectors.", name, repeats: true),
        QueryParameter(
            "access", "Those that may be public, or those that may not; both by default.",
            values: SampleQuery.Visibility.allCases.map(\.rawValue)),
        QueryParameter(
            "region", "Taken in a region or a metamorphic region of this name.", name, excludes: ["box", "near"]),
    ]

    /// Which place, and what else it is narrowed by: without words and states.
    static let summed = parameters.prefix(3) + criteria

    /// The query, with the largest limit.
    func query(_ request: Request) throws(Problem) -> SpecimenQuery {
        var query = SpecimenQuery()
        query.limit = SpecimenQuery.maximumLimit
        query.cursor = try request.query("cursor").map { text throws(Problem) in
            guard let cursor = SpecimenCursor(text) else {
                throw Request.badQuery("cursor", "expected the member next of a page")
            }
            return cursor
        }
        query.box = try request.queryBox("box")
        query.circle = try circle(request)
        query.criteria = try criteria(request)
        try request.refuse("text", "state", "target")
        query.words = request.query("text")?.split(whereSeparator: \.isWhitespace).map(String.init) ?? []
        let target = request.query("target").flatMap(SubmissionTarget.init(rawValue:)) ?? .metpetdb
        query.isDeleted = request.query("state") == "deleted"
        query.state = request.query("state").flatMap(Submission.State.init(rawValue:)).map { (target, $0) }
        return query
    }

    private func criteria(_ request: Request) throws(Problem) -> SampleQuery {
        var criteria = SampleQuery(request.query("region").map { .region($0) } ?? .everywhere)
        criteria.rockTypes = request.query["rockType"] ?? []
        criteria.minerals = request.query["mineral"] ?? []
        criteria.metamorphicGrades = request.query["grade"] ?? []
        criteria.owners = request.query["owner"] ?? []
        criteria.visibility = try request.visibility()
        if let fault = criteria.fault {
            throw Problem(.invalidRequest, "cannot look for specimens: \(fault)", status: 422)
        }
        do throws(UnknownName) {
            return try desk.vocabulary.current.spelling(criteria)
        } catch {
            throw Problem(
                .unknownTerm, error.description,
                errors: [.init(path: SampleFilter.parameter(error.kind), detail: "not in the vocabulary")])
        }
    }

    private func circle(_ request: Request) throws(Problem) -> SpecimenQuery.Circle? {
        let radius = request.queryNumber("radius")
        guard let text = request.query("near") else {
            return nil
        }
        if text == "here" {
            let snapshot = parts.board.snapshot()
            guard snapshot.state == .fix, let centre = snapshot.fix?.coordinate else {
                throw Problem(.noPosition, "cannot tell what is near: \(snapshot.health.reason)")
            }
            return .init(centre: centre, radius: radius ?? 1000)
        }
        guard let numbers = TextForm.decimals(text), numbers.count == 2,
            let centre = Coordinate(latitude: numbers[0], longitude: numbers[1])
        else {
            throw Request.badQuery("near", "expected latitude,longitude in degrees, or here")
        }
        return .init(centre: centre, radius: radius ?? 1000)
    }
}

extension Request {
    /// A query parameter as a box of degrees.
    func queryBox(_ name: String) throws(Problem) -> GeographicBox? {
        guard let text = query(name) else { return nil }
        guard let edges = TextForm.decimals(text), edges.count == 4,
            let box = GeographicBox(west: edges[0], south: edges[1], east: edges[2], north: edges[3])
        else { throw Request.contradiction(name, "expected west,south,east,north in degrees, south not above north") }
        return box
    }
}
