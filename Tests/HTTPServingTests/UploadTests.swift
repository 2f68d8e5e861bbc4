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

/// Large bodies go to the disk, and a disk that does not keep up holds up nobody else.
@Suite(.offPool) struct UploadTests {
    /// A disk that writes when it is let, and fails when it is told.
    private final class Disk: UploadStore {
        struct State {
            var isStuck = false
            var failure: Problem?
            var files = 0
            var written = 0
        }

        let state = Mutex(State())

        func makeFile(limit: Int) throws -> any UploadFile {
            state.withLock { $0.files += 1 }
            return try File(disk: self)
        }

        func stick(_ isStuck: Bool) { state.withLock { $0.isStuck = isStuck } }
    }

    private final class File: UploadFile {
        private let disk: Disk
        private let descriptor: FileDescriptor

        init(disk: Disk) throws {
            self.disk = disk
            var path = Array("/tmp/konza-upload-XXXXXX".utf8CString)
            let number = mkstemp(&path)
            guard number >= 0 else { throw SystemError("make a file") }
            unlink(path)
            descriptor = FileDescriptor(owning: number)
        }

        deinit { disk.state.withLock { $0.files -= 1 } }

        func write(_ bytes: [UInt8]) throws {
            while disk.state.withLock({ $0.isStuck }) { usleep(1000) }
            if let failure = disk.state.withLock({ $0.failure }) { throw failure }
            #expect(Glibc.write(descriptor.number, bytes, bytes.count) == bytes.count)
            disk.state.withLock { $0.written += bytes.count }
        }

        func cut(to count: Int) throws {
            guard ftruncate(descriptor.number, off_t(count)) == 0 else { throw SystemError("cut the file") }
        }

        func reader() throws -> FileDescriptor { FileDescriptor(owning: dup(descriptor.number)) }
    }

    private static func routes(_ limit: Int = 64 << 20) -> [Route] {
        ServerFixture.routes + [
            Route(
                .post, "/v1/pictures", access: .only(.collector), operation: "upload", summary: "Takes a picture.",
                body: RequestBody(types: ["image/png"], isRequired: true, limit: limit, isSpooled: true),
                produces: ["text/plain"],
                handler: .asynchronous { request in
                    guard let upload = request.upload else { return .text("memory \(request.body.count)") }
                    #expect(request.body.isEmpty)
                    let bytes = try upload.contents(in: nil)
                    return .text("file \(bytes.count) \(Self.digest(bytes.array))")
                })
        ]
    }

    private static func digest(_ bytes: [UInt8]) -> String {
        var hash = SHA256()
        hash.update(bytes)
        return hash.hexadecimal()
    }

    private static func head(_ size: Int) -> String {
        "POST /v1/pictures HTTP/1.1\r\nHost: konza\r\nContent-Type: image/png\r\nContent-Length: \(size)\r\n\r\n"
    }

    /// All bytes there are, again and again.
    private static func bytes(_ count: Int) -> [UInt8] {
        var bytes = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        while bytes.count < count { bytes += bytes }
        return Array(bytes.prefix(count))
    }

    @Test(arguments: [1, 65_536, 65_537, 262_144, 262_145, 524_288, 3_000_001], [false, true])
    func `a body is whole, in memory or in a file`(_ size: Int, _ isChunked: Bool) async throws {
        let disk = Disk()
        let fixture = try ServerFixture(pretending: Self.routes(), limits: ServerLimits(), uploads: disk)
        let client = try RawClient(fixture.path, user: 1001)
        let body = Self.bytes(size)
        for _ in 0..<2 {
            if isChunked {
                client.send("POST /v1/pictures HTTP/1.1\r\nHost: konza\r\nContent-Type: image/png\r\n")
                client.send("Transfer-Encoding: chunked\r\n\r\n")
                for start in stride(from: 0, to: size, by: 50_000) {
                    let part = body[start..<min(size, start + 50_000)]
                    client.send(Array("\(String(part.count, radix: 16))\r\n".utf8) + part + Array("\r\n".utf8))
                }
                client.send("0\r\n\r\n")
            } else {
                client.send(Array(Self.head(size).utf8) + body)
            }
            let answer = try #require(client.answer())
            #expect(answer.text == (size > 65_536 ? "file \(size) \(Self.digest(body))" : "memory \(size)"))
        }
        #expect(await eventually { disk.state.withLock { $0.files } == 0 })
        #expect(await eventually { fixture.server.statistics.uploadBytes == 0 })
        #expect(fixture.memory.figures.total == 0)
        await fixture.stop()
    }

    @Test func `a disk that stands still holds up nobody, and little memory`() async throws {
        let disk = Disk()
        disk.stick(true)
        let fixture = try ServerFixture(pretending: Self.routes(), limits: ServerLimits(), uploads: disk)
        let size = 8 << 20
        let body = Self.bytes(size)
        let path = fixture.path
        let threads = (0..<16).map { _ in
            Task {
                await onThread {
                    guard let client = try? RawClient(path, user: 1001) else { return nil }
                    client.send(Array(Self.head(size).utf8) + body)
                    return client.answer()?.status
                }
            }
        }
        #expect(await eventually { fixture.memory.figures.total == 16 * 2 * BodySpool.pieceBytes })
        try HostileTests.expectAlive(fixture)
        #expect(try RawClient(fixture.path, user: 1002).ask("POST /v1/things")?.status == 201)
        disk.stick(false)
        for thread in threads { #expect(await thread.value == 200) }
        #expect(fixture.memory.figures.peak <= 16 * 2 * BodySpool.pieceBytes + (1 << 20))
        #expect(await eventually { fixture.server.statistics.uploadBytes == 0 })
        await fixture.stop()
    }

    /// Runs what blocks on a thread of its own.
    private func onThread(_ body: @escaping @Sendable () -> Int?) async -> Int? {
        (try? await onDedicatedThread(named: "client", body)) ?? nil
    }

    @Test func `a client that goes while the disk stands still leaves nothing`() async throws {
        let disk = Disk()
        disk.stick(true)
        let fixture = try ServerFixture(pretending: Self.routes(), limits: ServerLimits(), uploads: disk)
        var client: RawClient? = try RawClient(fixture.path, user: 1001)
        client?.sendWhatFits(Array(Self.head(4 << 20).utf8) + Self.bytes(2 << 20))
        #expect(await eventually { fixture.server.statistics.uploadBytes > 0 })
        client = nil
        disk.stick(false)
        #expect(await eventually { fixture.server.statistics.uploadBytes == 0 })
        #expect(await eventually { fixture.server.statistics.openConnections == 0 })
        #expect(disk.state.withLock { $0.files } == 0)
        #expect(fixture.memory.figures.total == 0)
        await fixture.stop()
    }

    @Test func `a full disk, a share that is used up and a body that is too large are told`() async throws {
        let disk = Disk()
        var limits = ServerLimits()
        limits.uploadBytes = 4 << 20
        let fixture = try ServerFixture(pretending: Self.routes(3 << 20), limits: limits, uploads: disk)
        func upload(_ size: Int, user: UInt32) throws -> RawAnswer? {
            let client = try RawClient(fixture.path, user: user)
            client.send(Array(Self.head(size).utf8) + Self.bytes(size))
            return client.answer()
        }
        #expect(try upload(1 << 20, user: 1001)?.status == 200)
        #expect(await eventually { fixture.server.statistics.uploadBytes == 0 })
        let most = try upload((5 << 20) / 2, user: 1001)
        #expect(most?.status == 503 && most?.header("retry-after") == "5")
        #expect(await eventually { fixture.server.statistics.uploadBytes == 0 })
        #expect(try upload((5 << 20) / 2, user: 0)?.status == 200)
        #expect(try upload(4 << 20, user: 0)?.status == 413)
        disk.state.withLock { $0.failure = Problem(.insufficientStorage, "cannot write: the disk is full") }
        #expect(try upload(100_000, user: 1001)?.status == 507)
        #expect(try upload(1 << 20, user: 1001)?.status == 507)
        #expect(await eventually { fixture.server.statistics.uploadBytes == 0 })
        #expect(fixture.memory.figures.total == 0)
        await fixture.stop()
    }

    @Test func `what came before a body was too large for memory is held to the share of the disk, too`() throws {
        let space = DiskShares(bytes: 60)
        let memory = MemoryBudget(bytes: 1 << 20)
        do {
            let spool = BodySpool(
                store: Disk(), limit: 1000, threads: BlockingThreads(named: "upload", limit: 1), space: space,
                account: nil,
                reservation: try #require(memory.reserve(0, for: .bodies, account: nil)))
            spool.begin(with: [UInt8](repeating: 0, count: 100))
            let isTaken = [UInt8](repeating: 0, count: 30).withUnsafeBytes { part in
                spool.append(part) { fatalError("a part smaller than a piece suspends nothing") }
            }
            #expect(!isTaken)
        }
        #expect(space.taken == 0)
    }

    @Test func `the server stops while the disk stands still`() async throws {
        let disk = Disk()
        disk.stick(true)
        let fixture = try ServerFixture(pretending: Self.routes(), limits: ServerLimits(), uploads: disk)
        let client = try RawClient(fixture.path, user: 1001)
        client.sendWhatFits(Array(Self.head(4 << 20).utf8) + Self.bytes(2 << 20))
        #expect(await eventually { fixture.server.statistics.uploadBytes >= 512 << 10 })
        await fixture.stop()
        disk.stick(false)
        withExtendedLifetime(client) {}
    }

    /// libmicrohttpd ends the process if a connection sleeps when it stops.
    @Test(arguments: [1000, 300_000])
    func `a body that goes on, or ends, while the server stops keeps it from nothing`(_ before: Int) async throws {
        let disk = Disk()
        disk.stick(true)
        let fixture = try ServerFixture(pretending: Self.routes(), limits: ServerLimits(), uploads: disk)
        let client = try RawClient(fixture.path, user: 1001)
        func chunk(_ size: Int) -> [UInt8] {
            Array("\(String(size, radix: 16))\r\n".utf8) + Self.bytes(size) + Array("\r\n".utf8)
        }
        client.send("POST /v1/pictures HTTP/1.1\r\nHost: konza\r\nContent-Type: image/png\r\n")
        client.send("Transfer-Encoding: chunked\r\n\r\n")
        client.send(chunk(before))
        // The smaller one is held in memory until the stop.
        let isSpooled = before > 65_536
        if isSpooled { #expect(await eventually { fixture.server.statistics.uploadBytes == before }) }
        let server = fixture.server
        let stop = Task { await server.stop(graceSeconds: 0) }
        // Whoever is not done is answered for at once, and has 0.2 s to take it.
        try await Task.sleep(for: .milliseconds(60))
        client.sendWhatFits(isSpooled ? Array("0\r\n\r\n".utf8) : chunk(2 << 20))
        await stop.value
        disk.stick(false)
        #expect(await eventually { fixture.server.statistics.uploadBytes == 0 && fixture.memory.figures.total == 0 })
    }

    @Test func `an upload whose file cannot be read any more is an error, and gives its memory back`() throws {
        let budget = MemoryBudget(bytes: 1 << 20)
        let file = try File(disk: Disk())
        try file.write([UInt8](repeating: 7, count: 100_000))
        let whole = try Upload(reading: file, count: 100_000)
        var bytes: FrameData? = try whole.contents(in: budget.reserve(100_000, for: .pictures, account: 1001))
        #expect(bytes?.array == [UInt8](repeating: 7, count: 100_000))
        #expect(budget.figures.total == 100_000)
        bytes = nil
        #expect(budget.figures.total == 0)
        // A mapping would end the process here, as it would where the disk gives a page not back.
        try file.cut(to: 50_000)
        let memory = budget.reserve(100_000, for: .pictures, account: 1001)
        #expect(throws: SystemError(code: EIO, action: "read the upload to its end")) {
            try whole.contents(in: memory)
        }
        #expect(budget.figures.total == 0)
    }
}
