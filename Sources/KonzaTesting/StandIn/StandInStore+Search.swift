internal import FoundationEssentials
internal import KonzaAPI

extension StandInStore {
    /// `GET /api/samples/`.
    func search(_ request: StandInRequest, _ user: User?) -> StandInAnswer {
        let query = request.query
        let visible = samples.filter { $0.isPublic || $0.ownerID == user?.id }
        // An empty point breaks the list for everyone who may see it.
        let isBroken = quirks.breaksOnEmptyPoints && !visible.allSatisfy { $0.latitude != nil }
        guard !isBroken else { return .traceback("IndexError", request) }
        var found = visible
        do {
            for filter in [filterByNames, filterByPlace] { found = try filter(found, query) }
        } catch {
            return .error(400, .string("Invalid polygon coordinates."))
        }
        if found.isEmpty, quirks.bareEmptyList { return .json(200, .array([])) }
        if query["ordering"] == "number" { found.sort { ($0.number, $0.id) < ($1.number, $1.id) } }
        let items = found.map { trimmed(json($0), to: query["fields"]) }
        return Self.page(items, request)
    }

    private struct BadPolygon: Error {}

    private func filterByNames(_ samples: [StandInSample], _ query: [String: String]) throws -> [StandInSample] {
        func values(_ name: String) -> [String]? {
            query[name].flatMap { $0.isEmpty ? nil : $0.split(separator: ",").map(String.init) }
        }
        /// Whether one of the texts is what one of the values says: a regular expression unless `_exact` is given.
        func matches(_ name: String, _ texts: [String]) -> Bool {
            guard let values = values(name) else { return true }
            if query[name + "_exact"] == "True" || !quirks.filtersByExpressions {
                return !Set(values).isDisjoint(with: texts)
            }
            let expressions = values.compactMap { try? Regex($0).ignoresCase() }
            return expressions.contains { expression in texts.contains { $0.contains(expression) } }
        }
        /// Names of vocabularies are compared whole.
        func isAmong(_ name: String, _ texts: [String]) -> Bool {
            values(name).map { !Set($0).isDisjoint(with: texts) } ?? true
        }
        return samples.filter { sample in
            let owner = users.first { $0.id == sample.ownerID }
            if query["provenance"] == "Public", !sample.isPublic { return false }
            if query["provenance"] == "Private", sample.isPublic { return false }
            if let start = query["start_date"], !(sample.collectionDate ?? "" > start) { return false }
            if let end = query["end_date"], !(sample.collectionDate.map { $0 < end } ?? false) { return false }
            if query["minerals_and"] == "True", let wanted = values("minerals"),
                !Set(wanted).isSubset(of: sample.minerals.map(\.name))
            {
                return false
            }
            return isAmong("ids", [sample.id]) && isAmong("emails", [owner?.email ?? ""])
                && matches("numbers", [sample.number]) && matches("collectors", [sample.collectorName ?? ""])
                && matches("owners", [owner?.name ?? ""]) && isAmong("countries", [sample.country ?? ""])
                && isAmong("regions", sample.regions) && isAmong("rock_types", [sample.rockType])
                && isAmong("metamorphic_grades", sample.metamorphicGrades)
                && isAmong("metamorphic_regions", sample.metamorphicRegions)
                && isAmong("minerals", sample.minerals.map(\.name)) && matches("references", sample.references)
                && isAmong("sesar_number", [sample.sesarNumber ?? ""])
        }
    }

    private func filterByPlace(_ samples: [StandInSample], _ query: [String: String]) throws -> [StandInSample] {
        var samples = samples
        if let text = query["location_bbox"], !text.isEmpty {
            let box = text.split(separator: ",").compactMap { Double($0) }
            guard box.count == 4 else { throw BadPolygon() }
            samples = samples.filter { sample in
                guard let latitude = sample.latitude, let longitude = sample.longitude else { return false }
                return longitude >= box[0] && longitude <= box[2] && latitude >= box[1] && latitude <= box[3]
            }
        }
        if let text = query["polygon_coords"], !text.isEmpty {
            guard let ring = try? JSONDecoder().decode([[Double]].self, from: Data(text.utf8)), ring.count >= 4,
                ring.first == ring.last, ring.allSatisfy({ $0.count == 2 })
            else { throw BadPolygon() }
            samples = samples.filter { sample in
                guard let latitude = sample.latitude, let longitude = sample.longitude else { return false }
                return Self.contains(ring, longitude, latitude)
            }
        }
        return samples
    }

    /// The even-odd rule.
    private static func contains(_ ring: [[Double]], _ x: Double, _ y: Double) -> Bool {
        zip(ring, ring.dropFirst()).reduce(false) { inside, edge in
            let (start, end) = edge
            guard (start[1] > y) != (end[1] > y) else { return inside }
            return x < (end[0] - start[0]) * (y - start[1]) / (end[1] - start[1]) + start[0] ? !inside : inside
        }
    }

    private func trimmed(_ value: JSONValue, to fields: String?) -> JSONValue {
        guard let fields, !fields.isEmpty, case .object(let members) = value else { return value }
        let names = Set(fields.split(separator: ",").map(String.init))
        return .object(members.filter { names.contains($0.key) })
    }

    /// One page of a list: `page` from 1, `page_size` 20 unless told, at most 1000.
    static func page(_ items: [JSONValue], _ request: StandInRequest) -> StandInAnswer {
        let size = min(1000, max(1, request.query["page_size"].flatMap { Int($0) } ?? 20))
        let page = max(1, request.query["page"].flatMap { Int($0) } ?? 1)
        let start = (page - 1) * size
        guard start < items.count || page == 1 else { return .detail(404, "Invalid page.") }
        let hasMore = start + size < items.count
        func link(_ page: Int) -> JSONValue {
            .string("http://127.0.0.1\(request.path)?page=\(page)&page_size=\(size)")
        }
        return .json(
            200,
            .object([
                "count": .number(Double(items.count)), "next": hasMore ? link(page + 1) : .null,
                "previous": page > 1 ? link(page - 1) : .null,
                "results": .array(Array(items.dropFirst(start).prefix(size))),
            ]))
    }
}
