internal import FoundationEssentials
internal import HTTPTransfer
internal import KonzaModel

extension ObjectClient {
    private static let metadataPrefix = "x-amz-meta-"
    private static let hashName = "sha256"

    /// Content-Length is signed too: what was signed for a picture cannot be used for a film.
    static func headers(of object: ObjectUpload) throws(ObjectStoreError) -> [(name: String, value: String)] {
        guard let hash = Base64.ofHexadecimal(object.sha256) else {
            throw ObjectStoreError(.refused, "cannot store \(object.key): its SHA-256 is not 64 hexadecimal digits")
        }
        var headers: [(name: String, value: String)] = [
            ("If-None-Match", "*"), ("Content-Type", object.contentType), ("Content-Length", "\(object.byteCount)"),
            // Stores that know it compare once more, keep it and tell it (AWS, MinIO, Garage); others pass over it.
            ("x-amz-checksum-sha256", hash), ("\(metadataPrefix)\(hashName)", object.sha256),
        ]
        for (name, value) in object.metadata.sorted(by: { $0.key < $1.key }) {
            let isName =
                !name.isEmpty
                && name.utf8.allSatisfy { byte in
                    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
                }
            // White space at an end, and more than one space, is not signed as it is sent.
            let isValue =
                !value.isEmpty && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
                && !value.contains("  ") && !value.hasPrefix(" ") && !value.hasSuffix(" ")
            guard isName, isValue, name != hashName else {
                throw ObjectStoreError(
                    .refused, "cannot store \(object.key): \(name) cannot be kept with it; use a-z0-9- and plain ASCII")
            }
            headers.append((metadataPrefix + name, value))
        }
        return headers
    }

    static func facts(_ answer: HTTPAnswer) -> ObjectFacts {
        var metadata: [String: String] = [:]
        for header in answer.headers where header.name.hasPrefix(metadataPrefix) {
            metadata[String(header.name.dropFirst(metadataPrefix.count))] = header.value
        }
        let given = metadata.removeValue(forKey: hashName)
        let found = answer.header("x-amz-checksum-sha256").flatMap { Base64.hexadecimal(of: $0) }
        return ObjectFacts(
            byteCount: answer.header("content-length").flatMap { Int($0) }, sha256: found ?? given,
            contentType: answer.header("content-type"), metadata: metadata)
    }

    static func areSame(_ facts: ObjectFacts, _ object: ObjectUpload) -> Bool {
        facts.byteCount == object.byteCount && facts.sha256 == object.sha256
    }

    /// Compares what the store found with what was sent, where it says so.
    func check(_ answer: HTTPAnswer, _ object: ObjectUpload) throws(ObjectStoreError) {
        guard let found = answer.header("x-amz-checksum-sha256").flatMap({ Base64.hexadecimal(of: $0) }),
            found != object.sha256
        else { return }
        throw ObjectStoreError(
            .damaged, "cannot store \(object.key) in \(address): the store holds bytes with another hash (\(found))")
    }
}

/// A hash in the two forms that headers have it in.
enum Base64 {
    /// - Returns: nil unless the text is 64 lower-case hexadecimal digits.
    static func ofHexadecimal(_ text: String) -> String? {
        let digits = Array(text.utf8)
        guard digits.count == 64, digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else {
            return nil
        }
        let bytes = stride(from: 0, to: 64, by: 2).compactMap { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
        }
        return Data(bytes).base64EncodedString()
    }

    /// - Returns: nil unless the text is the Base64 of 32 bytes.
    static func hexadecimal(of text: String) -> String? {
        guard let data = Data(base64Encoded: text), data.count == 32 else { return nil }
        return data.hexadecimal
    }
}
