import Foundation
import KonzaTesting
import Testing

@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

@Suite("A file of the state folder")
struct StateFileTests {
    private let old = [UInt8]("old".utf8)
    private let new = [UInt8]("new, and longer".utf8)

    @Test("is absent, then what was written last, and is not read when it is too large")
    func life() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = StateFile("thing", in: folder.path)
        #expect(try file.read(most: 100) == nil)
        try file.replace(with: old)
        #expect(try file.read(most: 100) == old)
        try file.replace(with: new)
        #expect(try file.read(most: new.count) == new)
        #expect(try file.read(most: new.count - 1)?.count == new.count)
        #expect(try file.read(most: new.count - 1) != new)
        let missing = StateFile("thing", in: "\(folder.path)/none")
        #expect(throws: FileError.self) { try missing.replace(with: old) }
        #expect(try missing.read(most: 1) == nil)
    }

    @Test("is the old or the new one after a crash at any step, and the new one if it was acknowledged")
    func crashes() throws {
        var outcomes = Set<Bool>()
        for step in 1...8 {
            let (folder, shadows) = (try TemporaryFolder(), try TemporaryFolder())
            let disk = UnreliableDisk(shadows: shadows.path)
            let file = StateFile("thing", in: folder.path, operations: disk)
            try file.replace(with: old)
            disk.restartCount()
            disk.plan { $0.crashAfter = step }
            let isDone = (try? file.replace(with: new)) != nil
            outcomes.insert(isDone)
            var generator = SeededGenerator(seed: UInt64(step))
            disk.cutPower(using: &generator)
            let kept = try StateFile("thing", in: folder.path).read(most: 100)
            #expect(kept == new || (!isDone && kept == old), "step \(step)")
        }
        #expect(outcomes == [true, false])
    }
}
