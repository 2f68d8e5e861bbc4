import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Postcards
@testable import Specimens
@testable import Storage

/// The receiver's time beside the system's, in files of before and after it was kept.
@Suite("The receiver's time of a picture") struct ReceiverTimeTests {
    private let receiver = noon.advanced(bySeconds: 12_345.678_901_234)

    /// Takes a member out of all files below a folder whose names end so; returns how often it was there.
    private func remove(_ member: String, from end: String, _ folder: TemporaryFolder) throws -> Int {
        var count = 0
        for name in folder.files() where name.hasSuffix(end) {
            let path = "\(folder.path)/\(name)"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let without = text.replacing(try Regex("\"\(member)\"\\s*:\\s*\"[^\"]*\",?\\s*"), with: "")
            if without != text { count += 1 }
            try without.write(toFile: path, atomically: true, encoding: .utf8)
        }
        return count
    }

    private func loseIndex(_ folder: TemporaryFolder) throws {
        for name in folder.files() where name.hasPrefix("konza.db") {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
        }
    }

    @Test("is in a postcard's sidecar, and a sidecar of before has none", arguments: [false, true])
    func postcard(isOld: Bool) throws {
        let folder = try TemporaryFolder()
        var made = draft("a")
        made.receiverTime = receiver
        let kept = try openArchive(folder).keep(made)
        #expect(kept.receiverTime == receiver)
        if isOld {
            #expect(try remove("receiverTime", from: ".json", folder) == 1)
        }
        try loseIndex(folder)
        let found = try #require(try openArchive(folder).all().first)
        var expected = kept
        if isOld { expected.receiverTime = nil }
        #expect(found == expected)
    }

    @Test("is in a specimen's file with each photograph, and a file of before has none", arguments: [false, true])
    func photograph(isOld: Bool) throws {
        let folder = try TemporaryFolder()
        let specimen: Specimen
        let kept: Photograph
        do {
            let archive = try specimenArchive(openArchive(folder))
            specimen = try archive.openNext()
            var made = photographDraft("a")
            // A specimen's file has milliseconds.
            made.takenAt = UTCInstant(rfc3339: "2026-05-30T12:03:07.250Z")
            made.receiverTime = UTCInstant(rfc3339: "2026-05-30T15:28:52.929Z")
            kept = try archive.add(made, to: specimen.id, at: noon).photograph
            #expect(kept.receiverTime == made.receiverTime)
        }
        if isOld {
            #expect(try remove("receiverTime", from: "specimen.json", folder) == 1)
        }
        try loseIndex(folder)
        let archive = try specimenArchive(openArchive(folder))
        let found = try #require(try archive.specimen(specimen.id).photographs.first)
        var expected = kept
        if isOld { expected.receiverTime = nil }
        #expect(found == expected)
        #expect(try archive.bytes(of: found, specimen.id).count == kept.byteCount)
    }
}
