import ContactCards
import Testing

@Suite("Cards of people")
struct ContactCardsTests {
    private func card(_ text: String) throws -> ContactCard {
        try #require(try ContactCards(Array(text.utf8)).cards.first)
    }

    @Test("of vCard 4.0: designation, numbers to dial, addresses to write to, groups, interests, profile")
    func version4() throws {
        let card = try card(
            """
            BEGIN:VCARD\r
            VERSION:4.0\r
            FN:Ana Example\r
            N:Example;Ana;;Dr.;\r
            TITLE:Site manager\r
            ORG:Konza Prairie;Field crew\r
            TEL;VALUE=uri;TYPE="voice,work":tel:+1-785-555-0100;ext=12\r
            item1.TEL;TYPE=cell:+1 (785) 555-0101\r
            EMAIL:ana@example.org\r
            ADR;TYPE=work:;;100 Example Road;Manhattan;KS;66502;USA\r
            CATEGORIES:Primary Contacts,Faculty and Staff\r
            INTEREST;LEVEL=high:fire\r
            INTEREST:bison\\, and grass\r
            X-PUBLICATION:Example, A. (2020) Grass.\r
            URL:https://example.org/ana\r
            PHOTO:data:image/jpeg;base64,AAAA\r
            UID:urn:uuid:1\r
            END:VCARD\r

            """)
        #expect(card.name == "Ana Example" && card.sortName == "Example, Ana" && card.designation == "Site manager")
        #expect(card.organization == "Konza Prairie, Field crew")
        #expect(card.phones.map(\.address) == ["tel:+17855550100;ext=12", "tel:+17855550101"])
        #expect(card.phones.map(\.text) == ["+1-785-555-0100 x12", "+1 (785) 555-0101"])
        #expect(card.phones.map(\.kind) == ["work", "cell"])
        #expect(card.mails.map(\.address) == ["mailto:ana@example.org"])
        #expect(card.address == ["100 Example Road", "Manhattan, KS 66502", "USA"])
        #expect(card.groups == ["Primary Contacts", "Faculty and Staff"])
        #expect(card.interests == ["fire", "bison, and grass"])
        #expect(card.publications == ["Example, A. (2020) Grass."])
        #expect(card.profile == "https://example.org/ana")
    }

    @Test("of vCard 2.1 as telephones write it: quoted-printable over several lines, parameters without names")
    func version21() throws {
        let card = try card(
            """
            BEGIN:VCARD\r
            VERSION:2.1\r
            N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=4E=C3=BA=C3=B1ez;Mar=\r
            =C3=ADa\r
            TEL;CELL:+17855550102\r
            TEL;WORK:555-0103\r
            NOTE;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:ma=F1ana\r
            END:VCARD\r

            """)
        #expect(card.name == "María Núñez" && card.sortName == "Núñez, María")
        #expect(card.phones.map(\.kind) == ["cell", "work"])
        #expect(card.phones.map(\.address) == ["tel:+17855550102", nil])
        #expect(card.note == "mañana")
    }

    @Test(
        "a number is dialled with its country alone (RFC 3966)",
        arguments: [
            ("+1 785 555 0100", "tel:+17855550100"), ("+1 (785) 555-0100 ext. 7", "tel:+17855550100;ext=7"),
            ("785-555-0100", nil), ("911", nil), ("+1", nil), ("+1 785 CALL NOW", nil),
            ("+17855550100;phone-context=x", nil),
            ("+34 600 000 000", "tel:+34600000000"), ("javascript:+1234567", nil),
        ] as [(String, String?)])
    func numbers(text: String, address: String?) { #expect(PhoneNumber.address(text) == address) }

    @Test(
        "an address is written to without header fields (RFC 6068)",
        arguments: [
            ("keep@example.org", "mailto:keep@example.org"), ("a@b?bcc=c@d", nil), ("a b@c.d", nil), ("a@b@c", nil),
            ("", nil), ("@x", nil), ("x@", nil), ("a%0A@b.c", nil),
        ] as [(String, String?)])
    func mails(text: String, address: String?) { #expect(MailAddress.address(text) == address) }

    @Test("a card is written as vCard 4.0 and read back as it was; its code holds few bytes")
    func writing() throws {
        let card = try card(
            "BEGIN:VCARD\nVERSION:3.0\nFN:José; \\, Example\nN:Example;José\nTITLE:\(String(repeating: "grass ", count: 15))\n"
                + "TEL;TYPE=work:+17855550100\nEMAIL;TYPE=INTERNET:a@example.org\nORG:X\\;Y;Z\n"
                + "ADR:;;\(String(repeating: "Street ", count: 20));Town;KS;1;\nCATEGORIES:A\\,B,C\nNOTE:one\\ntwo\n"
                + "URL:https://example.org/\(String(repeating: "x", count: 200))\nEND:VCARD\n")
        let text = card.vCard
        #expect(text.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 75 })
        let again = try self.card(text)
        #expect(again.name == card.name && again.address == card.address && again.groups == card.groups)
        #expect(again.phones == card.phones && again.note == card.note && again.designation == card.designation)
        #expect(card.short.utf8.count <= 400)
        let short = try self.card(card.short)
        #expect(short.name == card.name && short.phones == card.phones && short.mails.map(\.text) == ["a@example.org"])
    }

    @Test(
        "what has no cards, or was cut off, is refused with line and remedy",
        arguments: [
            ("", nil), ("hello", 1), ("BEGIN:VCARD\nFN:a", 1), ("BEGIN:VCARD\nBEGIN:VCARD", 2),
            ("BEGIN:VCARD\nEND:VCALENDAR", 2),
        ] as [(String, Int?)])
    func refusals(text: String, line: Int?) {
        let error = #expect(throws: CardError.self) { try ContactCards(Array(text.utf8)) }
        #expect(error?.line == line)
    }

    // Texts of their length are no arguments: each would stand in the log.
    @Test("more cards than a file may have are refused with the line")
    func tooMany() {
        refusals(text: String(repeating: "BEGIN:VCARD\nFN:a\nEND:VCARD\n", count: 501), line: 1501)
    }

    @Test("a card without a name is left out with its line; a large picture and an unsafe address are passed over")
    func remarks() throws {
        let text =
            "BEGIN:VCARD\nTEL:+17855550100\nEND:VCARD\nBEGIN:VCARD\nFN:a\nURL:javascript:1\nPHOTO;ENCODING=b:"
            + String(repeating: "A", count: 200_000) + "\nEND:VCARD\n"
        let cards = try ContactCards(Array(text.utf8))
        #expect(cards.cards.map(\.name) == ["a"] && cards.cards[0].profile == nil)
        #expect(cards.remarks.map(\.line) == [1, 6])
    }

    @Test(
        "a number that is none is left out, and one of several schemes is read as it is written",
        arguments: [
            "tel:", "tel: ", "TEL:tel:",
        ])
    func emptyNumber(_ text: String) throws {
        let card = try #require(
            try ContactCards(Array("BEGIN:VCARD\nVERSION:4.0\nFN:a\nTEL;VALUE=uri:\(text)\nEND:VCARD\n".utf8)).cards
                .first)
        #expect(card.phones.isEmpty)
        #expect(try ContactCards(Array(card.vCard.utf8)).cards == [card])
    }
}
