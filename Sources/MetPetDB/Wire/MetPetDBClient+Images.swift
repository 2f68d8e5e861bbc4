internal import FoundationEssentials
internal import HTTPTransfer
internal import KonzaModel

/// What is sent with a picture.
struct ImageFields {
    let sampleID: String
    let ownerID: String
    /// The server's number of the type.
    let imageType: String
    /// Safe: see ``PhotographNames``.
    let fileName: String
    let mediaType: String
    var scale: Int?
    var description: String?
    var collector: String?
    var isPublic: Bool
}

extension MetPetDBClient {
    /// Uploads a picture from a file. It is not idempotent: look at the sample's images first.
    ///
    /// - Returns: the server's id of it.
    func uploadImage(
        _ fields: ImageFields, path: String, byteCount: Int, onSent: @escaping (_ sent: Int, _ total: Int) -> Void
    ) throws(MetPetDBError) -> String {
        let boundary = Self.boundary()
        var head = ""
        func add(_ name: String, _ value: String) {
            head += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }
        add("sample", fields.sampleID)
        add("owner", fields.ownerID)
        add("image_type", fields.imageType)
        add("public_data", fields.isPublic ? "true" : "false")
        if let scale = fields.scale { add("scale", String(scale)) }
        if let collector = fields.collector { add("collector", collector) }
        if let description = fields.description { add("description", description) }
        head += "--\(boundary)\r\nContent-Disposition: form-data; name=\"image\"; filename=\"\(fields.fileName)\"\r\n"
        head += "Content-Type: \(fields.mediaType)\r\n\r\n"
        let body = UploadBody([
            .bytes(Array(head.utf8)), .file(path: path, byteCount: byteCount),
            .bytes(Array("\r\n--\(boundary)--\r\n".utf8)),
        ])
        let answer = try upload(
            "/api/images/", body, type: "multipart/form-data; boundary=\(boundary)", what: "upload the photograph"
        ) { onSent($0, body.byteCount) }
        return try decode(RemoteImage.self, answer).id
    }

    /// 144 random bits: no file holds it by chance.
    private static func boundary() -> String {
        (0..<3).reduce("konza") { text, _ in text + String(UInt64.random(in: .min ... .max) >> 16, radix: 36) }
    }
}
