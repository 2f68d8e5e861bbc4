internal import KonzaModel

/// The cards of a file: vCard 2.1 as telephones write it, 3.0 (RFC 2426) and 4.0 (RFC 6350). Pictures, sounds and keys are passed
/// over.
public struct ContactCards: Sendable, Equatable {
    /// The most bytes of a file.
    public static let mostBytes = 1 << 20
    /// The most cards of a file.
    public static let mostCards = 500
    static let mostRemarks = 20

    /// In the order of the file.
    public private(set) var cards: [ContactCard] = []
    /// What is left out, at most twenty.
    public private(set) var remarks: [CardRemark] = []

    /// - Parameter bytes: of the file.
    /// - Throws: ``CardError`` for what has no cards; a card that cannot be used is left out with a remark.
    public init(_ bytes: [UInt8]) throws(CardError) {
        guard bytes.count <= Self.mostBytes else {
            throw CardError("it has \(bytes.count) bytes, and \(Self.mostBytes) are the most; leave the pictures out")
        }
        var open: (line: Int, lines: [CardLine])?
        var count = 0
        for line in CardLines(bytes) {
            let word = line.value.filter { !$0.isWhitespace }.uppercased()
            switch (line.name, open) {
            case ("BEGIN", nil) where word == "VCARD":
                count += 1
                guard count <= Self.mostCards else {
                    throw CardError(line: line.line, "it has more than \(Self.mostCards) cards; make two files of it")
                }
                open = (line.line, [])
            case (_, nil):
                throw CardError(line: line.line, "it does not begin with BEGIN:VCARD; export it as vCard (.vcf)")
            case ("BEGIN", .some):
                throw CardError(line: line.line, "a card begins within another; END:VCARD is missing before it")
            case ("END", .some(let whole)):
                guard word == "VCARD" else {
                    throw CardError(line: line.line, "END:VCARD belongs here")
                }
                take(whole.lines, line: whole.line)
                open = nil
            case (_, .some):
                if let lines = open?.lines, lines.count < 200 { open?.lines.append(line) }
            }
        }
        guard open == nil else {
            throw CardError(
                line: open?.line, "the card does not end; it was cut off: export or copy the file once more")
        }
        guard count > 0 else { throw CardError("it has no card; export it as vCard (.vcf)") }
    }

    private mutating func take(_ lines: [CardLine], line: Int) {
        var maker = CardMaker()
        for line in lines { maker.take(line) }
        remarks = Array((remarks + maker.remarks).prefix(Self.mostRemarks))
        if let card = maker.card {
            cards.append(card)
        } else if remarks.count < Self.mostRemarks {
            remarks.append(CardRemark(line: line, detail: "the card has no name (FN) and is left out"))
        }
    }
}

/// Makes a card of its lines.
private struct CardMaker {
    private var made = ContactCard(name: "")
    private(set) var remarks: [CardRemark] = []
    private var role: String?

    /// Nil without a name.
    var card: ContactCard? {
        var card = made
        if card.name.isEmpty {
            // vCard 2.1 needs no FN.
            let parts = [3, 1, 2, 0, 4].compactMap { card.nameParts.indices.contains($0) ? card.nameParts[$0] : nil }
            card.name = parts.filter { !$0.isEmpty }.joined(separator: " ")
        }
        guard !card.name.isEmpty else { return nil }
        let sorted = card.nameParts.prefix(2).filter { !$0.isEmpty }.joined(separator: ", ")
        card.sortName = sorted.isEmpty ? card.name : sorted
        card.designation = card.designation ?? role
        return card
    }

    mutating func take(_ line: CardLine) {
        switch line.name {
        case "FN": if made.name.isEmpty { made.name = line.text(upTo: 120) ?? "" }
        case "N": made.nameParts = line.parts(";").prefix(5).map { CardText.clean($0, upTo: 120) ?? "" }
        case "UID": made.uid = line.text(upTo: 300)
        case "TITLE": made.designation = made.designation ?? line.text(upTo: 200)
        case "ROLE": role = role ?? line.text(upTo: 200)
        case "ORG":
            let parts = line.parts(";").compactMap { CardText.clean($0, upTo: 120) }
            made.organization = made.organization ?? (parts.isEmpty ? nil : parts.joined(separator: ", "))
        case "TEL": takePhone(line)
        case "EMAIL": takeMail(line)
        case "ADR": takeAddress(line)
        case "CATEGORIES": made.groups = Self.joined(made.groups, line.parts(","), 60)
        case "INTEREST", "EXPERTISE", "X-INTEREST": made.interests = Self.joined(made.interests, line.parts(","), 200)
        case "X-PUBLICATION":
            made.publications = Self.joined(made.publications, [line.text(upTo: 500) ?? ""], 500)
        case "NOTE": made.note = made.note ?? line.text(upTo: 2000, hasLines: true)
        case "URL":
            let address = line.value.filter { !$0.isWhitespace }
            guard TextRule.isWebAddress(address) else {
                return remark(line, "URL is left out: it does not begin with http:// or https://")
            }
            made.profile = made.profile ?? address
        default: break
        }
    }

    private mutating func takePhone(_ line: CardLine) {
        guard made.phones.count < ContactCard.mostEntries, var text = line.text(upTo: 60) else { return }
        while text.lowercased().hasPrefix("tel:") { text = String(text.dropFirst(4).drop(while: \.isWhitespace)) }
        guard !PhoneNumber.shown(text).isEmpty else { return }
        let address = PhoneNumber.address(text)
        if address == nil {
            remark(
                line,
                "TEL has no link to dial: write it with + and the country, as +1 785 555 0100, an extension behind it as x12"
            )
        }
        let kinds = line.parameters["TYPE", default: []].filter { ["cell", "work", "home", "fax"].contains($0) }
        made.phones.append(.init(text: PhoneNumber.shown(text), address: address, kind: kinds.first))
    }

    private mutating func takeMail(_ line: CardLine) {
        guard made.mails.count < ContactCard.mostEntries, var text = line.text(upTo: 254) else { return }
        if text.lowercased().hasPrefix("mailto:") { text = String(text.dropFirst(7)) }
        let address = MailAddress.address(text)
        if address == nil { remark(line, "EMAIL has no link to write to: it is no address such as keep@example.org") }
        let kinds = line.parameters["TYPE", default: []].filter { ["work", "home"].contains($0) }
        made.mails.append(.init(text: text, address: address, kind: kinds.first))
    }

    private mutating func takeAddress(_ line: CardLine) {
        guard made.address.isEmpty else { return }
        let parts = line.parts(";").prefix(7).map { CardText.clean($0, upTo: 200) ?? "" }
        func part(_ index: Int) -> String { parts.indices.contains(index) ? parts[index] : "" }
        made.addressParts = parts
        let town = [part(3), part(4)].filter { !$0.isEmpty }.joined(separator: ", ")
        let place = [town, part(5)].filter { !$0.isEmpty }.joined(separator: " ")
        made.address = [part(0), part(1), part(2), place, part(6)].filter { !$0.isEmpty }
    }

    private static func joined(_ list: [String], _ more: [String], _ limit: Int) -> [String] {
        var list = list
        for text in more.compactMap({ CardText.clean($0, upTo: limit) })
        where !list.contains(text) && list.count < ContactCard.mostEntries { list.append(text) }
        return list
    }

    private mutating func remark(_ line: CardLine, _ detail: String) {
        if remarks.count < ContactCards.mostRemarks { remarks.append(CardRemark(line: line.line, detail: detail)) }
    }
}
