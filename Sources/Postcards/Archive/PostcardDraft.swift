public import KonzaModel
public import Storage

/// A postcard that is to be kept.
public struct PostcardDraft: Sendable {
    /// The id that was given out for it (`PostcardArchive.newID()`); nil for a new one.
    public var id: PostcardID?
    /// The stamped picture, a whole JPEG.
    public var postcard: FileContent
    /// The camera's frame, if it is to be kept too.
    public var original: FileContent?
    public var thumbnail: FileContent?
    /// A burst as an animated picture (WebP).
    public var animation: FileContent?
    /// When it came to be; nil for the archive's clock.
    public var createdAt: UTCInstant?
    /// When it was asked for, or the countdown ended.
    public var requestedAt: UTCInstant
    public var exposedAt: UTCInstant
    public var template: String
    public var message: String?
    public var place: String
    /// Pixels, of the postcard's picture.
    public var width: Int
    public var height: Int
    /// How the overlay came into the picture, as the stamping engine names it.
    public var stamping: String
    public var cameraSource: SourceKind
    public var camera: String?
    public var position: PositionAtInstant?
    public var timeSource: TimeSource
    /// The exposure by the receiver's time, where that contradicts the system's clock.
    public var receiverTime: UTCInstant?
    public var isProtected: Bool
    /// How the pictures of a collage lie; nil for a postcard of one picture.
    public var layout: CollageLayout?
    /// The pictures of a collage, in their order.
    public var shots: [ExposedShot]?
    /// The request's key: a repeated request finds this postcard.
    public var idempotency: IdempotencyKey?

    public init(
        postcard: FileContent, original: FileContent? = nil, thumbnail: FileContent? = nil,
        createdAt: UTCInstant? = nil, requestedAt: UTCInstant, exposedAt: UTCInstant, template: String,
        message: String? = nil, place: String, width: Int, height: Int, stamping: String, cameraSource: SourceKind,
        camera: String? = nil, position: PositionAtInstant? = nil, timeSource: TimeSource = .system,
        isProtected: Bool = false, idempotency: IdempotencyKey? = nil
    ) {
        self.postcard = postcard
        self.original = original
        self.thumbnail = thumbnail
        self.createdAt = createdAt
        self.requestedAt = requestedAt
        self.exposedAt = exposedAt
        self.template = template
        self.message = message
        self.place = place
        self.width = width
        self.height = height
        self.stamping = stamping
        self.cameraSource = cameraSource
        self.camera = camera
        self.position = position
        self.timeSource = timeSource
        self.isProtected = isProtected
        self.idempotency = idempotency
    }

    /// The record that keeping the draft under an id makes.
    func record(id: PostcardID, createdAt: UTCInstant) -> PostcardRecord {
        var record = PostcardRecord(
            id: id, createdAt: createdAt, requestedAt: requestedAt, exposedAt: exposedAt, template: template,
            message: message, place: place, width: width, height: height, byteCount: postcard.count,
            sha256: postcard.sha256(), stamping: stamping, cameraSource: cameraSource, camera: camera,
            position: position, timeSource: timeSource, receiverTime: receiverTime, isProtected: isProtected,
            originalByteCount: original?.count, thumbnailByteCount: thumbnail?.count)
        record.animationByteCount = animation?.count
        record.layout = layout
        record.shots = shots
        return record
    }

    /// What cannot be kept about the draft, in words.
    var complaint: String? {
        if postcard.count == 0 { return "the postcard has no bytes" }
        let times =
            [createdAt, requestedAt, exposedAt, position?.time, receiverTime].compactMap(\.self)
            + (shots ?? []).flatMap { [$0.requestedAt, $0.exposedAt] }
        // What RFC 3339 text is read back from.
        if times.contains(where: { !(1678...2261).contains(CivilTime($0).year) }) { return "a time is out of range" }
        if width <= 0 || height <= 0 { return "the picture has no size" }
        return idempotency?.complaint
    }
}
