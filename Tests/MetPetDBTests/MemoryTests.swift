import Foundation
import KonzaModel
import KonzaTestTraits
import KonzaTesting
import Testing

@testable import MetPetDB

/// What a submission costs in memory, measured in a process of its own: this test program once more, with nothing to run
/// but the probe.
@Suite("Memory", .offPool)
struct MemoryTests {
    private static let probe = ProcessInfo.processInfo.environment["KONZA_SUBMIT_PROBE"]

    @Test("A specimen with 20 photographs of 5 MB is submitted within flat memory", .enabled(if: probe == nil))
    func flat() throws {
        let field = try Field()
        let small = try measure(field, photographs: 2, bytes: 3000)
        field.server.clear()
        let great = try measure(field, photographs: 20, bytes: 5_000_000)
        print(
            "peak memory of a submitting process: \(small) kB with 2 photographs of 3 kB, \(great) kB with 20 of 5 MB")
        #expect(field.server.samples.first?.images.map(\.bytes.count) == Array(repeating: 5_000_000, count: 20))
        // The program of the tests itself is most of both, and differs by some megabytes from run to run; what counts is that
        // 100 MB of pictures add less than two of them.
        #expect(great - small < 10_000)
    }

    private func measure(_ field: Field, photographs: Int, bytes: Int) throws -> Int {
        let text = try ProgramRun(
            FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            ["--testing-library", "swift-testing", "--filter", "MetPetDBTests.MemoryTests/submitting"],
            environment: ["KONZA_SUBMIT_PROBE": "\(field.server.baseURL) \(photographs) \(bytes)"]
        ).text
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("probe: ") }, "\(text)")
        return try #require(Int(line.dropFirst(7)))
    }

    @Test("The probe: submits, and says its own peak", .enabled(if: probe != nil))
    func submitting() throws {
        let words = try #require(Self.probe).split(separator: " ").map(String.init)
        let client = try Field.client(words[0])
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        var specimen = Specimen(
            id: SpecimenID(milliseconds: 1, high: 1, low: 1), number: "KNZ-1", rockType: "Gneiss",
            createdAt: clock.utc())
        specimen.position = try Field.position(39, -96)
        let bytes = try #require(Int(words[2]))
        for number in 0..<(Int(words[1]) ?? 0) {
            let id = PhotographID(milliseconds: UInt64(number), high: 0, low: 0)
            let path = "\(folder.path)/\(id)"
            try Data([0xFF, 0xD8, 0xFF, 0xE0]).write(to: URL(filePath: path))
            try FileHandle(forWritingTo: URL(filePath: path)).truncate(atOffset: UInt64(bytes))
            specimen.photographs.append(
                Photograph(
                    id: id, fileName: "KNZ-1-\(number).jpg", imageType: .photograph, mediaType: "image/jpeg",
                    byteCount: bytes, sha256: "", width: 1, height: 1, origin: "upload"))
        }
        let ledger = MemoryLedger(folder: folder.path)
        var record = Submission(specimen: specimen.id, target: .metpetdb, changedAt: clock.utc())
        record.state = .ready
        ledger[specimen.id] = record
        let vocabulary = try client.vocabulary(at: clock.utc())
        let left = try Submitter(client: client, ledger: ledger, clock: clock)
            .run(record, of: specimen, vocabulary: vocabulary)
        #expect(left.state == .submitted)
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let peak = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        print("probe: \(peak.filter(\.isNumber))")
    }
}
