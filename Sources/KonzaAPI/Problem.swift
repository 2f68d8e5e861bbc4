/// What went wrong with a request, in the form of RFC 9457 (`application/problem+json`).
public struct Problem: Error, Sendable, Hashable, Codable {
    /// One member of the request that is at fault.
    public struct Fault: Sendable, Hashable, Codable {
        /// Where: a JSON Pointer (RFC 6901) into the body, or the name of a query parameter or header.
        public var path: String
        /// What is wrong with it, and what would be right.
        public var detail: String

        public init(path: String, detail: String) {
            self.path = path
            self.detail = detail
        }
    }

    /// A URI reference of the kind: `urn:konza:problem:<kind>`.
    public var type: String
    /// The kind in words; the same for every occurrence.
    public var title: String
    /// The HTTP status code.
    public var status: Int
    /// This occurrence in one sentence: "cannot ...: why; what to do".
    public var detail: String
    /// The stable name that programs compare.
    public var kind: ProblemKind
    /// The members at fault, if single ones are.
    public var errors: [Fault]?
    /// Figures that belong to the reason, such as `freeBytes`.
    public var figures: [String: Double]?

    public init(
        _ kind: ProblemKind, _ detail: String, status: Int? = nil, errors: [Fault]? = nil,
        figures: [String: Double]? = nil
    ) {
        self.type = "urn:konza:problem:\(kind.rawValue)"
        self.title = kind.title
        self.status = status ?? kind.status
        self.detail = detail
        self.kind = kind
        self.errors = errors
        self.figures = figures
    }

    /// Something that may be tried again after a while; the answer has that in `Retry-After` (RFC 9110, section 10.2.3).
    ///
    /// - Parameters:
    ///   - detail: one sentence.
    ///   - seconds: until then.
    /// - Returns: the problem.
    public static func tooSoon(_ detail: String, retryAfter seconds: Double) -> Problem {
        Problem(.tooManyRequests, detail, figures: [retryAfter: max(1, seconds.rounded(.up))])
    }

    /// The figure of a problem that says after how many seconds it may be tried again.
    public static let retryAfter = "retryAfterSeconds"
}

/// The stable name of a kind of problem. A client compares these, never the words. A kind that a newer daemon
/// sends and this code does not know keeps its name.
public struct ProblemKind: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// The request is not well-formed HTTP or JSON.
    public static let malformedRequest = ProblemKind(rawValue: "malformed-request")
    /// A member or parameter is unknown, missing or out of range; `errors` says which.
    public static let invalidRequest = ProblemKind(rawValue: "invalid-request")
    /// The peer may read, and this route writes.
    public static let forbidden = ProblemKind(rawValue: "forbidden")
    /// The request comes from a foreign `Origin` or names a foreign `Host`.
    public static let foreignOrigin = ProblemKind(rawValue: "foreign-origin")
    public static let notFound = ProblemKind(rawValue: "not-found")
    public static let methodNotAllowed = ProblemKind(rawValue: "method-not-allowed")
    public static let notAcceptable = ProblemKind(rawValue: "not-acceptable")
    public static let requestTimeout = ProblemKind(rawValue: "request-timeout")
    /// The idempotency key is in use for another request, or for this one that is still under way.
    public static let idempotencyConflict = ProblemKind(rawValue: "idempotency-conflict")
    public static let conflict = ProblemKind(rawValue: "conflict")
    public static let lengthRequired = ProblemKind(rawValue: "length-required")
    public static let bodyTooLarge = ProblemKind(rawValue: "body-too-large")
    public static let uriTooLong = ProblemKind(rawValue: "uri-too-long")
    public static let unsupportedMediaType = ProblemKind(rawValue: "unsupported-media-type")
    public static let rangeNotSatisfiable = ProblemKind(rawValue: "range-not-satisfiable")
    public static let tooManyRequests = ProblemKind(rawValue: "too-many-requests")
    public static let headersTooLarge = ProblemKind(rawValue: "headers-too-large")
    /// A defect of konzad.
    public static let internalError = ProblemKind(rawValue: "internal-error")
    /// No position is known for the instant asked about.
    public static let noPosition = ProblemKind(rawValue: "no-position")
    /// No good frame came in time.
    public static let cameraUnavailable = ProblemKind(rawValue: "camera-unavailable")
    /// The camera has no such control, or refuses the value.
    public static let cameraControl = ProblemKind(rawValue: "camera-control")
    public static let unknownTemplate = ProblemKind(rawValue: "unknown-template")
    /// The template cannot be drawn with these words: a glyph or font is missing, or the text does not fit.
    public static let cannotDraw = ProblemKind(rawValue: "cannot-draw")
    /// The camera's frames are of a kind that no stamp can be put on, as those of 12 bits a sample: it will not do later
    /// either.
    public static let unsupportedFrame = ProblemKind(rawValue: "unsupported-frame")
    /// The frame cannot be stamped.
    public static let cannotStamp = ProblemKind(rawValue: "cannot-stamp")
    /// The disk or the limits set for the archive are full.
    public static let insufficientStorage = ProblemKind(rawValue: "insufficient-storage")
    /// The archive cannot be written (read-only, missing, or from a newer version).
    public static let archiveUnavailable = ProblemKind(rawValue: "archive-unavailable")
    /// The archive's index is being opened or made anew; it can be read when that is done.
    public static let indexRebuilding = ProblemKind(rawValue: "index-rebuilding")
    /// A name is not in the vocabulary; `errors` says which, and the nearest that are.
    public static let unknownTerm = ProblemKind(rawValue: "unknown-term")
    /// Another specimen has the number, letter case apart.
    public static let numberTaken = ProblemKind(rawValue: "number-taken")
    /// The position is unknown or less accurate than wanted, and no override says why that is good enough.
    public static let accuracyTooLow = ProblemKind(rawValue: "accuracy-too-low")
    /// The specimen was changed since the revision that If-Match names.
    public static let revisionConflict = ProblemKind(rawValue: "revision-conflict")
    /// The submission's record was changed since, or is in no conflict to be resolved.
    public static let submissionConflict = ProblemKind(rawValue: "submission-conflict")
    /// The specimen has as many photographs as it can have.
    public static let tooManyPhotographs = ProblemKind(rawValue: "too-many-photographs")
    /// What was uploaded is not a whole picture of its media type.
    public static let notAPicture = ProblemKind(rawValue: "not-a-picture")
    /// The form cannot hold these specimens, or its file would be too large.
    public static let cannotExport = ProblemKind(rawValue: "cannot-export")
    /// More specimens match than one export takes.
    public static let tooManySpecimens = ProblemKind(rawValue: "too-many-specimens")
    /// The file has no trails that can be used.
    public static let unusableTrails = ProblemKind(rawValue: "unusable-trails")
    /// No open trail leads there.
    public static let noWay = ProblemKind(rawValue: "no-way")
    /// Submitting to this target is switched off by the settings.
    public static let targetDisabled = ProblemKind(rawValue: "target-disabled")
    /// konzad is stopping, or a limit on what is under way is reached.
    public static let unavailable = ProblemKind(rawValue: "unavailable")
}

extension ProblemKind {
    /// Every kind with its HTTP status and its words.
    public static let all: [(kind: ProblemKind, status: Int, title: String)] = [
        (.malformedRequest, 400, "The request is malformed"),
        (.invalidRequest, 400, "The request is invalid"),
        (.forbidden, 403, "Not allowed"),
        (.foreignOrigin, 403, "Foreign origin or host"),
        (.notFound, 404, "Not found"),
        (.noPosition, 404, "No position known"),
        (.noWay, 404, "No open way"),
        (.unknownTemplate, 404, "Unknown template"),
        (.methodNotAllowed, 405, "Method not allowed"),
        (.notAcceptable, 406, "No acceptable form"),
        (.requestTimeout, 408, "The request took too long"),
        (.idempotencyConflict, 409, "The idempotency key is in use"),
        (.conflict, 409, "Conflict"),
        (.numberTaken, 409, "The number is taken"),
        (.submissionConflict, 409, "The submission was changed since"),
        (.targetDisabled, 409, "The target is switched off"),
        (.tooManyPhotographs, 409, "Too many photographs"),
        (.lengthRequired, 411, "Length required"),
        (.revisionConflict, 412, "The specimen was changed since"),
        (.bodyTooLarge, 413, "The body is too large"),
        (.uriTooLong, 414, "The URI is too long"),
        (.unsupportedMediaType, 415, "Unsupported media type"),
        (.rangeNotSatisfiable, 416, "Range not satisfiable"),
        (.cameraControl, 422, "The camera refuses the control"),
        (.unknownTerm, 422, "Not in the vocabulary"),
        (.accuracyTooLow, 422, "The position is not accurate enough"),
        (.notAPicture, 422, "Not a picture"),
        (.cannotExport, 422, "Not to be exported so"),
        (.unusableTrails, 422, "No usable trails"),
        (.tooManySpecimens, 422, "Too many specimens"),
        (.cannotDraw, 422, "The overlay cannot be drawn"),
        (.unsupportedFrame, 422, "The camera's frames cannot be stamped"),
        (.tooManyRequests, 429, "Too many requests"),
        (.headersTooLarge, 431, "The headers are too large"),
        (.internalError, 500, "Internal error"),
        (.cannotStamp, 500, "The frame cannot be stamped"),
        (.cameraUnavailable, 503, "No picture from the camera"),
        (.archiveUnavailable, 503, "The archive cannot be written"),
        (.indexRebuilding, 503, "The index is being made"),
        (.unavailable, 503, "Not available now"),
        (.insufficientStorage, 507, "No room in the archive"),
    ]

    /// The HTTP status that goes with the kind; 500 for a kind that this code does not know.
    public var status: Int { Self.all.first { $0.kind == self }?.status ?? 500 }

    /// The kind in words.
    public var title: String { Self.all.first { $0.kind == self }?.title ?? rawValue }
}
