public import HTTPServing
internal import JSONCoding
public import KonzaAPI

/// What the courier asks and brings of the sources of one kind, such as feeds of announcements: which there are and how each was,
/// what one answered, and which are configured.
public struct FeedReportRoutes<Report: FeedReport>: Sendable {
    private struct States: Encodable { let feeds: [FeedSourceState] }

    private struct Choice: Decodable { let sources: [String] }

    private let contract: FeedContract
    private let states: @Sendable () throws(Problem) -> [FeedSourceState]
    private let take: @Sendable (Report) throws(Problem) -> Response
    private let keepOnly: @Sendable (Set<String>) throws(Problem) -> Void

    /// - Parameters:
    ///   - contract: what the contract says of them.
    ///   - states: how the sources are.
    ///   - take: takes what one answered over, and says what became of it.
    ///   - keepOnly: forgets all sources but these.
    public init(
        _ contract: FeedContract, states: @escaping @Sendable () throws(Problem) -> [FeedSourceState],
        take: @escaping @Sendable (Report) throws(Problem) -> Response,
        keepOnly: @escaping @Sendable (Set<String>) throws(Problem) -> Void
    ) {
        self.contract = contract
        self.states = states
        self.take = take
        self.keepOnly = keepOnly
    }

    public var routes: [Route] {
        [
            Route(
                .get, contract.path, access: .only(.courier, .ranger, .keeper), operation: contract.list.operation,
                summary: contract.list.summary,
                replies: [Reply(200, contract.list.reply, schema: "\(contract.schema)s")],
                handler: .asynchronous { _ in try .json(States(feeds: try states())) }
            ).failing(.archiveUnavailable),
            Route(
                .post, contract.path, access: .only(.courier), operation: contract.report.operation,
                summary: contract.report.summary,
                body: RequestBody(
                    schema: "\(contract.schema)Report", isRequired: true, limit: contract.longestReport),
                replies: [Reply(200, contract.report.reply, schema: "\(contract.schema)Outcome")],
                handler: .asynchronous { request in
                    let report = try Self.decode(Report.self, request.body)
                    guard (1...FeedContract.longestName).contains(report.source.utf8.count) else {
                        throw Problem(
                            .invalidRequest, "cannot take the report: the source is no address of a \(contract.noun)")
                    }
                    return try take(report)
                }
            ).failing(.archiveUnavailable),
            Route(
                .put, contract.path, access: .only(.courier), operation: contract.choose.operation,
                summary: contract.choose.summary,
                body: RequestBody(schema: "\(contract.schema)Choice", isRequired: true, limit: 128 << 10),
                replies: [Reply(204, "Done.")],
                handler: .asynchronous { request in
                    try keepOnly(Set(try Self.decode(Choice.self, request.body).sources))
                    return Response(status: 204)
                }
            ).failing(.archiveUnavailable),
        ]
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ body: [UInt8]) throws(Problem) -> Value {
        do {
            return try JSONText.decode(type, from: body)
        } catch {
            throw Problem(.invalidRequest, "cannot take the report: konza-courier and konza-portal differ in version")
        }
    }
}
