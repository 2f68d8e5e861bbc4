import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Interchange

private func photographed() -> [Specimen] {
    var first = fullSpecimen("KNZ/1: é?", serial: 1)
    first.photographs = [photograph(1, "b.jpg"), photograph(2, "a.jpg"), photograph(3, "A.jpg", byteCount: 0)]
    var second = fullSpecimen("KNZ_1_ é_", serial: 2)
    second.photographs = [photograph(4, "../../etc/passwd"), photograph(5, "con.jpg", byteCount: 100_000)]
    return [second, first]
}

@Suite("Zips, read by other people's programs")
struct ZipTests {
    @Test("the whole zip is sound for unzip, Python and bsdtar, and its checksums are right")
    func whole() throws {
        let folder = try TemporaryFolder()
        try folder.put(try written(photographed(), .zip), "s.zip")
        let unzip = try ProgramRun(["unzip", "-tq", "s.zip"], in: folder.path)
        #expect(unzip.status == 0, "\(unzip.text)")
        // bsdtar reads it as a stream, from headers before data.
        let stream = try ProgramRun(["sh", "-c", "mkdir out && cat s.zip | bsdtar -xf - -C out"], in: folder.path)
        #expect(stream.status == 0, "\(stream.text)")
        let sums = try ProgramRun(["sha256sum", "--strict", "-c", "SHA256SUMS"], in: "\(folder.path)/out")
        #expect(sums.status == 0, "\(sums.text)")
        let names = try #require(
            try python(
                """
                import json, zipfile
                z = zipfile.ZipFile('s.zip')
                assert z.testzip() is None
                print(json.dumps([[i.filename, list(i.date_time)] for i in z.infolist()]))
                """, in: folder.path) as? [[Any]])
        let paths = names.compactMap { $0.first as? String }
        #expect(
            paths.filter { !$0.hasPrefix("photographs/") } == [
                "metpetdb/metpetdb-01.csv", "sesar.csv", "specimens.csv", "specimens.geojson", "specimens.gpx",
                "specimens.json", "specimens.kml",
                "MANIFEST.json", "SHA256SUMS",
            ])
        let table = names.first { $0.first as? String == "sesar.csv" }
        #expect(table?.last as? [Int] == [2026, 5, 30, 12, 3, 6], "the time of the data, UTC, to two seconds")
    }

    @Test("a folder for each specimen, whatever its number; no name leaves it, and no two are one on a stick")
    func names() throws {
        let folder = try TemporaryFolder()
        try folder.put(try written(photographed(), .zip), "s.zip")
        let names = try #require(
            try python("import json,zipfile; print(json.dumps(zipfile.ZipFile('s.zip').namelist()))", in: folder.path)
                as? [String])
        let pictures = names.filter { $0.hasPrefix("photographs/") }
        #expect(pictures.count == 5)
        #expect(Set(pictures.map { $0.lowercased() }).count == 5)
        #expect(pictures == pictures.sorted())
        #expect(pictures.allSatisfy { $0.split(separator: "/").count == 3 && !$0.contains("/.") })
        #expect(pictures.contains { $0.hasSuffix("/_con.jpg") })
    }

    @Test("the records in it are the specimens, member by member")
    func records() throws {
        let folder = try TemporaryFolder()
        try folder.put(try written(photographed(), .zip), "s.zip")
        _ = try ProgramRun(["unzip", "-q", "s.zip", "specimens.json"], in: folder.path)
        let data = try #require(FileManager.default.contents(atPath: "\(folder.path)/specimens.json"))
        #expect(try JSONDecoder().decode([Specimen].self, from: data) == photographed().sorted { $0.id < $1.id })
    }

    @Test("the same specimens make the same bytes, in whatever order they come")
    func deterministic() throws {
        #expect(try written(photographed(), .zip) == written(photographed().reversed(), .zip))
        #expect(try written(photographed(), .kmz) == written(photographed().reversed(), .kmz))
    }

    @Test("a photograph that is gone or damaged is named in the manifest; the others are there")
    func missing() throws {
        var specimens = photographed()
        specimens[0].photographs[1].sha256 = String(repeating: "0", count: 64)
        let lost = specimens[1].photographs[0].id
        let folder = try TemporaryFolder()
        try folder.put(try written(specimens, .zip, photographs: InventedPhotographs(lost: [lost])), "s.zip")
        let manifest = try #require(
            try python(
                "import json,zipfile; print(zipfile.ZipFile('s.zip').read('MANIFEST.json').decode())", in: folder.path)
                as? [String: Any])
        let missing = try #require(manifest["missing"] as? [[String: String]])
        #expect(missing.count == 2)
        #expect(missing.contains { $0["why"]?.contains("cannot be read") == true })
        #expect(missing.contains { $0["why"]?.contains("damaged") == true })
        let files = try #require(manifest["files"] as? [[String: Any]])
        #expect(files.filter { ($0["name"] as? String)?.hasPrefix("photographs/") == true }.count == 3)
    }

    @Test("KMZ begins with doc.kml, GDAL reads it, and its balloons show the pictures that are in it")
    func kmz() throws {
        let lost = photographed()[0].photographs[0].id
        let folder = try TemporaryFolder()
        try folder.put(
            try written(photographed(), .kmz, photographs: InventedPhotographs(lost: [lost])), "s.kmz")
        let read = try ProgramRun(["ogrinfo", "-al", "s.kmz"], in: folder.path)
        #expect(read.text.contains("Feature Count: 2"), "\(read.text)")
        let names = try #require(
            try python(
                """
                import json, re, zipfile
                z = zipfile.ZipFile('s.kmz')
                shown = re.findall(r'img src=&quot;([^&]*)&quot;', z.read('doc.kml').decode())
                print(json.dumps([z.namelist(), sorted(shown)]))
                """, in: folder.path) as? [[String]])
        #expect(names[0].first == "doc.kml")
        #expect(names[0].dropFirst() == names[1][...])
        #expect(names[1].count == 4)
    }

    @Test("ZIP64 is read by unzip, Python and bsdtar", arguments: [(1, 0xFFFF), (200, 0xFFFF), (0xFFFF_FFFF, 2)])
    func zip64(limit: UInt64, entryLimit: UInt64) throws {
        let collected = Collected()
        var writer = ZipWriter(collected.sink, limit: limit, entryLimit: entryLimit)
        for (name, isCompressed) in [("a.txt", true), ("b.bin", false), ("empty", true)] {
            let content = name == "empty" ? [] : [UInt8](repeating: 0x41, count: 500)
            let entry = ZipEntry(name: name, time: noon, isCompressed: isCompressed) {
                (sink) throws(InterchangeError) in
                try sink(content)
            }
            try writer.add(entry, try entry.measured().0)
        }
        try writer.finish()
        let folder = try TemporaryFolder()
        try folder.put(collected.bytes, "s.zip")
        for reader in [["unzip", "-tq", "s.zip"], ["bsdtar", "-tf", "s.zip"]] {
            let run = try ProgramRun(reader, in: folder.path)
            #expect(run.status == 0, "\(run.text)")
        }
        let sizes = try python(
            """
            import json, zipfile
            z = zipfile.ZipFile('s.zip')
            assert z.testzip() is None
            print(json.dumps([i.file_size for i in z.infolist()]))
            """,
            in: folder.path)
        #expect(sizes as? [Int] == [500, 500, 0])
    }

    @Test("a photograph that changes while it is read breaks the zip off")
    func changing() throws {
        var readings = 0
        let entry = ZipEntry(name: "a", time: noon, isCompressed: false) { (sink) throws(InterchangeError) in
            readings += 1
            try sink([UInt8(readings)])
        }
        let measure = try entry.measured().0
        var writer = ZipWriter(Collected().sink)
        let failure = #expect(throws: InterchangeError.self) { try writer.add(entry, measure) }
        #expect(failure?.reason == .photographChanged)
    }

    @Test("a sink that ends it ends it, in every form", arguments: ExportForm.allCases)
    func stopped(form: ExportForm) throws {
        var specimen = fullSpecimen()
        specimen.photographs = [photograph(1, "a.jpg")]
        let export = SpecimenExport([specimen], photographs: InventedPhotographs())
        var taken = 0
        let failure = #expect(throws: InterchangeError.self) {
            try export.write(form) { (_) throws(InterchangeError) in
                taken += 1
                throw InterchangeError.stopped
            }
        }
        #expect(failure == .stopped)
        #expect(taken == 1)
    }
}
