internal import FoundationEssentials
public import HTTPTransfer
internal import KonzaModel
internal import Synchronization

/// MetPetDB's REST interface (api_v2, v2.1), one request at a time. The calls block.
///
/// Nothing is sent again by itself, but for one case: a token that is not taken is replaced by logging in, once: a
/// request that was refused before it was read has changed nothing.
public final class MetPetDBClient: Sendable {
    public struct Options: Sendable, Equatable {
        /// Seconds until connected.
        public var connectSeconds = 15.0
        /// Seconds for a request without a picture.
        public var totalSeconds = 60.0
        /// Seconds without a byte after which the upload of a picture is given up.
        public var silenceSeconds = 60
        /// The most bytes to send in a second; nil for no limit.
        public var bytesPerSecond: Int?
        /// The only network interface to send by; nil for whichever the system takes.
        public var interface: String?
        /// A file of certificates (PEM) to trust in place of the system's.
        public var certificateAuthorities: String?

        public init() {}
    }

    public let address: ServerAddress
    let options: Options
    private let credentials: Credentials?
    private let connection: HTTPConnection
    private let session = Mutex(Session())
    private let cancellation: TransferCancellation?

    private struct Session {
        var token: String?
        var account: Account?
    }

    /// - Parameters:
    ///   - address: the server's base.
    ///   - credentials: whose samples they are; nil to read what is public, without an account.
    ///   - options: limits.
    ///   - cancellation: ends what is under way from elsewhere.
    /// - Throws: ``MetPetDBError`` if there is no memory.
    public init(
        address: ServerAddress, credentials: Credentials?, options: Options = Options(),
        cancellation: TransferCancellation? = nil
    ) throws(MetPetDBError) {
        self.address = address
        self.credentials = credentials
        self.options = options
        self.cancellation = cancellation
        do {
            connection = try HTTPConnection()
        } catch {
            throw MetPetDBError(.local, error.description)
        }
    }

    /// Who the samples belong to; logs in where that is needed.
    public func account() throws(MetPetDBError) -> Account {
        if let account = session.withLock({ $0.account }) { return account }
        _ = try token()
        if let account = session.withLock({ $0.account }) { return account }
        let account = try decode(Account.self, try get("/api/auth/me/", what: "ask for the account"))
        try remember(account)
        return account
    }

    // MARK: - Requests

    func get(_ path: String, _ query: [(String, String)] = [], what: String) throws(MetPetDBError) -> HTTPAnswer {
        try authorized("GET", path, query, what: what) { _ in }
    }

    /// Sends JSON; `isRepeatable` says whether libcurl may send it twice.
    func send(
        _ method: String, _ path: String, json: [UInt8], isRepeatable: Bool, what: String
    ) throws(MetPetDBError) -> HTTPAnswer {
        try authorized(method, path, [], what: what) { request in
            request.headers.append(("Content-Type", "application/json"))
            request.body = json
            request.isRepeatable = isRepeatable
        }
    }

    func upload(
        _ path: String, _ body: UploadBody, type: String, what: String, onSent: @escaping (Int) -> Void
    ) throws(MetPetDBError) -> HTTPAnswer {
        try authorized("POST", path, [], what: what, onSent: onSent) { request in
            request.headers.append(("Content-Type", type))
            request.upload = body
            request.isRepeatable = false
            request.totalSeconds = nil
            request.silenceSeconds = options.silenceSeconds
        }
    }

    private func authorized(
        _ method: String, _ path: String, _ query: [(String, String)], what: String,
        onSent: ((Int) -> Void)? = nil, _ complete: (inout HTTPRequest) -> Void
    ) throws(MetPetDBError) -> HTTPAnswer {
        for isLast in [false, true] {
            var request = request(method, address.url(path, query))
            if let token = try token() { request.headers.append(("Authorization", "Token \(token)")) }
            complete(&request)
            let answer = try perform(request, what: what, onSent: onSent)
            if answer.status == 401 {
                session.withLock { $0.token = nil }
                if case .password? = credentials?.secret, !isLast { continue }
                let remedy =
                    credentials == nil ? "wants an account; set one" : "does not take the token; issue a new one"
                throw MetPetDBError(.login, "cannot \(what): \(address.origin) \(remedy)")
            }
            guard (200...299).contains(answer.status) else { throw refusal(answer, what: what) }
            return answer
        }
        throw MetPetDBError(.login, "cannot \(what): \(address.origin) does not let the account in")
    }

    private func request(_ method: String, _ url: String) -> HTTPRequest {
        var request = HTTPRequest(method, url: url)
        request.headers = [("Accept", "application/json")]
        request.connectSeconds = options.connectSeconds
        request.totalSeconds = options.totalSeconds
        request.bytesPerSecond = options.bytesPerSecond
        request.interface = options.interface
        request.certificateAuthorities = options.certificateAuthorities
        request.maximumBytes = 16 * 1024 * 1024
        return request
    }

    // MARK: - Logging in

    /// - Returns: nil without an account.
    private func token() throws(MetPetDBError) -> String? {
        if let token = session.withLock({ $0.token }) { return token }
        guard let credentials else { return nil }
        switch credentials.secret {
        case .token(let token):
            session.withLock { $0.token = token }
            return token
        case .password(let email, let password): return try logIn(email, password)
        }
    }

    private func logIn(_ email: String, _ password: String) throws(MetPetDBError) -> String {
        struct Reply: Decodable {
            let auth_token: String
            let user_id: String
        }
        let what = "log in"
        var request = request("POST", address.url("/api/auth/token/create/"))
        request.headers.append(("Content-Type", "application/json"))
        request.body = (try? JSONEncoder().encode(["email": email, "password": password])).map { Array($0) }
        let answer = try perform(request, what: what)
        guard (200...299).contains(answer.status) else {
            let error = refusal(answer, what: what)
            let isRefused = (400...499).contains(answer.status) && error.reason != .busy
            throw isRefused
                ? MetPetDBError(
                    .login,
                    "\(error.description); check the address and the password of the account, and that it is active")
                : error
        }
        let reply = try decode(Reply.self, answer)
        guard Credentials.token(reply.auth_token) != nil else {
            throw MetPetDBError(.unreadable, "cannot log in: \(address.origin) gave no usable token")
        }
        try remember(Account(id: reply.user_id, email: email))
        session.withLock { $0.token = reply.auth_token }
        return reply.auth_token
    }

    private func remember(_ account: Account) throws(MetPetDBError) {
        guard !account.id.isEmpty, !account.email.contains(",") else {
            throw MetPetDBError(.unreadable, "cannot use the account: its address cannot be searched for")
        }
        session.withLock { $0.account = account }
    }

    // MARK: - Answers

    private func perform(
        _ request: HTTPRequest, what: String, onSent: ((Int) -> Void)? = nil
    ) throws(MetPetDBError) -> HTTPAnswer {
        do {
            return try connection.send(request, cancellation: cancellation, onSent: onSent)
        } catch {
            throw MetPetDBError(transfer: error, what: what, origin: address.origin)
        }
    }

    private func refusal(_ answer: HTTPAnswer, what: String) -> MetPetDBError {
        let secrets = (credentials?.secretTexts ?? []) + [session.withLock { $0.token } ?? ""]
        return MetPetDBError(answer, what: what, origin: address.origin, secrets: secrets)
    }

    func decode<Value: Decodable>(_ type: Value.Type, _ answer: HTTPAnswer) throws(MetPetDBError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(answer.body))
        } catch {
            throw MetPetDBError(
                .unreadable, "cannot read the answer of \(address.origin): it is not what MetPetDB answers")
        }
    }
}
