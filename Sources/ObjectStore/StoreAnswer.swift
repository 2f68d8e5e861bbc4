internal import HTTPTransfer
internal import KonzaModel
internal import XMLReading

/// What a store says when it does not do what was asked
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html).
struct StoreAnswer {
    let status: Int
    /// Such as `SlowDown`; empty where there is none, as in a reply to HEAD.
    let code: String
    private let message: String
    private let retryAfter: Int?
    /// The store's time.
    private let date: UTCInstant?

    init(_ answer: HTTPAnswer) {
        status = answer.status
        retryAfter = answer.header("retry-after").flatMap { Int($0) }.map { min(max($0, 0), 86_400) }
        date = answer.header("date").flatMap { HTTPDate.parse($0) }
        var limits = XMLLimits()
        limits.bytes = 64 << 10
        limits.elements = 100
        let root = try? XMLDocument.root(of: answer.body, limits: limits)
        code = Self.word(root?["Code"]?.value)
        message = Self.word(root?["Message"]?.value)
    }

    /// What others wrote goes into messages in part and without control characters.
    private static func word(_ text: String?) -> String {
        let scalars = (text ?? "").unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
        return String(String.UnicodeScalarView(scalars).prefix(160))
    }

    /// Whether 409 means that another write was under way, and not that something is amiss for good.
    var isConflict: Bool { code.isEmpty || code == "ConditionalRequestConflict" || code == "OperationAborted" }

    private static let reasons: [String: ObjectStoreError.Reason] = [
        "RequestTimeTooSkewed": .clock, "RequestExpired": .clock, "RequestNotYetValid": .clock,
        "InvalidAccessKeyId": .credentials, "SignatureDoesNotMatch": .credentials, "ExpiredToken": .credentials,
        "InvalidToken": .credentials, "TokenRefreshRequired": .credentials, "InvalidSecurity": .credentials,
        "AccessDenied": .forbidden, "AllAccessDisabled": .forbidden, "AccountProblem": .forbidden,
        "NoSuchBucket": .noBucket, "PermanentRedirect": .region, "TemporaryRedirect": .region,
        "AuthorizationHeaderMalformed": .region, "IllegalLocationConstraintException": .region,
        "EntityTooLarge": .full, "QuotaExceeded": .full, "XMinioStorageFull": .full, "InsufficientStorage": .full,
        "SlowDown": .busy, "SlowDownWrite": .busy, "ServiceUnavailable": .busy, "InternalError": .busy,
        "RequestTimeout": .busy, "OperationAborted": .busy, "ConditionalRequestConflict": .busy,
        "XMinioServerNotInitialized": .busy,
        "XAmzContentSHA256Mismatch": .damaged, "BadDigest": .damaged, "IncompleteBody": .damaged,
        "InvalidDigest": .damaged,
    ]

    private func reason(_ now: UTCInstant) -> ObjectStoreError.Reason {
        if let reason = Self.reasons[code] { return reason }
        switch status {
        // Some stores say no more than that. AWS allows 15 minutes.
        case 401, 403: return abs(skew(now) ?? 0) > 900 ? .clock : status == 401 ? .credentials : .forbidden
        case 404: return .noBucket
        case 301, 302, 307, 308: return .region
        case 413, 507: return .full
        case 408, 409, 425, 429, 500, 502, 503, 504: return .busy
        default: return .refused
        }
    }

    /// Seconds that the clock is ahead of the store's.
    private func skew(_ now: UTCInstant) -> Double? { date.map { now.seconds(since: $0) } }

    func error(_ action: String, _ address: ObjectStoreAddress, _ now: UTCInstant) -> ObjectStoreError {
        let reason = reason(now)
        let said = code.isEmpty ? "it answers \(status)" : "it answers \(status) \(code)"
        let words =
            switch reason {
            case .clock: clockWords(now)
            case .credentials:
                switch code {
                case "ExpiredToken", "TokenRefreshRequired":
                    "the temporary credentials are no longer valid; get new ones"
                case "SignatureDoesNotMatch": "its secret is not that of the account; check the credentials"
                default: "it does not know the account (\(said)); check the credentials"
                }
            case .forbidden: "the account may not (\(said)); let it write and read below the box's own names"
            case .noBucket: "there is no bucket \(address.bucket) (\(said)); make it, or check the address"
            case .region:
                "the bucket is in another region than \(address.region), or at another address (\(said): \(message)); "
                    + "check both"
            case .full: "no room is left for it (\(said)); make room, or raise the limit"
            case .busy: "it cannot now (\(said)); it is tried again later"
            case .damaged: "what arrived has another hash (\(said)); it is tried again"
            case .network, .untrustedCertificate, .unreadable, .refused:
                "\(said)\(message.isEmpty ? "" : ": \(message)"); is this the right server?"
            }
        return ObjectStoreError(reason, "cannot \(action) \(address): \(words)", retryAfter: retryAfter)
    }

    private func clockWords(_ now: UTCInstant) -> String {
        guard let skew = skew(now), abs(skew) >= 1 else {
            return "this machine's clock and the store's differ too much; set the clock"
        }
        let seconds = Int(abs(skew).rounded())
        let amount: String
        switch seconds {
        case ..<120: amount = "\(seconds) s"
        case ..<7200: amount = "\(seconds / 60) min"
        case ..<172_800: amount = "\(seconds / 3600) h"
        default: amount = "\(seconds / 86_400) days"
        }
        return
            "this machine's clock is \(amount) \(skew > 0 ? "ahead of" : "behind") the store's, which allows 15 min; set "
            + "the clock, or give the receiver a view of the sky"
    }
}
