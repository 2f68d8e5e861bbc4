internal import JSONCoding
internal import KonzaModel
internal import Storage

/// What is written beside each picture and into its row, so that either can be made from the other. Times are RFC
/// 3339 with nanoseconds; members that are not known are left out.
struct Sidecar: Codable {
    /// Raised when an old program could misread a new sidecar.
    static let format = 1
    /// No sidecar is larger, bytes.
    static let maximumSize = 65_536
    /// No file of a postcard is larger, bytes: sums of what sidecars say stay far from overflowing.
    static let sizes = 1...(1 << 40)

    var format = Self.format
    var id: PostcardID
    var createdAt: ExactInstant
    var requestedAt: ExactInstant
    var exposedAt: ExactInstant
    var template: String
    var message: String?
    var place: String
    var width: Int
    var height: Int
    var byteCount: Int
    var sha256: String
    var stamping: String
    var cameraSource: SourceKind
    var camera: String?
    var position: StoredPosition?
    var timeSource: TimeSource
    var receiverTime: ExactInstant?
    var isProtected: Bool
    var originalByteCount: Int?
    var thumbnailByteCount: Int?
    var animationByteCount: Int?
    /// Of a collage alone.
    var layout: CollageLayout?
    var shots: [StoredShot]?
    var idempotency: IdempotencyKey?

    init(_ record: PostcardRecord, idempotency: IdempotencyKey? = nil) {
        id = record.id
        createdAt = ExactInstant(record.createdAt)
        requestedAt = ExactInstant(record.requestedAt)
        exposedAt = ExactInstant(record.exposedAt)
        template = record.template
        message = record.message
        place = record.place
        width = record.width
        height = record.height
        byteCount = record.byteCount
        sha256 = record.sha256
        stamping = record.stamping
        cameraSource = record.cameraSource
        camera = record.camera
        position = record.position.map(StoredPosition.init)
        timeSource = record.timeSource
        receiverTime = record.receiverTime.map(ExactInstant.init)
        isProtected = record.isProtected
        originalByteCount = record.originalByteCount
        thumbnailByteCount = record.thumbnailByteCount
        animationByteCount = record.animationByteCount
        layout = record.layout
        shots = record.shots?.map(StoredShot.init)
        self.idempotency = idempotency
    }

    var record: PostcardRecord {
        var record = PostcardRecord(
            id: id, createdAt: createdAt.instant, requestedAt: requestedAt.instant, exposedAt: exposedAt.instant,
            template: template, message: message, place: place, width: width, height: height, byteCount: byteCount,
            sha256: sha256, stamping: stamping, cameraSource: cameraSource, camera: camera,
            position: position?.position, timeSource: timeSource, receiverTime: receiverTime?.instant,
            isProtected: isProtected, originalByteCount: originalByteCount, thumbnailByteCount: thumbnailByteCount)
        record.animationByteCount = animationByteCount
        record.layout = layout
        record.shots = shots?.map {
            ExposedShot(requestedAt: $0.requestedAt.instant, exposedAt: $0.exposedAt.instant)
        }
        return record
    }

    /// The bytes of all the postcard's files, the sidecar being `size` bytes long.
    func storedBytes(sidecarSize size: Int) -> Int64 {
        [byteCount, originalByteCount ?? 0, thumbnailByteCount ?? 0, animationByteCount ?? 0, size].reduce(0) {
            $0.addingClamped(Int64($1))
        }
    }

    /// - Throws: `StorageError.invalid` for values that JSON cannot hold or that are too long.
    func encoded() throws(StorageError) -> [UInt8] {
        // A value that is not a number should have been left out long before; it must not cost a visitor the postcard.
        guard let text = try? JSONText.encode(self, nonFinite: .words) else {
            throw .invalid("the postcard's values cannot be written")
        }
        guard text.count <= Self.maximumSize else { throw .invalid("the postcard's texts are too long") }
        return text
    }

    /// - Returns: nil if the bytes are not a sidecar of this format.
    init?(encoded bytes: [UInt8]) {
        guard let sidecar = try? JSONText.decode(Sidecar.self, from: bytes, nonFinite: .words),
            sidecar.format == Self.format,
            [
                sidecar.byteCount, sidecar.originalByteCount ?? 1, sidecar.thumbnailByteCount ?? 1,
                sidecar.animationByteCount ?? 1,
            ]
            .allSatisfy(Self.sizes.contains)
        else { return nil }
        self = sidecar
    }
}

/// When one picture of a collage was taken.
struct StoredShot: Codable {
    var requestedAt: ExactInstant
    var exposedAt: ExactInstant

    init(_ shot: ExposedShot) {
        requestedAt = ExactInstant(shot.requestedAt)
        exposedAt = ExactInstant(shot.exposedAt)
    }
}

/// An instant that is written without loss.
struct ExactInstant: Codable {
    let instant: UTCInstant

    init(_ instant: UTCInstant) { self.instant = instant }

    init(from decoder: any Decoder) throws {
        instant = try UTCInstant(from: decoder)
    }

    /// RFC 3339 with nine digits of the second's fraction: the order of the texts is that of the instants.
    var text: String {
        let fraction = String(CivilTime(instant).nanosecond)
        let zeros = String(repeating: "0", count: 9 - fraction.count)
        // The first 20 characters end with the point before the fraction.
        return "\(instant.rfc3339.prefix(20))\(zeros)\(fraction)Z"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// The position at the exposure, all members of `PositionAtInstant`.
struct StoredPosition: Codable {
    var time: ExactInstant
    var latitude: Double
    var longitude: Double
    var mode: FixMode
    var status: FixStatus
    var altitudeHAE: Double?
    var altitudeMSL: Double?
    var geoidSeparation: Double?
    var speed: Double?
    var track: Double?
    var accuracy: Accuracy?
    var verticalAccuracy: Accuracy?
    var dop: DilutionOfPrecision
    var satellitesUsed: Int?
    var method: PositionAtInstant.Method
    var gapSeconds: Double
    var source: SourceKind

    init(_ position: PositionAtInstant) {
        time = ExactInstant(position.time)
        latitude = position.coordinate.latitude
        longitude = position.coordinate.longitude
        mode = position.mode
        status = position.status
        altitudeHAE = position.altitudeHAE
        altitudeMSL = position.altitudeMSL
        geoidSeparation = position.geoidSeparation
        speed = position.speed
        track = position.track
        accuracy = position.accuracy
        verticalAccuracy = position.verticalAccuracy
        dop = position.dop
        satellitesUsed = position.satellitesUsed
        method = position.method
        gapSeconds = position.gapSeconds
        source = position.source
    }

    /// nil if the coordinate is out of range, which only a damaged sidecar holds.
    var position: PositionAtInstant? {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        var position = PositionAtInstant(
            time: time.instant, coordinate: coordinate, mode: mode, status: status, method: method,
            gapSeconds: gapSeconds, source: source)
        position.altitudeHAE = altitudeHAE
        position.altitudeMSL = altitudeMSL
        position.geoidSeparation = geoidSeparation
        position.speed = speed
        position.track = track
        position.accuracy = accuracy
        position.verticalAccuracy = verticalAccuracy
        position.dop = dop
        position.satellitesUsed = satellitesUsed
        return position
    }
}
