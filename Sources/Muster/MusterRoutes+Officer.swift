internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import People
internal import Storage

/// What officers do: the roster, corrections, leave, exports.
extension MusterRoutes {
    private static let form = QueryParameter(
        "form", "json, or csv as Accept: text/csv has it.", values: ["json", "csv"])
    private static let csv = "text/csv; charset=utf-8; header=present"

    private static func wantsCSV(_ request: Request) -> Bool {
        request.acceptedType == "text/csv" || request.query("form") == "csv"
    }

    var officerRoutes: [Route] {
        [
            Route(
                .get, "/v1/muster/roster", access: .everyone, operation: "getRoster",
                summary: "A day by name, for officers: who is expected, mustered, late, excused, missed, unheard",
                query: [QueryParameter("day", "A local day such as 2026-06-01; today without it."), Self.form],
                produces: ["application/json", "text/csv"], replies: [Reply(200, "The roster.", schema: "Roster")],
                handler: .asynchronous { request in
                    _ = try gate.require(.officer, request)
                    let roster = try kept { () throws(StorageError) in try ledger.roster(nil) }
                    let wanted = try day(request, "day") ?? roster.day
                    let shown =
                        wanted == roster.day
                        ? roster : try kept { () throws(StorageError) in try ledger.roster(wanted) }
                    guard Self.wantsCSV(request) else { return try .json(RosterReply(shown, box: ledger.box)) }
                    return headed(.text(MusterCSV.roster(shown, box: ledger.box), type: Self.csv), shown.heads)
                }
            ).failing(.archiveUnavailable),
            Route(
                .post, "/v1/muster/corrections", access: .everyone, operation: "correctMuster",
                summary:
                    "Write down another word on somebody else's day: {\"person\": …, \"day\": …, \"state\": …, \"reason\": …}",
                body: body("CorrectionRequest"),
                replies: [Reply(201, "The record, beside which the one before stays.", schema: "MusterMade")],
                handler: .asynchronous { request in try correct(request) }
            ).failing(.forbidden, .notFound, .archiveUnavailable),
            Route(
                .get, "/v1/muster/leave", access: .everyone, operation: "listLeave", summary: "Leave that is not over",
                replies: [
                    Reply(200, "The earliest first; for officers everybody's, else one's own.", schema: "LeaveList")
                ],
                handler: .asynchronous { request in
                    let caller = try gate.require(.crew, request)
                    let leave = try kept { () throws(StorageError) in try ledger.leaves() }
                    return try .json(
                        LeaveList(
                            leave: leave.filter { caller.may(.officer) || $0.person == caller.number }.map(
                                LeaveReply.init)))
                }
            ).failing(.archiveUnavailable),
            Route(
                .post, "/v1/muster/leave", access: .everyone, operation: "addLeave",
                summary: "Give somebody leave: {\"person\": …, \"first\": …, \"last\": …, \"reason\": …}; for officers",
                body: body("LeaveRequest"), replies: [Reply(201, "Its number.", schema: "LeaveNumber")],
                handler: .asynchronous { request in
                    let caller = try gate.require(.officer, request)
                    var members = RequestMembers(try request.json())
                    let name = members.string("person") ?? ""
                    let first = members.date("first")
                    let last = members.date("last") ?? first
                    let reason = self.reason(&members, isRequired: false)
                    if first == nil { members.fault("first", "expected a date such as 2026-06-01") }
                    if let first, let last, last < first { members.fault("last", "it is before the first day") }
                    try members.finish()
                    let person = try person(name)
                    guard let first, let last,
                        let number = try kept({ () throws(StorageError) in
                            try ledger.addLeave(person.number, first, last, because: reason, by: caller.number)
                        })
                    else { throw Problem(.notFound, "cannot give leave: the person is not there any more") }
                    note("person \(person.number) was given leave by \(caller.number)")
                    return try .json(NumberReply(number: number), status: 201)
                }
            ).failing(.notFound, .archiveUnavailable),
            Route(
                .delete, "/v1/muster/leave/{number}", access: .everyone, operation: "removeLeave",
                summary: "Take a leave back; for officers", replies: [Reply(204, "It is gone.")],
                handler: .asynchronous { request in
                    let caller = try gate.require(.officer, request)
                    let isGone = try kept { () throws(StorageError) in
                        try ledger.removeLeave(Int64(request.parameter("number")) ?? 0, by: caller.number)
                    }
                    guard isGone else {
                        throw Problem(.notFound, "cannot take the leave back: there is none of this number")
                    }
                    return .noContent
                }
            ).failing(.notFound, .archiveUnavailable).taking("number", .string),
            Route(
                .get, "/v1/muster/export", access: .everyone, operation: "exportMuster",
                summary: "All records of some days as CSV, with the head of the audit's chain; for officers",
                query: [
                    QueryParameter("from", "The first local day; else the first of the year."),
                    QueryParameter("to", "The last local day; else today."),
                    QueryParameter(
                        "form", "csv (the rule), or ledger: JSON texts, one a line, for another box.",
                        values: ["csv", "ledger"]),
                ],
                produces: ["text/csv", Self.lines], replies: [Reply(200, "The records.")],
                handler: .asynchronous { request in
                    let caller = try gate.require(.officer, request)
                    let today = try kept { () throws(StorageError) in try ledger.roster() }
                    let to = try day(request, "to") ?? today.day
                    let from = try day(request, "from") ?? CalendarDate(year: to.year, month: 1, day: 1) ?? to
                    let records = try kept { () throws(StorageError) in
                        try ledger.records(from: from, to: to, limit: Self.mostRecords + 1)
                    }
                    guard records.count <= Self.mostRecords else { throw Self.tooMany(Self.mostRecords) }
                    let names = Dictionary(
                        today.lines.map { ($0.person.number, $0.person.name) }, uniquingKeysWith: { first, _ in first })
                    note("the muster of \(from) to \(to) was exported by \(caller.number)")
                    if request.query("form") == "ledger" {
                        let text = try kept { () throws(StorageError) in
                            try ledger.file(from: from, to: to, names: names, limit: Self.mostUnited)
                        }
                        guard let text else { throw Self.tooMany(Self.mostUnited) }
                        return headed(.text(text, type: Self.lines), today.heads)
                    }
                    return headed(
                        .text(
                            MusterCSV.records(records, names: names, heads: today.heads, at: today.madeAt),
                            type: Self.csv
                        ),
                        today.heads)
                }
            ).failing(.invalidRequest, .archiveUnavailable),
            Route(
                .post, "/v1/muster/import", access: .everyone, operation: "importMuster",
                summary:
                    "Take another box's ledger, as its export wrote it: append-only, the earliest of a day counts; for officers",
                body: RequestBody(types: [Self.lines], limit: Self.unionBytes),
                replies: [Reply(200, "It is taken; again, nothing is new.", schema: "MusterUnion")],
                handler: .asynchronous { request in
                    let caller = try gate.require(.officer, request)
                    do {
                        let (box, added) = try ledger.unite(String(decoding: request.body, as: UTF8.self))
                        note("\(counted(added, "record")) of the box \(box), taken by \(caller.number)")
                        return try .json(MusterUnionReply(box: box, added: added))
                    } catch let error as MusterUnionError {
                        throw Self.problem(error)
                    } catch let error as StorageError {
                        throw Problem(
                            .archiveUnavailable, "cannot keep the ledger: \(error); free or mend the disk")
                    }
                }
            ).failing(.conflict, .archiveUnavailable),
            Route(
                .get, "/v1/muster/verify", access: .everyone, operation: "verifyMuster",
                summary:
                    "Whether each record, and each entry of the audit of accounts, follows the one before it; for officers",
                query: [
                    QueryParameter("head", "A head that an export printed: both of its parts must be in their chains.")
                ],
                replies: [Reply(200, "What was found.", schema: "MusterVerdict")],
                handler: .asynchronous { request in
                    _ = try gate.require(.officer, request)
                    let text = request.query("head")
                    let known = text.flatMap { MusterHeads($0) }
                    if text != nil, known == nil {
                        throw Request.badQuery(
                            "head",
                            "expected a number, a colon and 64 hexadecimal digits, and the same again after a slash")
                    }
                    return try .json(VerdictReply(try kept { () throws(StorageError) in try ledger.verify(known) }))
                }
            ).failing(.archiveUnavailable),
        ]
    }

    private static func tooMany(_ most: Int) -> Problem {
        Problem(
            .invalidRequest, "cannot export more than \(most) records at once: name fewer days with from and to",
            status: 422)
    }

    private static let lines = "application/x-ndjson"
    /// Records of one file, about 650 bytes each.
    static let mostUnited = 12_000
    static let unionBytes = 8 << 20

    private static func problem(_ error: MusterUnionError) -> Problem {
        switch error {
        case .unreadable(let why, let line):
            Problem(.invalidRequest, "cannot take the ledger: line \(line): \(why)", status: 422)
        case .ownBox: Problem(.conflict, "cannot take the ledger: it is this box's own")
        case .broken(let sequence):
            Problem(
                .conflict,
                "cannot take the ledger: record \(sequence) does not follow the one before it; export it anew on its box"
            )
        case .forked(let sequence):
            Problem(
                .conflict,
                "cannot take the ledger: the box gave another record \(sequence) before; ask its keeper, and verify there"
            )
        case .tooManyBoxes:
            Problem(.conflict, "cannot take the ledger: \(MusterLedger.mostBoxes) other boxes are known already")
        }
    }

    private func correct(_ request: Request) throws -> Response {
        let caller = try gate.require(.officer, request)
        var members = RequestMembers(try request.json())
        let name = members.string("person") ?? ""
        let day = members.date("day")
        let state = members.string("state").flatMap(MusterState.init(rawValue:))
        let reason = self.reason(&members, isRequired: true)
        if state.map({ !MusterState.correctable.contains($0) }) ?? true {
            members.fault("state", "expected one of \(MusterState.correctable.map(\.rawValue).joined(separator: ", "))")
        }
        try members.finish()
        let person = try person(name)
        guard person.number != caller.number else {
            throw Problem(.forbidden, "cannot correct one's own muster: another officer does that")
        }
        let today = try kept { () throws(StorageError) in try ledger.roster() }.day
        let corrected = day ?? today
        guard corrected <= today else {
            throw Problem(
                .invalidRequest, "cannot correct \(corrected): it is still to come; give leave instead", status: 422)
        }
        let first = try kept { () throws(StorageError) in try ledger.firstKnownDay(of: person) }
        if let first, corrected < first {
            throw Problem(
                .invalidRequest,
                "cannot correct \(corrected): \(person.name) is known since \(first); a keeper changes the arrival where it was earlier",
                status: 422)
        }
        let record = try kept { () throws(StorageError) in
            try ledger.correct(person.number, on: corrected, to: state ?? .excused, because: reason, by: caller.number)
        }
        note("the muster of person \(person.number) on \(corrected) was corrected by \(caller.number)")
        return try .json(
            MusterReply(record: MusterRecordReply(record), isNew: true, state: (state ?? .excused).rawValue),
            status: 201)
    }

    private func reason(_ members: inout RequestMembers, isRequired: Bool) -> String {
        let reason = members.string("reason") ?? ""
        if isRequired, reason.isEmpty {
            members.fault("reason", "expected why, in words")
        } else if let complaint = TextRule.complaint(reason, upTo: Self.longestReason) {
            members.fault("reason", complaint)
        }
        return reason
    }

    private func day(_ request: Request, _ name: String) throws(Problem) -> CalendarDate? {
        guard let text = request.query(name) else { return nil }
        guard let day = CalendarDate(text) else { throw Request.badQuery(name, "expected a date such as 2026-06-01") }
        return day
    }

    private func headed(_ response: Response, _ heads: MusterHeads) -> Response {
        var response = response
        response.headers["konza-audit-head"] = heads.text
        return response
    }
}
