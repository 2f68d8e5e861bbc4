internal import KonzaModel

/// Which addresses a text may refer to.
public enum MarkupAddress {
    /// The most bytes of an address.
    static let longest = 2000

    /// An address that a person may follow: http, https, tel (RFC 3966) or mailto without header fields (RFC 6068).
    ///
    /// - Parameter text: as it was written.
    /// - Returns: the address with its scheme in lower case and what is not ASCII percent-encoded (RFC 3987 section 3.1); nil for
    ///   any other.
    public static func link(_ text: String) -> String? {
        guard text.utf8.count <= longest, let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = String(text[..<colon]).lowercased()
        let rest = text[text.index(after: colon)...]
        switch scheme {
        case "http", "https":
            let address = "\(scheme):" + encoded(rest)
            guard rest.hasPrefix("//"), TextRule.isWebAddress(address) else { return nil }
            let host = address.dropFirst(scheme.utf8.count + 3).prefix { !"/?#".contains($0) }
            // A user before the host makes one address look like another (RFC 3986 section 7.6).
            guard !host.isEmpty, host.utf8.allSatisfy(isOfHost) else { return nil }
            return address
        case "tel":
            let number = rest.filter { !"-.() ".contains($0) }
            let digits = number.hasPrefix("+") ? number.dropFirst() : number[...]
            guard (2...20).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            return "tel:\(number)"
        case "mailto":
            return mailbox(String(rest)).map { "mailto:\($0)" }
        default: return nil
        }
    }

    /// One mailbox as it stands in a mailto address; nil where it is none, or has header fields behind it.
    public static func mailbox(_ text: String) -> String? {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...64).contains(parts[0].utf8.count), (1...253).contains(parts[1].utf8.count),
            parts[0].utf8.allSatisfy({ isAlphanumeric($0) || "!#$*+-_.~'".utf8.contains($0) }),
            parts[1].utf8.allSatisfy({ isAlphanumeric($0) || $0 == 0x2D || $0 == 0x2E }),
            !parts[1].hasPrefix("."), !parts[1].hasSuffix(".")
        else { return nil }
        return text
    }

    /// The name of a picture that lies beside the text: no folder, no hidden file.
    ///
    /// - Returns: the name; nil for any other address.
    public static func picture(_ text: String) -> String? {
        let name = text.hasPrefix("./") ? String(text.dropFirst(2)) : text
        guard (5...100).contains(name.utf8.count), !name.hasPrefix("."), !name.contains(".."),
            name.utf8.allSatisfy({ isAlphanumeric($0) || "-_.".utf8.contains($0) }),
            [".jpg", ".jpeg", ".png", ".webp"].contains(where: { name.lowercased().hasSuffix($0) })
        else { return nil }
        return name
    }

    private static func encoded(_ text: Substring) -> String {
        var result = ""
        for byte in text.utf8 {
            if byte > 0x20, byte < 0x7F {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else if byte >= 0x80 {
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%\(digits)"
            } else {
                // A space or a control character is in no address; the check that follows refuses it.
                result += " "
            }
        }
        return result
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "-._:[]%".utf8.contains(byte)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
