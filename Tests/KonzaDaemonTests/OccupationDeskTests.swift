import KonzaAPI
import KonzaModel
import KonzaSystem
import KonzaTesting
import Testing

@testable import KonzaDaemon
@testable import Postcards
@testable import Specimens
@testable import Storage

@Suite("Occupations") struct OccupationDeskTests {
    @Test("of one user keep nobody else from one, however long they are")
    func shares() async throws {
        let desks = try Desks()
        let specimens = SpecimenDesk(parts: desks.parts)
        let desk = OccupationDesk(specimens: specimens)
        let request = try OccupationRequest(
            .object(["timeLimitSeconds": .number(86_400), "minimumSeconds": .number(86_400)]))
        func start(user: UInt32) async throws {
            let body = JSONValue.object(["rockType": .string("Gneiss"), "collector": .string("Doe, Jane")])
            let opened = try await specimens.open(try SpecimenRequest(body), key: nil)
            _ = try await desk.start(opened.specimen.id, request, account: Account(user: user))
        }
        var started = 0
        var refusal: Problem?
        while refusal == nil, started < 100 {
            do {
                try await start(user: 1000)
                started += 1
            } catch let problem as Problem {
                refusal = problem
            }
        }
        #expect(started == OccupationDesk.limit / 2)
        #expect(refusal?.kind == .tooManyRequests)
        for user in [0, 1001, 1002] as [UInt32] { try await start(user: user) }
        #expect(desk.count == started + 3)
        await desk.close()
        #expect(desk.count == 0)
    }
}
