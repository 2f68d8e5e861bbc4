internal import KonzaAPI

extension StandInStore {
    private struct Refused: Error { let answer: StandInAnswer }

    func read(_ id: String, _ user: User?) -> StandInAnswer {
        guard let sample = samples.first(where: { $0.id == id }) else { return .detail(404, "Not found.") }
        guard sample.isPublic || sample.ownerID == user?.id else {
            return user == nil
                ? .detail(401, "Authentication credentials were not provided.")
                : .detail(403, "You do not have permission to perform this action.")
        }
        return .json(200, json(sample))
    }

    mutating func create(
        _ request: StandInRequest, _ user: User?, isHalfway: Bool
    ) -> StandInAnswer {
        guard let user else { return .detail(401, "Authentication credentials were not provided.") }
        let before = samples
        do {
            let body = try body(request)
            try checkFields(body)
            guard case .string(let number)? = body["number"], !number.isEmpty else {
                return .json(400, .object(["number": .array([.string("This field is required.")])]))
            }
            let point = try point(body, request)
            guard case .string(let rockID)? = body["rock_type_id"], let rock = vocabulary.name("rock_types", rockID)
            else { return .traceback("DoesNotExist: RockType matching query does not exist.", request) }
            let trimmed = trim(number)
            guard !samples.contains(where: { $0.number == trimmed && $0.ownerID == user.id }) else {
                guard quirks.failsOnDuplicates else {
                    return .json(400, .object(["number": .array([.string("This number is taken.")])]))
                }
                return .traceback(
                    "IntegrityError: duplicate key value violates unique constraint \"samples_number_owner_id\"",
                    request)
            }
            var sample = StandInSample(
                id: Self.newID(), ownerID: user.id, number: trimmed, rockType: rock, latitude: point?.latitude,
                longitude: point?.longitude)
            setPlainFields(&sample, body)
            // Without a transaction the row is there from now on.
            samples.append(sample)
            if point == nil { throw Refused(answer: .traceback("IndexError: list index out of range", request)) }
            if isHalfway { throw Self.halfway }
            try setLists(samples.count - 1, body, request)
            return .json(201, json(samples[samples.count - 1]))
        } catch let refused as Refused {
            if !quirks.keepsRowsBehindErrors { samples = before }
            return refused.answer
        } catch {
            return .traceback("\(error)", request)
        }
    }

    mutating func update(
        _ request: StandInRequest, _ id: String, _ user: User?, isHalfway: Bool
    ) -> StandInAnswer {
        guard let index = samples.firstIndex(where: { $0.id == id }) else { return .detail(404, "Not found.") }
        guard samples[index].ownerID == user?.id else {
            return .detail(403, "You do not have permission to perform this action.")
        }
        let before = samples
        do {
            let body = try body(request)
            try checkFields(body)
            let isMoved = quirks.needsCoordinatesInUpdates || body["latitude"] != nil || body["location_coords"] != nil
            if isMoved {
                guard let point = try point(body, request) else { return .traceback("IndexError", request) }
                samples[index].latitude = point.latitude
                samples[index].longitude = point.longitude
            }
            if case .string(let number)? = body["number"] { samples[index].number = trim(number) }
            if case .string(let id)? = body["rock_type_id"] {
                guard let name = vocabulary.name("rock_types", id) else { return .traceback("DoesNotExist", request) }
                samples[index].rockType = name
            }
            setPlainFields(&samples[index], body)
            if isHalfway { throw Self.halfway }
            try setLists(index, body, request)
            return .json(200, json(samples[index]))
        } catch let refused as Refused {
            if !quirks.keepsRowsBehindErrors { samples = before }
            return refused.answer
        } catch {
            return .traceback("\(error)", request)
        }
    }

    // MARK: - The body

    private static var halfway: Refused {
        Refused(answer: .error(400, .array([.string("Invalid metamorphic_grade id: nope")])))
    }

    private func body(_ request: StandInRequest) throws -> [String: JSONValue] {
        guard request.headers["content-type"]?.hasPrefix("application/json") == true else {
            throw Refused(answer: .traceback("AttributeError: This QueryDict instance is immutable", request))
        }
        if request.isChunked, quirks.ignoresChunkedBodies {
            throw Refused(
                answer: .json(400, .object(["number": .array([.string("This field is required.")])])))
        }
        guard let members = Self.object(request.body) else {
            throw Refused(answer: .detail(400, "JSON parse error - Expecting value: line 1 column 1 (char 0)"))
        }
        return members
    }

    /// A latitude of the number 0 is none, as Python sees it; nil is the empty point of "nan".
    private func point(
        _ body: [String: JSONValue], _ request: StandInRequest
    ) throws -> (latitude: Double, longitude: Double)? {
        func degrees(_ name: String) throws -> Double? {
            switch body[name] {
            case .number(let value)? where value != 0 || !quirks.takesZeroForMissing: return value
            case .string(let text)? where !text.isEmpty:
                guard let value = Double(text) else {
                    throw Refused(answer: .traceback("GEOSException: lat garbage", request))
                }
                return value
            default: return nil
            }
        }
        if let latitude = try degrees("latitude"), let longitude = try degrees("longitude") {
            return latitude.isNaN || longitude.isNaN ? nil : (latitude, longitude)
        }
        guard case .string(let text)? = body["location_coords"], text.hasPrefix("SRID=4326;POINT ("),
            text.hasSuffix(")")
        else { throw Refused(answer: .traceback("KeyError: 'location_coords'", request)) }
        let parts = text.dropFirst(17).dropLast().split(separator: " ").compactMap { Double($0) }
        guard parts.count == 2 else { throw Refused(answer: .traceback("GEOSException", request)) }
        return (parts[1], parts[0])
    }

    private static let limits = [
        "number": 35, "country": 100, "collector_name": 50, "location_name": 50, "sesar_number": 9,
    ]

    private func checkFields(_ body: [String: JSONValue]) throws {
        var faults: [String: JSONValue] = [:]
        for (name, limit) in Self.limits {
            if case .string(let text)? = body[name], text.unicodeScalars.count > limit {
                faults[name] = .array([.string("Ensure this field has no more than \(limit) characters.")])
            }
        }
        if case .string? = body["location_error"] {
            faults["location_error"] = .array([.string("A valid number is required.")])
        }
        if case .string(let date)? = body["collection_date"], date.utf8.count != 10 {
            faults["collection_date"] = .array([
                .string("Date has wrong format. Use one of these formats instead: YYYY[-MM[-DD]].")
            ])
        }
        if !faults.isEmpty { throw Refused(answer: .json(400, .object(faults))) }
    }

    private func trim(_ text: String) -> String {
        var text = text[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    private func setPlainFields(_ sample: inout StandInSample, _ body: [String: JSONValue]) {
        let texts: [(String, WritableKeyPath<StandInSample, String?>)] = [
            ("country", \.country), ("collector_name", \.collectorName), ("location_name", \.locationName),
            ("sesar_number", \.sesarNumber), ("collection_date", \.collectionDate), ("description", \.description),
        ]
        for (name, path) in texts {
            switch body[name] {
            case .string(let text)?: sample[keyPath: path] = trim(text)
            case .null?: sample[keyPath: path] = nil
            default: break
            }
        }
        switch body["location_error"] {
        case .number(let value)?: sample.locationError = value
        case .null?: sample.locationError = nil
        default: break
        }
        if case .bool(let flag)? = body["public_data"] { sample.isPublic = flag }
        if case .array(let list)? = body["regions"] { sample.regions = list.compactMap(\.text) }
    }

    private mutating func setLists(_ index: Int, _ body: [String: JSONValue], _ request: StandInRequest) throws {
        func names(_ member: String, _ list: String, _ word: String) throws -> [String]? {
            guard case .array(let ids)? = body[member] else { return nil }
            return try ids.map { id in
                guard let name = vocabulary.name(list, id.text ?? "") else {
                    throw Refused(answer: .error(400, .array([.string("Invalid \(word) id: \(id.text ?? "")")])))
                }
                return name
            }
        }
        if let grades = try names("metamorphic_grade_ids", "metamorphic_grades", "metamorphic_grade") {
            samples[index].metamorphicGrades = grades
        }
        if let regions = try names("metamorphic_region_ids", "metamorphic_regions", "metamorphic_region") {
            samples[index].metamorphicRegions = regions
        }
        if case .array(let minerals)? = body["minerals"] {
            samples[index].minerals = try minerals.map { mineral in
                guard case .object(let members) = mineral, let id = members["id"]?.text else {
                    throw Refused(answer: .traceback("KeyError: 'id'", request))
                }
                guard let amount = members["amount"]?.text else {
                    throw Refused(answer: .traceback("KeyError: 'amount'", request))
                }
                guard let name = vocabulary.name("minerals", id) else {
                    throw Refused(answer: .error(400, .array([.string("Invalid mineral id: \(id)")])))
                }
                return .init(name: name, amount: amount)
            }
        }
        if case .array(let list)? = body["references"] { samples[index].references = list.compactMap(\.text) }
    }
}

extension JSONValue {
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
