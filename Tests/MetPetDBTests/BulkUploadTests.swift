import Foundation
import HTTPTransfer
import Interchange
import KonzaModel
import KonzaTestTraits
import KonzaTesting
import Testing

@testable import MetPetDB

/// A sheet that was carried to another computer and uploaded there, and what becomes of the outbox then.
@Suite("A sheet that is uploaded in bulk", .offPool)
struct BulkUploadTests {
    let field: Field

    init() throws { field = try Field() }

    private func specimen(_ number: String) throws -> Specimen {
        var specimen = try field.specimen(photographs: 1)
        specimen.number = number
        specimen.rockType = "Gneiss"
        specimen.description = "One line."
        specimen.igsn = nil
        specimen.minerals = [.init(name: "Garnet"), .init(name: "Quartz", amount: "40")]
        specimen.metamorphicGrades = ["Amphibolite facies"]
        specimen.position = try Field.position(0, -96.6091234)
        return specimen
    }

    private func sheet(_ specimens: [Specimen], ending: MetPetDBSheets.Sheet.LineEnding = .lf) throws -> [UInt8] {
        let sheets = MetPetDBSheets(specimens, vocabulary: field.vocabulary)
        #expect(sheets.leftOut.isEmpty)
        let bytes = Shared<[UInt8]>([])
        try #require(sheets.sheets.first).write(ending: ending) { part in bytes.with { $0 += part } }
        return bytes.with { $0 }
    }

    private func upload(_ sheet: [UInt8]) throws -> HTTPAnswer {
        field.server.publish(sheet, at: "https://files.example.org/s.csv?dl=1")
        let client = try Field.client(field.server.baseURL)
        let body = [
            "owner": try client.account().id, "template": "SampleTemplate",
            "url": "https://files.example.org/s.csv?dl=0",
        ]
        return try client.send(
            "POST", "/api/bulk_upload/", json: Array(try JSONEncoder().encode(body)), isRepeatable: false,
            what: "upload the sheet")
    }

    @Test("is taken whole, with either end of lines", arguments: MetPetDBSheets.Sheet.LineEnding.allCases)
    func taken(_ ending: MetPetDBSheets.Sheet.LineEnding) throws {
        let specimens = try ["KNZ-1", "KNZ-2"].map(specimen)
        let answer = try upload(try sheet(specimens, ending: ending))
        #expect(answer.status == 201)
        #expect(try MetPetDBReply(answer.body).refused.isEmpty)
        #expect(field.server.samples.map(\.number) == ["KNZ-1", "KNZ-2"])
        #expect(field.server.samples.first?.latitude == 0)
        #expect(field.server.samples.first?.minerals.map(\.amount) == ["x", "40"])
    }

    @Test("that was uploaded already is refused whole")
    func twice() throws {
        let sheet = try sheet(try ["KNZ-1"].map(specimen))
        _ = try upload(sheet)
        #expect(throws: MetPetDBError.self) { try upload(sheet) }
        #expect(throws: MetPetDBError.self) { try upload(sheet + [0x0A]) }
        #expect(field.server.samples.count == 1)
    }

    @Test("is found by the outbox, which adds the photographs and makes no second sample")
    func adopted() throws {
        let specimen = try specimen("KNZ-1")
        _ = try upload(try sheet([specimen]))
        field.server.change { $0[0].isPublic = specimen.isPublic }
        let ledger = MemoryLedger(folder: field.folder.path)
        field.ready(specimen, in: ledger)
        let record = try #require(try field.settle(specimen, ledger))
        #expect(record.state == .submitted, "\(record.conflict?.reason ?? "")")
        #expect(field.server.samples.count == 1)
        #expect(field.server.samples.first?.images.count == 1)
    }

    @Test("of a specimen that was changed since is a conflict, and never a second sample")
    func changed() throws {
        var specimen = try specimen("KNZ-1")
        _ = try upload(try sheet([specimen]))
        specimen.description = "Another line."
        let ledger = MemoryLedger(folder: field.folder.path)
        field.ready(specimen, in: ledger)
        #expect(try field.settle(specimen, ledger)?.state == .conflict)
        #expect(field.server.samples.count == 1)
    }
}
