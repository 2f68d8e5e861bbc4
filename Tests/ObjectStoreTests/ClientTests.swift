import Foundation
import HTTPTransfer
import KonzaModel
import KonzaTesting
import ObjectStore
import Testing

@Suite("A client of an object store", .serialized)
struct ClientTests {
    private func error(_ body: () throws -> Void) -> ObjectStoreError? {
        do {
            try body()
        } catch {
            return error as? ObjectStoreError
        }
        return nil
    }

    @Test("an object is stored with its hash, its type and what goes along, from memory and from a file")
    func stored() throws {
        let bench = try Bench()
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let name = "konza/knz07/2026/11/01j0000000000000000000000a.jpg"
        let first = try Bench.upload(name, bytes, metadata: ["box": "knz07", "template": "a vintage one"])
        #expect(try bench.client.put(first) == .stored)
        let folder = try TemporaryFolder()
        try Data(bytes).write(to: URL(filePath: "\(folder.path)/a.jpg"))
        let second = ObjectUpload(
            .file(path: "\(folder.path)/a.jpg", byteCount: bytes.count), key: try #require(ObjectKey("a/file.jpg")),
            sha256: Bench.hash(bytes), contentType: "image/jpeg")
        var sent = 0
        #expect(try bench.client.put(second, onSent: { sent = $0 }) == .stored)
        #expect(sent == bytes.count)
        let objects = try bench.objects()
        for key in [name, "a/file.jpg"] {
            let kept = try #require(objects[key])
            #expect(kept.sha256 == Bench.hash(bytes) && kept.bytes == bytes.count && kept.type == "image/jpeg")
        }
        let facts = try #require(try bench.client.head(first.key))
        #expect(facts.byteCount == bytes.count && facts.sha256 == first.sha256)
        #expect(facts.metadata == ["box": "knz07", "template": "a vintage one"])
    }

    @Test("a large object is stored, for which libcurl asks first whether it may come")
    func large() throws {
        let bench = try Bench()
        let bytes = [UInt8](repeating: 7, count: 3 << 20)
        #expect(try bench.client.put(try Bench.upload("large", bytes)) == .stored)
        #expect(try bench.objects()["large"]?.sha256 == Bench.hash(bytes))
        #expect(try bench.log().first?.headers["expect"] == "100-continue")
        #expect(try bench.client.put(try Bench.upload("large", bytes)) == .wasThere)
    }

    @Test("nothing empty is refused, and nothing that was deleted is found")
    func deleted() throws {
        let bench = try Bench()
        let empty = try Bench.upload("empty", [])
        #expect(try bench.client.put(empty) == .stored)
        #expect(try bench.client.head(empty.key)?.byteCount == 0)
        try bench.client.delete(empty.key)
        try bench.client.delete(empty.key)
        #expect(try bench.client.head(empty.key) == nil)
        #expect(try bench.client.put(empty) == .stored)
    }

    @Test(
        "what is there stays, and the same is told from another",
        arguments: [[], ["--plain"], ["--exists", "304"], ["--plain", "--exists", "304"]])
    func conditional(_ options: [String]) throws {
        let bench = try Bench(options)
        let bytes = Array("a picture".utf8)
        #expect(try bench.client.put(try Bench.upload("a", bytes)) == .stored)
        #expect(try bench.client.put(try Bench.upload("a", bytes)) == .wasThere)
        for other in ["b picture", "another picture"] {
            guard case .otherContent(let facts) = try bench.client.put(try Bench.upload("a", Array(other.utf8))) else {
                Issue.record("it was taken for the same, or replaced")
                continue
            }
            #expect(facts.sha256 == Bench.hash(bytes))
        }
        let kept = try #require(try bench.objects()["a"])
        #expect(kept.sha256 == Bench.hash(bytes) && kept.writes == 1)
    }

    @Test("an answer that is lost is made up for by the next call", arguments: ["lost", "truncated"])
    func lost(_ fault: String) throws {
        let bench = try Bench()
        let object = try Bench.upload("a", [1, 2, 3])
        try bench.inject("[\"\(fault)\"]")
        let failure = try #require(error { _ = try bench.client.put(object) })
        #expect(failure.reason == .network && failure.isTransient)
        #expect(try bench.client.put(object) == .wasThere)
        #expect(try bench.objects()["a"]?.writes == 1)
    }

    @Test("a conflict is tried again at once, and not for ever")
    func conflict() throws {
        let bench = try Bench()
        try bench.inject(#"["conflict", 409]"#)
        #expect(try bench.client.put(try Bench.upload("a", [1])) == .stored)
        try bench.inject(#"["conflict", "conflict", "conflict", "conflict"]"#)
        #expect(error { _ = try bench.client.put(try Bench.upload("b", [1])) }?.reason == .busy)
    }

    @Test("bytes that change on the way, or in the store, are no success")
    func damaged() throws {
        let bench = try Bench()
        let object = try Bench.upload("a", [1, 2, 3])
        try bench.inject(#"["hash"]"#)
        #expect(error { _ = try bench.client.put(object) }?.reason == .damaged)
        #expect(try bench.objects().isEmpty)
        let liar = ObjectUpload(
            .bytes([1, 2, 3]), key: object.key, sha256: Bench.hash([4]), contentType: "image/jpeg")
        #expect(error { _ = try bench.client.put(liar) }?.reason == .damaged)
        try bench.inject(#"["swap"]"#)
        #expect(error { _ = try bench.client.put(object) }?.reason == .damaged)
        guard case .otherContent = try bench.client.put(object) else {
            Issue.record("changed bytes were taken for the object")
            return
        }
    }

    @Test("a store that fails says so, and when to come back", arguments: [500, 503])
    func busy(_ status: Int) throws {
        let bench = try Bench()
        try bench.inject("[\(status)]")
        let failure = try #require(error { _ = try bench.client.put(try Bench.upload("a", [1])) })
        #expect(failure.reason == .busy && failure.isTransient)
    }

    @Test(
        "each refusal has its reason and its remedy",
        arguments: [
            (["--clock", "-31536000"], nil, "us-east-1", ObjectStoreError.Reason.clock, "days ahead"),
            (["--clock", "5400"], nil, "us-east-1", .clock, "min behind"),
            ([], ObjectCredentials(accessKey: "KONZATEST", secretKey: "wrong"), "us-east-1", .credentials, "secret"),
            ([], ObjectCredentials(accessKey: "SOMEBODY", secretKey: "wrong"), "us-east-1", .credentials, "account"),
            (["--token", "new"], nil, "us-east-1", .credentials, "credentials"),
            (
                ["--token", "new"],
                ObjectCredentials(accessKey: "KONZATEST", secretKey: "konza-test-secret", sessionToken: "old"),
                "us-east-1", .credentials, "get new ones"
            ),
            (["--prefix", "konza/knz08/"], nil, "us-east-1", .forbidden, "below"),
            (["--bucket", "other"], nil, "us-east-1", .noBucket, "make it"),
            ([], nil, "eu-west-1", .region, "eu-west-1"),
        ] as [([String], ObjectCredentials?, String, ObjectStoreError.Reason, String)])
    func refusals(
        _ options: [String], _ credentials: ObjectCredentials?, _ region: String,
        _ reason: ObjectStoreError.Reason, _ words: String
    ) throws {
        let bench = try Bench(options, credentials: credentials, region: region)
        let failure = try #require(error { _ = try bench.client.put(try Bench.upload("konza/knz07/a", [1])) })
        #expect(failure.reason == reason && failure.description.contains(words), "\(failure)")
        #expect(failure.description.hasPrefix("cannot ") && !failure.description.contains("konza-test-secret"))
        #expect(try bench.objects().isEmpty)
    }

    @Test("a temporary account signs with its token")
    func token() throws {
        let bench = try Bench(
            ["--token", "new"],
            credentials: ObjectCredentials(
                accessKey: "KONZATEST", secretKey: "konza-test-secret", sessionToken: "new"))
        #expect(try bench.client.put(try Bench.upload("a", [1])) == .stored)
    }

    @Test("a store that is gone, one that is silent and an interface that is not there are a matter of the network")
    func network() throws {
        var settings = ObjectTransferSettings()
        settings.silenceSeconds = 1
        let bench = try Bench(settings: settings)
        let object = try Bench.upload("a", [1])
        try bench.inject(#"["silent"]"#)
        #expect(error { _ = try bench.client.put(object) }?.reason == .network)
        settings.interface = "nonesuch0"
        let elsewhere = try Bench.client(bench.server.address, settings: settings)
        #expect(error { _ = try elsewhere.put(object) }?.reason == .network)
        settings.interface = "lo"
        settings.bytesPerSecond = 1 << 20
        #expect(try Bench.client(bench.server.address, settings: settings).put(object) == .stored)
        bench.server.kill()
        #expect(error { _ = try bench.client.put(object) }?.reason == .network)
    }

    @Test("a file that is shorter than it was, or gone, is not sent")
    func unreadable() throws {
        let bench = try Bench()
        let folder = try TemporaryFolder()
        try Data([1, 2]).write(to: URL(filePath: "\(folder.path)/a"))
        for (path, count) in [("\(folder.path)/a", 3), ("\(folder.path)/b", 3)] {
            let object = ObjectUpload(
                .file(path: path, byteCount: count), key: try #require(ObjectKey("a")), sha256: Bench.hash([1]),
                contentType: "image/jpeg")
            #expect(error { _ = try bench.client.put(object) }?.reason == .unreadable)
        }
        #expect(try bench.objects().isEmpty)
    }

    @Test("what no header can carry is refused before anything is sent")
    func headers() throws {
        let bench = try Bench()
        for metadata in [["Box": "a"], ["sha256": "a"], ["": "a"], ["a": "ä"], ["a": "b\n"], ["a": "b  c"], ["a": ""]] {
            let object = try Bench.upload("a", [1], metadata: metadata)
            #expect(error { _ = try bench.client.put(object) }?.reason == .refused, "\(metadata)")
        }
        let object = ObjectUpload(.bytes([1]), key: try #require(ObjectKey("a")), sha256: "ab", contentType: "a/b")
        #expect(error { _ = try bench.client.put(object) }?.reason == .refused)
        #expect(try bench.log().isEmpty)
    }

    @Test("a certificate that nobody vouches for is not trusted, and one that is named is")
    func certificates() throws {
        let folder = try TemporaryFolder()
        _ = try ProgramRun(
            "/usr/bin/openssl",
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=127.0.0.1".split(
                separator: " "
            ).map(String.init) + [
                "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "\(folder.path)/key", "-out", "\(folder.path)/crt",
            ])
        let key = try String(contentsOfFile: "\(folder.path)/key", encoding: .utf8)
        let certificate = try String(contentsOfFile: "\(folder.path)/crt", encoding: .utf8)
        try (key + certificate).write(toFile: "\(folder.path)/both", atomically: true, encoding: .utf8)
        let server = try ObjectServer(["--certificate", "\(folder.path)/both"])
        let address = "https://127.0.0.1:\(server.port)/konza"
        let object = try Bench.upload("a", [1])
        let failure = try #require(error { _ = try Bench.client(address).put(object) })
        #expect(failure.reason == .untrustedCertificate, "\(failure)")
        var settings = ObjectTransferSettings()
        settings.certificateAuthorities = "\(folder.path)/crt"
        #expect(try Bench.client(address, settings: settings).put(object) == .stored)
    }
}
