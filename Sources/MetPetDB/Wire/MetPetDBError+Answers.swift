internal import HTTPTransfer

extension MetPetDBError {
    /// A transfer that brought no answer.
    init(transfer error: TransferError, what: String, origin: String) {
        // The transfer's own words hold the whole URL, an address among it: they are not passed on.
        let (reason, words): (MetPetDBError.Reason, String) =
            switch error.reason {
            case .notConnected, .socketMissing, .permissionDenied:
                (.unreachable, "\(origin) cannot be reached; check the network and the address")
            case .untrusted: (.unreachable, "the certificate of \(origin) does not hold; check the clock")
            case .badRequest: (.badAddress, "the request cannot be made")
            case .timedOut: (.lost, "\(origin) did not answer in time")
            case .broken: (.lost, "the answer of \(origin) broke off or is no HTTP")
            case .tooLarge: (.lost, "the answer of \(origin) is too large")
            case .unreadableBody: (.local, "the file cannot be read to its end")
            case .cancelled: (.cancelled, "it was cancelled")
            }
        self.init(reason, "cannot \(what): \(words)")
    }

    /// An answer that is no success, in the server's words but for what is secret.
    init(_ answer: HTTPAnswer, what: String, origin: String, secrets: [String]) {
        let words = ServerWords(answer.body, secrets: secrets)
        let said = words.summary.map { ": \($0)" } ?? ""
        let retryAfter = answer.header("Retry-After").flatMap(Double.init).map { min(max($0, 0), 86_400) }
        let reason: Reason =
            switch answer.status {
            case 300...399: .redirected
            case 400: words.hasError ? .halfDone : .fields
            case 403: .forbidden
            case 404, 410: .missing
            case 408, 425, 429: .busy
            case 503 where retryAfter != nil: .busy
            case 500...599: .failed
            case 401...499: .fields
            default: .unreadable
            }
        let remedy = reason == .redirected ? "; it points elsewhere: set the address that it points to" : ""
        self.init(
            reason, "cannot \(what): \(origin) answers \(answer.status)\(said)\(remedy)", refusals: words.refusals,
            retryAfter: retryAfter)
    }
}
