/// Host names (RFC 1123 section 2.1).
enum HostName {
    static func isName(_ text: Substring) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
                    && label.unicodeScalars.allSatisfy { $0.isASCII && ($0.isLetterOrDigit || $0 == "-") }
            }
    }
}

/// Where a feed is.
enum FeedAddress {
    /// `https` in visible ASCII, or plain `http` to this machine; the position's names in braces are allowed.
    static func isAddress(_ text: Substring) -> Bool {
        guard (9...1000).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return false
        }
        return text.hasPrefix("https://") || LoopbackAddress.isLoopback(text, scheme: "http")
    }
}

/// Mail addresses (RFC 5321 section 4.1.2, without quoted local parts).
enum MailAddress {
    static func isAddress(_ text: Substring) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...64).contains(parts[0].utf8.count), HostName.isName(parts[1]) else { return false }
        return parts[0].unicodeScalars.allSatisfy {
            $0.isASCII && ($0.isLetterOrDigit || "!#$%&'*+-/=?^_`{|}~.".unicodeScalars.contains($0))
        }
    }
}

/// Addresses of this machine.
enum LoopbackAddress {
    static func isLoopback(_ text: Substring, scheme: String) -> Bool {
        guard text.hasPrefix("\(scheme)://") else { return false }
        let authority = text.dropFirst(scheme.count + 3).prefix { !"/?#".contains($0) }
        let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        return ["127.0.0.1", "localhost", "[::1]"].contains(String(host))
    }
}

extension ValueKind where Value == String {
    /// An address of one of these schemes, the first of which is encrypted, or nothing.
    static func address(of schemes: [String]) -> ValueKind {
        ValueKind("address", range: schemes.map { "\($0)://" }.joined(separator: " or ")) { text throws(ValueRefusal) in
            let isFit = text.utf8.count <= 500 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            guard isFit, schemes.contains(where: { text.hasPrefix("\($0)://") }), !text.contains("@") else {
                throw ValueRefusal(
                    "\"\(ConfigurationText.short(text))\" is no address that begins with \(schemes[0])://, without an account in it"
                )
            }
            if schemes.contains("http"), text.hasPrefix("http://"),
                !LoopbackAddress.isLoopback(text[...], scheme: "http")
            {
                throw ValueRefusal("\"\(ConfigurationText.short(text))\" is not encrypted: begin it with https://")
            }
            return text
        } format: {
            $0
        }
    }
}
