internal import Drawing
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Specimens

/// `/v1/specimens/{id}/label.png` and `.svg`.
struct LabelRoutes: Sendable {
    let desk: SpecimenDesk

    var routes: [Route] {
        [
            route("png", "image/png", "getLabelPNG") { label, format throws(DrawingError) in try label.png(format) },
            route("svg", "image/svg+xml", "getLabelSVG") { label, format throws(DrawingError) in
                Array(try label.svg(format).utf8)
            },
        ]
    }

    private func route(
        _ ending: String, _ type: String, _ operation: String,
        _ draw: @escaping @Sendable (SpecimenLabel, SpecimenLabel.Format) throws(DrawingError) -> [UInt8]
    ) -> Route {
        Route(
            .get, "/v1/specimens/{id}/label.\(ending)", access: .everyone, operation: operation,
            summary: "A label to print, with a QR code",
            query: [
                QueryParameter("width", "Millimetres; 50 by default.", .range(20...210)),
                QueryParameter("height", "Millimetres, at most the width; 25 by default.", .range(10...210)),
                QueryParameter(
                    "resolution", "Dots an inch, at most 4 million altogether; 300 by default.", .range(100...1200)),
            ], produces: [type], replies: [Reply(200, "The label.")],
            handler: .asynchronous { request in
                let id = try SpecimenRoutes.id(request)
                let format = try Self.format(request)
                let specimen = try Problem.wording { () throws(SpecimenError) in try desk.archive.specimen(id) }
                let label = SpecimenLabel(specimen)
                do {
                    let memory = desk.parts.memory.reserve(
                        format.memoryBytes, for: .pictures, account: request.principal.account)
                    guard let memory else {
                        throw Problem(
                            .unavailable,
                            "cannot draw the label: too many pictures are being worked on; try again in a moment")
                    }
                    defer { memory.release() }
                    // A handler is on a thread that may wait.
                    let bytes = try draw(label, format)
                    var response = Response.bytes(bytes, type: type)
                    response.headers["cache-control"] = "no-cache"
                    return response
                } catch let error as DrawingError {
                    throw Problem(error)
                }
            }
        ).failing(.cannotDraw, .archiveUnavailable, .indexRebuilding)
    }

    private static func format(_ request: Request) throws(Problem) -> SpecimenLabel.Format {
        let width = request.queryNumber("width") ?? 50
        let height = request.queryNumber("height") ?? 25
        let resolution = request.queryNumber("resolution") ?? 300
        guard let format = SpecimenLabel.Format(width: width, height: height, resolution: resolution) else {
            throw Request.contradiction(
                "height", "expected at most the width, and at most 4 million dots altogether")
        }
        return format
    }
}

extension SpecimenLabel {
    /// What a bag needs to say. The code holds it too, a line each: the number, the IGSN, the rock type, and the
    /// position as a geo URI (RFC 5870), whose altitude is above the ellipsoid and whose u is the 95 % radius; and what the
    /// position is if no receiver gave it live.
    init(_ specimen: Specimen) {
        var lines: [String] = []
        var code = [specimen.number]
        if let igsn = specimen.igsn {
            lines.append("IGSN \(igsn)")
            code.append("IGSN:\(igsn)")
        }
        lines.append(specimen.rockType)
        code.append(specimen.rockType)
        if let position = specimen.position {
            lines.append("\(decimal(position.latitude, 5)), \(decimal(position.longitude, 5))")
            if let accuracy = position.accuracy { lines.append("± \(decimal(accuracy, 1)) m (95 %)") }
            code.append(Self.geoURI(position))
            if position.kind != .live {
                lines.append(
                    position.kind == .manual ? "position entered by hand" : "position \(position.kind.rawValue)")
                code.append("position:\(position.kind.rawValue)")
            }
        }
        if let date = specimen.collectionDate { lines.append(date.description) }
        self.init(title: specimen.number, lines: lines, code: code.joined(separator: "\n"))
    }

    private static func geoURI(_ position: SpecimenPosition) -> String {
        var text = "geo:\(decimal(position.latitude, 6)),\(decimal(position.longitude, 6))"
        if let altitude = position.altitude { text += ",\(decimal(altitude, 1))" }
        if let accuracy = position.accuracy { text += ";u=\(decimal(accuracy, 1))" }
        return text
    }
}
