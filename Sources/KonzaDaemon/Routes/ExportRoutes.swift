internal import HTTPServing
internal import Interchange
internal import KonzaAPI
internal import KonzaModel
internal import Specimens
internal import Storage

/// `/v1/specimens/export`.
struct ExportRoutes: Sendable {
    let parts: StationParts
    let desk: ExportDesk

    private static let root = "/v1/specimens/export"
    /// The largest answer of MetPetDB that is read, bytes.
    private static let replyLimit = 4 << 20

    private static let sesarCode = TextForm(
        "[0-9A-Z]{3}(?:[0-9A-Z]{2})?", examples: ["IEKNZ"], expected: "3 or 5 capital letters or digits",
        accepts: { code in
            let isSound = code.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
            return isSound && (code.utf8.count == 3 || code.utf8.count == 5)
        })

    private static let parameters =
        [
            QueryParameter("format", "The form; csv by default.", values: ExportForm.allCases.map(\.rawValue)),
            QueryParameter(
                "limit", "At most so many, newest first; all by default.", .count(1...ExportDesk.maximumSpecimens)),
            QueryParameter(
                "cursor", "From the header Konza-Next, or the member next, of the part before.", .form(.recordCursor)),
            QueryParameter("lineEnding", "Of MetPetDB's sheets; lf by default.", values: ["lf", "crlf"]),
            QueryParameter("sesarCode", "The code of the account at SESAR.", .form(sesarCode)),
        ] + SpecimenFilter.parameters

    var routes: [Route] {
        [
            Route(
                .get, Self.root, access: .everyone, operation: "exportSpecimens",
                summary: "Specimens as a file; Konza-Left-Out counts those that the form cannot hold",
                query: Self.parameters, produces: Self.types, replies: [Reply(200, "The file.")],
                handler: .asynchronous { request in try await export(request) }),
            Route(
                .get, "\(Self.root)/check", access: .everyone, operation: "checkExport",
                summary: "What an export would hold, and what it would leave out", query: Self.parameters,
                replies: [Reply(200, "What it would hold.", schema: "ExportCheck")],
                handler: .asynchronous { request in try .json(try await desk.check(try order(request))) }),
            Route(
                .post, "\(Self.root)/metpetdb-reply", access: .everyone, operation: "readSheetReply",
                summary: "What MetPetDB answered to an uploaded sheet, by the specimens here; nothing is changed",
                body: RequestBody(schema: "SheetReply", isRequired: true, limit: Self.replyLimit),
                replies: [Reply(200, "What it refuses.", schema: "SheetJudgement")],
                handler: .asynchronous { request in try .json(try desk.judgement(request.body)) }),
        ].map {
            $0.failing(
                .noPosition, .unknownTerm, .cannotExport, .tooManySpecimens, .invalidRequest, .archiveUnavailable,
                .indexRebuilding,
                .insufficientStorage)
        }
    }

    /// The media types without their parameters, each once.
    private static let types = ExportForm.allCases.reduce(into: [String]()) { types, form in
        let type = String(form.mediaType.prefix { $0 != ";" })
        if !types.contains(type) { types.append(type) }
    }

    private func export(_ request: Request) async throws -> Response {
        let order = try order(request)
        let written = try await desk.write(order)
        var response = Response(
            headers: [
                "content-type": order.form.mediaType,
                "content-disposition": "attachment; filename=\"\(order.form.fileName)\"",
                "cache-control": "no-store",
                "konza-left-out": String(written.leftOut),
            ], body: .file(try Self.open(written.file)))
        if let next = written.next { response.headers["konza-next"] = next.description }
        return response
    }

    private static func open(_ file: ScratchFile) throws -> OpenFile {
        do {
            return try OpenFile(owning: try file.reader(), name: "the export")
        } catch let error as StorageError {
            throw Problem(error)
        }
    }

    private func order(_ request: Request) throws(Problem) -> ExportOrder {
        return ExportOrder(
            form: request.query("format").flatMap(ExportForm.init(rawValue:)) ?? .csv,
            query: try SpecimenFilter(desk: desk.specimens).query(request),
            limit: request.queryInteger("limit"), sesarCode: request.query("sesarCode"),
            ending: request.query("lineEnding") == "crlf" ? .crlf : .lf)
    }
}
