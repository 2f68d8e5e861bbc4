internal import Glibc
internal import KonzaSystem

/// One client of the stand-in: bytes in, requests out, bytes back.
final class StandInConnection {
    /// A request with a greater body is refused.
    static let mostBodyBytes = 64 * 1024 * 1024
    private static let mostHeadBytes = 64 * 1024

    enum Reading {
        case request(StandInRequest)
        case incomplete
        case broken
    }

    let descriptor: Int32
    private var input: [UInt8] = []
    private var head: Head?
    private var output: ArraySlice<UInt8> = []
    private(set) var isEnding = false
    /// Nobody answers on it any more.
    var isSilent = false
    /// Output waits until then.
    var notBefore: Int64 = 0

    private struct Head {
        let method: String
        let target: String
        let headers: [String: String]
        let length: Int
    }

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    var hasOutput: Bool { !output.isEmpty }

    /// - Returns: false once the client is gone.
    func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let descriptor = self.descriptor
        let count = unsafe buffer.withUnsafeMutableBytes {
            unsafe recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
        }
        guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
        if !isSilent { input += buffer[..<count] }
        return true
    }

    func queue(_ bytes: [UInt8], thenEnd: Bool) {
        output += bytes
        isEnding = thenEnd
    }

    func end() { isEnding = true }

    /// - Returns: false when there is nothing more to do with it.
    func flush() -> Bool {
        while !output.isEmpty {
            let descriptor = self.descriptor
            let count = unsafe output.withUnsafeBytes {
                unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            guard count > 0 else { return errno == EAGAIN || errno == EINTR }
            output = output.dropFirst(count)
        }
        return !isEnding
    }

    func next() -> Reading {
        if head == nil {
            guard let end = input.firstRange(of: Array("\r\n\r\n".utf8)) else {
                return input.count > Self.mostHeadBytes ? .broken : .incomplete
            }
            guard let parsed = Self.parse(input[..<end.lowerBound]) else { return .broken }
            head = parsed
            input.removeFirst(end.upperBound)
        }
        guard let head else { return .incomplete }
        guard head.length <= Self.mostBodyBytes else { return .broken }
        let isChunked = head.headers["transfer-encoding"]?.lowercased().contains("chunked") == true
        var body: [UInt8] = []
        if isChunked {
            guard let end = input.firstRange(of: Array("0\r\n\r\n".utf8)) else { return .incomplete }
            input.removeFirst(end.upperBound)
        } else {
            guard input.count >= head.length else { return .incomplete }
            body = Array(input.prefix(head.length))
            input.removeFirst(head.length)
        }
        self.head = nil
        let parts = head.target.split(separator: "?", maxSplits: 1)
        return .request(
            StandInRequest(
                method: head.method, path: standInDecoded(parts.first ?? ""),
                query: standInQuery(parts.count > 1 ? parts[1] : ""), headers: head.headers, body: body,
                isChunked: isChunked))
    }

    private static func parse(_ bytes: ArraySlice<UInt8>) -> Head? {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers[line[..<colon].lowercased()] = String(value)
        }
        guard let length = Int(headers["content-length"] ?? "0"), length >= 0 else { return nil }
        return Head(method: String(words[0]), target: String(words[1]), headers: headers, length: length)
    }
}

/// Decodes a part of a URL; `+` is a space, as in Django.
func standInDecoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
            bytes.append(value)
            rest = rest.dropFirst(2)
        } else {
            bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}

func standInQuery(_ text: Substring) -> [String: String] {
    var query: [String: String] = [:]
    for pair in text.split(separator: "&") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        if let name = parts.first { query[standInDecoded(name)] = parts.count > 1 ? standInDecoded(parts[1]) : "" }
    }
    return query
}
