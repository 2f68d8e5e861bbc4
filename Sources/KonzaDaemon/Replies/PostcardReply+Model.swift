internal import KonzaAPI
internal import KonzaModel

extension PostcardReply {
    /// A kept postcard as the API shows it.
    init(_ record: PostcardRecord) {
        let root = "/v1/postcards/\(record.id)"
        self.init(
            id: record.id.description, createdAt: record.createdAt, requestedAt: record.requestedAt,
            exposedAt: record.exposedAt, timeSource: record.timeSource.rawValue, template: record.template,
            place: record.place, width: record.width, height: record.height, bytes: record.byteCount,
            source: record.cameraSource, stamping: Stamping(way: record.stamping),
            links: Links(
                image: "\(root)/image.jpg", original: record.hasOriginal ? "\(root)/original.jpg" : nil,
                thumbnail: "\(root)/thumbnail.jpg", animation: record.hasAnimation ? "\(root)/animation" : nil))
        message = record.message
        layout = record.layout?.rawValue
        shots = record.shots?.map { Shot(requestedAt: $0.requestedAt, exposedAt: $0.exposedAt) }
        sha256 = record.sha256
        receiverTime = record.receiverTime
        position = record.position.map { PositionReply($0) }
    }
}
