internal import FoundationEssentials
internal import KonzaAPI
internal import KonzaClient
internal import KonzaSystem

/// A question for the station.
struct StationRequest: Sendable, Equatable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    var method = Method.get
    /// Below the API's root, such as `/v1/position`; every part that came from outside is percent-encoded.
    var path: String
    /// Names and values, not encoded yet.
    var query: [(name: String, value: String)] = []
    /// JSON.
    var body: [UInt8]?
    /// A file to send in place of JSON.
    var upload: Upload?

    /// A file, read while it is sent.
    struct Upload: Sendable, Equatable {
        let file: String
        let byteCount: Int
        let mediaType: String
    }

    static func == (left: StationRequest, right: StationRequest) -> Bool {
        left.method == right.method && left.target == right.target && left.body == right.body
            && left.upload == right.upload
    }

    /// The path with its query, percent-encoded.
    var target: String { StationClient.target(path, query) }
}

/// The station's answer to a question it took.
struct StationReply: Sendable {
    var status: Int
    /// By names in lower case.
    var headers: [String: String] = [:]
    var body: [UInt8]
}

/// One event of `GET /v1/events`.
struct StationEvent: Sendable {
    var name: String
    /// JSON.
    var data: [UInt8]
}

/// The way to the station: the socket, or a script in tests.
protocol StationConnection: Sendable {
    /// The socket that is asked.
    var socketPath: String { get }
    /// Whether a stream that ended is worth opening again; a script in a test ends once.
    var reconnects: Bool { get }
    /// Asks once.
    ///
    /// - Throws: `CommandFailure` when the station cannot be reached, or refuses.
    func send(_ request: StationRequest) async throws(CommandFailure) -> StationReply
    /// Asks for something large, and hands its bytes on as they come, until the receiver returns false.
    ///
    /// - Returns: the answer without the bytes.
    /// - Throws: `CommandFailure` as `send` does.
    func fetch(
        _ request: StationRequest, _ take: @escaping ([UInt8]) -> Bool
    ) async throws(CommandFailure) -> StationReply
    /// The station's events as they come. The stream ends when the station hangs up.
    func events(_ query: [(name: String, value: String)]) -> AsyncThrowingStream<StationEvent, any Error>
}

extension StationConnection {
    /// Gets a resource and reads it.
    func get<Reply: Decodable>(
        _ path: String, _ type: Reply.Type = Reply.self, query: [(name: String, value: String)] = []
    ) async throws(CommandFailure) -> Reply {
        try StationReading.read(await send(StationRequest(path: path, query: query)).body)
    }
}

/// Reads what the station answers.
enum StationReading {
    static func read<Reply: Decodable>(_ bytes: [UInt8]) throws(CommandFailure) -> Reply {
        do {
            return try JSONDecoder().decode(Reply.self, from: Data(bytes))
        } catch {
            throw CommandFailure(
                "cannot understand the station's answer: it is not what this version of konza expects; "
                    + "compare the versions with konza version",
                .protocol)
        }
    }
}

extension CommandFailure {
    /// The station's refusal in its own words, with the code that fits its kind.
    init(_ problem: Problem) {
        let code: ExitCode =
            switch problem.kind {
            case .forbidden, .foreignOrigin: .permission
            case .notFound, .unknownTemplate, .noWay: .noInput
            case .cannotDraw, .cameraControl, .invalidRequest, .malformedRequest, .bodyTooLarge, .unknownTerm,
                .numberTaken, .accuracyTooLow, .notAPicture, .unusableTrails, .cannotExport, .tooManySpecimens,
                .tooManyPhotographs,
                .submissionConflict, .unsupportedFrame:
                .data
            case .tooManyRequests, .requestTimeout, .conflict, .idempotencyConflict, .revisionConflict: .temporary
            case .internalError, .cannotStamp: .software
            case .noPosition, .cameraUnavailable, .archiveUnavailable, .indexRebuilding, .unavailable,
                .insufficientStorage,
                .targetDisabled:
                .unavailable
            default: .protocol
            }
        var message = problem.detail.isEmpty ? "cannot do it: \(problem.title)" : problem.detail
        if problem.kind == .forbidden, !message.contains("group") {
            message += "; ask to be put into the group konza (usermod -aG konza NAME), then log in again"
        }
        if problem.kind == .unknownTerm { message += "; konza specimens vocabulary has the names" }
        self.init(message, code)
    }
}
