import Foundation
import Glibc
import KonzaAPI
import KonzaModel
import KonzaSystem
import KonzaTestTraits
import KonzaTesting
import Synchronization
import Testing

@testable import HTTPServing

/// TLS as clients of other libraries see it.
@Suite(.offPool, .timeLimit(.minutes(2))) struct TLSTests {
    // MARK: what is spoken

    /// libmicrohttpd closes a connection whose handshake fails, without an alert.
    private static let refused = "Cipher is (NONE)"

    /// Each way in, and what openssl says of it.
    @Test(arguments: [
        // The client itself would refuse to offer the old versions at its usual level.
        (["-tls1", "-cipher", "ALL:@SECLEVEL=0"], Self.refused),
        (["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], Self.refused),
        (["-tls1_2"], "Protocol  : TLSv1.2"),
        (["-tls1_3"], "New, TLSv1.3, Cipher is TLS_"),
        (["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"], "Cipher is ECDHE-ECDSA-AES128-GCM-SHA256"),
        (["-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-GCM-SHA384"], "Cipher is ECDHE-ECDSA-AES256-GCM-SHA384"),
        (["-tls1_2", "-cipher", "ECDHE-ECDSA-CHACHA20-POLY1305"], "Cipher is ECDHE-ECDSA-CHACHA20-POLY1305"),
        (["-tls1_3", "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"], "TLS_CHACHA20_POLY1305_SHA256"),
        // No forward secrecy, no authenticated encryption, or a hash that is broken.
        (["-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-SHA384:@SECLEVEL=0"], Self.refused),
        (["-tls1_2", "-cipher", "AES128-GCM-SHA256:AES256-SHA:@SECLEVEL=0"], Self.refused),
        (["-tls1_2", "-cipher", "ALL:@SECLEVEL=0", "-sigalgs", "ECDSA+SHA1"], Self.refused),
        (["-alpn", "http/1.1"], "ALPN protocol: http/1.1"),
        (["-alpn", "h2,http/1.1"], "ALPN protocol: http/1.1"),
        (["-alpn", "h2"], Self.refused),
    ]) func `versions and ciphers`(_ arguments: [String], _ expected: String) async throws {
        let fixture = try TLSFixture()
        let run = try ProgramRun(
            "/usr/bin/openssl", ["s_client", "-connect", "127.0.0.1:\(fixture.port)", "-ign_eof"] + arguments,
            input: Data(TLSFixture.request.utf8), errorsInOutput: true)
        #expect(run.text.contains(expected), "\(run.text)")
        #expect(run.text.contains("HTTP/1.1 200 OK") == (expected != Self.refused), "\(run.text)")
        await fixture.stop()
    }

    @Test func `certificates with RSA keys are served too`() async throws {
        let fixture = try TLSFixture()
        fixture.server.replaceIdentity(
            try MadeCertificate("rsa", in: fixture.folder, algorithm: ["rsa:2048"]).identity())
        #expect(try fixture.curl("/v1/hello", certificate: "rsa").text == #"{"hello":"world","tags":""}"#)
        #expect(try fixture.client("-tls1_2").text.contains("Cipher is ECDHE-RSA-"))
        await fixture.stop()
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func `a session is resumed until the certificate is another`(
        _ version: String
    ) async throws {
        let fixture = try TLSFixture()
        let kept = fixture.folder + "/session"
        #expect(try fixture.client(version, "-sess_out", kept).text.contains("New, TLSv1."))
        let resumed = try fixture.client(version, "-sess_in", kept, "-sess_out", kept)
        #expect(resumed.text.contains("Reused, TLSv1."), "\(resumed.text)")
        #expect(resumed.text.contains("HTTP/1.1 200 OK"))
        #expect(fixture.server.statistics.resumedHandshakes == 1)
        fixture.server.replaceIdentity(try MadeCertificate("second", in: fixture.folder).identity())
        let other = try fixture.client(version, "-sess_in", kept)
        #expect(other.text.contains("New, TLSv1.") && other.text.contains("CN = second"), "\(other.text)")
        #expect(fixture.server.statistics.handshakes == 3)
        await fixture.stop()
    }

    @Test func `a client that wants to renegotiate is closed`() async throws {
        let fixture = try TLSFixture()
        // A line that begins with R makes s_client renegotiate, where it does not send all to the server.
        let run = try ProgramRun(
            "/usr/bin/openssl", ["s_client", "-connect", "127.0.0.1:\(fixture.port)", "-tls1_2"],
            input: Data("R\n\(TLSFixture.request)".utf8), errorsInOutput: true)
        #expect(run.text.contains("RENEGOTIATING"), "\(run.text)")
        #expect(!run.text.contains("HTTP/1.1 200"), "\(run.text)")
        #expect(try fixture.curl("/v1/hello").status == 0)
        await fixture.stop()
    }

    // MARK: HTTP over it

    @Test func `requests, answers of each kind and refusals pass as without TLS`() async throws {
        let store = EventHub(epoch: "e")
        store.publish("n", data: "first")
        let path = "/tmp/konza-tls-file-\(getpid())"
        try Data(TLSFixture.large).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        let fixture = try TLSFixture(
            TLSFixture.routes + [
                StreamTests.eventsRoute(store),
                Route(
                    .get, "/v1/file", access: .everyone, operation: "file", summary: "1.5 MB from a file.",
                    produces: ["application/octet-stream"],
                    handler: .asynchronous { _ in
                        .file(try OpenFile(path: path), type: "application/octet-stream")
                    }),
            ])
        let channel = try fixture.curl("/v1/channel").text
        #expect(channel == #"{"account":"the address 127.0.0.1","encrypted":"yes","roles":"visitor"}"#)
        for kind in ["large", "file"] {
            let out = fixture.folder + "/" + kind
            #expect(try fixture.curl("/v1/\(kind)", "-o", out).status == 0)
            #expect(try Array(Data(contentsOf: URL(fileURLWithPath: out))) == TLSFixture.large, "\(kind)")
            #expect(try fixture.curl("/v1/\(kind)", "-o", "/dev/null", "--http2").status == 0)
        }
        #expect(try fixture.curl("/v1/things", "--json", "{}", "-w", "%{http_code}").text.hasSuffix("403"))
        #expect(try fixture.curl("/v1/hello", "-H", "Host: evil.example", "-w", "%{http_code}").text.hasSuffix("403"))
        // The same connection again and again.
        let again = try fixture.curl(
            "/v1/things/[1-50]", "-w", " %{num_connects}\n")
        let connections = String(again.text.split(separator: "\n").compactMap(\.last))
        #expect(connections == "1" + String(repeating: "0", count: 49))
        let events = try fixture.curl("/v1/events", "-N", "--max-time", "1", "-H", "Last-Event-ID: e-0")
        #expect(events.text.hasSuffix("id: e-1\nevent: n\ndata: first\n\n"))
        #expect(await eventually { fixture.server.statistics.openStreams == 0 })
        // A head that cannot be read is answered without libmicrohttpd.
        let bad = try fixture.client(request: "GET /v1/hello HTTP/1.1\r\nHost: localhost\r\nX : y\r\n\r\n")
        #expect(bad.text.contains("HTTP/1.1 400") && bad.text.contains("cannot read the head"), "\(bad.text)")
        await fixture.stop()
    }

    @Test func `a handler is cancelled when its client goes`() async throws {
        let isCancelled = Mutex(false)
        let fixture = try TLSFixture([
            Route(
                .get, "/v1/wait", access: .everyone, operation: "wait", summary: "Waits.",
                handler: .asynchronous { _ in
                    defer { isCancelled.withLock { $0 = Task.isCancelled } }
                    try await Task.sleep(nanoseconds: 60_000_000_000)
                    return .noContent
                })
        ])
        #expect(try fixture.curl("/v1/wait", "--max-time", "1").status == 28)
        #expect(await eventually { isCancelled.withLock { $0 } })
        await fixture.stop()
    }

    // MARK: the certificate

    @Test func `another certificate is served to the next connection, and those under way go on`() async throws {
        let fixture = try TLSFixture()
        let open = Process()
        open.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        open.arguments = ["s_client", "-connect", "127.0.0.1:\(fixture.port)", "-quiet", "-verify_quiet"]
        let (feed, output) = (Pipe(), Pipe())
        open.standardInput = feed
        open.standardOutput = output
        open.standardError = Pipe()
        try open.run()
        let ask = Data("GET /v1/things/1 HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        try feed.fileHandleForWriting.write(contentsOf: ask)
        var text = ""
        while !text.contains(#"{"id":"1"}"#) {
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else { break }
            text += String(decoding: part, as: UTF8.self)
        }
        #expect(text.contains(#"{"id":"1"}"#))
        fixture.server.replaceIdentity(try MadeCertificate("second", in: fixture.folder).identity())
        let next = try fixture.client()
        #expect(next.text.contains("CN = second") && !next.text.contains("CN = first"), "\(next.text)")
        #expect(try fixture.curl("/v1/hello", certificate: "second").status == 0)
        // 60: the certificate cannot be verified.
        #expect(try fixture.curl("/v1/hello", certificate: "first").status == 60)
        let last = Data("GET /v1/things/2 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        try feed.fileHandleForWriting.write(contentsOf: last)
        let rest = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(rest.contains(#"{"id":"2"}"#), "\(rest)")
        open.waitUntilExit()
        await fixture.stop()
    }

    @Test func `what cannot be served is named`() throws {
        var template = Array("/tmp/konza-tls-XXXXXX".utf8CString)
        _ = try #require(mkdtemp(&template))
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let good = try MadeCertificate("good", in: folder)
        let other = try MadeCertificate("other", in: folder)
        let now = SystemClock().utc()
        #expect(try good.identity().expiresAt > now.advanced(bySeconds: 6 * 86_400))
        let locked = try ProgramRun(
            "/usr/bin/openssl", ["pkey", "-in", folder + "/good.key", "-aes256", "-passout", "pass:x"])
        var damaged = good.certificate
        damaged[damaged.count / 2] = UInt8(ascii: "!")
        let empty = Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)
        let rows: [(certificate: [UInt8], key: [UInt8], at: UTCInstant, reason: TLSIdentityError.Reason)] = [
            ([], good.key, now, .notPEM), (good.certificate, [], now, .notPEM), (good.key, good.key, now, .notPEM),
            (good.certificate, good.certificate, now, .notPEM), (Array("hello".utf8), good.key, now, .notPEM),
            (damaged, good.key, now, .unreadable), (empty, good.key, now, .unreadable),
            (good.certificate, Array(good.key.prefix(90)), now, .unreadable),
            (good.certificate, Array(locked.output), now, .unreadable),
            (good.certificate, other.key, now, .keyMismatch), (other.certificate, good.key, now, .keyMismatch),
            (good.certificate, good.key, now.advanced(bySeconds: 8 * 86_400), .expired),
        ]
        for (number, row) in rows.enumerated() {
            let error = #expect(throws: TLSIdentityError.self, "row \(number)") {
                try TLSIdentity(certificate: row.certificate, key: row.key, at: row.at)
            }
            #expect(error?.reason == row.reason, "row \(number): \(error?.description ?? "")")
            #expect(error?.description.hasPrefix("cannot ") == true)
        }
        // The clock of a station without a receiver may be behind.
        #expect(throws: Never.self) { try good.identity(at: UTCInstant(nanoseconds: 0)) }
        // A chain: the certificate of the key is the first.
        #expect(throws: Never.self) {
            try TLSIdentity(certificate: good.certificate + other.certificate, key: good.key, at: now)
        }
    }

    @Test func `the key of tickets is another every few hours`() throws {
        let start = MonotonicInstant(nanoseconds: 1_000_000_000)
        var keys = try TicketKeys(at: start)
        let first = keys.key(at: start)
        #expect(first.count >= 32)
        let end = start.advanced(bySeconds: TicketKeys.lifetimeSeconds)
        #expect(keys.key(at: end.advanced(bySeconds: -1)) == first)
        let second = keys.key(at: end)
        #expect(second != first)
        #expect(keys.key(at: end.advanced(bySeconds: TicketKeys.lifetimeSeconds - 1)) == second)
        keys.renew(at: end)
        #expect(keys.key(at: end) != second)
    }
}
