internal import KonzaAPI
internal import KonzaModel
internal import Synchronization

/// `POST /api/bulk_upload/`: a sheet that the server fetches by itself, taken whole or not at all.
extension StandInStore {
    private struct BadSheet: Error { let words: String }
    private struct BadRow: Error {
        let field: String
        let words: String
    }

    mutating func bulkUpload(_ request: StandInRequest, _ user: User?) -> StandInAnswer {
        guard let user else { return .detail(401, "Authentication credentials were not provided.") }
        guard let body = Self.object(request.body), body["template"]?.text == "SampleTemplate" else {
            return .error(400, .string("invalid template"))
        }
        // The last character is replaced, as links of a file sharing service want it.
        guard let url = body["url"]?.text, let sheet = sheets[String(url.dropLast()) + "1"] else {
            return .error(400, .string("<urlopen error [Errno -2] Name or service not known>"))
        }
        guard body["owner"]?.text == user.id else { return .traceback("IntegrityError: null owner", request) }
        do {
            return try take(try Self.table(sheet), user)
        } catch let bad as BadSheet {
            return .error(400, .string(bad.words))
        } catch {
            return .traceback("\(error)", request)
        }
    }

    /// Lines end at CRLF, or else at LF; an empty last line is a short one.
    private static func table(_ sheet: [UInt8]) throws -> [[String]] {
        guard let text = String(validating: sheet, as: UTF8.self) else {
            throw BadSheet(words: "utf-8 codec can't decode")
        }
        let lines = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
        let rows = lines.map { cells(of: $0) }
        guard Set(rows.map(\.count)).count == 1 else { throw BadSheet(words: "inconsistent line length") }
        return rows
    }

    /// One line of RFC 4180, without line ends in cells.
    private static func cells(of line: Substring) -> [String] {
        var cells = [""]
        var isQuoted = false
        var rest = line[...]
        while let character = rest.popFirst() {
            switch character {
            case "\"" where isQuoted && rest.first == "\"": cells[cells.count - 1].append(rest.removeFirst())
            case "\"": isQuoted.toggle()
            case "," where !isQuoted: cells.append("")
            default: cells[cells.count - 1].append(character)
            }
        }
        return cells
    }

    private mutating func take(_ table: [[String]], _ user: User) throws -> StandInAnswer {
        let headings = table.first ?? []
        for needed in ["Sample Number", "Rock Type", "Latitude", "Longitude"]
        where !headings.contains(where: { $0.lowercased() == needed.lowercased() }) {
            throw BadSheet(words: "invalid template: \(needed)")
        }
        var new: [StandInSample] = []
        var echoed: [JSONValue] = []
        for row in table.dropFirst() {
            var members = Dictionary(zip(headings, row.map { JSONValue.string($0) })) { first, _ in first }
            do {
                let sample = try sample(headings, row, user)
                guard !(samples + new).contains(where: { $0.number == sample.number && $0.ownerID == user.id }) else {
                    throw BadRow(field: "serialization", words: "duplicate key value violates unique constraint")
                }
                new.append(sample)
                echoed.append(.object(members))
            } catch let bad as BadRow {
                members["errors"] = .object([bad.field: .string(bad.words)])
                return .json(400, .array(echoed + [.object(members), Self.header(headings)]))
            }
        }
        samples += new
        return .json(201, .array(echoed + [Self.header(headings)]))
    }

    private static func header(_ headings: [String]) -> JSONValue {
        .object(["meta_header": .array(headings.map { .array([.string($0), .string($0)]) })])
    }

    private func sample(_ headings: [String], _ row: [String], _ user: User) throws -> StandInSample {
        var sample = StandInSample(
            id: Self.newID(), ownerID: user.id, number: "", rockType: "", latitude: nil, longitude: nil)
        var comments: [String] = []
        for (heading, text) in zip(headings, row) {
            switch heading.lowercased() {
            case "sample number": sample.number = text
            case "rock type": sample.rockType = try known("rock_types", text, "rock_type_id", "rock")
            case "latitude": sample.latitude = try degrees(text, heading)
            case "longitude": sample.longitude = try degrees(text, heading)
            case "location error": sample.locationError = try text.isEmpty ? nil : float(text, "location_error")
            case "collector": sample.collectorName = text
            case "date of collection":
                guard text.isEmpty || CalendarDate(text) != nil else { throw BadRow(field: "date", words: "invalid") }
                sample.collectionDate = text.isEmpty ? nil : text
            case "present sample location": sample.locationName = text
            case "country": sample.country = text
            case "comment": comments.append(text)
            case "reference": sample.references.append(text)
            case "region": sample.regions.append(text)
            case "metamorphic region":
                sample.metamorphicRegions.append(
                    try known("metamorphic_regions", text, "metamorphic_regions", "metamorphic region"))
            case "metamorphic grade":
                sample.metamorphicGrades.append(
                    try known("metamorphic_grades", text, "metamorphic_grades", "metamorphic grade"))
            default:
                // A row of the table is made for an empty cell too.
                sample.minerals.append(
                    .init(name: try known("minerals", heading, "minerals", "mineral"), amount: text))
            }
        }
        if !comments.isEmpty { sample.description = comments.joined(separator: "\n") }
        return sample
    }

    private func known(_ list: String, _ name: String, _ field: String, _ word: String) throws -> String {
        guard vocabulary.id(list, name) != nil else { throw BadRow(field: field, words: "Invalid \(word) \(name)") }
        return name
    }

    private func float(_ text: String, _ field: String) throws -> Double {
        guard let value = Double(text) else { throw BadRow(field: field, words: "float expected") }
        return value
    }

    /// Under a heading in lower case a text becomes a number first, and 0 is none.
    private func degrees(_ text: String, _ heading: String) throws -> Double {
        let field = heading.lowercased()
        guard !text.isEmpty else { throw BadRow(field: field, words: "missing") }
        let value = try float(text, field)
        guard heading != field || value != 0 else { throw BadRow(field: field, words: "missing") }
        return value
    }
}

extension StandInMetPetDB {
    /// Puts a sheet where the server can fetch it.
    ///
    /// - Parameters:
    ///   - sheet: CSV.
    ///   - url: the address that the server asks for: its last character is a 1.
    public func publish(_ sheet: [UInt8], at url: String) {
        core.state.withLock { $0.store.sheets[url] = sheet }
    }
}
