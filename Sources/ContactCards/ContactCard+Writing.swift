internal import KonzaModel

extension ContactCard {
    /// The most bytes of ``short``: what a QR code holds that telephones read from a screen.
    public static let shortest = 400

    /// The card as vCard 4.0 (RFC 6350).
    public var vCard: String { written(lines(isShort: false)) }

    /// The card in at most ``shortest`` bytes, for a QR code: the name, what reaches the person, then what fits.
    public var short: String {
        var lines = lines(isShort: true)
        // What stands last is worth least.
        while written(lines).utf8.count > Self.shortest, lines.count > 2 { lines.removeLast() }
        return written(lines)
    }

    private func written(_ lines: [String]) -> String {
        (["BEGIN:VCARD", "VERSION:4.0"] + lines + ["END:VCARD"]).map { ContentLineText.folded($0) + "\r\n" }.joined()
    }

    private func lines(isShort: Bool) -> [String] {
        var lines = ["FN:\(ContentLineText.escaped(name))"]
        if !nameParts.isEmpty { lines.append("N:" + nameParts.map(ContentLineText.escaped).joined(separator: ";")) }
        lines += phones.prefix(isShort ? 1 : Self.mostEntries).map { phone in
            let kind = phone.kind.map { ";TYPE=\($0)" } ?? ""
            return phone.address.map { "TEL;VALUE=uri\(kind):\($0)" }
                ?? "TEL\(kind):\(ContentLineText.escaped(phone.text))"
        }
        lines += mails.prefix(isShort ? 1 : Self.mostEntries).map { mail in
            "EMAIL\(mail.kind.map { ";TYPE=\($0)" } ?? ""):\(ContentLineText.escaped(mail.text))"
        }
        if let designation { lines.append("TITLE:\(ContentLineText.escaped(designation))") }
        if let organization { lines.append("ORG:\(ContentLineText.escaped(organization))") }
        if let profile { lines.append("URL:\(profile)") }
        if !addressParts.isEmpty {
            lines.append("ADR:" + addressParts.map(ContentLineText.escaped).joined(separator: ";"))
        }
        guard !isShort else { return lines }
        if !groups.isEmpty { lines.append("CATEGORIES:" + groups.map(ContentLineText.escaped).joined(separator: ",")) }
        lines += interests.map { "INTEREST:\(ContentLineText.escaped($0))" }
        lines += publications.map { "X-PUBLICATION:\(ContentLineText.escaped($0))" }
        if let note { lines.append("NOTE:\(ContentLineText.escaped(note))") }
        if let uid { lines.append("UID:\(ContentLineText.escaped(uid))") }
        return lines
    }
}
