/// The head of a reply (RFC 9112): what the bench needs of it to find the reply's end.
struct HTTPHead: Sendable, Equatable {
    let status: Int
    /// Bytes of the head with its empty line.
    let byteCount: Int
    /// Nil if the length is not told ahead.
    let contentLength: Int?

    /// Reads a head.
    ///
    /// - Parameters:
    ///   - bytes: What has come so far.
    ///   - filled: How many of the bytes have come.
    /// - Throws: if it is not HTTP/1.1. The result is nil if the head is not whole yet.
    init?(_ bytes: borrowing [UInt8], filled: Int) throws {
        guard let end = Self.end(bytes, filled) else { return nil }
        byteCount = end
        guard end > 14, bytes[..<9].elementsEqual("HTTP/1.1 ".utf8), let status = Self.number(bytes[9..<12]) else {
            throw BenchError("cannot read a reply: it is not HTTP/1.1")
        }
        self.status = status
        contentLength = try Self.contentLength(bytes, end)
    }

    private static func end(_ bytes: borrowing [UInt8], _ filled: Int) -> Int? {
        guard filled > 3 else { return nil }
        for at in 3..<filled where bytes[at] == 10 {
            if bytes[at - 1] == 13, bytes[at - 2] == 10, bytes[at - 3] == 13 { return at + 1 }
        }
        return nil
    }

    private static let name = Array("content-length:".utf8)

    private static func contentLength(_ bytes: borrowing [UInt8], _ end: Int) throws -> Int? {
        var line = 0
        while line < end {
            var next = line
            while next < end, bytes[next] != 10 { next += 1 }
            if next - line > name.count, isNamed(bytes, line) {
                let value = bytes[line + name.count..<next].filter { $0 != 32 && $0 != 9 && $0 != 13 }
                guard let length = number(value[...]) else {
                    throw BenchError("cannot read a reply: its Content-Length is not a number")
                }
                return length
            }
            line = next + 1
        }
        return nil
    }

    private static func isNamed(_ bytes: borrowing [UInt8], _ line: Int) -> Bool {
        for (offset, letter) in name.enumerated() where bytes[line + offset] | 0x20 != letter | 0x20 { return false }
        return true
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.count < 16 else { return nil }
        var value = 0
        for digit in digits {
            guard (48...57).contains(digit) else { return nil }
            value = value * 10 + Int(digit - 48)
        }
        return value
    }
}
