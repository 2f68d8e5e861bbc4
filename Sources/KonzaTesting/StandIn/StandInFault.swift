/// What the stand-in does wrong with one request, as MetPetDB or the network before it does.
public enum StandInFault: Sendable, Equatable, CaseIterable {
    /// Nothing.
    case none
    /// 500 with a traceback, and nothing stored.
    case failBefore
    /// Stored, then 500 with a traceback.
    case failAfter
    /// Stored in part (a sample without its lists), then 400 `{"error": [...]}`.
    case refuseHalfway
    /// The connection ends, and nothing is stored.
    case dropBefore
    /// Stored, then the connection ends without a byte.
    case dropAfter
    /// Stored, then the connection ends in the middle of the answer.
    case cutAnswer
    /// Nothing is stored, and no answer ever comes.
    case silentBefore
    /// Stored, and no answer ever comes.
    case silentAfter
    /// A proxy's 502 with a page, and nothing stored.
    case badGateway
    /// Stored, then a proxy's 504 with a page.
    case gatewayTimeout
    /// 503 with `Retry-After: 1`, and nothing stored.
    case busy
    /// 302 to another host, and nothing stored.
    case redirect
    /// The token is revoked before the request is looked at.
    case revokeToken
}

/// The lasting quirks of a server; each can be switched off.
public struct StandInQuirks: Sendable {
    /// No samples found are answered with `[]` in place of a page.
    public var bareEmptyList = true
    /// Every valid image is answered with 500, and not stored (Django REST framework 3.7 and 3.8).
    public var imagesAlwaysFail = false
    /// A body in chunks is passed over.
    public var ignoresChunkedBodies = true
    /// There are no transactions: a row stays although the answer is an error.
    public var keepsRowsBehindErrors = true
    /// A coordinate that is the number 0 is none.
    public var takesZeroForMissing = true
    /// A number that is there already is a 500; otherwise it is refused as a field.
    public var failsOnDuplicates = true
    /// Names filter as regular expressions unless `_exact` is given; otherwise they always are exact.
    public var filtersByExpressions = true
    /// Coordinates are given back in five decimals.
    public var roundsCoordinates = true
    /// One sample with an empty point makes every list that holds it a 500.
    public var breaksOnEmptyPoints = true
    /// An update without coordinates is a 500.
    public var needsCoordinatesInUpdates = true
    /// Whatever is wrong with an image is answered with 404; otherwise with 400.
    public var refusesImagesWith404 = true
    /// A stored file gets a few letters behind its name, as storages do with names that are taken.
    public var renamesImages = false
    /// Seconds that an answer is held back.
    public var delaySeconds = 0.0

    public init() {}

    /// Those that are on or off, by their names.
    public static var switches: [String: WritableKeyPath<StandInQuirks, Bool>] {
        [
            "bareEmptyList": \.bareEmptyList, "ignoresChunkedBodies": \.ignoresChunkedBodies,
            "keepsRowsBehindErrors": \.keepsRowsBehindErrors, "takesZeroForMissing": \.takesZeroForMissing,
            "failsOnDuplicates": \.failsOnDuplicates, "filtersByExpressions": \.filtersByExpressions,
            "roundsCoordinates": \.roundsCoordinates, "breaksOnEmptyPoints": \.breaksOnEmptyPoints,
            "needsCoordinatesInUpdates": \.needsCoordinatesInUpdates, "refusesImagesWith404": \.refusesImagesWith404,
            "renamesImages": \.renamesImages,
        ]
    }
}

/// A request as the stand-in saw it.
public struct StandInRequest: Sendable, Equatable {
    public let method: String
    public let path: String
    public let query: [String: String]
    /// Names in lower case.
    public let headers: [String: String]
    public let body: [UInt8]
    /// Whether the whole body came in chunks.
    public let isChunked: Bool

    /// Without the ids in the path, such as `PUT /api/samples/*/`.
    public var kind: String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return method + " " + parts.map { $0.count == 36 ? "*" : String($0) }.joined(separator: "/")
    }
}
