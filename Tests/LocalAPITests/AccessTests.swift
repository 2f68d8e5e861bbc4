import Foundation
import Glibc
import KonzaAPI
import KonzaSystem
import Testing

@testable import LocalAPI

/// Who may do what, by who the kernel says the client is.
@Suite(.timeLimit(.minutes(1))) struct AccessTests {
    private static let own: UInt32 = 2001
    private static let group: UInt32 = 2002
    private static let courier: UInt32 = 2003
    private static let policy = AccessPolicy(
        ownUser: own, groupID: group, courier: courier, groupName: "field", courierName: "runner")

    struct Row: CustomTestStringConvertible, Sendable {
        var who: String
        var user: UInt32
        var primary: UInt32 = 3000
        var groups: [UInt32] = []
        var mayWrite: Bool
        var isCourier: Bool
        var testDescription: String { who }
    }

    @Test(arguments: [
        Row(who: "root", user: 0, mayWrite: true, isCourier: true),
        Row(who: "konzad's own user", user: own, mayWrite: true, isCourier: true),
        // The courier is on the internet: it changes nothing but what it reports.
        Row(who: "the courier", user: courier, mayWrite: false, isCourier: true),
        // Packages before this one made the courier a member.
        Row(who: "the courier in the group", user: courier, groups: [group], mayWrite: true, isCourier: true),
        Row(who: "a member by the primary group", user: 3001, primary: group, mayWrite: true, isCourier: false),
        Row(who: "a member", user: 3001, groups: [7, group], mayWrite: true, isCourier: false),
        Row(who: "anybody else", user: 3001, groups: [7], mayWrite: false, isCourier: false),
    ])
    func `rights follow the user and the groups`(_ row: Row) {
        let rights = Self.policy.rights(
            of: PeerCredentials(processID: 1, userID: row.user, groupID: row.primary), groups: { row.groups })
        #expect(rights == AccessPolicy.Rights(mayWrite: row.mayWrite, isCourier: row.isCourier))
        #expect(rights.allow(.read))
    }

    /// A group and a user that the system does not know are nobody's, not everybody's.
    @Test func `unknown names let nobody in`() {
        let policy = AccessPolicy(group: "no-such-group-here", courier: "no-such-user-here")
        let stranger = PeerCredentials(processID: 1, userID: 4_000_000_001, groupID: 4_000_000_001)
        #expect(policy.rights(of: stranger, groups: { [1, 2] }) == .init(mayWrite: false, isCourier: false))
        #expect(policy.refusal(of: .courier, to: stranger).detail.contains("there is no user no-such-user-here"))
    }

    private static let routes = [
        Route(
            .post, "/v1/flush", access: .write, operation: "flush", summary: "For people.",
            handler: .immediate { _ in .noContent }),
        Route(
            .put, "/v1/report", access: .courier, operation: "report", summary: "For the courier.",
            body: RequestBody(isRequired: true), handler: .immediate { _ in .noContent }),
        Route(
            .get, "/v1/errand", access: .courier, operation: "errand", summary: "For the courier.",
            handler: .asynchronous { _ in .noContent }),
    ]

    @Test(
        arguments: [
            // The user of the fixture's client has the group of the same number.
            (0, 204, 204), (own, 204, 204), (group, 204, 403), (courier, 403, 204), (4_000_000_001, 403, 403),
        ] as [(UInt32, Int, Int)])
    func `routes of the courier are not those of the group`(_ user: UInt32, _ people: Int, _ work: Int) async throws {
        let fixture = try ServerFixture(pretending: Self.routes, limits: ServerLimits(), access: Self.policy)
        let client = try RawClient(fixture.path, user: user)
        let flush = try #require(client.ask("POST /v1/flush"))
        #expect(flush.status == people)
        if people == 403 {
            #expect(flush.text.contains("the group field") && flush.text.contains("log in again"))
        }
        let errand = try #require(client.ask("GET /v1/errand"))
        #expect(errand.status == work)
        // What is refused is refused by the head: no body is read for it.
        let head = "PUT /v1/report HTTP/1.1\r\nHost: konza\r\nContent-Type: application/json\r\n"
        client.send(head + "Content-Length: 2\r\n\r\n{}")
        let report = try #require(client.answer())
        #expect(report.status == work)
        if work == 403 {
            for words in ["runner", "CourierUser=", "root", "konzad's own user"] {
                #expect(report.text.contains(words))
                #expect(errand.text.contains(words))
            }
            #expect(report.kind == "forbidden")
        }
        await fixture.stop()
    }

    /// Clients of other users, with more groups than the first look at the kernel's answer takes. The group database
    /// knows neither the users nor the groups.
    @Test(
        .enabled(if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0, "only root may become others"),
        arguments: [([group], 204), (Array(5000..<5100) + [group], 204), ([5000], 403), ([], 403)] as [([UInt32], Int)])
    func `groups are those that the kernel knows`(_ groups: [UInt32], _ status: Int) async throws {
        let fixture = try ServerFixture(Self.routes, access: Self.policy)
        chmod(fixture.folder, 0o755)
        let client = Process()
        client.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        let list = groups.map(String.init).joined(separator: ",")
        client.arguments =
            ["--reuid=3456", "--regid=3456"] + (groups.isEmpty ? ["--clear-groups"] : ["--groups=\(list)"])
            + ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket", fixture.path, "-X", "POST"]
            + ["http://konza/v1/flush"]
        let output = Pipe()
        client.standardOutput = output
        try client.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        client.waitUntilExit()
        #expect(text == "\(status)")
        await fixture.stop()
    }
}
