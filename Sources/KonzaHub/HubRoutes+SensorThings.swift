internal import FleetMessaging
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import PostgresAccess

/// The fleet for a SensorThings server, a page at a time: neither side ever holds more than one.
extension HubRoutes {
    /// Rows of the database in a page; each is up to four lines.
    private static let mostRows = 200

    var sensorThings: Route {
        Route(
            .get, "/v1/sensorthings", access: .everyone, operation: "exportSensorThings",
            summary: "Boxes, positions and health for a SensorThings server: requests of a batch, one a line",
            query: [
                QueryParameter("box", "This box alone."),
                QueryParameter("from", "Positions and health not before this time.", .dateTime),
                QueryParameter("to", "Positions and health before this time.", .dateTime),
                QueryParameter("after", "What the last line of the page before says as \"next\"."),
            ],
            produces: ["application/jsonl"],
            handler: .asynchronous { [self] request in
                var place = try ExportPlace(request.query("after"))
                let box = try request.query("box").map { name throws(Problem) in
                    guard FleetTopic.isName(name) else {
                        throw Request.badQuery("box", "expected a box's name: 3 to 20 of a-z and 0-9")
                    }
                    return name
                }
                let times: [PostgresValue] = [
                    .optional(try request.queryInstant("from")?.rfc3339),
                    .optional(try request.queryInstant("to")?.rfc3339),
                ]
                var lines = place.isStart ? HubSensorThings.observedProperties : []
                var rows = 0
                while rows < Self.mostRows {
                    if place.part == .thing {
                        let found = try await readers.ask(HubSensorThings.thing, [.text(place.box), .optional(box)])
                        guard let name = found.texts.first, let text = found[0, 1] else {
                            if place.isStart, let box { throw Self.unknown(box) }
                            return .text(Self.joined(lines), type: "application/jsonl")
                        }
                        lines.append(text)
                        rows += 1
                        place = ExportPlace(box: name, part: .positions)
                        continue
                    }
                    let most = Self.mostRows - rows
                    let row: [PostgresValue] = [
                        .optional(place.after?.at), .optional(place.after?.id), .integer(Int64(most)),
                    ]
                    let found = try await readers.ask(
                        place.part == .positions ? HubSensorThings.positions : HubSensorThings.healths,
                        [PostgresValue.text(place.box)] + times + row)
                    lines += (0..<found.count).compactMap { found[$0, 2] }
                    rows += found.count
                    if found.count == most, let id = found[most - 1, 0], let at = found[most - 1, 1] {
                        place.after = (id, at)
                    } else {
                        place = ExportPlace(box: place.box, part: place.part == .positions ? .health : .thing)
                    }
                }
                return .text(
                    Self.joined(lines + ["{\"next\":\"\(place.text)\"}"]), type: "application/jsonl")
            })
    }

    private static func joined(_ lines: [String]) -> String { lines.map { "\($0)\n" }.joined() }

    private static func unknown(_ box: String) -> Problem {
        Problem(
            .notFound, "cannot export the box \(box): nothing of it has come; GET /v1/boxes lists them")
    }
}

/// Where an export goes on: behind the Thing of a box, or behind a row of one of its tables.
private struct ExportPlace {
    enum Part: String {
        case thing
        case positions
        case health
    }

    var box = ""
    var part = Part.thing
    var after: (id: String, at: String)?

    var isStart: Bool { box.isEmpty }

    init(box: String, part: Part) {
        self.box = box
        self.part = part
    }

    /// - Parameter text: as ``text`` gave it; nil for the start.
    /// - Throws: a problem for what ``text`` never was.
    init(_ text: String?) throws(Problem) {
        guard let text else { return }
        let digits = Array(text.utf8)
        let bytes = stride(from: 0, to: digits.count - digits.count % 2, by: 2).compactMap { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
        }
        let parts = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", maxSplits: 3, omittingEmptySubsequences: false
        ).map(String.init)
        guard digits.count <= 512, bytes.count * 2 == digits.count, !bytes.contains(0),
            parts.count == 2 || parts.count == 4,
            FleetTopic.isName(parts[0]), let part = Part(rawValue: parts[1])
        else { throw Request.badQuery("after", "expected what \"next\" of the page before says") }
        (box, self.part) = (parts[0], part)
        if parts.count == 4 {
            guard UTCInstant(rfc3339: parts[2]) != nil else {
                throw Request.badQuery("after", "expected what \"next\" of the page before says")
            }
            after = (parts[3], parts[2])
        }
    }

    /// Hexadecimal: what a box calls its messages is its own affair.
    var text: String {
        let words = [box, part.rawValue] + (after.map { [$0.at, $0.id] } ?? [])
        return words.joined(separator: "\n").utf8.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }.joined()
    }
}
