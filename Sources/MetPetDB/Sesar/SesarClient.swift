internal import FoundationEssentials
internal import HTTPTransfer
internal import KonzaModel
internal import Synchronization

/// The pair of tokens of SESAR 2. A refresh makes the old pair worthless at once.
public struct SesarTokens: Sendable, Codable, CustomStringConvertible, CustomReflectable {
    public var refresh: String
    public var access: String

    public init(refresh: String, access: String) {
        self.refresh = refresh
        self.access = access
    }

    public var description: String { "a pair of tokens, withheld" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where the pair is kept. Between SESAR's answer to a refresh and the end of `save` a crash loses the pair, and a new
/// one has to be issued by hand: SESAR offers no way around it.
public protocol SesarTokenStore: Sendable {
    func load() throws(LedgerError) -> SesarTokens
    /// Replaces the pair as a whole, durably.
    func save(_ tokens: SesarTokens) throws(LedgerError)
}

/// What of SESAR 2's interface is certain (GeoSamples/sesar-doc, 2026-08-19): tokens, creating, changing, listing.
public final class SesarClient: Sendable {
    public let address: ServerAddress
    private let store: any SesarTokenStore
    private let connection: HTTPConnection
    private let options: MetPetDBClient.Options

    /// - Parameters:
    ///   - address: such as `https://api.geosamples.org`.
    ///   - store: keeps the tokens.
    ///   - options: limits.
    /// - Throws: ``MetPetDBError`` if there is no memory.
    public init(
        address: ServerAddress, store: any SesarTokenStore, options: MetPetDBClient.Options = .init()
    ) throws(MetPetDBError) {
        self.address = address
        self.store = store
        self.options = options
        do {
            connection = try HTTPConnection()
        } catch {
            throw MetPetDBError(.local, error.description)
        }
    }

    /// The account's own samples of exactly that name.
    ///
    /// The shape of the list is not documented. What is read is any object, however deep, that has our name and an
    /// `igsn`; an answer without any list is not understood, and an error: nothing may be created on the strength of it.
    func find(name: String) throws -> [String?] {
        let query = [("name", name), ("scope", "personal"), ("page_size", "100")]
        let answer = try authorized("GET", "/api/samples/", query, nil, what: "look for the sample's name")
        let tree = try decode(SesarTree.self, answer)
        guard tree.holdsList else {
            throw MetPetDBError(.unreadable, "cannot read the list of \(address.origin): it is no list")
        }
        return tree.numbers(of: name)
    }

    /// Creates a sample.
    ///
    /// - Returns: its IGSN; nil if SESAR gave none, as it may for a draft.
    func create(_ body: [UInt8]) throws -> String? {
        struct Reply: Decodable { let igsn: String? }
        let answer = try authorized("POST", "/api/samples/", [], body, what: "register the sample")
        return try decode(Reply.self, answer).igsn
    }

    private func authorized(
        _ method: String, _ path: String, _ query: [(String, String)], _ body: [UInt8]?, what: String
    ) throws -> HTTPAnswer {
        var tokens = try store.load()
        for isLast in [false, true] {
            let answer = try perform(method, path, query, body, bearer: tokens.access, what: what)
            if answer.status == 401, !isLast {
                tokens = try refreshed(tokens)
                continue
            }
            guard (200...299).contains(answer.status) else { throw refusal(answer, tokens, what: what) }
            return answer
        }
        throw MetPetDBError(.login, "cannot \(what): \(address.origin) does not take the token; issue a new pair")
    }

    private func refreshed(_ tokens: SesarTokens) throws -> SesarTokens {
        struct Reply: Decodable { let data: SesarTokens }
        let body = try JSONEncoder().encode(["refresh": tokens.refresh])
        let what = "refresh the token"
        let answer = try perform("POST", "/api/auth/token/refresh/", [], Array(body), bearer: nil, what: what)
        guard (200...299).contains(answer.status) else {
            let error = refusal(answer, tokens, what: what)
            guard (400...499).contains(answer.status), error.reason != .busy else { throw error }
            throw MetPetDBError(.login, "\(error.description); issue a new pair of tokens")
        }
        let fresh = try decode(Reply.self, answer).data
        try store.save(fresh)
        return fresh
    }

    private func perform(
        _ method: String, _ path: String, _ query: [(String, String)], _ body: [UInt8]?, bearer: String?, what: String
    ) throws(MetPetDBError) -> HTTPAnswer {
        var request = HTTPRequest(method, url: address.url(path, query))
        request.headers = [("Accept", "application/json")]
        if let bearer { request.headers.append(("Authorization", "Bearer \(bearer)")) }
        if let body {
            request.headers.append(("Content-Type", "application/json"))
            request.body = body
        }
        request.isRepeatable = method == "GET"
        request.connectSeconds = options.connectSeconds
        request.totalSeconds = options.totalSeconds
        request.bytesPerSecond = options.bytesPerSecond
        request.interface = options.interface
        request.certificateAuthorities = options.certificateAuthorities
        do {
            return try connection.send(request)
        } catch {
            throw MetPetDBError(transfer: error, what: what, origin: address.origin)
        }
    }

    private func refusal(_ answer: HTTPAnswer, _ tokens: SesarTokens, what: String) -> MetPetDBError {
        MetPetDBError(answer, what: what, origin: address.origin, secrets: [tokens.access, tokens.refresh])
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ answer: HTTPAnswer) throws(MetPetDBError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(answer.body))
        } catch {
            throw MetPetDBError(
                .unreadable, "cannot read the answer of \(address.origin): it is not what SESAR answers")
        }
    }
}

/// JSON of a shape that is not documented.
private enum SesarTree: Decodable {
    case text(String)
    case list([SesarTree])
    case object([String: SesarTree])
    case other

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard decoder.codingPath.count < 12 else {
            self = .other
            return
        }
        if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([SesarTree].self) {
            self = .list(list)
        } else if let object = try? container.decode([String: SesarTree].self) {
            self = .object(object)
        } else {
            self = .other
        }
    }

    var holdsList: Bool {
        switch self {
        case .list: true
        case .object(let members): members.values.contains(where: \.holdsList)
        case .text, .other: false
        }
    }

    func numbers(of name: String) -> [String?] {
        switch self {
        case .list(let list): return list.flatMap { $0.numbers(of: name) }
        case .object(let members):
            if case .text(name)? = members["name"] {
                guard case .text(let number)? = members["igsn"] else { return [nil] }
                return [number]
            }
            return members.values.flatMap { $0.numbers(of: name) }
        case .text, .other: return []
        }
    }
}
