internal import FoundationEssentials
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Specimens

/// `/v1/outbox`, `/v1/errands` and `/v1/specimens/{id}/submit`.
struct OutboxRoutes: Sendable {
    let parts: StationParts
    let desk: OutboxDesk

    /// The largest record of a submission that is taken, bytes.
    private static let recordLimit = 512 << 10
    /// The longest wait for an errand, seconds.
    private static let longestWait = 55.0

    var routes: [Route] {
        (people + courier).map {
            $0.failing(
                .submissionConflict, .targetDisabled, .accuracyTooLow, .archiveUnavailable, .indexRebuilding,
                .insufficientStorage
            )
            .taking("target", .choice(SubmissionTarget.allCases.map(\.rawValue)))
        }
    }

    private static let path = "/v1/outbox/{specimen}/{target}"

    /// A specimen and a target.
    private static let cursor: TextForm = {
        let targets = SubmissionTarget.allCases.map(\.rawValue)
        return TextForm(
            "[0-7][0-9a-hjkmnp-tv-z]{25}\\.(?:\(targets.joined(separator: "|")))",
            examples: ["01k2b3c4d5e6f7g8h9j0kmnpqr.metpetdb"], expected: "the member next of a page",
            accepts: { place(ofCursor: $0) != nil })
    }()

    private static func place(ofCursor text: String) -> (SpecimenID, SubmissionTarget)? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let id = SpecimenID(parts[0]), let target = SubmissionTarget(rawValue: parts[1]) else {
            return nil
        }
        return (id, target)
    }

    private var people: [Route] {
        [
            Route(
                .post, "/v1/specimens/{id}/submit", access: .only(.collector, .keeper), operation: "submitSpecimen",
                summary: "Have a specimen sent when there is a network", body: RequestBody(schema: "SubmitRequest"),
                replies: [
                    Reply(
                        202, "It is in the outbox; Location tells how far it is.", schema: "Submission",
                        ids: [
                            .init(
                                Self.path,
                                ["specimen": "$response.body#/specimen", "target": "$response.body#/target"])
                        ])
                ],
                handler: .asynchronous { request in
                    let id = try SpecimenRoutes.id(request)
                    let submission = try await desk.submit(id, try SubmitRequest(try request.json()))
                    return try .accepted(
                        try entry(submission), location: "/v1/outbox/\(id)/\(submission.target.rawValue)")
                }),
            Route(
                .get, "/v1/outbox", access: .everyone, operation: "listOutbox",
                summary: "Submissions, newest specimen first",
                query: [
                    QueryParameter(
                        "state", "Only these; may come more than once.",
                        values: Submission.State.allCases.map(\.rawValue), repeats: true),
                    QueryParameter("limit", "How many on a page; 50 by default.", .count(1...200)),
                    QueryParameter("cursor", "From the member next of the page before.", .form(Self.cursor)),
                ],
                replies: [
                    Reply(
                        200, "A page.", schema: "Outbox",
                        ids: [.init("/v1/outbox", ["cursor": "$response.body#/next"])])
                ],
                handler: .asynchronous { request in try list(request) }),
            Route(
                .get, "/v1/outbox/{specimen}/{target}", access: .everyone, operation: "getSubmission",
                summary: "A submission",
                replies: [Reply(200, "Its record.", schema: "Submission")],
                handler: .asynchronous { request in
                    let (id, target) = try Self.submission(request)
                    return try .json(
                        try entry(
                            try Problem.wording { () throws(SpecimenError) in
                                try parts.specimens.submission(id, to: target)
                            }))
                }),
            Route(
                .post, "/v1/outbox/{specimen}/{target}/resolve", access: .only(.collector, .keeper),
                operation: "resolveConflict",
                summary: "End a conflict", body: RequestBody(schema: "ResolveRequest", isRequired: true),
                replies: [Reply(200, "The record as it is now.", schema: "Submission")],
                handler: .asynchronous { request in
                    let (id, target) = try Self.submission(request)
                    let order = try ResolveRequest(try request.json())
                    let choice = ConflictChoice(rawValue: order.keep) ?? .theirs
                    return try .json(try entry(try await desk.resolve(id, target, keeping: choice)))
                }),
            Route(
                .post, "/v1/outbox/flush", access: .only(.collector, .keeper), operation: "flushOutbox",
                summary: "Try everything that is ready now", replies: [Reply(202, "It will be tried.", types: [])],
                handler: .immediate { _ in
                    desk.flush()
                    return Response(status: 202)
                }),
        ]
    }

    private var courier: [Route] {
        [
            Route(
                .put, "/v1/outbox/{specimen}/{target}", access: .only(.courier), operation: "writeSubmission",
                summary: "Bring a submission's record further; its version is the one that was read",
                body: RequestBody(schema: "SubmissionInput", isRequired: true, limit: Self.recordLimit),
                replies: [Reply(200, "The record as it is kept, with its new version.", schema: "Submission")],
                handler: .asynchronous { request in try await write(request) }),
            Route(
                .post, "/v1/outbox/{specimen}/{target}/progress", access: .only(.courier), operation: "tellProgress",
                summary: "Tell how far a photograph is", body: RequestBody(schema: "SendingProgress", isRequired: true),
                replies: [Reply(204, "It is told.")],
                handler: .asynchronous { request in
                    let (id, target) = try Self.submission(request)
                    try desk.tell(try SendingProgress(try request.json()), id, target)
                    return .noContent
                }),
            Route(
                .get, "/v1/errands", access: .only(.courier), operation: "getErrand",
                summary: "The next thing for the courier to do",
                query: [
                    QueryParameter("wait", "Seconds to wait for one; 0 by default.", .range(0...Self.longestWait)),
                    QueryParameter(
                        "network", "none: the courier has no network that it may use, and takes no errand.",
                        values: ["none"]),
                ],
                replies: [
                    Reply(
                        200, "An errand.", schema: "Errand",
                        // A picture belongs to one kind of errand, and to none that is reported already.
                        ids: [
                            .init("/v1/errands/{id}", ["id": "$response.body#/id"], apart: ["/picture"])
                        ]),
                    Reply(204, "Nothing is due."),
                ],
                handler: .asynchronous { request in
                    let wait = request.queryNumber("wait") ?? 0
                    let hasNetwork = request.query("network") == nil
                    desk.noteCourier(hasNetwork: hasNetwork)
                    guard hasNetwork else { return .noContent }
                    guard let errand = try await desk.nextErrand(waitingSeconds: wait) else { return .noContent }
                    return try .json(errand)
                }),
            Route(
                .post, "/v1/errands/{id}", access: .only(.courier), operation: "reportErrand",
                summary: "Say what came of an errand",
                body: RequestBody(schema: "ErrandReport", isRequired: true, limit: ErrandReport.mostBytes),
                replies: [Reply(204, "Taken.")],
                handler: .asynchronous { request in
                    let report = try request.decoded(ErrandReport.self, as: "the report", schema: "ErrandReport")
                    try await desk.report(request.parameter("id"), report)
                    return .noContent
                }
            ).taking("id", .text(.key, 1...200)),
        ]
    }

    private static func submission(_ request: Request) throws(Problem) -> (SpecimenID, SubmissionTarget) {
        guard let id = SpecimenID(request.parameter("specimen")),
            let target = SubmissionTarget(rawValue: request.parameter("target"))
        else {
            throw Problem(
                .notFound,
                "cannot find the submission: expected the id of a specimen and one of "
                    + SubmissionTarget.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return (id, target)
    }

    private func write(_ request: Request) async throws -> Response {
        let (id, target) = try Self.submission(request)
        let submission = try request.decoded(Submission.self, as: "the submission", schema: "SubmissionInput")
        // The contract counts characters, and events are bounded in bytes.
        if let failure = submission.lastFailure, failure.utf8.count > Submission.longestFailure {
            throw Problem(
                .invalidRequest,
                "cannot take the submission: /lastFailure has \(failure.utf8.count) bytes, and at most "
                    + "\(Submission.longestFailure) are taken; shorten it", status: 422,
                errors: [.init(path: "/lastFailure", detail: "expected at most \(Submission.longestFailure) bytes")])
        }
        guard submission.specimen == id, submission.target == target else {
            throw Problem(
                .invalidRequest, "cannot take the submission: its specimen and target are not the path's", status: 422,
                errors: [.init(path: "/specimen", detail: "expected \(id) and \(target.rawValue)")])
        }
        return try .json(try entry(try await desk.write(submission)))
    }

    private func list(_ request: Request) throws -> Response {
        let limit = request.queryInteger("limit") ?? 50
        let states = request.query["state"].map { Set($0.compactMap(Submission.State.init(rawValue:))) }
        let cursor = request.query("cursor").flatMap(Self.place)
        let page = try Problem.wording { () throws(SpecimenError) in
            try parts.specimens.outbox(states: states, after: cursor, limit: limit + 1)
        }
        let usage = parts.specimens.figures
        let shown = page.prefix(limit)
        let next = page.count > limit ? shown.last.map { "\($0.specimen).\($0.target.rawValue)" } : nil
        return try .json(
            OutboxReply(
                submissions: try shown.map(entry), next: next,
                counts: Dictionary(usage.outbox.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +),
                courier: desk.courier))
    }

    private func entry(_ submission: Submission) throws(Problem) -> OutboxEntry {
        let number = try? parts.specimens.specimen(submission.specimen).number
        return OutboxEntry(submission, number: number)
    }
}

extension Request {
    /// The body as a value.
    ///
    /// - Parameters:
    ///   - type: of the value.
    ///   - name: of what it is, for people.
    ///   - schema: the name of its schema in the contract, which it is checked against.
    /// - Returns: the value.
    /// - Throws: a problem with the path of what is missing or unfit.
    func decoded<Value: Decodable>(_ type: Value.Type, as name: String, schema: String) throws(Problem) -> Value {
        try JSONReader.check(body)
        try Schema.check(try json(), against: schema, as: name)
        do {
            return try JSONDecoder().decode(type, from: Data(body))
        } catch let error as DecodingError {
            let (path, detail) = Self.place(of: error)
            throw Problem(
                .invalidRequest, "cannot take \(name): \(path.isEmpty ? "body" : path) (\(detail))",
                errors: [.init(path: path, detail: detail)])
        } catch {
            throw Problem(.malformedRequest, "cannot read the body: it is not JSON; send UTF-8 text as of RFC 8259")
        }
    }

    private static func place(of error: DecodingError) -> (path: String, detail: String) {
        func pointer(_ path: [any CodingKey]) -> String {
            path.map { "/\($0.intValue.map(String.init) ?? $0.stringValue)" }.joined()
        }
        switch error {
        case .keyNotFound(let key, let context): return (pointer(context.codingPath + [key]), "missing member")
        case .valueNotFound(_, let context): return (pointer(context.codingPath), "missing value")
        case .typeMismatch(let type, let context): return (pointer(context.codingPath), "expected \(type)")
        case .dataCorrupted(let context): return (pointer(context.codingPath), context.debugDescription)
        @unknown default: return ("", "\(error)")
        }
    }
}
