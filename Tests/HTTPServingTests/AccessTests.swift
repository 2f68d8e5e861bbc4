import Foundation
import Glibc
import KonzaAPI
import KonzaSystem
import KonzaTesting
import Testing

@testable import HTTPServing

/// Who may do what, by who the kernel says the client is.
@Suite(.timeLimit(.minutes(1))) struct AccessTests {
    private static let own: UInt32 = 2001
    private static let group: UInt32 = 2002
    private static let courier: UInt32 = 2003
    private static let portal: UInt32 = 2004
    private static let fleet: UInt32 = 2005
    private static let policy = AccessPolicy(
        ownUser: own, groupID: group, courier: courier, portal: portal, fleet: fleet,
        names: .init(group: "field", courier: "runner", portal: "gate", fleet: "drover"))

    struct Row: CustomTestStringConvertible, Sendable {
        var who: String
        var user: UInt32
        var primary: UInt32 = 3000
        var groups: [UInt32] = []
        var roles: Set<Role>
        var testDescription: String { who }
    }

    @Test(arguments: [
        Row(who: "root", user: 0, roles: Set(Role.allCases)),
        Row(who: "konzad's own user", user: own, roles: Set(Role.allCases)),
        // The courier is on the internet: it changes nothing but what it reports.
        Row(who: "the courier", user: courier, roles: [.visitor, .courier]),
        // Packages before this one made the courier a member.
        Row(who: "the courier in the group", user: courier, groups: [group], roles: Role.people.union([.courier])),
        // It is on a network, and may have a postcard taken.
        Row(who: "the fleet's process", user: fleet, roles: [.visitor, .kiosk, .fleet]),
        Row(who: "a member by the primary group", user: 3001, primary: group, roles: Role.people),
        Row(who: "a member", user: 3001, groups: [7, group], roles: Role.people),
        Row(who: "the portal", user: portal, roles: Role.people),
        Row(who: "anybody else", user: 3001, groups: [7], roles: [.visitor]),
    ])
    func `roles follow the user and the groups`(_ row: Row) {
        let principal = Self.policy.principal(
            of: PeerCredentials(processID: 1, userID: row.user, groupID: row.primary), groups: { row.groups })
        #expect(principal.roles == row.roles)
        #expect(principal.has(Access.everyone.roles))
        #expect(principal.account == Account(user: row.user))
    }

    /// A group and a user that the system does not know are nobody's, not everybody's.
    @Test func `unknown names let nobody in`() {
        let policy = AccessPolicy(
            .init(group: "no-such-group-here", courier: "no-such-user-here", portal: "no-such-portal-here"))
        let stranger = PeerCredentials(processID: 1, userID: 4_000_000_001, groupID: 4_000_000_001)
        let principal = policy.principal(of: stranger, groups: { [1, 2] })
        #expect(principal.roles == [.visitor])
        #expect(
            policy.refusal(of: .only(.courier), to: principal).detail.contains("there is no user no-such-user-here"))
    }

    private func principal(_ user: UInt32, _ delegation: String?) throws -> Principal {
        let peer = PeerCredentials(processID: 1, userID: user, groupID: user)
        return try Self.policy.principal(
            for: Self.policy.principal(of: peer, groups: { [] }),
            delegation.map { ["konza-on-behalf-of": $0] } ?? [:])
    }

    @Test func `a process that is trusted acts for others with less than its own rights, never with more`() throws {
        for user in [0, Self.own, Self.portal] as [UInt32] {
            for role in Role.allCases {
                let held = try principal(user, nil).roles
                let narrowed = try principal(user, "\(role.rawValue) front-door")
                #expect(narrowed.roles == held.intersection([role, .visitor]))
                #expect(narrowed.account == Account(user: user, client: "front-door"))
            }
        }
        // The portal is not the courier, and cannot make anybody it.
        #expect(try principal(Self.portal, "courier front-door").roles == [.visitor])
    }

    @Test(arguments: [group, courier, 3001]) func `nobody else acts for others`(_ user: UInt32) throws {
        let problem = try #require(throws: Problem.self) { try principal(user, "visitor phone") }
        #expect(problem.kind == .forbidden)
        #expect(problem.detail.contains("gate ([API] PortalUser=)"))
    }

    @Test(arguments: [
        "", "kiosk", "kiosk ", " front-door", "king front-door", "kiosk front door", "kiosk front/door",
        "kiosk \(String(repeating: "x", count: 65))", "KIOSK front-door", "kiosk  front-door", "kiosk für",
    ])
    func `a delegation that cannot be read is refused`(_ text: String) throws {
        let problem = try #require(throws: Problem.self) { try principal(Self.portal, text) }
        #expect(problem.kind == .invalidRequest)
        #expect(problem.detail.contains("a role") || problem.detail.contains("expected one of visitor, kiosk"))
    }

    @Test func `who acts for others is judged by the route, and has a share of their own`() async throws {
        let fixture = try ServerFixture(pretending: Self.routes, limits: ServerLimits(), access: Self.policy)
        let client = try RawClient(fixture.path, user: Self.portal)
        for (delegation, status) in [("", 204), ("kiosk a", 403), ("collector a", 204), ("visitor a", 403)] {
            let field = delegation.isEmpty ? "" : "Konza-On-Behalf-Of: \(delegation)\r\n"
            client.send("POST /v1/flush HTTP/1.1\r\nHost: konza\r\n\(field)Content-Length: 0\r\n\r\n")
            let answer = try #require(client.answer())
            #expect(answer.status == status, "\(delegation)")
            if status == 403 { #expect(answer.text.contains("only collector may")) }
        }
        client.send(
            "POST /v1/flush HTTP/1.1\r\nHost: konza\r\nKonza-On-Behalf-Of: collector a\r\nKonza-On-Behalf-Of: keeper a\r\nContent-Length: 0\r\n\r\n"
        )
        #expect(try #require(client.answer()).status == 400, "which of the two counts?")
        await fixture.stop()
    }

    private static let routes = [
        Route(
            .post, "/v1/flush", access: .only(.collector), operation: "flush", summary: "For people.",
            handler: .immediate { _ in .noContent }),
        Route(
            .put, "/v1/report", access: .only(.courier), operation: "report", summary: "For the courier.",
            body: RequestBody(isRequired: true), handler: .immediate { _ in .noContent }),
        Route(
            .get, "/v1/errand", access: .only(.courier), operation: "errand", summary: "For the courier.",
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
        let list = groups.map(String.init).joined(separator: ",")
        let text = try ProgramRun(
            "/usr/bin/setpriv",
            ["--reuid=3456", "--regid=3456"] + (groups.isEmpty ? ["--clear-groups"] : ["--groups=\(list)"])
                + ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket", fixture.path, "-X", "POST"]
                + ["http://konza/v1/flush"]
        ).text
        #expect(text == "\(status)")
        await fixture.stop()
    }
}
