import Foundation
import HTTPServing
import KonzaAPI
import KonzaModel
import KonzaSystem
import KonzaTestTraits
import Testing

@Suite(.offPool) struct ServerTests {
    @Test func `answers requests on one connection, one after the other`() async throws {
        let fixture = try ServerFixture()
        let client = try RawClient(fixture.path)
        for _ in 0..<3 {
            let answer = try #require(client.ask("GET /v1/hello?name=Konza"))
            #expect(answer.status == 200)
            #expect(answer.text == #"{"hello":"Konza","tags":""}"#)
            #expect(answer.header("connection") != "close")
        }
        await fixture.stop()
    }

    struct Row: CustomTestStringConvertible, Sendable {
        var line: String
        var headers: [String] = []
        var status: Int
        var kind: String?
        var testDescription: String { "\(line) \(headers)" }
    }

    static let rows: [Row] = [
        Row(line: "GET /v1/nowhere", status: 404, kind: "not-found"),
        Row(line: "GET /v1/hello/", status: 404, kind: "not-found"),
        Row(line: "GET //v1/hello", status: 404, kind: "not-found"),
        Row(line: "GET /v1/../v1/hello", status: 404, kind: "not-found"),
        Row(line: "DELETE /v1/hello", status: 405, kind: "method-not-allowed"),
        Row(line: "BREW /v1/hello", status: 405, kind: "method-not-allowed"),
        Row(line: "OPTIONS /v1/hello", status: 204),
        Row(line: "OPTIONS *", status: 204),
        Row(line: "GET http://konza/v1/hello", status: 200),
        Row(line: "GET http://evil.example/v1/hello", status: 403, kind: "foreign-origin"),
        Row(line: "GET /v1/hello?unknown=1", status: 400, kind: "invalid-request"),
        Row(line: "GET /v1/hello?name=a&name=b", status: 400, kind: "invalid-request"),
        Row(line: "GET /v1/hello?tag=a&tag=b", status: 200),
        Row(line: "GET /v1/hello?form=wide", status: 400, kind: "invalid-request"),
        Row(line: "GET /v1/hello?name=%zz", status: 400, kind: "malformed-request"),
        Row(line: "GET /v1/hello?name=%00", status: 400, kind: "malformed-request"),
        Row(line: "GET /v1/hello?name=%ff", status: 400, kind: "malformed-request"),
        Row(line: "GET /v1/things/%", status: 400, kind: "malformed-request"),
        Row(line: "GET /v1/hello", headers: ["Accept: image/png"], status: 406, kind: "not-acceptable"),
        Row(line: "GET /v1/hello", headers: ["Accept: text/*;q=0.5, image/png"], status: 200),
        Row(line: "GET /v1/hello", headers: ["Origin: https://evil.example"], status: 403, kind: "foreign-origin"),
        Row(line: "GET /v1/hello", headers: ["Origin: http://localhost:80@evil"], status: 403, kind: "foreign-origin"),
        Row(line: "GET http://localhost:80@evil/v1/hello", status: 403, kind: "foreign-origin"),
        Row(line: "GET http://localhost:8080/v1/hello", status: 200),
        Row(line: "GET http://localhost:/v1/hello", status: 200),
        Row(line: "GET /v1/hello", headers: ["Origin: null"], status: 403, kind: "foreign-origin"),
        Row(line: "GET /v1/hello", headers: ["Origin: http://localhost:8080"], status: 200),
        Row(line: "GET /v1/hello", headers: ["Sec-Fetch-Site: cross-site"], status: 403, kind: "foreign-origin"),
        Row(line: "GET /v1/hello", headers: ["Sec-Fetch-Site: same-origin"], status: 200),
        Row(line: "PUT /v1/things/1", status: 411, kind: "length-required"),
        Row(line: "GET /v1/broken", status: 500, kind: "internal-error"),
        Row(line: "GET /v1/hello?name=" + String(repeating: "x", count: 9000), status: 414, kind: "uri-too-long"),
        Row(
            line: "GET /v1/hello", headers: ["X: " + String(repeating: "x", count: 17_000)], status: 431,
            kind: "headers-too-large"),
    ]

    @Test(arguments: rows) func `answers by the rules of HTTP`(_ row: Row) async throws {
        let fixture = try ServerFixture()
        let client = try RawClient(fixture.path)
        client.send("\(row.line) HTTP/1.1\r\nHost: konza\r\n" + row.headers.map { $0 + "\r\n" }.joined() + "\r\n")
        let answer = try #require(client.answer())
        #expect(answer.status == row.status)
        #expect(answer.kind == row.kind)
        if row.kind != nil { #expect(answer.header("content-type") == "application/problem+json") }
        // The connection is still good, but after a head that may leave no memory for an answer, and the server too.
        let next = row.status == 431 ? try RawClient(fixture.path) : client
        #expect(next.ask("GET /v1/hello")?.status == 200)
        await fixture.stop()
    }

    @Test func `says which methods a path takes`() async throws {
        let fixture = try ServerFixture()
        let client = try RawClient(fixture.path)
        #expect(client.ask("DELETE /v1/hello")?.header("allow") == "GET, HEAD, OPTIONS")
        #expect(client.ask("OPTIONS /v1/things/1")?.header("allow") == "GET, HEAD, PUT, OPTIONS")
        await fixture.stop()
    }

    @Test func `answers HEAD with the head of GET`() async throws {
        let fixture = try ServerFixture()
        let client = try RawClient(fixture.path)
        let answer = try #require(client.ask("HEAD /v1/hello"))
        #expect(answer.status == 200)
        #expect(answer.header("content-length") == "27")
        #expect(client.ask("GET /v1/hello")?.body.count == 27)
        await fixture.stop()
    }

    @Test func `decodes path parameters once and prefers literals`() async throws {
        let fixture = try ServerFixture()
        let client = try RawClient(fixture.path)
        #expect(client.ask("GET /v1/things/a%20b%2Fc%2525+d")?.text == #"{"id":"a b/c%25+d"}"#)
        #expect(client.ask("GET /v1/things/%E8%8D%89")?.text == #"{"id":"草"}"#)
        #expect(client.ask("GET /v1/things/special")?.text == #"{"id":"the special one"}"#)
        await fixture.stop()
    }

    @Test(arguments: [
        (["Content-Length: 7"], #"{"a":1}"#, 201), (["Content-Length: 0"], "", 201),
        (["Content-Length: 7", "Content-Type: application/json; charset=utf-8"], #"{"a":1}"#, 201),
        (["Content-Length: 7", "Content-Type: text/plain"], #"{"a":1}"#, 415),
        (["Transfer-Encoding: chunked"], "3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n", 201),
        (["Transfer-Encoding: gzip"], "", 501), (["Content-Length: 7"], #"{"a":1 "#, 400),
        (["Content-Length: 80"], String(repeating: "[", count: 80), 400),
    ]) func `takes bodies`(_ headers: [String], _ body: String, _ status: Int) async throws {
        let fixture = try ServerFixture()
        let client = try RawClient(fixture.path)
        client.send("POST /v1/things HTTP/1.1\r\nHost: konza\r\n\(headers.joined(separator: "\r\n"))\r\n\r\n\(body)")
        let answer = try #require(client.answer())
        #expect(answer.status == status)
        if status == 201 { #expect(answer.header("location") == "/v1/things/1") }
        await fixture.stop()
    }

    @Test func `lets only writers write`() async throws {
        let nobody = AccessPolicy(ownUser: 4_000_000_000, groupID: nil)
        let fixture = try ServerFixture(access: nobody)
        let client = try RawClient(fixture.path)
        #expect(client.ask("GET /v1/hello")?.status == 200)
        let answer = try #require(client.ask("POST /v1/things"))
        // Root may always write.
        #expect(answer.status == (geteuid() == 0 ? 201 : 403))
        await fixture.stop()
    }

    @Test func `serves files with tags, dates and ranges`() async throws {
        let fixture = try ServerFixture([])
        let file = try fixture.file("f", Array(0..<200))
        await fixture.stop()
        let serving = try ServerFixture([
            Route(
                .get, "/f", access: .everyone, operation: "f", summary: "A file.", produces: ["image/jpeg"],
                handler: .immediate { _ in .file(try OpenFile(path: file), type: "image/jpeg") })
        ])
        let client = try RawClient(serving.path)
        let whole = try #require(client.ask("GET /f"))
        #expect(whole.body == Array(0..<200))
        let tag = try #require(whole.header("etag"))
        let date = try #require(whole.header("last-modified"))
        #expect(client.ask("GET /f", "If-None-Match: \(tag)")?.status == 304)
        #expect(client.ask("GET /f", "If-None-Match: \"x\", W/\(tag)")?.status == 304)
        #expect(client.ask("GET /f", "If-None-Match: \"x\"")?.status == 200)
        #expect(client.ask("GET /f", "If-Modified-Since: \(date)")?.status == 304)
        #expect(client.ask("GET /f", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT")?.status == 200)
        let part = try #require(client.ask("GET /f", "Range: bytes=10-19"))
        #expect(part.status == 206)
        #expect(part.body == Array(10..<20))
        #expect(part.header("content-range") == "bytes 10-19/200")
        #expect(client.ask("GET /f", "Range: bytes=-5")?.body == Array(195..<200))
        #expect(client.ask("GET /f", "Range: bytes=190-99999999999999999999")?.body == Array(190..<200))
        #expect(client.ask("GET /f", "Range: bytes=0-1,5-6")?.status == 200)
        #expect(client.ask("GET /f", "Range: bytes=5-1")?.status == 200)
        let beyond = try #require(client.ask("GET /f", "Range: bytes=200-"))
        #expect(beyond.status == 416)
        #expect(beyond.header("content-range") == "bytes */200")
        #expect(client.ask("GET /f", "Range: bytes=0-1", "If-Range: \(tag)")?.status == 206)
        #expect(client.ask("GET /f", "Range: bytes=0-1", "If-Range: \"x\"")?.status == 200)
        #expect(client.ask("HEAD /f")?.header("content-length") == "200")
        await serving.stop()
    }

    @Test func `refuses a second server on the same socket and replaces a dead one`() async throws {
        let fixture = try ServerFixture()
        let second = try HTTPServer(router: Router([]))
        #expect(throws: ListenError.self) { try second.listen(onUnixSocket: fixture.path) }
        await fixture.stop()
        #expect(access(fixture.path, F_OK) != 0)
        // A socket file that nobody listens on any more.
        let dead = try ServerFixture()
        let stale = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = dead.folder + "/stale"
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(stale, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(bound == 0)
        close(stale)
        try second.listen(onUnixSocket: path)
        #expect(try RawClient(path).ask("GET /")?.status == 404)
        await second.stop()
        await dead.stop()
    }

    @Test func `answers for handlers that do not end when it stops`() async throws {
        let fixture = try ServerFixture()
        let client = try RawClient(fixture.path)
        client.send("GET /v1/slow HTTP/1.1\r\nHost: konza\r\n\r\n")
        while fixture.server.statistics.asynchronousRequests == 0 { try await Task.sleep(nanoseconds: 1_000_000) }
        await fixture.server.stop(graceSeconds: 0.05)
        #expect(client.answer()?.status == 503)
    }

    @Test func `cancels the handler when the client goes`() async throws {
        let fixture = try ServerFixture()
        do {
            let client = try RawClient(fixture.path)
            client.send("GET /v1/slow HTTP/1.1\r\nHost: konza\r\n\r\n")
            while fixture.server.statistics.asynchronousRequests == 0 { try await Task.sleep(nanoseconds: 1_000_000) }
        }
        var rounds = 0
        while fixture.server.statistics.asynchronousRequests > 0, rounds < 5000 {
            try await Task.sleep(nanoseconds: 1_000_000)
            rounds += 1
        }
        #expect(fixture.server.statistics.asynchronousRequests == 0)
        await fixture.stop()
    }

    @Test func `refuses a contradictory table of routes`() {
        let route = ServerFixture.routes[0]
        var other = route
        other.operation = "other"
        #expect(throws: Router.Conflict.self) { try Router([route, other]) }
        #expect(throws: Router.Conflict.self) { try Router([route, route]) }
    }
}
