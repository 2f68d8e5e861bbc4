import Foundation
import Glibc
import KonzaAPI
import KonzaTestTraits
import KonzaTesting
import Testing

@testable import HTTPServing

/// A port of the loopback instead of a socket in a folder.
@Suite(.offPool, .timeLimit(.minutes(1))) struct TCPTests {
    private static let routes = [
        Route(
            .get, "/v1/who", access: .everyone, operation: "who", summary: "Who asks.",
            handler: .immediate { request in
                try .json(["roles": request.principal.roles.map(\.rawValue).sorted()])
            }),
        Route(
            .post, "/v1/flush", access: .only(.keeper), operation: "flush", summary: "For the keeper.",
            handler: .immediate { _ in .noContent }),
    ]

    private func curl(_ arguments: String...) throws -> (status: String, text: String) {
        let text = try ProgramRun("/usr/bin/curl", ["-s", "-w", "\n%{http_code}"] + arguments).text
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
    }

    @Test(arguments: ["127.0.0.1", "::1"]) func `clients are visitors, whatever they say of themselves`(
        _ address: String
    ) async throws {
        let server = try HTTPServer(router: Router(Self.routes), access: AccessPolicy(ownUser: geteuid(), groupID: nil))
        let port: UInt16
        do {
            port = try server.listen(onAddress: address, port: 0)
        } catch let error as ListenError where address == "::1" {
            // A machine without IPv6.
            return #expect(error.description.contains("cannot listen on ::1"))
        }
        #expect(port > 0)
        let base = address.contains(":") ? "http://[\(address)]:\(port)" : "http://\(address):\(port)"
        let who = try curl("-H", "Host: localhost", "\(base)/v1/who")
        #expect(who.status == "200")
        #expect(who.text.contains("[\"visitor\"]"))
        #expect(try curl("-X", "POST", "-H", "Host: localhost", "\(base)/v1/flush").status == "403")
        let pretended = try curl(
            "-X", "POST", "-H", "Host: localhost", "-H", "Konza-On-Behalf-Of: keeper me", "\(base)/v1/flush")
        #expect(pretended.status == "403")
        // A page of another name that leads here (DNS rebinding) is refused.
        #expect(try curl("-H", "Host: example.org", "\(base)/v1/who").status == "403")
        await server.stop(graceSeconds: 1)
    }

    @Test func `a port that is taken, and an address that is none, are named`() async throws {
        let server = try HTTPServer(router: Router(Self.routes))
        let port = try server.listen(onAddress: "127.0.0.1", port: 0)
        let second = try HTTPServer(router: Router(Self.routes))
        let taken = try #require(throws: ListenError.self) { try second.listen(onAddress: "127.0.0.1", port: port) }
        #expect(taken.description.contains("127.0.0.1, port \(port)"))
        let unknown = try #require(throws: ListenError.self) { try second.listen(onAddress: "localhost", port: 0) }
        #expect(unknown.description.contains("not a numeric address"))
        await server.stop(graceSeconds: 1)
    }
}
