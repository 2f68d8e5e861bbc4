import Foundation
import Glibc
import KonzaModel
import KonzaTesting
import Testing

@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

/// Everything that must hold of the specimens after any crash.
private func expectSound(
    _ folder: TemporaryFolder, _ comment: Comment, location: SourceLocation = #_sourceLocation
) throws -> SpecimenArchive {
    let base = try openArchive(folder)
    let archive = specimenArchive(base)
    var tombstones = SpecimenQuery()
    tombstones.isDeleted = true
    for specimen in try archive.all() + archive.all(tombstones) {
        try expectFiles(of: specimen, archive, in: folder, comment, location: location)
    }
    let files = folder.files(below: "specimens")
    #expect(files.filter { $0.contains(".konza-") } == [], comment, sourceLocation: location)
    // The second says nothing where all is well.
    #expect(
        try folder.sqlite("PRAGMA integrity_check; PRAGMA foreign_key_check") == ["ok"], comment,
        sourceLocation: location)
    return archive
}

@Suite("A crash at any step of a specimen's life")
struct SpecimenCrashTests {
    private static let key = IdempotencyKey(key: "bag", requestHash: "1")

    enum Action: String, CaseIterable {
        case open, change, changeSubmitted, addPhotograph, deletePhotograph, delete, restore, submit, write, purge
    }

    /// What there is before: a specimen with a photograph that was submitted, and a tombstone.
    private struct Scene {
        let specimen: Specimen
        let photograph: Photograph
        let record: Submission
        let tombstone: Specimen

        init(_ archive: SpecimenArchive) throws {
            let opened = try archive.openNext()
            photograph = try archive.addPicture("a", to: opened.id)
            specimen = try archive.specimen(opened.id)
            var record = try archive.submit(opened.id, to: .metpetdb)
            record.state = .submitted
            record.submittedRevision = specimen.revision
            self.record = try archive.write(record)
            tombstone = try archive.openNext()
            try archive.addPicture("t", to: tombstone.id)
            try archive.delete(tombstone.id, at: noon)
        }
    }

    private func run(_ action: Action, _ archive: SpecimenArchive, _ scene: Scene) throws {
        let id = scene.specimen.id
        switch action {
        case .open: try archive.openNext("Schist", key: Self.key)
        case .change, .changeSubmitted: try archive.change(id, at: noon) { $0.country = "USA" }
        case .addPhotograph: try archive.addPicture("b", to: id)
        case .deletePhotograph: try archive.delete(photograph: scene.photograph.id, of: id, at: noon)
        case .delete: try archive.delete(id, at: noon)
        case .restore: _ = try archive.restore(scene.tombstone.id, at: noon)
        case .submit: try archive.submit(id, to: .sesar)
        case .write:
            var record = scene.record
            record.lastKnown = "{}"
            _ = try archive.write(record)
        case .purge: try archive.purge(at: noon.advanced(bySeconds: 31 * 86_400))
        }
    }

    /// What holds of the action afterwards: done whole if it was acknowledged, else whole or not at all.
    private func check(
        _ action: Action, _ archive: SpecimenArchive, _ scene: Scene, isDone: Bool, _ comment: Comment
    ) throws {
        let specimens = try archive.all()
        func either(_ isNow: Bool, _ isBefore: Bool) { #expect(isNow || (!isDone && isBefore), comment) }
        let now = try archive.specimen(scene.specimen.id)
        let record = try archive.submission(scene.specimen.id, to: .metpetdb)
        switch action {
        case .open:
            either(specimens.count == 2, specimens.count == 1)
            let again = try archive.openNext("Schist", key: Self.key)
            #expect(try archive.all().count == 2, comment)
            if let kept = specimens.first(where: { $0.rockType == "Schist" }) { #expect(again == kept, comment) }
            #expect(Set(try archive.all().map(\.number)).count == 2, comment)
        case .change, .changeSubmitted:
            either(now.country == "USA" && now.revision == 3, now == scene.specimen)
            if now.country == "USA" { #expect(record.state == .ready, "a change is never forgotten: \(comment)") }
        case .addPhotograph: either(now.photographs.count == 2, now == scene.specimen)
        case .deletePhotograph: either(now.photographs.isEmpty, now == scene.specimen)
        case .delete: either(now.deletedAt != nil, now == scene.specimen)
        case .restore:
            let restored = try archive.specimen(scene.tombstone.id)
            either(restored.deletedAt == nil, restored.deletedAt != nil)
            #expect(restored.photographs.count == 1, comment)
        case .submit:
            either(try archive.submissions(of: now.id).count == 2, try archive.submissions(of: now.id).count == 1)
        case .write: either(record.lastKnown == "{}" && record.version == 3, record == scene.record)
        case .purge:
            try archive.purge(at: noon.advanced(bySeconds: 31 * 86_400))
            #expect(throws: SpecimenError.notFound(scene.tombstone.id)) {
                try archive.specimen(scene.tombstone.id)
            }
        }
        if action != .delete { #expect(specimens.contains { $0.id == scene.specimen.id }, comment) }
    }

    @Test("leaves what was acknowledged and nothing half, with the power on or cut", arguments: Action.allCases)
    func everyStep(action: Action) throws {
        let (folder, shadows) = (try TemporaryFolder(), try TemporaryFolder())
        let disk = UnreliableDisk(shadows: shadows.path)
        let archive = try specimenArchive(openArchive(folder, operations: disk))
        let scene = try Scene(archive)
        disk.restartCount()
        try run(action, archive, scene)
        let count = disk.stepCount
        #expect(count > 4)
        for step in 1...count {
            for seed in UInt64(0)..<3 { try crash(action, after: step, of: count, seed) }
        }
    }

    private func crash(_ action: Action, after step: Int, of count: Int, _ seed: UInt64) throws {
        let (folder, shadows) = (try TemporaryFolder(), try TemporaryFolder())
        let disk = UnreliableDisk(shadows: shadows.path)
        let archive = try specimenArchive(openArchive(folder, operations: disk))
        let scene = try Scene(archive)
        disk.restartCount()
        disk.plan { $0.crashAfter = step }
        var isDone = false
        do {
            try run(action, archive, scene)
            isDone = true
        } catch is SpecimenError {}
        #expect(disk.hasCrashed)
        if seed > 0 {
            var generator = SeededGenerator(seed: seed)
            disk.cutPower(using: &generator)
        }
        let comment: Comment = "\(action.rawValue), step \(step) of \(count), seed \(seed)"
        // A purge that was cut short leaves a tombstone without all its photographs, and is done again.
        let again =
            action == .purge ? try specimenArchive(openArchive(folder)) : try expectSound(folder, comment)
        try check(action, again, scene, isDone: isDone, comment)
        _ = try expectSound(folder, comment)
    }

    @Test(
        "a step that fails throws, leaves all as it was, and the next try succeeds",
        arguments: [Action.open, .change, .addPhotograph, .delete, .submit, .write], [ENOSPC, EIO])
    func everyFault(action: Action, code: Int32) throws {
        var step = 0
        while true {
            step += 1
            let (folder, shadows) = (try TemporaryFolder(), try TemporaryFolder())
            let disk = UnreliableDisk(shadows: shadows.path)
            let archive = try specimenArchive(openArchive(folder, operations: disk))
            let scene = try Scene(archive)
            let before = try archive.all()
            disk.restartCount()
            disk.plan { $0.failAt = (step, code) }
            do {
                try run(action, archive, scene)
                if disk.stepCount < step { break }
            } catch {
                disk.plan { $0.failAt = nil }
                // After the second commit hook the commit has happened: only a crash, never a failure, is real there.
                let taken = disk.stepsTaken[step - 1]
                if taken == .commit { continue }
                #expect(try archive.all() == before, "\(action.rawValue), step \(step): \(taken)")
                try run(action, archive, scene)
            }
            disk.plan { $0.failAt = nil }
            _ = try expectSound(folder, "\(action.rawValue), step \(step)")
        }
        #expect(step > 6)
    }
}

@Suite("Specimens that somebody meddled with")
struct SpecimenRecoveryTests {
    private let folder: TemporaryFolder
    private let archive: SpecimenArchive
    private let specimen: Specimen
    private var file: String { "\(folder.path)/specimens/2026/\(specimen.id)/specimen.json" }

    init() throws {
        folder = try TemporaryFolder()
        archive = try specimenArchive(openArchive(folder))
        specimen = try archive.openNext()
    }

    @Test("a file that was edited by hand is what holds")
    func edited() throws {
        let text = try String(contentsOfFile: file, encoding: .utf8).replacing("Gneiss", with: "Schist")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let again = try specimenArchive(openArchive(folder))
        #expect(try again.specimen(specimen.id).rockType == "Schist")
        var query = SpecimenQuery()
        query.words = ["schist"]
        #expect(try again.all(query).count == 1)
    }

    @Test("a file that is gone or damaged comes back from the index, and the damaged one is kept")
    func damaged() throws {
        try Data("{".utf8).write(to: URL(fileURLWithPath: file))
        let again = try openArchive(folder)
        #expect(try specimenArchive(again).specimen(specimen.id) == specimen)
        #expect(again.usage().health.kind == "specimens-restored")
        #expect(folder.files(below: "lost+found") == ["specimen.json"])
        try FileManager.default.removeItem(atPath: file)
        #expect(try specimenArchive(openArchive(folder)).specimen(specimen.id) == specimen)
        #expect(FileManager.default.fileExists(atPath: file))
    }

    @Test("a folder without a readable file that no index knows is left alone and reported")
    func unknown() throws {
        try Data("{".utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.removeItem(atPath: "\(folder.path)/konza.db")
        let again = try openArchive(folder)
        #expect(again.usage().health.kind == "specimens-damaged")
        #expect(FileManager.default.fileExists(atPath: file))
    }
}
