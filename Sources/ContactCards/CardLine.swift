internal import KonzaModel

/// A line of a vCard: unfolded, its parameters apart, its value decoded (RFC 6350 section 3.3, RFC 2426, vCard 2.1).
struct CardLine {
    /// In capitals, without the group before it.
    let name: String
    /// By their names in capitals, values in lower case; of `TYPE` all, also those that vCard 2.1 writes without a name.
    let parameters: [String: [String]]
    let value: String
    /// Counted from 1.
    let line: Int

    /// The value at its semicolons or commas, with the escapes undone.
    func parts(_ separator: Unicode.Scalar) -> [String] {
        var parts = [String.UnicodeScalarView()]
        var isEscaped = false
        for scalar in value.unicodeScalars {
            if isEscaped {
                isEscaped = false
                parts[parts.count - 1].append(scalar == "n" || scalar == "N" ? "\n" : scalar)
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == separator {
                guard parts.count < 100 else { break }
                parts.append(String.UnicodeScalarView())
            } else {
                parts[parts.count - 1].append(scalar)
            }
        }
        return parts.map { String($0) }
    }

    /// The whole value as text of one line, or of several; nil if it shows nothing.
    func text(upTo limit: Int, hasLines: Bool = false) -> String? {
        CardText.clean(parts("\0").joined(), upTo: limit, hasLines: hasLines)
    }
}

enum CardText {
    static func clean(_ text: String, upTo limit: Int, hasLines: Bool = false) -> String? {
        let plain = hasLines ? text : String(text.map { $0.isNewline ? " " : $0 })
        var kept = TextRule.cleaned(plain, hasLines: hasLines)[...]
        while kept.first?.isWhitespace == true { kept.removeFirst() }
        while kept.last?.isWhitespace == true { kept.removeLast() }
        let scalars = kept.unicodeScalars
        let text =
            scalars.count > limit ? String(String.UnicodeScalarView(scalars.prefix(limit - 1))) + "…" : String(kept)
        return TextRule.isVisible(text) ? text : nil
    }
}

/// Takes a file of vCards apart into lines.
struct CardLines: Sequence, IteratorProtocol {
    /// The most bytes of one line, joined; what is beyond is left out.
    static let longest = 64 << 10

    private let bytes: [UInt8]
    private var place = 0
    private var number = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    }

    mutating func next() -> CardLine? {
        while place < bytes.count {
            let line = number
            var joined = takePhysical(room: Self.longest)
            // A line of quoted-printable goes on behind a last equals sign (RFC 2045 section 6.7).
            while joined.last == 0x3D, place < bytes.count, Self.isQuotedPrintable(joined) {
                joined.removeLast()
                joined += takePhysical(room: Self.longest - joined.count)
            }
            while place < bytes.count, bytes[place] == 0x20 || bytes[place] == 0x09 {
                place += 1
                joined += takePhysical(room: Self.longest - joined.count)
            }
            if !joined.isEmpty { return Self.split(joined, line) }
        }
        return nil
    }

    private mutating func takePhysical(room: Int) -> ArraySlice<UInt8> {
        let end = bytes[place...].firstIndex(of: 0x0A) ?? bytes.count
        var last = end
        if last > place, bytes[last - 1] == 0x0D { last -= 1 }
        let part = bytes[place..<Swift.min(last, place + Swift.max(0, room))]
        place = end + 1
        number += 1
        return part
    }

    private static func isQuotedPrintable(_ line: ArraySlice<UInt8>) -> Bool {
        let head = String(decoding: line.prefix { $0 != 0x3A }.prefix(200), as: UTF8.self)
        return head.uppercased().split(separator: ";").contains { $0.hasSuffix("QUOTED-PRINTABLE") }
    }

    private static func split(_ bytes: ArraySlice<UInt8>, _ line: Int) -> CardLine {
        var isQuoted = false
        var cuts: [Int] = []
        var colon: Int?
        for (index, byte) in zip(bytes.indices, bytes) {
            switch byte {
            case 0x22: isQuoted.toggle()
            case 0x3B where !isQuoted: cuts.append(index)
            case 0x3A where !isQuoted: colon = index
            default: break
            }
            if colon != nil { break }
        }
        guard let colon else { return CardLine(name: "", parameters: [:], value: "", line: line) }
        var parameters: [String: [String]] = [:]
        for (index, cut) in cuts.prefix(50).enumerated() {
            let end = index + 1 < cuts.count ? cuts[index + 1] : colon
            let part = String(decoding: bytes[(cut + 1)..<end].filter { $0 != 0x22 }, as: UTF8.self)
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let word = pair[0].uppercased()
            if pair.count == 2 {
                parameters[word, default: []] += pair[1].lowercased().split(separator: ",").map(String.init)
            } else if word == "QUOTED-PRINTABLE" || word == "BASE64" {
                parameters["ENCODING", default: []].append(word.lowercased())
            } else {
                parameters["TYPE", default: []].append(word.lowercased())
            }
        }
        let head = String(decoding: bytes[bytes.startIndex..<(cuts.first ?? colon)], as: UTF8.self).uppercased()
        let name = head.split(separator: ".").last.map(String.init) ?? ""
        return CardLine(
            name: name, parameters: parameters, value: decoded(bytes[(colon + 1)...], parameters), line: line)
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>, _ parameters: [String: [String]]) -> String {
        var bytes = Array(bytes)
        if parameters["ENCODING"]?.contains("quoted-printable") == true { bytes = quotedPrintable(bytes) }
        let charset = parameters["CHARSET"]?.first ?? "utf-8"
        guard charset == "iso-8859-1" || charset == "windows-1252" || charset == "latin1" else {
            return String(decoding: bytes, as: UTF8.self)
        }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func quotedPrintable(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var place = 0
        func digit(_ at: Int) -> UInt8? {
            guard at < bytes.count else { return nil }
            switch bytes[at] {
            case 0x30...0x39: return bytes[at] - 0x30
            case 0x41...0x46, 0x61...0x66: return (bytes[at] & 0xDF) - 0x37
            default: return nil
            }
        }
        while place < bytes.count {
            if bytes[place] == 0x3D, let high = digit(place + 1), let low = digit(place + 2) {
                result.append(high << 4 | low)
                place += 3
            } else {
                result.append(bytes[place])
                place += 1
            }
        }
        return result
    }
}
