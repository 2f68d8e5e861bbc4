import Foundation
import Interchange
import KonzaModel
import KonzaTesting
import Testing

private func read(_ specimens: [Specimen], _ form: ExportForm) throws -> [[String: String]] {
    let folder = try TemporaryFolder()
    try folder.put(try written(specimens, form), "s.csv")
    let rows = try python(
        "import csv,json; print(json.dumps(list(csv.DictReader(open('s.csv', newline='', encoding='utf-8')))))",
        in: folder.path)
    return try #require(rows as? [[String: String]])
}

@Suite("The table for spreadsheets")
struct PlainTableTests {
    @Test("has every fact, with numbers as numbers")
    func everything() throws {
        let row = try #require(read([fullSpecimen()], .csv).first)
        #expect(row["number"] == "KNZ-2026-0001")
        #expect(row["longitude"] == "-96.609123456")
        #expect(row["altitudeMSL"] == "366.9")
        #expect(row["minerals"] == "name: Garnet, amount: 15; name: Biotite, amount: x")
        #expect(row["description"] == "garnet \"porphyroblasts\", <5 mm & 'rims'\nsecond line")
        #expect(row["isPublic"] == "false")
        #expect(row.values.filter(\.isEmpty).count == 2, "all but the override and the photographs")
    }

    @Test("text of any kind comes back as it was, and none of it begins like a formula")
    func hostileText() throws {
        let seed = RandomTest.seed(of: "hostile text in tables")
        var hostile = HostileText(generator: SeededGenerator(seed: seed))
        let specimens = (1...200).map { serial in
            var specimen = specimen("n\(serial)", serial: UInt64(serial))
            specimen.description = hostile.next()
            return specimen
        }
        // Python's csv takes a NUL for an error before 3.11.
        let rows = try read(specimens, .csv)
        #expect(rows.count == specimens.count)
        let dangerous = Set("=+-@\t\r".unicodeScalars)
        for (row, specimen) in zip(rows, specimens) {
            let cell = Array((row["description"] ?? "").unicodeScalars)
            #expect(cell.first.map(dangerous.contains) != true, "\(cell)")
            // One apostrophe goes where, after all of them, a formula would begin.
            let isGuarded = cell.first == "'" && cell.first { $0 != "'" }.map(dangerous.contains) == true
            #expect((isGuarded ? Array(cell.dropFirst()) : cell) == Array((specimen.description ?? "").unicodeScalars))
        }
    }
}

@Suite("Rows for SESAR")
struct SESARTests {
    @Test("hold what its documentation names, and all else in words")
    func row() throws {
        let row = try #require(read([fullSpecimen()], .sesar).first)
        #expect(row["name"] == "KNZ-2026-0001")
        #expect(row["object_type"] == "Rock hand sample")
        #expect(row["latitude"] == "39.106912345")
        #expect(row["general_material_type"] == "Rock")
        #expect(row["material_name_verbatim"] == "Gneiss")
        #expect(row["location_method"] == "DGPS")
        #expect(row["sampling_start_date"] == "2026-05-30")
        #expect(row["sample_description"]?.contains("Metamorphic grade: Amphibolite facies") == true)
        #expect(row["sample_description"]?.contains("msl=366.90") == true)
        #expect(row["elevation"] == nil, "its datum's names are not known")
    }

    @Test("no receiver is claimed that was not there")
    func method() throws {
        var given = fullSpecimen("given")
        given.position?.source = .given
        given.position?.kind = .manual
        var recorded = fullSpecimen("recorded", serial: 2)
        recorded.position?.kind = .recorded
        #expect(try read([given, recorded], .sesar).map { $0["location_method"] } == ["", ""])
    }

    @Test("a specimen without a position is left out, and said so")
    func nowhere() throws {
        let specimens = [specimen("nowhere"), specimen("here", at: (1, 2), serial: 2)]
        #expect(try read(specimens, .sesar).map { $0["name"] } == ["here"])
        let export = SpecimenExport(specimens, photographs: InventedPhotographs())
        #expect(export.leftOut(.sesar).map(\.number) == ["nowhere"])
    }
}
