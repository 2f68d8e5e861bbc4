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

/// What one user may take of that which all users share.
@Suite(.offPool) struct SharesTests {
    @Test func `one user comes to a half, the next to a half of the rest, and the last finds some`() {
        var shares = FairShares(capacity: 1200)
        for (user, share) in [(1, 600), (2, 300), (3, 150), (4, 75)] as [(Account, Int)] {
            while shares.takeFairly(1, for: user) {}
            #expect(shares.held(by: user) == share)
        }
        let isMoreTaken = shares.takeFairly(1, for: 1)
        #expect(!isMoreTaken)
        shares.giveBack(600, of: 1)
        let isFreedTaken = shares.takeFairly(1, for: 2)
        #expect(isFreedTaken)
    }

    @Test func `no user holds more than was left for the others, whatever is taken and given back`() {
        let seed = RandomTest.seed(of: "fair shares")
        var generator = SeededGenerator(seed: seed)
        var shares = FairShares(capacity: 10_000)
        var held: [(user: Account, amount: Int)] = []
        for _ in 0..<20_000 {
            if Int.random(in: 0..<3, using: &generator) == 0, let index = held.indices.randomElement(using: &generator)
            {
                let (user, amount) = held.remove(at: index)
                shares.giveBack(amount, of: user)
            } else {
                let user = Account(user: .random(in: 1...5, using: &generator))
                let amount = Int.random(in: 1...2000, using: &generator)
                guard shares.takeFairly(amount, for: user) else { continue }
                held.append((user, amount))
                #expect(shares.held(by: user) <= shares.capacity - shares.taken, "seed \(seed)")
            }
            let sum = held.reduce(0) { $0 + $1.amount }
            #expect(shares.taken == sum, "seed \(seed)")
        }
    }

    // MARK: places

    @Test func `who comes takes the place of an address that has several and asks nothing, unused ones first`() {
        let table = ConnectionTable(capacity: 8, reserve: 0, perAddress: 8)
        func come(_ number: Int, _ standing: Connection.Standing = .stranger) -> Connection {
            table.add(
                socket: -1, peer: PeerCredentials(processID: 0, userID: 0, groupID: 0), standing: standing,
                channel: .tcp(address: "192.0.2.\(number)", isEncrypted: false), tls: nil, deadline: .max
            ).connection
        }
        // By their shares: four of the first address, two of the second, one of the third.
        let first = (0..<4).map { _ in come(1) }
        let second = (0..<2).map { _ in come(2) }
        let third = come(3)
        #expect((first + second + [third]).allSatisfy { $0.isAdmitted })
        // One of the first address was of use, and is being answered.
        first[0].noteRequest()
        first[0].enter(.handling, until: .max)
        var left: [Bool] { (first + second + [third]).map { $0.isAdmitted } }
        #expect(come(4).isAdmitted)
        #expect(left == [true, false, true, true, true, true, true], "the oldest that never asked")
        first[2].noteRequest()
        #expect(come(5).isAdmitted)
        #expect(left == [true, false, true, true, false, true, true], "now the second address has the most of these")
        // Each address has one that waits and was never asked on, which is no more than who comes would have.
        let late = come(6)
        #expect(!late.isAdmitted)
        #expect(left == [true, false, true, true, false, true, true])
        // Two of the first address wait that were of use: the older goes.
        first[0].enter(.idle, until: .max)
        #expect(come(7).isAdmitted)
        #expect(left == [false, false, true, true, false, true, true])
        #expect(table.places(of: first[0].account) == 2)
    }

    // MARK: memory

    private static let large = FrameData([UInt8](repeating: 0x61, count: 256 << 10))
    private static let largeRoutes: [Route] = [
        route("/v1/bytes") { .bytes(large.withBytes { Array($0) }, type: "text/plain") },
        route("/v1/data") { .data(large, type: "text/plain") },
        route("/v1/kept") { .kept(large, type: "text/plain") },
        Route(
            .get, "/v1/task", access: .everyone, operation: "task", summary: "As much, from a task.",
            produces: ["text/plain"],
            handler: .asynchronous { _ in .data(large, type: "text/plain") }),
        Route(
            .post, "/v1/changes", access: .only(.collector), operation: "changes", summary: "As much, after a change.",
            body: RequestBody(), produces: ["text/plain"],
            handler: .immediate { _ in .data(large, type: "text/plain") }),
        Route(
            .post, "/v1/judged", access: .everyone, operation: "judged",
            summary: "Reads a large body and changes nothing.",
            body: RequestBody(isRequired: true, limit: 256 << 10), produces: ["text/plain"],
            handler: .immediate { request in .text("\(request.body.count)") }),
    ]

    private static func route(_ path: String, _ body: @escaping @Sendable () -> Response) -> Route {
        Route(
            .get, path, access: .everyone, operation: path, summary: "256 KiB.", produces: ["text/plain"],
            handler: .immediate { _ in body() })
    }

    /// The kernel buffers little, so that what is not read stays with the server.
    private static var limits: ServerLimits {
        var limits = ServerLimits()
        limits.roomyConnections = 0
        return limits
    }

    private static let capacity = 24 << 20

    private static func fixture(
        _ routes: [Route], _ limits: ServerLimits = SharesTests.limits, bytes: Int = capacity,
        access: AccessPolicy = .everyone
    ) throws -> ServerFixture {
        try ServerFixture(pretending: routes, limits: limits, memory: MemoryBudget(bytes: bytes), access: access)
    }

    /// As many clients that ask and never read. All have been answered.
    private static func unread(
        _ count: Int, _ line: String, _ fixture: ServerFixture, user: UInt32
    ) async throws -> [RawClient] {
        func answers() -> UInt64 { fixture.server.statistics.answersByClass.reduce(0, +) }
        let before = answers()
        let clients = try (0..<count).map { _ in
            let client = try RawClient(fixture.path, user: user)
            client.send("\(line) HTTP/1.1\r\nHost: konza\r\n\r\n")
            return client
        }
        #expect(await eventually { answers() == before + UInt64(count) })
        return clients
    }

    @Test(arguments: ["/v1/bytes", "/v1/data", "/v1/task"])
    func `500 clients that do not read their answers hold a half of the memory for them`(_ path: String) async throws {
        var limits = Self.limits
        // The handlers' own bound is another test's.
        limits.asynchronousRequests = 2000
        let fixture = try Self.fixture(ServerFixture.routes + Self.largeRoutes, limits)
        let clients = try await Self.unread(500, "GET \(path)", fixture, user: 1001)
        let half = Self.capacity / 2
        #expect(fixture.server.statistics.heldBytes == half)
        #expect(fixture.server.statistics.memoryRefusals == UInt64(500 - half / Self.large.count))
        // The one who does it is told so, and gets everything that is small.
        let same = try RawClient(fixture.path, user: 1001)
        let refused = try #require(same.ask("GET \(path)"))
        #expect(refused.status == 503)
        #expect(refused.kind == "unavailable")
        #expect(refused.header("retry-after") == "5")
        #expect(same.ask("GET /v1/hello")?.status == 200)
        // Another is served, root and the daemon too.
        for user in [1002, 0, nil] as [UInt32?] {
            let answer = try RawClient(fixture.path, user: user).ask("GET \(path)")
            #expect(answer?.body.count == Self.large.count)
        }
        #expect(clients.count == 500)
        await fixture.stop()
    }

    @Test func `the memory is given back when the answers are read, and when their clients go`() async throws {
        let fixture = try Self.fixture(Self.largeRoutes)
        var clients = try await Self.unread(48, "GET /v1/data", fixture, user: 1001)
        #expect(fixture.server.statistics.heldBytes == 48 * Self.large.count)
        for client in clients.prefix(24) { #expect(client.answer()?.body.count == Self.large.count) }
        #expect(await eventually { fixture.server.statistics.heldBytes == 24 * Self.large.count })
        clients = []
        #expect(await eventually { fixture.server.statistics.heldBytes == 0 })
        #expect(fixture.server.statistics.memoryRefusals == 0)
        await fixture.stop()
    }

    @Test func `many users together hold no more than there is`() async throws {
        let fixture = try Self.fixture(Self.largeRoutes)
        var clients: [RawClient] = []
        for user in 1001...1008 as ClosedRange<UInt32> {
            clients += try await Self.unread(60, "GET /v1/bytes", fixture, user: user)
        }
        #expect(fixture.server.statistics.heldBytes <= Self.capacity)
        #expect(fixture.server.statistics.memoryRefusals > 0)
        #expect(clients.count == 480)
        await fixture.stop()
    }

    @Test func `bytes that the daemon keeps anyway are not counted`() async throws {
        let fixture = try Self.fixture(Self.largeRoutes)
        let clients = try await Self.unread(200, "GET /v1/kept", fixture, user: 1001)
        #expect(fixture.server.statistics.heldBytes == 0)
        #expect(fixture.server.statistics.memoryRefusals == 0)
        #expect(clients[0].answer()?.body.count == Self.large.count)
        await fixture.stop()
    }

    @Test func `what has been done is told, and root gets what there is room for`() async throws {
        let access = AccessPolicy(ownUser: 1001, groupID: nil)
        let fixture = try Self.fixture(Self.largeRoutes, bytes: Self.large.count, access: access)
        #expect(try RawClient(fixture.path, user: 1001).ask("GET /v1/data")?.status == 503)
        #expect(try RawClient(fixture.path, user: 1001).ask("POST /v1/changes")?.status == 200)
        #expect(await eventually { fixture.server.statistics.heldBytes == 0 })
        #expect(try RawClient(fixture.path, user: 0).ask("GET /v1/data")?.status == 200)
        #expect(await eventually { fixture.server.statistics.heldBytes == 0 })
        let unread = try await Self.unread(1, "POST /v1/changes", fixture, user: 1001)
        #expect(try RawClient(fixture.path, user: 0).ask("GET /v1/data")?.status == 503)
        withExtendedLifetime(unread) {}
        await fixture.stop()
    }

    @Test(arguments: [false, true])
    func `200 clients that send a body of 256 KiB but its end hold a half of the memory`(
        _ isChunked: Bool
    ) async throws {
        let fixture = try Self.fixture(ServerFixture.routes + Self.largeRoutes)
        let size = Self.large.count
        let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(size)"
        let head = "POST /v1/judged HTTP/1.1\r\nHost: konza\r\nContent-Type: application/json\r\n\(framing)\r\n\r\n"
        let start = Array((head + (isChunked ? "\(String(size, radix: 16))\r\n" : "")).utf8)
        let most = [UInt8](repeating: 0x20, count: size - 1)
        let end = Array((isChunked ? " \r\n0\r\n\r\n" : " ").utf8)
        let half = Self.capacity / 2
        let clients = try (0..<200).map { _ in
            let client = try RawClient(fixture.path, user: 1001)
            client.send(start + most)
            #expect(fixture.server.statistics.heldBytes <= half)
            return client
        }
        #expect(await eventually { fixture.server.statistics.memoryRefusals >= 150 })
        #expect(try RawClient(fixture.path, user: 1002).ask("GET /v1/data")?.body.count == size)
        // Each is answered at its end: judged as a whole, or told that there was no memory.
        var answers: [Int: Int] = [:]
        for client in clients {
            client.send(end)
            let answer = try #require(client.answer())
            answers[answer.status, default: 0] += 1
            #expect(answer.status == 200 ? answer.text == "\(size)" : answer.kind == "unavailable")
        }
        #expect(answers[200, default: 0] + answers[503, default: 0] == 200)
        #expect(answers[503, default: 0] >= 150)
        // Reading takes twice the text beside it. An array that grows with its chunks takes up to twice as much.
        #expect(answers[200, default: 0] >= (isChunked ? 10 : 14))
        #expect(await eventually { fixture.server.statistics.heldBytes == 0 })
        await fixture.stop()
    }

    /// Holds handlers back, cancelled or not, until it is opened.
    private final class Gate: Sendable {
        private let state = Mutex((isOpen: false, waiting: [CheckedContinuation<Void, Never>](), cancellations: 0))

        /// Handlers whose clients have gone.
        var cancellations: Int { state.withLock { $0.cancellations } }

        func pass() async {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isOpen = state.withLock { state in
                        if !state.isOpen { state.waiting.append(continuation) }
                        return state.isOpen
                    }
                    if isOpen { continuation.resume() }
                }
            } onCancel: {
                state.withLock { $0.cancellations += 1 }
            }
        }

        func open() {
            let waiting = state.withLock { state in
                state.isOpen = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    /// A route that reads JSON and answers when the gate is open.
    private static func slowReader(_ gate: Gate) -> Route {
        Route(
            .post, "/v1/json", access: .everyone, operation: "json", summary: "Reads JSON, and waits.",
            body: RequestBody(
                types: ["application/json", "application/merge-patch+json"], isRequired: true, limit: 4 << 20),
            handler: .asynchronous { _ in
                await gate.pass()
                return .noContent
            })
    }

    private static func members(_ count: Int) -> String {
        "{" + (0..<count).map { "\"\($0)\":1" }.joined(separator: ",") + "}"
    }

    private static func post(
        _ body: String, _ type: String?, _ fixture: ServerFixture, user: UInt32
    ) throws -> RawClient {
        let client = try RawClient(fixture.path, user: user)
        let field = type.map { "Content-Type: \($0)\r\n" } ?? ""
        client.send(
            "POST /v1/json HTTP/1.1\r\nHost: konza\r\n\(field)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return client
    }

    @Test(arguments: [nil, "application/json; charset=utf-8", "application/merge-patch+json"])
    func `JSON that takes much memory to read is read by few at a time, or not at all`(_ type: String?) async throws {
        let gate = Gate()
        let fixture = try Self.fixture([Self.slowReader(gate)], bytes: 80 << 20)
        // 20 000 members take 11.6 MB: three of them are within a half of 80 MiB.
        let large = Self.members(20_000)
        let clients = try (0..<3).map { _ in try Self.post(large, type, fixture, user: 1001) }
        #expect(await eventually { fixture.server.statistics.asynchronousRequests == 3 })
        let refused = try Self.post(large, type, fixture, user: 1001).answer()
        #expect(refused?.status == 503 && refused?.header("retry-after") == "5")
        let hopeless = try Self.post(Self.members(100_000), type, fixture, user: 0).answer()
        #expect(hopeless?.status == 413 && hopeless?.kind == "body-too-large")
        let lists = "[" + String(repeating: "[],", count: 1_300_000) + "0]"
        #expect(try Self.post(lists, type, fixture, user: 0).answer()?.status == 413)
        let small = try Self.post(Self.members(20), type, fixture, user: 1001)
        #expect(await eventually { fixture.server.statistics.asynchronousRequests == 4 })
        gate.open()
        for client in clients + [small] { #expect(client.answer()?.status == 204) }
        #expect(await eventually { fixture.memory.figures.total == 0 })
        await fixture.stop()
    }

    @Test func `the memory of a handler whose client hangs up is given back when the handler is done`() async throws {
        let gate = Gate()
        let fixture = try Self.fixture([Self.slowReader(gate)], bytes: 80 << 20)
        let large = Self.members(20_000)
        var clients = try (0..<3).map { _ in try Self.post(large, nil, fixture, user: 1001) }
        #expect(await eventually { fixture.server.statistics.asynchronousRequests == 3 })
        let held = fixture.memory.figures.total
        #expect(held > 30_000_000)
        clients.removeAll()
        #expect(await eventually { gate.cancellations == 3 })
        #expect(fixture.memory.figures.total == held)
        #expect(try Self.post(large, nil, fixture, user: 1001).answer()?.status == 503)
        gate.open()
        #expect(await eventually { fixture.memory.figures.total == 0 })
        await fixture.stop()
    }

    // MARK: connections

    @Test func `connections beyond the limit are refused and counted, and its own user gets in`() async throws {
        var limits = ServerLimits()
        limits.connections = 64
        let fixture = try ServerFixture(pretending: ServerFixture.routes, limits: limits)
        var kept: [RawClient] = []
        var open = 0
        // Each of the users wants more than libmicrohttpd itself would take.
        for (user, share) in [(1001, 32), (1002, 16), (1003, 8)] as [(UInt32, Int)] {
            let refused = fixture.server.statistics.refusedConnections + UInt64(300 - share)
            open += share
            kept += try (0..<300).map { _ in try RawClient(fixture.path, user: user) }
            #expect(await eventually { fixture.server.statistics.refusedConnections == refused }, "user \(user)")
            #expect(await eventually { fixture.server.statistics.openConnections == open }, "user \(user)")
        }
        let answer = try #require(try RawClient(fixture.path, user: 1001).answer())
        #expect(answer.status == 503)
        #expect(answer.kind == "unavailable")
        // A user who comes now is served, root has the rest and the reserve, the daemon itself gets in even then.
        #expect(try RawClient(fixture.path, user: 1004).ask("GET /v1/hello")?.status == 200)
        #expect(await eventually { fixture.server.statistics.openConnections == open })
        for _ in open..<limits.connections + limits.reservedConnections {
            let root = try RawClient(fixture.path, user: 0)
            #expect(root.ask("GET /v1/hello")?.status == 200)
            kept.append(root)
        }
        #expect(try RawClient(fixture.path, user: 0).answer()?.status == 503)
        #expect(try RawClient(fixture.path, user: 1004).answer()?.status == 503)
        try HostileTests.expectAlive(fixture)
        kept = []
        #expect(await eventually { fixture.server.statistics.openConnections == 0 })
        #expect(try RawClient(fixture.path, user: 1001).ask("GET /v1/hello")?.status == 200)
        await fixture.stop()
    }

    // MARK: handlers

    @Test func `one user has a half of the asynchronous handlers`() async throws {
        let fixture = try ServerFixture(pretending: ServerFixture.routes, limits: ServerLimits())
        func ask(_ count: Int, user: UInt32) throws -> [RawClient] {
            try (0..<count).map { _ in
                let client = try RawClient(fixture.path, user: user)
                client.send("GET /v1/slow HTTP/1.1\r\nHost: konza\r\n\r\n")
                return client
            }
        }
        let many = try ask(200, user: 1001)
        #expect(await eventually { fixture.server.statistics.answersByClass[5] == 168 })
        #expect(fixture.server.statistics.asynchronousRequests == 32)
        let root = try ask(32, user: 0)
        #expect(await eventually { fixture.server.statistics.asynchronousRequests == 64 })
        #expect(fixture.server.statistics.answersByClass[5] == 168)
        withExtendedLifetime((many, root)) {}
        await fixture.stop()
    }
}
