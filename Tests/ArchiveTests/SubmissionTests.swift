import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Archive

@Suite("The record of a submission")
struct SubmissionTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock(utc: noon)
    private let archive: SpecimenArchive
    private let specimen: Specimen

    init() throws {
        folder = try TemporaryFolder()
        archive = SpecimenArchive(sharing: try openArchive(folder, clock: clock))
        specimen = try archive.openNext()
    }

    @Test("is written only over the version that was read")
    func compareAndSet() throws {
        var record = try archive.submit(specimen.id, to: .metpetdb)
        #expect(record.state == .ready && record.version == 1)
        record.state = .sending
        record.step = .create
        let stored = try archive.write(record)
        #expect(stored.version == 2 && stored.step == .create)
        #expect(throws: SpecimenError.submissionConflict(stored)) { try archive.write(record) }
        let text = try #require(folder.contents("specimens/2026/\(specimen.id)/submission-metpetdb.json"))
        #expect(StoredText.decode(Submission.self, text) == stored)
        #expect(throws: SpecimenError.submissionNotFound(specimen.id, .sesar)) {
            try archive.submission(specimen.id, to: .sesar)
        }
    }

    @Test("is ready again when what was submitted or refused is changed, and also while it was being sent")
    func edits() throws {
        var record = try archive.submit(specimen.id, to: .metpetdb)
        record.state = .submitted
        record.submittedRevision = 1
        record.remoteID = "r"
        record = try archive.write(record)
        #expect(record.state == .submitted)
        #expect(try archive.submit(specimen.id, to: .metpetdb).state == .submitted, "it has it already")

        try archive.change(specimen.id, at: noon) { $0.country = "USA" }
        record = try archive.submission(specimen.id, to: .metpetdb)
        #expect(record.state == .ready && record.version == 3 && record.remoteID == "r")

        record.state = .sending
        record = try archive.write(record)
        try archive.change(specimen.id, at: noon) { $0.country = "Chile" }
        #expect(try archive.submission(specimen.id, to: .metpetdb) == record, "under way")
        record.state = .submitted
        record.submittedRevision = 2
        #expect(try archive.write(record).state == .ready, "revision 3 is not there yet")

        record = try archive.submission(specimen.id, to: .metpetdb)
        record.state = .refused
        record.refusals = [.init(field: "number", words: "too long")]
        _ = try archive.write(record)
        try archive.change(specimen.id, at: noon) { $0.number = "K1" }
        record = try archive.submission(specimen.id, to: .metpetdb)
        #expect(record.state == .ready && record.refusals.isEmpty)
    }

    @Test("is due when its time has come, or when everything was flushed; a tombstone's never is")
    func due() throws {
        let second = try archive.openNext()
        #expect(try archive.due(targets: [.metpetdb]) == nil)
        var record = try archive.submit(second.id, to: .metpetdb)
        record.nextAttemptAt = noon.advanced(bySeconds: 60)
        _ = try archive.write(record)
        #expect(try archive.due(targets: [.metpetdb]) == nil)
        #expect(try archive.due(targets: [.metpetdb], flushedAt: noon)?.specimen.id == second.id)
        #expect(try archive.due(targets: [.sesar], flushedAt: noon) == nil)
        try archive.submit(specimen.id, to: .metpetdb)
        #expect(try archive.due(targets: [.metpetdb])?.specimen.id == specimen.id)
        clock.advance(bySeconds: 61)
        #expect(try archive.due(targets: [.metpetdb])?.specimen.id == specimen.id, "the one that never waited")
        try archive.delete(specimen.id, at: noon)
        #expect(try archive.due(targets: [.metpetdb])?.specimen.id == second.id)
        #expect(try archive.usage().outbox == [.ready: 1])
        #expect(try archive.outbox().map(\.specimen) == [second.id])
    }

    @Test("outlives the index, and its file when only that is lost")
    func rebuilt() throws {
        var record = try archive.submit(specimen.id, to: .metpetdb)
        record.state = .sending
        record = try archive.write(record)
        try FileManager.default.removeItem(atPath: "\(folder.path)/konza.db")
        #expect(
            try SpecimenArchive(sharing: openArchive(folder)).submission(specimen.id, to: .metpetdb) == record)
        try FileManager.default.removeItem(
            atPath: "\(folder.path)/specimens/2026/\(specimen.id)/submission-metpetdb.json")
        #expect(
            try SpecimenArchive(sharing: openArchive(folder)).submission(specimen.id, to: .metpetdb) == record)
    }
}
