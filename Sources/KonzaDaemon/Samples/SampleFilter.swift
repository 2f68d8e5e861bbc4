internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Positioning
internal import Settings
internal import Terminology

/// Which samples a request is about.
struct SampleSearch: Sendable {
    /// As it was asked, with the place that `here` was.
    var query: SampleQuery
    /// Whether the place was `here`.
    var isHere = false

    /// Metres between the lines of the grid that a place is moved to before the server is asked.
    private static func step(_ radius: Double) -> Double { radius >= 5000 ? 0.01 : radius >= 500 ? 0.001 : 0.0001 }

    /// What the server is asked: a circle around the nearest point of a grid, larger by as much as that may be off. Whoever
    /// walks, or stands where the fixes wander, so asks the same question again, which the cache has.
    var asked: SampleQuery {
        guard case .circle(let center, let radius) = query.area else { return query }
        let step = Self.step(radius)
        let margin = Coordinate.lengthOfLongitudeDegree(at: 0) * step * 0.7072
        return moved(center, to: step, radius: min(radius + margin, SampleQuery.greatestRadius))
    }

    /// The same for sums, which cannot be cut back to the circle: around `here` on a grid ten times as fine.
    var summed: SampleQuery {
        guard isHere, case .circle(let center, let radius) = query.area else { return query }
        return moved(center, to: Self.step(radius) / 10, radius: radius)
    }

    private func moved(_ center: Coordinate, to step: Double, radius: Double) -> SampleQuery {
        let lines = (1 / step).rounded()
        func onGrid(_ degrees: Double) -> Double { (degrees * lines).rounded() / lines }
        let place = Coordinate(latitude: onGrid(center.latitude), longitude: onGrid(center.longitude))
        var query = query
        query.area = .circle(center: place ?? center, radius: radius)
        return query
    }
}

/// Reads what a request wants to know of samples.
struct SampleFilter: Sendable {
    /// What the telephone app of 2010 suggested, metres.
    private static let usualRadius = 10_000.0
    /// A request is held open no longer than the courier's own, seconds.
    private static let longestWait = 55.0

    let parts: StationParts
    let vocabulary: VocabularyDesk

    private static let name = Schema.Shape.name(SampleQuery.longestName)

    static let area = [
        QueryParameter(
            "near", "Around latitude,longitude, or here; with radius.", .form(.place), excludes: ["bbox", "region"]),
        QueryParameter(
            "radius", "Metres, 10000 by default.", .range(1...SampleQuery.greatestRadius), needs: "near"),
        QueryParameter(
            "bbox", "Within west,south,east,north, degrees, south not above north.", .form(.box),
            excludes: ["near", "region"]),
        QueryParameter("region", "In a region, as GET /v1/regions spells it.", name, excludes: ["near", "bbox"]),
    ]

    static let narrowing = [
        QueryParameter("rockType", "One of these; may come more than once, as all names.", name, repeats: true),
        QueryParameter("mineral", "With one of these.", name, repeats: true),
        QueryParameter("allMinerals", "yes: with all of the minerals.", values: ["yes", "no"]),
        QueryParameter("grade", "Of one of these metamorphic grades.", name, repeats: true),
        QueryParameter("owner", "Of one of these.", name, repeats: true),
        QueryParameter("collector", "Taken by one of these.", name, repeats: true),
        QueryParameter("from", "The first day of collection, YYYY-MM-DD; not after to.", .form(.day)),
        QueryParameter("to", "The last day of collection, YYYY-MM-DD.", .form(.day)),
        QueryParameter(
            "access", "both by default; private ones are those of the station's account.",
            values: SampleQuery.Visibility.allCases.map(\.rawValue)),
    ]

    static let freshness = [
        QueryParameter(
            "maxAge", "Seconds that an answer may have been kept; [MetPetDB] SamplesMaxAge= by default.",
            .range(0...1e9)),
        QueryParameter("refresh", "yes: the server's answer of now, or none.", values: ["yes", "no"]),
        QueryParameter("wait", "Seconds to wait for the server; 20 by default.", .range(0...longestWait)),
    ]

    func wishes(_ request: Request) throws(Problem) -> SampleDesk.Wishes {
        var wishes = SampleDesk.Wishes()
        wishes.maxAge = request.queryNumber("maxAge")
        wishes.refreshes = request.query("refresh") == "yes"
        wishes.isKeptOnly = request.principal.readsPublicOnly
        wishes.waitingSeconds = request.queryNumber("wait") ?? wishes.waitingSeconds
        return wishes
    }

    /// - Parameters:
    ///   - request: with the parameters of ``area`` and ``narrowing``.
    ///   - center: where `here` was on the page before.
    /// - Returns: the question, its names in the vocabulary's spelling.
    /// - Throws: a problem that says which parameter is at fault; `no-position` for `here` without a fix.
    func search(_ request: Request, center: Coordinate? = nil) throws(Problem) -> SampleSearch {
        var search = SampleSearch(query: SampleQuery(try area(request, center)))
        search.isHere = request.query("near") == "here"
        search.query.rockTypes = request.query["rockType"] ?? []
        search.query.minerals = request.query["mineral"] ?? []
        search.query.needsAllMinerals = request.query("allMinerals") == "yes"
        search.query.metamorphicGrades = request.query["grade"] ?? []
        search.query.owners = request.query["owner"] ?? []
        search.query.collectors = request.query["collector"] ?? []
        search.query.collectedFrom = try day(request, "from")
        search.query.collectedTo = try day(request, "to")
        search.query.visibility = try request.visibility()
        if let fault = search.query.fault {
            throw Problem(.invalidRequest, "cannot look for samples: \(fault)", status: 422)
        }
        do throws(UnknownName) {
            search.query = try vocabulary.current.spelling(search.query)
            if parts.settings.current.metPetDB.backend == .servlet { addOldSpellings(&search.query) }
        } catch {
            throw Problem(
                .unknownTerm, error.description,
                errors: [.init(path: Self.parameter(error.kind), detail: "not in the vocabulary")])
        }
        return search
    }

    /// The older server names its grades without the word facies.
    private func addOldSpellings(_ query: inout SampleQuery) {
        let word = " facies"
        query.metamorphicGrades += query.metamorphicGrades.filter { $0.hasSuffix(word) }.map {
            String($0.dropLast(word.count))
        }
    }

    static func parameter(_ kind: Vocabulary.Kind) -> String {
        switch kind {
        case .rockTypes: "rockType"
        case .minerals: "mineral"
        case .metamorphicGrades: "grade"
        default: kind.rawValue
        }
    }

    private func day(_ request: Request, _ name: String) throws(Problem) -> CalendarDate? {
        guard let text = request.query(name) else { return nil }
        guard let day = CalendarDate(text) else {
            throw Request.badQuery(name, "expected a day such as 2026-05-30")
        }
        return day
    }

    // MARK: Where

    private func area(_ request: Request, _ center: Coordinate?) throws(Problem) -> SampleQuery.Area {
        let radius = request.queryNumber("radius")
        if let text = request.query("near") {
            let asked = try place(text, before: center)
            return .circle(center: asked, radius: radius ?? Self.usualRadius)
        }
        if let box = try request.queryBox("bbox") { return .box(box) }
        return request.query("region").map { .region($0) } ?? .everywhere
    }

    private func place(_ text: String, before: Coordinate?) throws(Problem) -> Coordinate {
        if text == "here" {
            if let before { return before }
            guard let position else {
                throw Problem(
                    .noPosition,
                    "cannot tell what is near: \(parts.board.snapshot().health.reason); wait for a fix, or give "
                        + "near=latitude,longitude")
            }
            return position.place
        }
        guard let numbers = TextForm.decimals(text), numbers.count == 2,
            let place = Coordinate(latitude: numbers[0], longitude: numbers[1])
        else {
            throw Request.badQuery("near", "expected latitude,longitude in degrees, or here")
        }
        return place
    }

    /// Where the station is, while that is fresh.
    var position: (place: Coordinate, source: SourceKind)? {
        let snapshot = parts.board.snapshot()
        guard snapshot.state == .fix, let fix = snapshot.fix, let place = fix.coordinate else { return nil }
        return (place, fix.source)
    }
}
