import KonzaModel
import Testing

@testable import Drawing

@Suite("Formats")
struct FormatTests {
    @Test(
        "an angle is rounded once, in its smallest unit, and carries",
        arguments: [
            ("dms", 39.10556, "39°06′20″ N"),
            ("dms", -96.60917, "96°36′33″ S"),
            // 59.99999 seconds are a minute.
            ("dms", 12.999_999_99, "13°00′00″ N"),
            ("dms", 0, "0°00′00″ N"),
            ("dm", 39.10556, "39°06.334′ N"),
            ("dm", 5.999_999_99, "6°00.000′ N"),
            ("decimal", -0.000_001, "0.00000° S"),
            ("decimal.0", 89.6, "90° N"),
            ("decimal.3", 39.10556, "39.106° N"),
        ] as [(String, Double, String)])
    func angle(format: String, degrees: Double, expected: String) throws {
        let text = try AngleFormat(parsing: format).text(degrees, positive: "N", negative: "S")
        #expect(text == expected.replacing(" ", with: "\u{00A0}"))
    }

    @Test(
        "a date is written in the letters of TR 35",
        arguments: [
            ("MMMM d, yyyy", "September 5, 2026"), ("EEEE d MMM yy", "Saturday 5 Sep 26"), ("dd.MM.yyyy", "05.09.2026"),
            ("h:mm a", "12:07 AM"), ("HH:mm:ss zzz", "00:07:09 CDT"), ("yyyy 'at' H", "2026 at 0"), ("M''d", "9'5"),
        ])
    func date(format: String, expected: String) throws {
        // 2026-09-05 is a Saturday.
        let time = CivilTime(year: 2026, month: 9, day: 5, hour: 0, minute: 7, second: 9)
        #expect(try DateFormat(parsing: format).text(time, zone: "CDT", "en") == expected)
    }

    @Test(
        "names are in the language of the card",
        arguments: [
            ("d 'de' MMMM 'de' yyyy", "5 de septiembre de 2026"), ("EEEE d MMM", "sábado 5 sep"), ("HH:mm", "00:07"),
        ])
    func spanish(format: String, expected: String) throws {
        let time = CivilTime(year: 2026, month: 9, day: 5, hour: 0, minute: 7, second: 9)
        #expect(try DateFormat(parsing: format).text(time, zone: "CDT", "es") == expected)
    }

    @Test(
        "whoever reads another language gets that of the templates",
        arguments: [("es-MX", "es"), ("ES", "es"), ("en", "en"), ("fr", "en"), ("", "en"), ("est", "en")])
    func language(tag: String, expected: String) { #expect(PostcardFacts.language(of: tag) == expected) }

    @Test(
        "a variable or format that is not there is refused",
        arguments: [
            "{nobody}", "{date:QQ}", "{latitude:rad}", "{latitude:decimal.9}", "{place:upper}", "{elevation:km}",
            "{place",
            "place}", "{date:'at}",
        ])
    func refused(text: String) {
        #expect(throws: Pattern.SyntaxError.self) { try Pattern(parsing: text) }
    }

    @Test("braces stand for themselves when doubled")
    func braces() throws {
        #expect(try Pattern(parsing: "{{{place}}}").filled(with: PostcardFacts(place: "Konza")).get() == "{Konza}")
    }

    @Test(
        "an elevation is whole, and below the sea it has a minus sign",
        arguments: [
            (366.4, "{elevation:m}", "366 m"), (-12.6, "{elevation}", "−13 m"), (392.3, "{elevation:ft}", "1,287 ft"),
        ]
    )
    func elevation(metres: Double, pattern: String, expected: String) throws {
        let facts = PostcardFacts(place: "", elevationMetres: metres)
        #expect(try Pattern(parsing: pattern).filled(with: facts).get() == expected.replacing(" ", with: "\u{00A0}"))
    }

    @Test(
        "a length is a sum of parts",
        arguments: [("50w", 960.0), ("100h - 8s", 993.6), ("-2.5s", -27), ("1l+1h", 30), (".5w", 9.6), ("10e", 4)])
    func length(text: String, pixels: Double) throws {
        let metrics = Metrics(width: 1920, height: 1080, em: 40)
        #expect(abs(try #require(Length(parsing: text)).pixels(metrics) - pixels) < 1e-9)
    }

    @Test("what is no length is refused", arguments: ["", "5", "w", "5x", "5w5h", "5w -", "1.2.3s", "nan", "5 w h"])
    func noLength(text: String) { #expect(Length(parsing: text) == nil) }

    @Test("path data is read as SVG does")
    func path() throws {
        let outline = try SVGPath.parse("M1 2 l3,0 v4 H1z m1 1 Q2 2 3 3 C1 1 2 2 4 4")
        #expect(outline.elements.count == 8)
        #expect(outline.elements[1] == .line(Point(4, 2)))
        #expect(outline.elements[3] == .line(Point(1, 6)))
        #expect(outline.elements[5] == .move(Point(2, 3)))
    }

    @Test(
        "path data with a fault is refused", arguments: ["", "L1 1", "M1", "M1 1 A1 1 0 0 0 2 2", "M1 1 Z 5 5", "Mx y"])
    func noPath(text: String) { #expect(throws: SVGPath.SyntaxError.self) { try SVGPath.parse(text) } }
}
