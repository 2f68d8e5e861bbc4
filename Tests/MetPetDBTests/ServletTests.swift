import KonzaModel
import KonzaTestTraits
import KonzaTesting
import Testing

@testable import MetPetDB
@testable import XMLReading

@Suite("The servlet", .offPool)
struct ServletTests {
    let collection: Collection

    init() throws { collection = try Collection() }

    private func lines(_ query: SampleQuery, user: String? = "me@example.org") throws -> [[String]] {
        try ServletQuestion.searching(query, user: user).map(\.lines)
    }

    @Test("is asked in its own order, with six decimals, and never for a north of -1, which it takes for none")
    func question() throws {
        var query = SampleQuery(.box(try #require(GeographicBox(west: -97, south: -2, east: -96, north: -1))))
        query.rockTypes = ["Gneiss", "Schist"]
        query.visibility = .private
        #expect(
            try lines(query) == [
                [
                    "user= me@example.org", "north= -0.999999", "south= -2.000000", "east= -96.000000",
                    "west= -97.000000", "rockType= Gneiss", "rockType= Schist", "sampleType= private",
                ]
            ])
    }

    @Test("is not asked for what it would read as something else, or does not know")
    func refused() throws {
        func query(_ change: (inout SampleQuery) -> Void) -> SampleQuery {
            var query = SampleQuery()
            change(&query)
            return query
        }
        let wrong = [
            query { $0.rockTypes = ["Gneiss\nuser= x"] }, query { $0.minerals = ["a= b"] },
            query { $0.minerals = ["Größe"] }, query { $0.minerals = [" x"] }, query { $0.owners = ["a", "b"] },
            query { $0.collectors = ["a"] }, query { $0.collectedFrom = CalendarDate("2026-01-01") },
        ]
        for query in wrong {
            let error = #expect(throws: MetPetDBError.self) { try lines(query) }
            #expect(error?.reason == .question)
        }
        #expect(throws: MetPetDBError.self) { try lines(query { $0.visibility = .private }, user: nil) }
    }

    @Test("is sent no password, and asked for nothing but reading")
    func readOnly() throws {
        collection.add("a", 1, 1)
        let source = try collection.servlet()
        _ = try source.search(SampleQuery())
        _ = try source.summary(SampleQuery())
        _ = try source.details("1")
        _ = try source.regions()
        for request in collection.server.requests {
            let body = String(decoding: request.body, as: UTF8.self)
            #expect(!body.contains("password") && !body.contains("addComment"))
            #expect(request.headers["authorization"] == nil)
            #expect(request.headers["content-type"] == "text/plain")
        }
    }

    @Test("is read in pages of fifty, however many there are")
    func pages() throws {
        for number in 0..<120 { collection.add("n\(number)", 1, 1) }
        #expect(try collection.servlet().search(SampleQuery()).samples.count == 120)
        #expect(collection.server.requests.count == 3)
    }

    @Test("gives the replies of its documentation, and these are read")
    func replies() throws {
        func root(_ text: String) throws -> XMLElement { try XMLDocument.root(of: Array(text.utf8)) }
        let type = "edu.rpi.metpetdb.client.model.RockType"
        let listing = try #require(
            ServletReply.listing(
                root(
                    """
                    <set><resultCount><int>1</int></resultCount><sample><number><string>NM001</string></number><id>
                    <long>7</long></id><rockType><\(type)>
                      <id>4</id>
                      <rockType>Gneiss</rockType>
                    </\(type)></rockType><minerals><string>Quartz</string><string>Biotite</string></minerals>
                    <metamorphicGrades><string>Amphibolite</string></metamorphicGrades><regions><string>VT</string>
                    </regions><publicData><boolean>true</boolean></publicData><org.postgis.Point>
                      <srid>4326</srid>
                      <x>-73.6789547</x>
                      <y>42.7297612</y>
                    </org.postgis.Point><owner><string>A. Owner</string></owner>
                    <description><null/></description></sample></set>
                    """)))
        let sample = try #require(listing.samples.first)
        #expect(listing.total == 1)
        #expect(sample.id == "7")
        #expect(sample.number == "NM001")
        #expect(sample.rockType == "Gneiss")
        #expect(sample.minerals == ["Quartz", "Biotite"])
        #expect(sample.place == Coordinate(latitude: 42.7297612, longitude: -73.6789547))
        #expect(sample.isPublic)
        let details = try #require(
            ServletReply.details(
                root(
                    "<set><sample><number><string>1</string></number><id><long>1</long></id><description><null/>"
                        + "</description></sample></set>")))
        #expect(details.description == nil)
        #expect(
            ServletReply.comments(try root("<comments><int>2</int><string>a</string><string>b</string></comments>"))
                == ["a", "b"])
        #expect(ServletReply.listing(try root("<response>authentication failed</response>")) == nil)
        #expect(ServletReply.largeImage(try root("<image><path><string>../x</string></path></image>")) == nil)
    }

    @Test("that answers nothing, half a document, a document type or a page is an error that says which")
    func broken() throws {
        let rows: [(String, String)] = [
            ("", "answered nothing"), ("<set><resultCount><int>1", "no element found"), ("<html>", "no element found"),
            ("<html></html>", "answers something else"),
            ("<!DOCTYPE set [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><set>&a;</set>", "document type"),
            (String(repeating: "<a>", count: 40), "more than 32 others"), ("not XML", "syntax error"),
        ]
        for (text, words) in rows {
            collection.server.setLegacyReply(text)
            let error = #expect(throws: MetPetDBError.self) { try collection.servlet().regions() }
            #expect(error?.reason == .unreadable)
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        }
    }

    @Test("may write Latin-1, as Java does unless told otherwise")
    func latin1() throws {
        collection.server.setLegacyReply(
            bytes: Array("<list><string>Gr".utf8) + [0xF6] + Array("nland</string></list>".utf8))
        #expect(try collection.servlet().regions() == ["Grönland"])
        collection.server.setLegacyReply("<list><string>Grönland</string></list>")
        #expect(try collection.servlet().regions() == ["Grönland"])
    }
}
