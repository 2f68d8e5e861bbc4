public import HTTPServing
internal import JSONCoding
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Storage

/// `/v1/messages`: what the station has to tell people elsewhere, and the courier sends.
public struct MessageRoutes: Sendable {
    private struct Row: Encodable {
        let id: String
        let way: MessageOutbox.Way
        let recipient: String
        let subject: String
        let about: String
        let writtenAt: UTCInstant
        /// The same by the clock on the station's wall, for people.
        let writtenLocal: String
        /// waiting, sent, given-up or withdrawn.
        let state: String
        let attempts: Int
        let failure: String?
        let sentAt: UTCInstant?

        init(_ message: MessageOutbox.Message) {
            id = message.id
            way = message.way
            recipient = message.recipient
            subject = message.subject
            about = message.about
            writtenAt = message.writtenAt
            writtenLocal = LocalTime.text(message.writtenAt)
            state =
                message.sentAt != nil
                ? "sent"
                : message.ending == .withdrawn ? "withdrawn" : message.isGivenUp ? "given-up" : "waiting"
            attempts = message.attempts
            failure = message.failure
            sentAt = message.sentAt
        }
    }

    private struct List: Encodable {
        let messages: [Row]
        let waiting: Int
        let givenUp: Int
        let withdrawn: Int
    }

    /// What the courier is to send.
    private struct Errand: Encodable {
        let id: String
        let lease: String
        let way: MessageOutbox.Way
        let recipient: String
        let subject: String
        let body: String
        let about: String
        let writtenAt: UTCInstant
    }

    private struct Wish: Decodable { let ways: [MessageOutbox.Way] }

    private struct Report: Decodable {
        let lease: String
        /// sent, postponed or refused.
        let outcome: String
        let problem: String?
    }

    private let outbox: MessageOutbox
    private let note: @Sendable (String) -> Void

    /// - Parameters:
    ///   - outbox: the messages.
    ///   - note: takes a line for the log.
    public init(_ outbox: MessageOutbox, note: @escaping @Sendable (String) -> Void) {
        self.outbox = outbox
        self.note = note
    }

    public var routes: [Route] {
        [
            Route(
                .get, "/v1/messages", access: .only(.ranger, .keeper), operation: "listMessages",
                summary: "Messages to people elsewhere, and which of them were sent",
                query: [QueryParameter("limit", "The most messages.", .count(1...500))],
                replies: [Reply(200, "The newest first.", schema: "MessageList")],
                handler: .asynchronous { request in
                    let limit = request.queryInteger("limit") ?? 100
                    let messages = try kept { () throws(StorageError) in try outbox.list(limit: limit) }
                    let counts = try kept { () throws(StorageError) in try outbox.counts() }
                    return try .json(
                        List(
                            messages: messages.map(Row.init), waiting: counts.waiting, givenUp: counts.givenUp,
                            withdrawn: counts.withdrawn))
                }
            ).failing(.archiveUnavailable),
            Route(
                .post, "/v1/messages/next", access: .only(.courier), operation: "takeMessage",
                summary: "The next message to send, for three minutes: {\"ways\": [\"mail\", \"webhook\"]}",
                body: RequestBody(schema: "MessageWish", isRequired: true, limit: 1024),
                replies: [Reply(200, "A message.", schema: "MessageErrand"), Reply(204, "None is due.")],
                handler: .asynchronous { request in
                    let wish = try Self.decode(Wish.self, request.body)
                    guard let lease = try kept({ () throws(StorageError) in try outbox.take(Set(wish.ways)) }) else {
                        return Response(status: 204)
                    }
                    let message = lease.message
                    return try .json(
                        Errand(
                            id: message.id, lease: lease.lease, way: message.way, recipient: message.recipient,
                            subject: message.subject, body: message.body, about: message.about,
                            writtenAt: message.writtenAt))
                }
            ).failing(.archiveUnavailable),
            Route(
                .post, "/v1/messages/{id}", access: .only(.courier), operation: "reportMessage",
                summary: "What came of sending a message: {\"lease\": …, \"outcome\": …}",
                body: RequestBody(schema: "MessageReport", isRequired: true, limit: 8 << 10),
                replies: [Reply(204, "Noted.")],
                handler: .asynchronous { request in
                    let report = try Self.decode(Report.self, request.body)
                    let problem = report.problem ?? "no reason was given"
                    let outcome: MessageOutbox.Outcome? =
                        switch report.outcome {
                        case "sent": .sent
                        case "postponed": .postponed(problem)
                        case "refused": .refused(problem)
                        default: nil
                        }
                    guard let outcome else {
                        throw Problem(
                            .invalidRequest, "cannot take the report: /outcome (expected sent, postponed or refused)")
                    }
                    let id = request.parameter("id")
                    guard try kept({ () throws(StorageError) in try outbox.finish(id, lease: report.lease, outcome) })
                    else {
                        throw Problem(
                            .conflict, "cannot note what came of the message: it was another's to send meanwhile")
                    }
                    if case .refused(let why) = outcome { note("the message \(id.prefix(40)) cannot be sent: \(why)") }
                    return Response(status: 204)
                }
            ).failing(.conflict, .archiveUnavailable).taking("id", .string),
        ]
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ body: [UInt8]) throws(Problem) -> Value {
        do {
            return try JSONText.decode(type, from: body)
        } catch {
            throw Problem(.invalidRequest, "cannot take the request: konza-courier and konza-portal differ in version")
        }
    }

    private func kept<Value>(_ body: () throws(StorageError) -> Value) throws(Problem) -> Value {
        do throws(StorageError) {
            return try body()
        } catch {
            throw Problem(.archiveUnavailable, "cannot use the outbox: \(error); free or mend the disk")
        }
    }
}
