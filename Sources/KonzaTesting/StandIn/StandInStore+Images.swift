internal import Glibc
internal import KonzaAPI

extension StandInStore {
    /// `POST /api/images/`: every refusal is a 404, and it is not idempotent.
    mutating func addImage(_ request: StandInRequest, _ user: User?) -> StandInAnswer {
        let status = quirks.refusesImagesWith404 ? 404 : 400
        func refused(_ words: String) -> StandInAnswer { .error(status, .string(words)) }
        guard let user else { return .detail(401, "Authentication credentials were not provided.") }
        guard !request.isChunked || !quirks.ignoresChunkedBodies else { return refused("no image file provided") }
        guard let form = StandInForm(request) else { return refused("no image file provided") }
        guard let file = form.file, let fileName = form.fileName else { return refused("no image file provided") }
        let isImage = file.starts(with: [0xFF, 0xD8, 0xFF]) || file.starts(with: [0x89, 0x50, 0x4E, 0x47])
        guard isImage else { return refused("not an image") }
        guard let owner = form.fields["owner"] else { return refused("\"'owner'\"") }
        guard let index = samples.firstIndex(where: { $0.id == form.fields["sample"] }) else {
            return refused("no sample")
        }
        guard samples[index].ownerID == owner, user.id == owner else { return refused("not the owner") }
        guard let type = form.fields["image_type"].flatMap({ Int($0) }), (1...16).contains(type) else {
            return refused("bad type")
        }
        let scale = form.fields["scale"]
        guard scale.map({ Int16($0) != nil }) ?? true else { return refused("bad scale") }
        guard (form.fields["description"]?.unicodeScalars.count ?? 0) <= 1024,
            (form.fields["collector"]?.unicodeScalars.count ?? 0) <= 50
        else { return refused("value too long") }
        if quirks.imagesAlwaysFail {
            return .traceback("AssertionError: The `.create()` method does not support writable nested fields", request)
        }
        let image = StandInImage(
            id: Self.newID(), fileName: stored(Self.valid(fileName)), ownerID: owner, imageType: type,
            scale: scale.flatMap { Int($0) }, description: form.fields["description"],
            collector: form.fields["collector"], isPublic: form.fields["public_data"] == "true", bytes: file)
        samples[index].images.append(image)
        return .json(201, json(image))
    }

    /// `/media/...`: the bytes of an image, which are also those of its thumbnail; for anyone who knows the address.
    func media(_ request: StandInRequest) -> StandInAnswer {
        let image = samples.flatMap(\.images).first { image in
            let folder = image.id.replacing("-", with: "/")
            let paths = ["/media/\(folder)/\(image.fileName)", "/media/__sized__/\(folder)/thumbnail.jpg"]
            return paths.contains(request.path)
        }
        // The type that a careless server gives.
        return image.map { StandInAnswer(status: 200, type: "text/html", body: $0.bytes) } ?? .page(404)
    }

    /// The name that a storage gives a file.
    private func stored(_ name: String) -> String {
        guard quirks.renamesImages, let dot = name.lastIndex(of: ".") else { return name }
        return "\(name[..<dot])_\(Self.newID().filter { $0 != "-" }.prefix(7))\(name[dot...])"
    }

    /// What Django makes of a file name.
    private static func valid(_ name: String) -> String {
        String(name.map { $0 == " " ? "_" : $0 }.filter { $0.isLetter || $0.isNumber || "-_.".contains($0) })
    }
}

/// A body of `multipart/form-data` (RFC 7578) taken apart.
private struct StandInForm {
    var fields: [String: String] = [:]
    var file: [UInt8]?
    var fileName: String?

    init?(_ request: StandInRequest) {
        guard let type = request.headers["content-type"], type.hasPrefix("multipart/form-data"),
            let mark = type.firstRange(of: "boundary=")
        else { return nil }
        let delimiter = Array("\r\n--\(type[mark.upperBound...])".utf8)
        let body = Array("\r\n".utf8) + request.body
        var position = 0
        var starts: [Int] = []
        while let found = Self.find(delimiter, in: body, from: position) {
            starts.append(found)
            position = found + delimiter.count
        }
        for (start, end) in zip(starts, starts.dropFirst()) {
            add(body[(start + delimiter.count + 2)..<end])
        }
        guard starts.count > 1 else { return nil }
    }

    private mutating func add(_ part: ArraySlice<UInt8>) {
        let blank = Array("\r\n\r\n".utf8)
        guard let end = Self.find(blank, in: Array(part.prefix(2000)), from: 0) else { return }
        let head = String(decoding: part.prefix(end), as: UTF8.self)
        let content = part.dropFirst(end + blank.count)
        guard let name = Self.parameter("name", head) else { return }
        if let fileName = Self.parameter("filename", head) {
            self.fileName = fileName
            file = Array(content)
        } else {
            fields[name] = String(decoding: content, as: UTF8.self)
        }
    }

    private static func parameter(_ name: String, _ head: String) -> String? {
        guard let start = head.firstRange(of: " \(name)=\"") else { return nil }
        return String(head[start.upperBound...].prefix { $0 != "\"" })
    }

    private static func find(_ needle: [UInt8], in bytes: [UInt8], from: Int) -> Int? {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe needle.withUnsafeBytes { needle in
                guard let base = bytes.baseAddress, let wanted = needle.baseAddress else { return nil }
                var offset = from
                while offset + needle.count <= bytes.count {
                    let left = bytes.count - offset
                    guard let hit = unsafe memchr(base + offset, Int32(needle[0]), left) else { return nil }
                    offset = unsafe UnsafeRawPointer(hit) - base
                    guard offset + needle.count <= bytes.count else { return nil }
                    if unsafe memcmp(base + offset, wanted, needle.count) == 0 { return offset }
                    offset += 1
                }
                return nil
            }
        }
    }
}
