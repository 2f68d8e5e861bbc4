internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Printing
internal import Storage

/// The printer and the wishes to print: what the kiosk asks for its visitors, and rangers for the printer.
struct PrintRoutes: Sendable {
    private struct PrinterReply: Encodable {
        struct Supply: Encodable {
            let name: String
            let level: Int?
        }

        let configured: Bool
        var state: String?
        var reason: String?
        var remedy: String?
        /// Whether a new wish is taken on.
        var canPrint: Bool?
        /// Whether the printer waits to be resumed.
        var isResumable: Bool?
        var model: String?
        var supplies: [Supply]?
        var supplyMessage: String?
        /// Wishes that are open.
        var waiting: Int?
        /// The most copies of one card.
        var copies: Int?
    }

    private struct PrintReply: Encodable {
        let id: String
        let postcard: String
        let copies: Int
        /// Sheets that came out.
        let printed: Int
        let state: String
        let reason: String?
        let askedAt: UTCInstant
        /// Copies of the card that can still be asked for.
        let left: Int
        /// Wishes that are printed before; absent once it has ended.
        var before: Int?

        init(_ record: PrintRecord, left: Int, before: Int?) {
            self.left = left
            id = record.id.description
            postcard = record.postcard
            copies = record.copies
            printed = record.printed
            state = record.state.rawValue
            reason = record.reason.isEmpty ? nil : record.reason
            askedAt = record.askedAt
            self.before = record.isOpen ? before : nil
        }
    }

    private struct PrintsReply: Encodable {
        let prints: [PrintReply]
    }

    private static let path = "/v1/prints"

    /// Nil where nothing is printed.
    let service: PrintService?
    /// Who may have something printed.
    var people = Access.only(.kiosk, .ranger, .keeper)
    /// Who looks after the printer.
    var rangers = Access.only(.ranger, .keeper)
    /// Throws a problem if the caller may not print the postcard.
    let mayPrint: @Sendable (Principal, PostcardID) throws(Problem) -> Void

    var routes: [Route] {
        [
            Route(
                .get, "/v1/printer", access: people, operation: "getPrinter", summary: "How the printer is",
                replies: [Reply(200, "Its state, or that there is none.", schema: "Printer")],
                handler: .asynchronous { _ in try printer() }),
            Route(
                .post, "/v1/printer/resume", access: rangers, operation: "resumePrinter",
                summary: "Has a stopped printer go on",
                replies: [Reply(200, "How it is then.", schema: "Printer")],
                handler: .asynchronous { _ in
                    let service = try configured()
                    do throws(PrinterError) {
                        try service.queue.resume()
                    } catch {
                        throw Problem(.conflict, "cannot resume the printer: \(error); look at its display")
                    }
                    return try printer()
                }),
            Route(
                .post, Self.path, access: people, operation: "makePrint", summary: "Has a postcard printed",
                body: RequestBody(schema: "PrintRequest", isRequired: true, limit: 1024),
                replies: [
                    Reply(202, "It was taken on.", schema: "Print"),
                    Reply(200, "What the same Idempotency-Key asked for before.", schema: "Print"),
                ], handler: .asynchronous { request in try make(request) }),
            Route(
                .get, Self.path, access: rangers, operation: "listPrints",
                summary: "The prints that are open, the next one first",
                replies: [Reply(200, "Whatever has not ended.", schema: "Prints")],
                handler: .asynchronous { _ in try list() }),
            Route(
                .get, "\(Self.path)/{id}", access: people, operation: "getPrint", summary: "What became of it",
                replies: [Reply(200, "How far it is.", schema: "Print")],
                handler: .asynchronous { request in
                    let service = try configured()
                    service.need()
                    return try reply(try named(request, service), service)
                }),
            Route(
                .delete, "\(Self.path)/{id}", access: people, operation: "cancelPrint",
                summary: "Cancels what is not printed yet",
                replies: [Reply(200, "How it is then.", schema: "Print")],
                handler: .asynchronous { request in
                    let service = try configured()
                    let record = try named(request, service)
                    service.need()
                    let cancelled = try wording { () throws(DatabaseError) in try service.queue.cancel(record.id) }
                    return try reply(cancelled ?? record, service)
                }),
        ]
    }

    private func printer() throws(Problem) -> Response {
        guard let service else { return try .json(PrinterReply(configured: false)) }
        service.need()
        let (condition, attributes) = (service.queue.condition, service.queue.attributes)
        let waiting = try wording { () throws(DatabaseError) in try service.queue.open().count }
        func present(_ text: String) -> String? { text.isEmpty ? nil : text }
        return try .json(
            PrinterReply(
                configured: true, state: condition.state.rawValue, reason: condition.reason,
                remedy: present(condition.remedy), canPrint: condition.takesJobs, isResumable: condition.isResumable,
                model: present(attributes.makeAndModel),
                supplies: attributes.supplies.map { .init(name: $0.name, level: $0.level) },
                supplyMessage: present(attributes.supplyMessage), waiting: waiting,
                copies: service.queue.limits.copies))
    }

    private func make(_ request: Request) throws -> Response {
        let service = try configured()
        var members = RequestMembers(try request.json())
        let name = members.string("postcard")
        let limit = service.queue.limits.copies
        let copies = members.integer("copies", in: 1...limit)
        try members.finish()
        guard let name, let postcard = PostcardID(name) else {
            let detail = "expected the id of a postcard"
            throw Problem(
                .invalidRequest, "cannot print: /postcard (\(detail))",
                errors: [.init(path: "/postcard", detail: detail)])
        }
        try mayPrint(request.principal, postcard)
        let key = try key(request)
        service.need()
        do {
            let answer = try service.queue.ask(postcard: name, copies: copies ?? 1, key: key)
            let location = "\(Self.path)/\(answer.record.id)"
            var response = try reply(answer.record, service)
            response.status = answer.isNew ? 202 : 200
            response.headers["location"] = location
            return response
        } catch let error as PrintError {
            throw problem(error)
        } catch let error as DatabaseError {
            throw problem(error)
        }
    }

    /// The request's own key, apart from those of other clients.
    private func key(_ request: Request) throws(Problem) -> String? {
        guard let key = request.headers["idempotency-key"] else { return nil }
        guard (1...IdempotencyKey.maximumLength).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else {
            throw Problem(
                .invalidRequest,
                "cannot take the Idempotency-Key: it has 1 to \(IdempotencyKey.maximumLength) bytes of printable ASCII",
                errors: [.init(path: "Idempotency-Key", detail: "too short, too long, or not printable ASCII")])
        }
        return "\(request.principal.client ?? "") \(key)"
    }

    /// Whoever knows the id asked for it, or got it from somebody who did: it has 80 random bits. What a kiosk made is
    /// forgotten when the portal starts again, and the visitor waits all the same.
    private func named(_ request: Request, _ service: PrintService) throws(Problem) -> PrintRecord {
        let id = request.parameter("id")
        let found = try wording { () throws(DatabaseError) in try service.queue.record(id) }
        guard let found else {
            throw Problem(.notFound, "cannot find the print \(id.prefix(40)): there is none")
        }
        return found
    }

    private func reply(_ record: PrintRecord, _ service: PrintService) throws(Problem) -> Response {
        let (left, open) = try wording { () throws(DatabaseError) in
            (try service.queue.copiesLeft(of: record.postcard), try service.queue.open())
        }
        return try .json(PrintReply(record, left: left, before: open.firstIndex { $0.id == record.id }))
    }

    private func list() throws(Problem) -> Response {
        let service = try configured()
        service.need()
        let prints = try wording { () throws(DatabaseError) in
            var replies: [PrintReply] = []
            for (index, record) in try service.queue.open().enumerated() {
                let left = try service.queue.copiesLeft(of: record.postcard)
                replies.append(PrintReply(record, left: left, before: index))
            }
            return replies
        }
        return try .json(PrintsReply(prints: prints))
    }

    private func configured() throws(Problem) -> PrintService {
        guard let service else {
            throw Problem(
                .notFound, "cannot print: this station has no printer; name one in [Printing] Printer= of konzad.conf")
        }
        return service
    }

    private func wording<Value>(_ body: () throws(DatabaseError) -> Value) throws(Problem) -> Value {
        do throws(DatabaseError) {
            return try body()
        } catch {
            throw problem(error)
        }
    }

    private func problem(_ error: DatabaseError) -> Problem {
        Problem(
            error.isDiskFull ? .insufficientStorage : .unavailable,
            "cannot note what is to be printed: \(error); free space on the disk, or look at the portal's folder")
    }

    private func problem(_ error: PrintError) -> Problem {
        switch error {
        case .printer(let condition):
            let remedy = condition.remedy.isEmpty ? "try again" : condition.remedy
            return Problem(.unavailable, "cannot print now: \(condition.reason); \(remedy)")
        case .copies(let left, let limit):
            let what = left > 0 ? "only \(left) more can be printed" : "no more is printed"
            return Problem(
                .conflict, "cannot print so many of this card: \(what) of \(limit) ([Printing] Copies=)",
                figures: ["left": Double(left), "limit": Double(limit)])
        case .keyConflict:
            return Problem(
                .idempotencyConflict,
                "cannot take the request: its Idempotency-Key was used for another one; use a new key")
        case .waiting(let count):
            return Problem(.tooManyRequests, "cannot print now: \(count) cards wait already; try again in a minute")
        }
    }
}
