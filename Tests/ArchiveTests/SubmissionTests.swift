import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

@Suite("The record of a submission")
struct SubmissionTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock(utc: noon)
    private let archive: SpecimenArchive
    private let specimen: Specimen

    init() throws {
        folder = try TemporaryFolder()
        archive = try specimenArchive(openArchive(folder, clock: clock))
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
        try archive.submit(specimen.id, to: .metpetdb)
        #expect(try archive.due(targets: [.metpetdb])?.specimen.id == specimen.id)
        clock.advance(bySeconds: 61)
        #expect(try archive.due(targets: [.metpetdb])?.specimen.id == specimen.id, "the one that never waited")
        try archive.delete(specimen.id, at: noon)
        #expect(try archive.due(targets: [.metpetdb])?.specimen.id == second.id)
        #expect(try archive.usage().outbox == [.ready: 1])
        #expect(try archive.outbox().map(\.specimen) == [second.id])
    }

    @Test("that was put off is due after a flush, once")
    func flushed() throws {
        var record = try archive.submit(specimen.id, to: .metpetdb)
        record.nextAttemptAt = noon.advanced(bySeconds: 60)
        record.attempts = 1
        record = try archive.write(record)
        #expect(try archive.due(targets: [.metpetdb]) == nil)
        archive.flushDelays()
        #expect(try archive.due(targets: [.sesar]) == nil)
        #expect(try archive.due(targets: [.metpetdb])?.submission == record)
        record.attempts = 2
        _ = try archive.write(record)
        #expect(try archive.due(targets: [.metpetdb]) == nil, "it was put off after the flush")
        // What an earlier run put off, too.
        let again = try specimenArchive(openArchive(folder, clock: clock))
        again.flushDelays()
        #expect(try again.due(targets: [.metpetdb]) != nil)
    }

    @Test(
        "that was put off waits as long as it was put off, wherever the clock on the wall goes",
        arguments: [
            // 1677 and before, unset, eleven years and two days either way, the end of what can be said.
            Int64.min, 0, 1_432_993_387_250_123_456, 1_779_969_787_250_123_456, 1_780_315_387_250_123_456,
            2_127_291_787_250_123_456, Int64.max,
        ])
    func clockSteps(nanoseconds: Int64) throws {
        let wrong = UTCInstant(nanoseconds: nanoseconds)
        for (before, after) in [(wrong, noon), (noon, wrong)] {
            clock.setUTC(before)
            var record = try archive.submit(specimen.id, to: .metpetdb)
            record.state = .sending
            record.attempts = 3
            record.changedAt = before
            record.nextAttemptAt = before.advanced(bySeconds: 60)
            // The clock is set while the record is on its way, or after.
            if nanoseconds % 2 == 0 { clock.setUTC(after) }
            record = try archive.write(record)
            clock.setUTC(after)
            #expect(try archive.due(targets: [.metpetdb]) == nil)
            clock.advance(bySeconds: 4)
            #expect(try archive.due(targets: [.metpetdb]) == nil)
            clock.advance(bySeconds: 57)
            #expect(try archive.due(targets: [.metpetdb])?.submission == record)
            // After a restart, what is left of the delay, or all of it.
            clock.setUTC(after)
            let again = try specimenArchive(openArchive(folder, clock: clock))
            _ = try again.due(targets: [.metpetdb])
            clock.advance(bySeconds: 61)
            #expect(try again.due(targets: [.metpetdb])?.submission == record)
            // Asked for by a person, it waits no longer.
            record.attempts = 4
            record.changedAt = clock.utc()
            record.nextAttemptAt = clock.utc().advanced(bySeconds: 3600)
            record = try archive.write(record)
            #expect(try archive.due(targets: [.metpetdb]) == nil)
            #expect(try archive.submit(specimen.id, to: .metpetdb).state == .sending)
            #expect(try archive.due(targets: [.metpetdb])?.submission == record)
            record.state = .refused
            record.nextAttemptAt = nil
            _ = try archive.write(record)
        }
    }

    @Test(
        "with a number out of its range is not taken, and one that a file has is brought into it",
        arguments: [
            Int.min, -5, 1_000_001, .max,
        ])
    func ranges(number: Int) throws {
        let record = try archive.submit(specimen.id, to: .metpetdb)
        var bad = record
        bad.attempts = number
        #expect(throws: SpecimenError.self) { try archive.write(bad) }
        bad = record
        bad.submittedRevision = min(number, 0)
        #expect(throws: SpecimenError.self) { try archive.write(bad) }

        let second = try archive.openNext()
        try archive.submit(second.id, to: .metpetdb)
        bad = record
        bad.attempts = number
        bad.version = number
        bad.submittedRevision = number
        let text = String(decoding: try StoredText.encode(bad, limit: .max), as: UTF8.self)
        _ = try folder.sqlite("UPDATE submissions SET record = '\(text)' WHERE specimen = '\(specimen.id)'")
        let again = try specimenArchive(openArchive(folder, clock: clock))
        let due = try #require(try again.due(targets: [.metpetdb])).submission
        #expect((0...Submission.maximumAttempts).contains(due.attempts))
        // The file is read again at the start and is sound; a row in use is brought into its range.
        #expect(due.version >= 1)
        _ = try again.write(due)
    }

    @Test("that cannot be read, or that its sender fails at, does not keep the others waiting")
    func starvation() throws {
        let second = try archive.openNext()
        try archive.submit(specimen.id, to: .metpetdb)
        clock.advance(bySeconds: 1)
        try archive.submit(second.id, to: .metpetdb)
        _ = try folder.sqlite("UPDATE submissions SET record = 'x' WHERE specimen = '\(specimen.id)'")
        #expect(try archive.due(targets: [.metpetdb])?.specimen.id == second.id)
        let third = try archive.openNext()
        clock.advance(bySeconds: 1)
        try archive.submit(third.id, to: .metpetdb)
        var seconds = 0.0
        for _ in 0..<20 {
            // Its sender dies of it each time.
            guard let due = try archive.due(targets: [.metpetdb]), due.specimen.id == second.id else { break }
            archive.noteHandOut(of: due.submission)
            seconds += 1
            clock.advance(bySeconds: 1)
        }
        #expect(try archive.due(targets: [.metpetdb])?.specimen.id == third.id)
        #expect(seconds < 10)
        clock.advance(bySeconds: 3600)
        #expect(try archive.due(targets: [.metpetdb])?.specimen.id != nil)
    }

    @Test("outlives the index, and its file when only that is lost")
    func rebuilt() throws {
        var record = try archive.submit(specimen.id, to: .metpetdb)
        record.state = .sending
        record = try archive.write(record)
        try FileManager.default.removeItem(atPath: "\(folder.path)/konza.db")
        #expect(
            try specimenArchive(openArchive(folder)).submission(specimen.id, to: .metpetdb) == record)
        try FileManager.default.removeItem(
            atPath: "\(folder.path)/specimens/2026/\(specimen.id)/submission-metpetdb.json")
        #expect(
            try specimenArchive(openArchive(folder)).submission(specimen.id, to: .metpetdb) == record)
    }
}
