import Foundation
import HTTPTransfer
import KonzaModel
import KonzaTestTraits
import KonzaTesting
import Terminology
import Testing

@testable import MetPetDB

@Suite("The client of MetPetDB", .offPool)
struct ClientTests {
    let field: Field

    init() throws { field = try Field() }

    @Test(
        "An address is http or https, a host and a path, and nothing that could hide a secret",
        arguments: [
            ("https://metpetdb.com", "https://metpetdb.com"), ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
            ("HTTPS://host/base/path//", "https://host/base/path"), ("ftp://host", nil), ("host", nil),
            ("https://", nil),
            ("https://me:secret@host", nil), ("https://host/?a=b", nil), ("https://host/#a", nil), ("file:///etc", nil),
            ("https://ho st", nil), ("https://host\\x", nil), ("https://host\r\nX: y", nil),
        ])
    func address(_ text: String, _ expected: String?) {
        #expect((try? ServerAddress(text).text) == expected)
    }

    @Test(
        "An account is told to https alone, or to this machine",
        arguments: [
            ("https://metpetdb.com", true), ("HTTPS://metpetdb.com", true), ("http://127.0.0.1:8000", true),
            ("http://127.255.0.3/base", true), ("http://LOCALHOST", true), ("http://[::1]:80", true),
            ("http://[::1]", true), ("http://metpetdb.com", false), ("http://localhost.example.org", false),
            ("http://127.0.0.1.example.org", false), ("http://127.1", false), ("http://127.0.0.256", false),
            ("http://128.0.0.1", false), ("http://[::2]", false), ("http://[::1].example.org", false),
        ])
    func confidential(_ text: String, _ expected: Bool) throws {
        let address = try ServerAddress(text)
        #expect(address.isConfidential == expected)
        #expect(((try? address.expectConfidential(setting: "URL=")) != nil) == expected)
    }

    @Test("The vocabulary comes whole, over all its pages, with the server's ids, and nothing is added to it")
    func vocabulary() throws {
        let vocabulary = field.vocabulary
        #expect(vocabulary.origin == field.server.baseURL)
        #expect(vocabulary.fetchedAt == field.clock.utc())
        #expect(vocabulary.term("gneiss", as: .rockTypes)?.id == field.server.termID("rock_types", "Gneiss"))
        #expect(vocabulary.term("Titanite", as: .minerals)?.id == field.server.termID("minerals", "Sphene"))
        #expect(vocabulary.term("FIELDPHOTO", as: .imageTypes)?.id == "3")
        #expect(vocabulary.terms[.metamorphicRegions]?.isEmpty == false)
        #expect(field.server.requests.allSatisfy { $0.method == "GET" || $0.path == "/api/auth/token/create/" })
        #expect(field.server.addedTerms == 0)
    }

    @Test("No secret is in any error, record or description, not even when the server repeats it")
    func secrets() throws {
        let token = try #require(field.server.requests.compactMap { $0.headers["authorization"] }.first?.dropFirst(6))
        let secrets = [String(token), StandInMetPetDB.password]
        let specimen = try field.specimen(photographs: 1)
        for fault in StandInFault.allCases {
            let ledger = MemoryLedger(folder: field.folder.path)
            field.ready(specimen, in: ledger)
            field.server.setFaults { _ in fault }
            let submitter = try field.submitter(ledger, seconds: 0.3)
            for _ in 0..<3 {
                guard let record = ledger[specimen.id] else { continue }
                _ = try? submitter.advance(record, of: specimen, vocabulary: field.vocabulary)
            }
            let records = try ledger.history.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
            let texts = records + [String(describing: submitter.client)]
            for text in texts { for secret in secrets { #expect(!text.contains(secret), "\(fault)") } }
            #expect(fault == .none || !records.isEmpty)
        }
        let credentials = try #require(Credentials.password(email: "a@b", password: "hunter2"))
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] { #expect(!text.contains("hunter2")) }
        #expect(Credentials.token("a\r\nX-Evil: 1") == nil)
        #expect(Credentials.password(email: "a,b@c", password: "x") == nil)
    }

    @Test("A redirection is never followed, and the token goes nowhere else")
    func redirected() throws {
        let other = try StandInMetPetDB()
        other.start()
        defer { other.stop() }
        field.server.setFaults { $0.path.hasPrefix("/api/samples") ? .redirect : .none }
        let client = try Field.client(field.server.baseURL)
        let error = #expect(throws: MetPetDBError.self) { try client.findSample(number: "x") }
        #expect(error?.reason == .redirected)
        #expect(other.requests.isEmpty)
    }

    @Test("A picture's body has its length ahead, is as long as that, and progress reaches the end")
    func contentLength() throws {
        let specimen = try field.specimen(photographs: 1, bytes: 300_000)
        let ledger = MemoryLedger(folder: field.folder.path)
        field.ready(specimen, in: ledger)
        #expect(try field.settle(specimen, ledger)?.state == .submitted)
        for request in field.server.requests where request.method != "GET" {
            #expect(!request.isChunked)
            #expect(request.headers["content-length"] == String(request.body.count))
            #expect(request.headers["expect"] == nil)
            #expect(request.path.hasSuffix("/"))
        }
        #expect(ledger.progress.map(\.sent) == ledger.progress.map(\.sent).sorted())
        #expect(ledger.progress.last?.sent == ledger.progress.last?.total)
    }

    @Test("A file that is shorter than its record is not sent as if it were whole")
    func shortFile() throws {
        var specimen = try field.specimen(photographs: 1)
        specimen.photographs[0].byteCount += 100
        let ledger = MemoryLedger(folder: field.folder.path)
        field.ready(specimen, in: ledger)
        let record = try field.submitter(ledger).run(
            try #require(ledger[specimen.id]), of: specimen, vocabulary: field.vocabulary)
        #expect(record.state == .sending)
        #expect(record.lastFailure?.contains("cannot be read") == true)
        #expect(field.server.samples.first?.images.isEmpty == true)
    }

    @Test("On a kept connection that ends without an answer a request that must not be repeated is sent once")
    func noSilentSecondTry() throws {
        let connection = try HTTPConnection()
        var request = HTTPRequest("GET", url: field.server.baseURL + "/api/rock_types/")
        #expect(try connection.send(request).status == 200)
        field.server.clear()
        field.server.setFaults { _ in .dropAfter }
        request = HTTPRequest("POST", url: field.server.baseURL + "/api/samples/")
        request.body = Array("{}".utf8)
        request.isRepeatable = false
        #expect(throws: TransferError.self) { try connection.send(request) }
        #expect(field.server.requests.count == 1)
    }

    @Test("A server whose certificate does not hold gets neither password nor data")
    func untrusted() throws {
        let folder = try TemporaryFolder()
        let openssl = "/usr/bin/openssl"
        _ = try ProgramRun(
            openssl,
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "\(folder.path)/key", "-out",
                "\(folder.path)/certificate", "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost",
            ])
        let port = try TestPort.free()
        let server = Process()
        server.executableURL = URL(filePath: openssl)
        server.arguments = [
            "s_server", "-accept", "127.0.0.1:\(port)", "-key", "\(folder.path)/key", "-cert",
            "\(folder.path)/certificate", "-www", "-quiet",
        ]
        server.standardOutput = FileHandle.nullDevice
        server.standardError = FileHandle.nullDevice
        try server.run()
        // It inherits the signals that this thread does not take, SIGTERM among them.
        defer {
            kill(server.processIdentifier, SIGKILL)
            server.waitUntilExit()
        }
        let address = try ServerAddress("https://localhost:\(port)")
        let credentials = try #require(Credentials.password(email: "a@b", password: "secret"))
        var reasons: [MetPetDBError.Reason] = []
        for authorities in [nil, "\(folder.path)/certificate"] {
            var options = MetPetDBClient.Options()
            options.certificateAuthorities = authorities
            // It answers no POST: once it is trusted, the time-out is the end.
            options.totalSeconds = 5
            let client = try MetPetDBClient(address: address, credentials: credentials, options: options)
            // It may not listen yet.
            for _ in 0..<100 {
                do {
                    _ = try client.account()
                    break
                } catch {
                    guard error.description.contains("cannot be reached") else {
                        reasons.append(error.reason)
                        break
                    }
                    usleep(50_000)
                }
            }
        }
        // Trusted, it answers with a page that is none of MetPetDB's.
        #expect(reasons.first == .unreachable)
        #expect(reasons.last != .unreachable)
        #expect(reasons.count == 2)
    }
}

enum TestPort {
    /// A port that nobody listens on at this moment.
    static func free() throws -> UInt16 {
        let server = try StandInMetPetDB()
        return server.port
    }
}

@Suite("The stand-in server does as MetPetDB does", .offPool)
struct StandInTests {
    let field: Field
    let connection: HTTPConnection

    init() throws {
        field = try Field()
        connection = try HTTPConnection()
    }

    private func ask(
        _ method: String, _ path: String, _ body: String? = nil, token: Bool = true, type: String = "application/json"
    ) throws -> (status: Int, text: String) {
        var request = HTTPRequest(method, url: field.server.baseURL + path)
        if token, let header = field.server.requests.compactMap({ $0.headers["authorization"] }).first {
            request.headers.append(("Authorization", header))
        }
        request.headers.append(("Content-Type", type))
        request.body = body.map { Array($0.utf8) }
        let answer = try connection.send(request)
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    private func sample(_ members: String) throws -> String {
        let rock = try #require(field.server.termID("rock_types", "Gneiss"))
        return #"{"number":"A-1","rock_type_id":"\#(rock)",\#(members)}"#
    }

    @Test("A latitude that is the number 0 is none, the text of it is one")
    func zeroLatitude() throws {
        #expect(try ask("POST", "/api/samples/", sample(#""latitude":0,"longitude":1"#)).status == 500)
        #expect(field.server.samples.isEmpty)
        #expect(try ask("POST", "/api/samples/", sample(#""latitude":"0.0","longitude":1"#)).status == 201)
    }

    @Test("Rows stay behind a refused grade and a mineral without an amount, and nan poisons every list")
    func leftBehind() throws {
        let grade = try ask(
            "POST", "/api/samples/", sample(#""latitude":1,"longitude":1,"metamorphic_grade_ids":["nope"]"#))
        #expect(grade.status == 400)
        #expect(grade.text == #"{"error":["Invalid metamorphic_grade id: nope"]}"#)
        #expect(field.server.samples.count == 1)
        field.server.clear()
        _ = try Field.client(field.server.baseURL).vocabulary(at: field.clock.utc())
        let quartz = try #require(field.server.termID("minerals", "Quartz"))
        let mineral = #""latitude":1,"longitude":1,"minerals":[{"id":"\#(quartz)"}]"#
        #expect(try ask("POST", "/api/samples/", sample(mineral)).status == 500)
        #expect(field.server.samples.count == 1)
        #expect(try ask("POST", "/api/samples/", sample(#""latitude":1,"longitude":1"#)).status == 500)
        #expect(field.server.samples.count == 1)
        field.server.change { $0.removeAll() }
        #expect(try ask("GET", "/api/samples/").text == "[]")
        #expect(try ask("POST", "/api/samples/", sample(#""latitude":"nan","longitude":1"#)).status == 500)
        #expect(try ask("GET", "/api/samples/").status == 500)
    }

    @Test("Numbers filter as regular expressions unless told otherwise; polygons have to be closed")
    func searching() throws {
        for number in ["v-10", "v-101", "w-1"] {
            let owner = field.server.ownerID
            field.server.change {
                $0.append(
                    .init(
                        id: UUID().uuidString.lowercased(), ownerID: owner, number: number, isPublic: true,
                        rockType: "Gneiss", latitude: 10, longitude: 20))
            }
        }
        func count(_ query: String) throws -> Int {
            let text = try ask("GET", "/api/samples/?fields=number&\(query)", token: false).text
            return text.components(separatedBy: "number").count - 1
        }
        #expect(try count("numbers=v-10") == 2)
        #expect(try count("numbers=v-10&numbers_exact=True") == 1)
        #expect(try count("location_bbox=19,9,21,11") == 3)
        #expect(try count("location_bbox=19,9,19.5,11") == 0)
        #expect(try count("rock_types=Schist") == 0)
        #expect(try count("page_size=2") == 2)
        let ring = "%5B%5B19,9%5D,%5B21,9%5D,%5B21,11%5D,%5B19,9%5D%5D"
        #expect(try count("polygon_coords=\(ring)") == 3)
        let unclosed = "%5B%5B19,9%5D,%5B21,9%5D,%5B21,11%5D,%5B19,11%5D%5D"
        #expect(try ask("GET", "/api/samples/?polygon_coords=\(unclosed)").status == 400)
    }

    @Test("Writing needs a token, a slash at the end, JSON and a length")
    func strictness() throws {
        let body = try sample(#""latitude":1,"longitude":1"#)
        #expect(try ask("POST", "/api/samples/", body, token: false).status == 401)
        #expect(try ask("POST", "/api/samples", body).status == 500)
        #expect(try ask("POST", "/api/samples/", body, type: "application/x-www-form-urlencoded").status == 500)
        #expect(try ask("POST", "/api/samples/", "{").text.contains("JSON parse error"))
        let long = try sample(#""latitude":1,"longitude":1,"sesar_number":"10.58052/IEKIO0001""#)
        #expect(try ask("POST", "/api/samples/", long).text.contains("no more than 9 characters"))
        #expect(field.server.samples.isEmpty)
    }

    @Test("The servlet of the 2010 telephone app searches, sums up, and reads only the first two words of a line")
    func servlet() throws {
        let owner = field.server.ownerID
        field.server.change {
            var sample = StandInSample(
                id: UUID().uuidString.lowercased(), ownerID: owner, number: "NM<001>", isPublic: true,
                rockType: "Gneiss",
                latitude: 42.73, longitude: -73.68)
            sample.minerals = [.init(name: "Quartz", amount: "x")]
            $0.append(sample)
        }
        func say(_ lines: String) throws -> String {
            try ask("POST", "/searchIPhonePost.svc", lines, token: false, type: "text/plain").text
        }
        let box = "north= 43\nsouth= 42\neast= -73\nwest= -74"
        let found = try say("\(box)\ncriteriaSummary= false\npagination= 0")
        #expect(
            found.hasPrefix(
                "<set><resultCount><int>1</int></resultCount><sample><number><string>NM&lt;001&gt;</string>"))
        #expect(found.contains("<y>42.73</y>"))
        #expect(found.contains("<description><null/></description>"))
        #expect(try say("rockType= Schist").contains("<int>0</int>"))
        let summary = try say("mineral= Quartz= cut here\ncriteriaSummary= true")
        #expect(summary.contains("<criteriaMinerals><string>Quartz</string></criteriaMinerals>"))
        #expect(try say("username= \(StandInMetPetDB.email)\npassword= no").contains("authentication failed"))
    }
}
