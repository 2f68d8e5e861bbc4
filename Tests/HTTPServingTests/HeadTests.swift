import Foundation
import Glibc
import KonzaAPI
import KonzaModel
import KonzaSystem
import KonzaTestTraits
import KonzaTesting
import Testing

@testable import HTTPServing

/// What hides a request in a request is refused, and every head is answered.
@Suite(.offPool) struct HeadTests {
    @Test(arguments: [
        // A blank before the colon (RFC 9112 section 5.1).
        "Content-Length : 2\r\n\r\n{}", "Transfer-Encoding : chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "Content-Length\t: 2\r\n\r\n{}",
        // No name: libmicrohttpd takes it for the end of the head.
        ": v\r\nContent-Length: 2\r\n\r\n{}", ":\r\n\r\n",
        // Folded lines (section 5.2).
        "X: a\r\n b\r\n\r\n", "X: a\r\n\tb\r\n\r\n", " X: a\r\n\r\n", "X:\r\n \r\n\r\n",
        // Two lengths, equal or not (section 6.3), and a length beside a coding.
        "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
        "Content-Length: 2, 2\r\n\r\n{}", "Content-Length: +2\r\n\r\n{}", "Content-Length:\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        // Line ends of one byte (section 2.2).
        "X: a\rContent-Length: 2\r\n\r\n{}", "X: a\nContent-Length: 2\r\n\r\n{}", "X: a\r\r\n\r\n", "X: a\n\n", "\n",
        // No tokens, no text.
        "X y: a\r\n\r\n", "(X): a\r\n\r\n", "X\u{1}: a\r\n\r\n", "X: a\u{1}b\r\n\r\n", "X: a\u{7f}\r\n\r\n",
        "X: a\0b\r\n\r\n", "X\0: a\r\n\r\n", "\u{e9}: a\r\n\r\n", "X: a\0\r\n\r\n", "X\r\n\r\n",
        // Fields of one value.
        "Idempotency-Key: a\r\nIdempotency-Key: b\r\nContent-Length: 2\r\n\r\n{}",
        "Content-Type: application/json\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}",
    ]) func `a head that two programs may read differently is refused with 400`(_ fields: String) async throws {
        let fixture = try ServerFixture()
        let client = try RawClient(fixture.path)
        client.send("POST /v1/things HTTP/1.1\r\nHost: konza\r\n\(fields)GET /v1/hello HTTP/1.1\r\nHost: konza\r\n\r\n")
        // A client that ends its side at once may be gone for libmicrohttpd before it is answered.
        let first = try #require(client.answer())
        #expect(first.status == 400, "\(first.head.prefix(80))")
        shutdown(client.socket, Int32(SHUT_WR))
        let text = String(decoding: client.readToEnd(), as: UTF8.self)
        // The rest may not be served where its place is in doubt; two values of a field leave no doubt of that.
        if !fields.hasPrefix("Idempotency-Key"), !fields.hasPrefix("Content-Type") {
            #expect(text.components(separatedBy: "HTTP/1.1 200").count == 1, "\(text)")
        }
        try HostileTests.expectAlive(fixture)
        await fixture.stop()
    }

    @Test(arguments: [
        ("Content-Encoding: gzip", 415, "Content-Encoding gzip"),
        ("Content-Encoding: identity, br", 415, "Content-Encoding br"),
        ("Content-Encoding: identity", 201, ""), ("Content-Encoding: Identity", 201, ""),
        ("Content-Type: application/json; charset=utf-16", 415, "encoding utf-16"),
        ("Content-Type: application/json;x=y; Charset=\"latin1\"", 415, "encoding latin1"),
        ("Content-Type: application/json; charset=\"UTF-8\"", 201, ""),
        ("Content-Type: application/json;charset=utf-8", 201, ""),
        ("Expect: kittens", 417, "expectation kittens"), ("Expect: 100-Continue", 201, ""),
        ("X: a\0b", 400, "NUL byte"),
    ]) func `what a head asks of the server and cannot have is refused in words`(
        _ field: String, _ status: Int, _ words: String
    ) async throws {
        let fixture = try ServerFixture()
        let client = try RawClient(fixture.path)
        client.send("POST /v1/things HTTP/1.1\r\nHost: konza\r\n\(field)\r\nContent-Length: 2\r\n\r\n{}")
        let answer = client.answer()
        #expect(answer?.status == status)
        #expect(words.isEmpty || answer?.text.contains(words) == true, "\(answer?.text ?? "")")
        await fixture.stop()
    }

    @Test(arguments: [
        "X:\r\n", "X:v\r\n", "X: v \t\r\n", "X: \u{e9}\r\n", "!#$%&'*+-.^_`|~09azAZ: \"\\\r\n", "Cookie: a=b; c=d\r\n",
        "",
        "X: a\r\nX: a\r\nx: b\r\n", "X: :::\r\n",
    ]) func `a head as the standard has it is taken`(_ fields: String) async throws {
        let fixture = try ServerFixture()
        let client = try RawClient(fixture.path)
        for _ in 0..<2 {
            client.send("\r\nGET /v1/hello?name=a%20b&tag=1&tag=2 HTTP/1.1\r\nHost: konza\r\n\(fields)\r\n")
            #expect(client.answer()?.status == 200)
        }
        await fixture.stop()
    }

    /// As many fields as there may be: libmicrohttpd had no memory left for the answer to some.
    @Test(arguments: [5, 20, 60, 100, 500, 2000]) func `a head of any size is answered`(_ line: Int) async throws {
        let fixture = try ServerFixture()
        for bytes in stride(from: 2000, to: 60_000, by: 997) {
            let client = try RawClient(fixture.path)
            let fields = String(repeating: "X:\(String(repeating: "y", count: line - 4))\r\n", count: bytes / line)
            client.send("GET /v1/hello HTTP/1.1\r\nHost: konza\r\n\(fields)\r\n")
            let answer = client.answer()
            #expect(answer != nil, "\(bytes / line) fields of \(line) bytes")
            #expect(answer?.status == 200 || answer?.status == 431, "\(bytes / line) fields of \(line) bytes")
            if bytes > ServerLimits().headerBytes + line { #expect(answer?.status == 431) }
            if bytes < 8000, line >= 60 { #expect(answer?.status == 200) }
        }
        await fixture.stop()
    }

    /// What the check takes is a head by the grammar.
    @Test func `only lines of a name, a colon and a value are taken, whatever bytes there are`() throws {
        let seed = RandomTest.seed(of: "heads")
        let rounds = RandomTest.cases(20_000)
        var generator = SeededGenerator(seed: seed)
        let alphabet: [UInt8] = [0, 0, 0, 0x41, 0x42, 0x20, 0x3a, 0x0a, 0x0d, 0x09, 0x7f, 0x80, 0xff]
        let line = /[A-B]+\0[\t A-B:\u{80}\u{ff}]*\0\0/
        for _ in 0..<rounds {
            var bytes: [UInt8] = [0, 0]
            for _ in 0..<Int.random(in: 0...4, using: &generator) { bytes += [0x41, 0, 0x42, 0, 0] }
            bytes += [0, 0]
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let place = Int.random(in: 0...bytes.count, using: &generator)
                let byte = alphabet.randomElement(using: &generator) ?? 0
                if Bool.random(using: &generator), place < bytes.count {
                    bytes[place] = byte
                } else {
                    bytes.insert(byte, at: place)
                }
            }
            var rest = Substring(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })))
            var count = 0
            var isHead = rest.unicodeScalars.starts(with: "\0\0".unicodeScalars)
            if isHead { rest = Substring(rest.unicodeScalars.dropFirst(2)) }
            while let match = try line.prefixMatch(in: rest) {
                rest = rest[match.range.upperBound...]
                count += 1
            }
            isHead = isHead && rest == "\0\0"
            var isTaken = true
            do throws(RawHead.Fault) { try RawHead.check(bytes.span, fields: count) } catch { isTaken = false }
            #expect(isTaken == isHead, "seed \(seed): \(bytes)")
        }
    }

    @Test func `a server whose time limits cannot be kept does not start`() throws {
        let server = try HTTPServer(
            router: Router([]), limits: ServerLimits(), memory: MemoryBudget(), uploads: nil, access: .everyone,
            watchStackBytes: 1 << 46, peerOf: { _ in nil })
        let path = "/tmp/konza-watch-\(getpid())"
        defer { unlink(path) }
        #expect(throws: ListenError.self) { try server.listen(onUnixSocket: path) }
    }

    @Test func `a hang-up before the handler's task is known cancels it`() async {
        for isStop in [false, true] {
            let exchange = Exchange(target: [])
            if isStop { exchange.abandon(Response.noContent) } else { exchange.hangUp() }
            let task = Task { _ = try? await Task.sleep(for: .seconds(3600)) }
            exchange.attach(task)
            await task.value
            #expect(task.isCancelled)
        }
    }

    // MARK: conditions

    /// Bytes that this process has read by read(2) and its like (proc(5)).
    private static func bytesRead() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("rchar:") }
        return line.flatMap { Int($0.dropFirst(7)) } ?? 0
    }

    @Test func `of a large file only what is sent is read`() async throws {
        let size = 56 << 20
        let path = "/tmp/konza-large-\(getpid())"
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        defer { unlink(path) }
        #expect(ftruncate(descriptor, off_t(size)) == 0)
        close(descriptor)
        let fixture = try ServerFixture([
            Route(
                .get, "/file", access: .everyone, operation: "file", summary: "A file.", produces: ["image/png"],
                handler: .asynchronous { _ in .file(try OpenFile(path: path), type: "image/png", entityTag: "t") })
        ])
        let client = try RawClient(fixture.path)
        let before = Self.bytesRead()
        #expect(client.ask("HEAD /file")?.header("content-length") == "\(size)")
        #expect(client.ask("GET /file", "If-None-Match: \"t\"")?.status == 304)
        #expect(client.ask("GET /file", "Range: bytes=\(size)-")?.status == 416)
        let part = client.ask("GET /file", "Range: bytes=\(size - 1)-")
        #expect(part?.status == 206 && part?.body.count == 1)
        #expect(Self.bytesRead() - before < 1 << 20)
        #expect(client.ask("GET /file")?.body.count == size)
        await fixture.stop()
    }
}
