internal import FoundationEssentials
internal import KonzaModel

/// A message as it is mailed (RFC 5322, RFC 2045, RFC 2047).
enum MailText {
    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// - Parameters:
    ///   - message: what it says, and to whom.
    ///   - from: the sender's address.
    ///   - now: its date.
    /// - Returns: lines that end with CRLF, none longer than 78 characters but addresses.
    static func message(_ message: StationMessage, from: String, at now: UTCInstant) -> [UInt8] {
        let host = from.split(separator: "@").last.map(String.init) ?? "localhost"
        let lines = [
            "From: <\(from)>", "To: <\(message.recipient)>", "Subject: \(subject(message.subject))",
            "Date: \(date(now))",
            // The same for each attempt, by which a second copy is known as one.
            "Message-ID: <\(message.id)@\(host)>", "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64", "",
        ]
        return Array((lines + base64(message.body)).map { "\($0)\r\n" }.joined().utf8)
    }

    /// RFC 5322 section 3.3.
    static func date(_ instant: UTCInstant) -> String {
        let time = CivilTime(instant)
        let day = Int((instant.nanoseconds / 1_000_000_000).quotientAndRemainder(dividingBy: 86_400).quotient)
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        // 1970-01-01 was a Thursday.
        return "\(days[((day + 3) % 7 + 7) % 7]), \(two(time.day)) \(months[time.month - 1]) \(time.year) "
            + "\(two(time.hour)):\(two(time.minute)):\(two(time.second)) +0000"
    }

    /// Words of at most 45 bytes, each an encoded one where not all is plain (RFC 2047 section 2).
    static func subject(_ text: String) -> String {
        let clean = TextRule.cleaned(text)
        if clean.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }), clean.utf8.count <= 60 { return clean }
        var words: [String] = []
        var word = ""
        for character in clean.prefix(200) {
            if word.utf8.count + character.utf8.count > 45 {
                words.append(word)
                word = ""
            }
            word.append(character)
        }
        words.append(word)
        return words.map { "=?utf-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }

    private static func base64(_ text: String) -> [String] {
        let encoded = Array(
            Data(text.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n").utf8).base64EncodedString().utf8)
        return stride(from: 0, to: encoded.count, by: 76).map {
            String(decoding: encoded[$0..<min($0 + 76, encoded.count)], as: UTF8.self)
        }
    }
}

/// A message that the portal has the courier send.
struct StationMessage: Decodable {
    let id: String
    let lease: String
    let way: String
    let recipient: String
    let subject: String
    let body: String
    let about: String
    let writtenAt: String
}

/// HMAC-SHA256 (RFC 2104).
enum MessageSignature {
    static func hexadecimal(_ message: [UInt8], key: [UInt8]) -> String {
        var key = key.count > 64 ? digest(key) : key
        key += [UInt8](repeating: 0, count: 64 - key.count)
        var outer = SHA256()
        outer.update(key.map { $0 ^ 0x5C } + digest(key.map { $0 ^ 0x36 } + message))
        return outer.hexadecimal()
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.digest()
    }
}
