import Foundation
import Interchange
import KonzaModel
import KonzaTesting
import Testing

private let vocabulary = Vocabulary(terms: [
    .rockTypes: [.init(name: "Gneiss"), .init(name: "Schist")],
    .metamorphicGrades: [.init(name: "Amphibolite facies")],
    .metamorphicRegions: [.init(name: "Arabian Shield")],
    .minerals: [.init(name: "Garnet"), .init(name: "Biotite"), .init(name: "Quartz")],
])

/// Reads sheets as the server does: each whole, in UTF-8, cut at CRLF or else at LF, then by Python's csv.
private func read(_ sheets: [[UInt8]]) throws -> [[[String]]] {
    let folder = try TemporaryFolder()
    for (index, bytes) in sheets.enumerated() { try folder.put(bytes, "\(index).csv") }
    let rows = try python(
        """
        import csv, json
        def read(name):
            content = open(name, 'rb').read().decode('utf-8')
            lines = content.split('\\r\\n')
            if len(lines) < 2: lines = content.split('\\n')
            return list(csv.reader(lines))
        print(json.dumps([read(f'{index}.csv') for index in range(\(sheets.count))]))
        """, in: folder.path)
    return try #require(rows as? [[[String]]])
}

private func read(_ sheet: [UInt8]) throws -> [[String]] { try read([sheet])[0] }

/// A change that makes a specimen unfit for the server, and the column that says so.
struct Fault: Sendable {
    let field: String
    let change: @Sendable (inout Specimen) -> Void

    static let all: [Fault] = [
        Fault(field: "Sample Number") { $0.number = String(repeating: "x", count: 36) },
        Fault(field: "Sample Number") { $0.number = "a,b" },
        Fault(field: "Sample Number") { $0.number = " a" },
        Fault(field: "Sample Number") { $0.number = "" },
        Fault(field: "Rock Type") { $0.rockType = "Shist" },
        Fault(field: "Rock Type") { $0.rockType = "gneiss" },
        Fault(field: "Latitude") { $0.position = nil },
        Fault(field: "Latitude") { $0.position?.latitude = 91.5 },
        Fault(field: "Latitude") { $0.position?.longitude = -273.6 },
        Fault(field: "Latitude") { $0.position?.latitude = .nan },
        Fault(field: "Location Error") { $0.position?.accuracy = .infinity },
        Fault(field: "Location Error") { $0.position?.accuracy = -1 },
        Fault(field: "Collector") { $0.collector = String(repeating: "\u{1F33E}", count: 51) },
        Fault(field: "Present Sample Location") { $0.presentLocation = String(repeating: "x", count: 51) },
        Fault(field: "Country") { $0.country = String(repeating: "x", count: 101) },
        Fault(field: "Region") { $0.regions = ["ok", String(repeating: "x", count: 101)] },
        Fault(field: "Metamorphic Grade") { $0.metamorphicGrades = ["Amphibolite"] },
        Fault(field: "Metamorphic Region") { $0.metamorphicRegions = ["Nowhere"] },
        Fault(field: "Mineral") { $0.minerals = [.init(name: "Unobtainium")] },
        Fault(field: "Mineral") { $0.minerals = [.init(name: "Garnet"), .init(name: "Garnet")] },
        Fault(field: "Mineral") { $0.minerals = [.init(name: "Garnet", amount: "")] },
        Fault(field: "Mineral") { $0.minerals = [.init(name: "Garnet", amount: String(repeating: "1", count: 31))] },
    ]
}

@Suite("MetPetDB's bulk sheets")
struct MetPetDBSheetTests {
    @Test("a sheet has the server's headings, and each value in its cell", arguments: [true, false])
    func oneSpecimen(isCRLF: Bool) throws {
        let rows = try read(
            written([fullSpecimen()], .metpetdb, vocabulary: vocabulary, ending: isCRLF ? .crlf : .lf))
        #expect(
            rows.first == [
                "Sample Number", "Rock Type", "Latitude", "Longitude", "Location Error", "Collector",
                "Date of Collection", "Present Sample Location", "Country", "Region", "Region", "Metamorphic Region",
                "Metamorphic Grade", "Reference", "Comment", "Comment", "Biotite", "Garnet",
            ])
        let row = try #require(rows.last)
        #expect(rows.count == 2)
        #expect(
            Array(row.prefix(15)) == [
                "KNZ-2026-0001", "Gneiss", "39.106912345", "-96.609123456", "1.8", "Muir, J.", "2026-05-30",
                "RPI Science Center", "United States", "Flint Hills", "Kansas", "Arabian Shield", "Amphibolite facies",
                "2004-061314", "garnet \"porphyroblasts\", <5 mm & 'rims' second line",
            ])
        #expect(Array(row.suffix(2)) == ["x", "15"])
    }

    @Test("what the sheet has no column for stands in the last comment, to be read back")
    func konzaLine() throws {
        let row = try #require(read(written([fullSpecimen()], .metpetdb)).last)
        let line = row[15]
        #expect(line.hasPrefix("[konza:1 ") && line.hasSuffix("]"))
        let pairs = Dictionary(
            uniqueKeysWithValues: line.dropFirst(9).dropLast().split(separator: " ").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
                return (parts[0], parts.last?.removingPercentEncoding ?? "")
            })
        #expect(pairs["hae"] == "338.41")
        #expect(pairs["msl"] == "366.90")
        #expect(pairs["igsn"] == "IEKIO0001")
        #expect(pairs["time"] == "2026-05-30T12:03:07.250Z")
        #expect(pairs["receiver"] == "u-blox; M9N")
        #expect(pairs["fixes"] == "117")
        #expect(pairs["plane"] == "45.0/30.5,3.20,given,foliation")
    }

    @Test("a description that begins like that line is told from it; field notes stay on the station")
    func description() throws {
        var forged = fullSpecimen()
        forged.description = "[konza:1 hae=1]"
        let row = try #require(read(written([forged], .metpetdb)).last)
        #expect(row[14] == "\\[konza:1 hae=1]")
        #expect(!row.contains { $0.contains("below the road") })
    }

    @Test("latitude and longitude zero are the text that the server takes for a number")
    func zero() throws {
        let row = try #require(read(written([specimen("Z", at: (0, -0.0))], .metpetdb)).last)
        #expect(row[2...3] == ["0.0000000", "0.0000000"])
    }

    @Test("specimens share a sheet only if no cell of it is empty, and each is in one")
    func shapes() throws {
        let seed = RandomTest.seed(of: "shapes of sheets")
        var generator = SeededGenerator(seed: seed)
        var hostile = HostileText(generator: SeededGenerator(seed: seed &+ 1))
        let specimens = (1...60).map { serial in
            var specimen = specimen("n-\(serial)", at: (1, 2), serial: UInt64(serial))
            if Bool.random(using: &generator) { specimen.position?.accuracy = nil }
            if Bool.random(using: &generator) { specimen.collectionDate = CalendarDate("2026-02-28") }
            if Bool.random(using: &generator) { specimen.minerals = [.init(name: "Garnet", amount: "1")] }
            if Bool.random(using: &generator) { specimen.collector = String(hostile.next().prefix(20)) }
            if Bool.random(using: &generator) { specimen.regions = ["", hostile.next(), "\n"] }
            specimen.description = hostile.next()
            return specimen
        }
        let sheets = MetPetDBSheets(specimens, vocabulary: vocabulary)
        let texts = try sheets.sheets.map { sheet in
            let collected = Collected()
            try sheet.write(to: collected.sink)
            #expect(!collected.text.hasSuffix("\n"))
            return collected.bytes
        }
        var seen: [String] = []
        for rows in try read(texts) {
            #expect(rows.allSatisfy { row in row.count == rows[0].count && row.allSatisfy { !$0.isEmpty } })
            seen += rows.dropFirst().map { $0[0] }
        }
        #expect(sheets.leftOut.isEmpty)
        #expect(seen.sorted() == specimens.map(\.number).sorted())
    }

    @Test("specimens that need several sheets are refused with what to do, or go into a zip of them")
    func severalSheets() throws {
        let specimens = [fullSpecimen(), specimen("bare", at: (1, 2), serial: 2)]
        #expect {
            try written(specimens, .metpetdb)
        } throws: {
            ($0 as? InterchangeError)?.reason == .severalSheets && "\($0)".contains("metpetdb-sheets")
        }
        let folder = try TemporaryFolder()
        try folder.put(try written(specimens, .metpetdbSheets), "s.zip")
        let names = try python(
            "import json,zipfile; print(json.dumps(zipfile.ZipFile('s.zip').namelist()))", in: folder.path)
        #expect(
            names as? [String] == [
                "metpetdb/metpetdb-01.csv", "metpetdb/metpetdb-02.csv", "metpetdb/left-out.json",
            ])
    }

    @Test(
        "a row that the server would take wrongly is left out, with the field",
        arguments: Fault.all)
    func refusals(fault: Fault) {
        var bad = fullSpecimen()
        fault.change(&bad)
        let sheets = MetPetDBSheets([bad, fullSpecimen("GOOD", serial: 2)], vocabulary: vocabulary)
        #expect(sheets.leftOut.map(\.specimen) == [bad.id])
        #expect(sheets.leftOut.first?.reasons.map(\.field) == [fault.field])
        #expect(sheets.sheets.flatMap(\.specimens).map(\.number) == ["GOOD"])
    }

    @Test("the longest values that the server takes are in the sheet")
    func limits() {
        var long = fullSpecimen(String(repeating: "\u{1F33E}", count: 35))
        long.collector = String(repeating: "é", count: 50)
        long.regions = [String(repeating: "x", count: 100)]
        long.minerals = [.init(name: "Garnet", amount: String(repeating: "9", count: 30))]
        #expect(MetPetDBSheets([long], vocabulary: vocabulary).leftOut.isEmpty)
    }

    @Test("a number that two specimens have goes out once, and a mineral cannot take another column's name")
    func collisions() {
        let twice = MetPetDBSheets(
            [specimen("v-10", at: (1, 2)), specimen("V-10", at: (1, 2), serial: 2)], vocabulary: nil)
        #expect(twice.leftOut.map(\.number) == ["V-10"])
        var odd = specimen("odd", at: (1, 2))
        odd.minerals = [.init(name: "latitude")]
        #expect(MetPetDBSheets([odd], vocabulary: nil).leftOut.count == 1)
    }
}

@Suite("MetPetDB's answers to a bulk upload")
struct MetPetDBReplyTests {
    private func reply(_ text: String) throws -> MetPetDBReply { try MetPetDBReply(Array(text.utf8)) }

    @Test("the rows with errors become refusals by number and field")
    func errorRows() throws {
        let reply = try reply(
            """
            [{"Sample Number":"KNZ-1","Rock Type":"Gneiss","Latitude":"1.0","errors":"","number":"KNZ-1"},
             {"Sample Number":"KNZ-2","Rock Type":"Shist","Region":["a","b"],
              "errors":{"rock_type_id":"Invalid rock Shist","metamorphic_grades":["Invalid metamorphic_grade : X",2]}},
             {"Sample Number":"KNZ-3","errors":{}},
             {"meta_header":[["Sample Number","Sample Number"]]}]
            """)
        #expect(reply.rows.map(\.number) == ["KNZ-1", "KNZ-2", "KNZ-3"])
        #expect(reply.refused.map(\.number) == ["KNZ-2"])
        #expect(
            reply.refused.first?.refusals == [
                .init(field: "metamorphic_grades", words: "Invalid metamorphic_grade : X; 2.0"),
                .init(field: "rock_type_id", words: "Invalid rock Shist"),
            ])
        #expect(reply.problem == nil)
    }

    @Test(
        "what concerns the whole upload is a problem",
        arguments: [
            (#"{"error":"invalid template"}"#, "invalid template"),
            (#"{"detail":"Invalid token."}"#, "Invalid token."),
            (#"{"owner":["This field is required."]}"#, "owner: This field is required."),
        ])
    func problems(body: String, words: String) throws {
        #expect(try reply(body).problem == words)
        #expect(try reply(body).rows.isEmpty)
    }

    @Test(
        "what is no reply is refused",
        arguments: ["", "Traceback (most recent call last):", "3", "\"x\"", "[1", "null"])
    func hostile(body: String) {
        #expect(throws: InterchangeError.self) { try reply(body) }
    }

    @Test("deep nesting is refused or read, and never crashes")
    func depth() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: InterchangeError.self) { try reply(deep) }
    }
}
