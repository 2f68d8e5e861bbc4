internal import Feeds
internal import HTTPTransfer
internal import KonzaModel
internal import KonzaSystem

/// Asks feeds over the internet. Only a complete valid answer is one: all else leaves what is known as it is.
struct FeedFetcher {
    static let totalSeconds = 30.0

    /// What an earlier answer had, by which a server tells whether there is anything new (RFC 9110 section 13.1).
    struct Validators: Equatable {
        var entityTag: String?
        var lastModified: String?
    }

    enum Outcome<Content> {
        case unchanged
        case answer(Content, Validators)
        case failed(String)
    }

    /// What is asked for.
    struct Request {
        /// The media types that are understood (RFC 9110 section 12.5.1).
        let accept: String
        let mostBytes: Int

        static let announcements = Request(
            accept: "application/geo+json, application/feed+json, application/atom+xml, application/cap+xml, "
                + "application/json;q=0.8, application/xml;q=0.8, */*;q=0.1", mostBytes: FeedBounds.bytes)
        static let calendar = Request(accept: "text/calendar, */*;q=0.1", mostBytes: 4 << 20)
    }

    /// The only network interface to ask by.
    var interface: String?
    var cancellation: TransferCancellation?
    let clock: any StationClock

    /// Asks for announcements once, following redirections.
    ///
    /// - Parameters:
    ///   - address: `https`, or `http` to this machine.
    ///   - known: of the last answer.
    /// - Returns: what came of it.
    func fetch(_ address: String, known: Validators) -> Outcome<Feed> {
        switch ask(address, for: .announcements, known: known) {
        case .unchanged: return .unchanged
        case .failed(let problem): return .failed(problem)
        case .answer(let body, let validators):
            do throws(FeedError) {
                return .answer(try FeedReader.read(body), validators)
            } catch {
                return .failed("cannot take the answer of \(address): \(error)")
            }
        }
    }

    /// Asks once, following redirections, and gives the answer as it is.
    ///
    /// - Parameters:
    ///   - address: `https`, or `http` to this machine.
    ///   - wanted: what is asked for.
    ///   - known: of the last answer.
    /// - Returns: what came of it.
    func ask(_ address: String, for wanted: Request, known: Validators) -> Outcome<[UInt8]> {
        let isLocal = WebAddress(address)?.isLoopback ?? false
        let question = FollowedQuestion(
            totalSeconds: Self.totalSeconds, interface: interface, cancellation: cancellation, clock: clock
        ) { $0.isEncrypted || (isLocal && $0.isLoopback) }
        let answer: HTTPAnswer
        do throws(FollowedQuestion.Failure) {
            answer = try question.answer(of: address) { request in
                request.maximumBytes = wanted.mostBytes
                request.headers = [
                    ("User-Agent", "konza/\(ProgramVersion.number) (field station; konza-courier)"),
                    ("Accept", wanted.accept),
                ]
                if let tag = known.entityTag { request.headers.append(("If-None-Match", tag)) }
                if let date = known.lastModified { request.headers.append(("If-Modified-Since", date)) }
            }
        } catch {
            return .failed(Self.words(error, address))
        }
        switch answer.status {
        case 304 where known != Validators(): return .unchanged
        case 200:
            return .answer(
                answer.body,
                Validators(entityTag: answer.header("etag"), lastModified: answer.header("last-modified")))
        default: return .failed("cannot read \(address): the server answers with status \(answer.status)")
        }
    }

    private static func words(_ failure: FollowedQuestion.Failure, _ address: String) -> String {
        switch failure {
        case .forbidden(let url):
            "cannot ask \(url.prefix(200)): it is not encrypted; use an address that begins with https://"
        case .late: "cannot wait for \(address) any longer: no whole answer in 30 s"
        case .transfer(let error): error.description
        case .nowhere(let url): "cannot follow the redirection of \(url.prefix(200)): it leads nowhere"
        case .tooManyRedirections:
            "cannot read \(address): more than \(FollowedQuestion.mostRedirections) redirections"
        }
    }
}

/// As much of an address as redirections need (RFC 3986).
struct WebAddress: Equatable {
    let scheme: String
    let authority: String
    /// From the first slash, with the query.
    let path: String

    init?(_ text: String) {
        guard text.utf8.count <= 4000, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let mark = text.firstRange(of: "://")
        else { return nil }
        scheme = text[..<mark.lowerBound].lowercased()
        guard scheme == "https" || scheme == "http" else { return nil }
        let rest = text[mark.upperBound...].prefix { $0 != "#" }
        authority = String(rest.prefix { !"/?".contains($0) })
        let tail = rest.dropFirst(authority.count)
        path = tail.isEmpty ? "/" : tail.hasPrefix("?") ? "/\(tail)" : String(tail)
        // An account in an address is for no log, and hides the host from readers.
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
    }

    var isEncrypted: Bool { scheme == "https" }

    var isLoopback: Bool {
        let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        return ["127.0.0.1", "localhost", "[::1]"].contains(host.lowercased())
    }

    /// Where a `Location` leads; nil for what is no address.
    func resolving(_ reference: String) -> String? {
        if reference.contains("://") { return WebAddress(reference) == nil ? nil : reference }
        if reference.hasPrefix("//") { return "\(scheme):\(reference)" }
        if reference.hasPrefix("/") { return "\(scheme)://\(authority)\(reference)" }
        guard !reference.isEmpty, !reference.contains(":") else { return nil }
        let folder = path.prefix { $0 != "?" }
        let base = folder[...(folder.lastIndex(of: "/") ?? folder.startIndex)]
        return "\(scheme)://\(authority)\(base)\(reference)"
    }
}
