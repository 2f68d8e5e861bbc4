/// Telephone numbers as addresses (RFC 3966).
public enum PhoneNumber {
    /// The address that dials a number: `tel:+…`, global, without separators, an extension behind it.
    ///
    /// - Parameter text: as people write it, with the country: `+1 (785) 555-0100 x12`.
    /// - Returns: nil for a number without its country, which means something else elsewhere.
    public static func address(_ text: String) -> String? {
        let (number, tail) = split(text)
        let digits = number.filter { !"-.() /\u{A0}".contains($0) }
        guard digits.hasPrefix("+"), (7...15).contains(digits.utf8.count - 1),
            digits.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        guard let tail else { return "tel:\(digits)" }
        let more = tail.filter { !"-.() ".contains($0) }
        guard (1...10).contains(more.utf8.count), more.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return "tel:\(digits);ext=\(more)"
    }

    /// The number as it is shown: that of an address with its extension behind an x.
    static func shown(_ text: String) -> String {
        let (number, tail) = split(text)
        return tail.map { "\(number) x\($0)" } ?? text
    }

    /// The number, and the extension behind it.
    private static func split(_ text: String) -> (String, String?) {
        let lower = text.lowercased()
        for mark in [";ext=", "extension", "ext.", "ext", "x"] {
            guard let place = index(of: mark, in: lower) else { continue }
            let number = String(text.prefix(place))
            let tail = String(text.dropFirst(place + mark.count))
            return (trimmed(number), trimmed(tail))
        }
        return (text, nil)
    }

    private static func index(of mark: String, in text: String) -> Int? {
        var place = 0
        var rest = text[...]
        while !rest.isEmpty {
            if rest.hasPrefix(mark) { return place }
            rest.removeFirst()
            place += 1
        }
        return nil
    }

    private static func trimmed(_ text: String) -> String {
        var rest = text[...]
        while rest.first?.isWhitespace == true || rest.first == "," { rest.removeFirst() }
        while rest.last?.isWhitespace == true || rest.last == "," { rest.removeLast() }
        return String(rest)
    }
}

/// Mailboxes as addresses (RFC 6068), without header fields.
public enum MailAddress {
    /// - Returns: nil for what is no single mailbox of plain characters.
    public static func address(_ text: String) -> String? {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        func isPlain(_ byte: UInt8, _ others: String) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) && byte != 0x40
                || others.utf8.contains(byte)
        }
        guard parts.count == 2, (1...64).contains(parts[0].utf8.count), (1...253).contains(parts[1].utf8.count),
            parts[0].utf8.allSatisfy({ isPlain($0, "!#$*+-_.~'") }), parts[1].utf8.allSatisfy({ isPlain($0, "-.") }),
            !parts[1].hasPrefix("."), !parts[1].hasSuffix(".")
        else { return nil }
        return "mailto:\(text)"
    }
}
