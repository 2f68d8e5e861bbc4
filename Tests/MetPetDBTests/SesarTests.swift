import Foundation
import KonzaModel
import KonzaTestTraits
import KonzaTesting
import Synchronization
import Testing

@testable import MetPetDB

@Suite("Registering with SESAR")
struct SesarTests {
    private func specimen() throws -> Specimen {
        var specimen = Specimen(
            id: SpecimenID(milliseconds: 1, high: 1, low: 1), number: "KNZ-1", rockType: "Gneiss",
            createdAt: UTCInstant(nanoseconds: 0))
        specimen.position = try Field.position(0, -96.6)
        specimen.collector = "Collector, Ada"
        return specimen
    }

    @Test("What is sent is a draft with the fields that SESAR documents, and nothing else")
    func draft() throws {
        let json = try SesarBody(specimen(), code: "IEKNZ").json
        let members = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        #expect(
            Set(members.keys) == [
                "sesar_code", "name", "object_type", "is_draft", "latitude", "longitude", "sample_description",
                "collectors",
            ])
        #expect(members["is_draft"] as? Bool == true)
        #expect(members["latitude"] as? Double == 0)
    }

    @Test("A draft may go without a position; a specimen that has a number is not registered again")
    func limits() throws {
        var specimen = try specimen()
        specimen.position = nil
        #expect(throws: Never.self) { try SesarBody(specimen, code: "IEKNZ") }
        specimen.igsn = "IEKIO0001"
        #expect(throws: Refusals.self) { try SesarBody(specimen, code: "IEKNZ") }
        specimen.igsn = nil
        #expect(throws: Refusals.self) { try SesarBody(specimen, code: "") }
    }

    @Test("Tokens show in no description and no dump")
    func secrets() {
        let tokens = SesarTokens(refresh: "hush-refresh", access: "hush-access")
        var text = "\(tokens) \(String(reflecting: tokens))"
        dump(tokens, to: &text)
        #expect(!text.contains("hush"))
    }
}

@Suite("Registering with SESAR, over the network", .offPool)
struct SesarSubmittingTests {
    final class Store: SesarTokenStore {
        private let tokens: Mutex<SesarTokens>
        init(_ tokens: SesarTokens) { self.tokens = Mutex(tokens) }
        func load() -> SesarTokens { tokens.withLock { $0 } }
        func save(_ fresh: SesarTokens) { tokens.withLock { $0 = fresh } }
    }

    let field: Field
    let ledger: MemoryLedger
    let store: Store
    var specimen: Specimen

    init() throws {
        field = try Field()
        ledger = MemoryLedger()
        let tokens = field.server.sesarTokens
        store = Store(SesarTokens(refresh: tokens.refresh, access: tokens.access))
        specimen = try field.specimen(photographs: 0)
        specimen.igsn = nil
        var record = Submission(specimen: specimen.id, target: .sesar, changedAt: field.clock.utc())
        record.state = .ready
        ledger[specimen.id] = record
    }

    private func advance() throws -> Submission? {
        var options = MetPetDBClient.Options()
        options.totalSeconds = 0.5
        let client = try SesarClient(address: ServerAddress(field.server.baseURL), store: store, options: options)
        let submitter = SesarSubmitter(client: client, code: "IEKNZ", ledger: ledger, clock: field.clock)
        return try submitter.advance(try #require(ledger[specimen.id]), of: specimen)
    }

    @Test("Whatever goes wrong once with the draft, it is registered once", arguments: StandInFault.allCases)
    func once(_ fault: StandInFault) throws {
        let isDone = Shared(false)
        field.server.setFaults { request in
            guard request.kind == "POST /api/samples/" else { return .none }
            return isDone.with { done in
                defer { done = true }
                return done ? .none : fault
            }
        }
        for _ in 0..<3 where ledger[specimen.id]?.state != .submitted { _ = try advance() }
        #expect(ledger[specimen.id]?.state == .submitted)
        #expect(ledger[specimen.id]?.remoteID?.hasPrefix("10.58052/") == true)
        #expect(field.server.registeredNames == [specimen.number])
    }

    @Test("An expired token is refreshed, and the new pair is kept before it is used")
    func refreshing() throws {
        store.save(SesarTokens(refresh: field.server.sesarTokens.refresh, access: "expired"))
        #expect(try advance()?.state == .submitted)
        #expect(store.load().access == field.server.sesarTokens.access)
        #expect(store.load().refresh == field.server.sesarTokens.refresh)
    }

    @Test("A sample of the same name that we never sent is a conflict")
    func sameName() throws {
        #expect(try advance()?.state == .submitted)
        var other = Submission(specimen: specimen.id, target: .sesar, changedAt: field.clock.utc())
        other.state = .ready
        ledger[specimen.id] = other
        #expect(try advance()?.state == .conflict)
        #expect(field.server.registeredNames.count == 1)
    }
}
