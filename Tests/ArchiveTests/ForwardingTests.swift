import Foundation
import KonzaModel
import KonzaSystem
import KonzaTesting
import Testing

@testable import Forwarding
@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

extension ForwardedArchives {
    /// Switches it on, and adds what was there before.
    fileprivate func begin(_ log: String = "log-1") throws {
        try outbox.turn(true, log: log)
        while try outbox.addOlder() {}
    }

    /// The fleet takes everything that waits.
    fileprivate func deliver() throws -> [ForwardingEntry] {
        var taken: [ForwardingEntry] = []
        while true {
            let entries = try outbox.entries(limit: 3)
            if entries.isEmpty { return taken }
            taken += entries
            #expect(
                try outbox.confirm(entries.map { ForwardingReceipt(id: $0.id, rev: $0.rev) }) == entries.count)
        }
    }
}

@Suite("The fleet's outbox")
struct ForwardingTests {
    private let folder: TemporaryFolder
    private let archives: ForwardedArchives

    init() throws {
        folder = try TemporaryFolder()
        archives = try ForwardedArchives(folder)
    }

    @Test("is empty and grows no rows while the station belongs to no fleet")
    func off() throws {
        _ = try archives.postcards.keep(draft("a"))
        try archives.specimens.openNext()
        #expect(try archives.outbox.entries(limit: 10).isEmpty)
        #expect(try folder.sqlite("SELECT count(*) FROM forwarded") == ["0"])
    }

    @Test("has what was kept before it was switched on, and what comes after, in the order of their making")
    func order() throws {
        let first = try archives.postcards.keep(draft("a")).id.description
        let second = try archives.specimens.openNext().id.description
        try archives.begin()
        let third = try archives.postcards.keep(draft("b")).id.description
        let entries = try archives.outbox.entries(limit: 10)
        #expect(Set(entries.map(\.id)) == [first, second, third])
        #expect(entries.map(\.id) == entries.map(\.id).sorted())
        #expect(entries.map(\.seq) == [1, 2, 3] && entries.allSatisfy { $0.rev == 1 && !$0.isDeleted })
        // Asked again before a receipt came, the same.
        #expect(try archives.outbox.entries(limit: 10) == entries)
        #expect(try archives.outbox.figures().waiting == 3)
    }

    @Test("lets go of what is confirmed, and of nothing else")
    func receipts() throws {
        try archives.begin()
        let id = try archives.specimens.openNext().id
        let entry = try #require(try archives.outbox.entries(limit: 10).first)
        _ = try archives.specimens.change(id, expecting: nil, at: noon) { specimen throws(SpecimenError) in
            specimen.collector = "Roe, Jane"
        }
        // It changed while it was under way: the same message, with what it is now.
        let again = try #require(try archives.outbox.entries(limit: 10).first)
        #expect(again.seq == entry.seq && again.rev == 2)
        // A receipt for what it was is good for that alone.
        #expect(try archives.outbox.confirm([ForwardingReceipt(id: entry.id, rev: 1)]) == 1)
        let further = try #require(try archives.outbox.entries(limit: 10).first)
        #expect(further.rev == 2 && further.seq == 2)
        // For a revision that never was, twice, or for a stranger: nothing.
        #expect(
            try archives.outbox.confirm([
                ForwardingReceipt(id: entry.id, rev: 3), ForwardingReceipt(id: entry.id, rev: 1),
                ForwardingReceipt(id: "stranger", rev: 1),
            ]) == 0)
        #expect(try archives.outbox.confirm([ForwardingReceipt(id: entry.id, rev: 2)]) == 1)
        #expect(try archives.outbox.entries(limit: 10).isEmpty)
    }

    @Test("tells of what a person deletes, forgets what nobody knew, and keeps still about what grew too old")
    func deleted() throws {
        try archives.begin()
        let known = try archives.postcards.keep(draft("a")).id
        let aged = try archives.postcards.keep(draft("b")).id
        _ = try archives.deliver()
        let unknown = try archives.postcards.keep(draft("c")).id
        try archives.postcards.delete(unknown)
        try archives.postcards.delete(known)
        try archives.store.changing { database throws(StorageError) in
            _ = try archives.postcards.delete([aged], isPruned: true, from: database)
        }
        let entries = try archives.outbox.entries(limit: 10)
        #expect(entries.map(\.id) == [known.description] && entries.allSatisfy { $0.isDeleted && $0.rev == 2 })
        _ = try archives.deliver()
        #expect(try folder.sqlite("SELECT count(*) FROM forwarded") == ["0"])
    }

    @Test("begins another log where the index was lost, and tells everything again")
    func indexLost() throws {
        try archives.begin()
        _ = try archives.postcards.keep(draft("a"))
        _ = try archives.deliver()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: "\(folder.path)/konza.db\(suffix)")
        }
        let reopened = try ForwardedArchives(folder)
        #expect(try !reopened.outbox.figures().isOn)
        try reopened.begin("log-2")
        #expect(try reopened.outbox.figures().log == "log-2")
        let entries = try reopened.deliver()
        #expect(entries.map(\.seq) == [1])
    }

    @Test("goes on in its log after a restart")
    func restarted() throws {
        try archives.begin()
        _ = try archives.postcards.keep(draft("a"))
        _ = try archives.outbox.entries(limit: 10)
        let reopened = try ForwardedArchives(folder)
        try reopened.begin("log-2")
        _ = try reopened.postcards.keep(draft("b"))
        #expect(try reopened.outbox.figures().log == "log-1")
        #expect(try reopened.deliver().map(\.seq) == [1, 2])
    }

    @Test("switched off and on again, tells what it is now, and what was deleted meanwhile")
    func offAndOn() throws {
        try archives.begin()
        let kept = try archives.postcards.keep(draft("a")).id
        let gone = try archives.postcards.keep(draft("b")).id
        _ = try archives.deliver()
        try archives.outbox.turn(false, log: "")
        try archives.postcards.delete(gone)
        let added = try archives.postcards.keep(draft("c")).id
        try archives.begin("log-2")
        let entries = try archives.deliver()
        #expect(Set(entries.map(\.id)) == Set([kept, gone, added].map(\.description)))
        #expect(entries.filter(\.isDeleted).map(\.id) == [gone.description])
        #expect(entries.map(\.seq).sorted() == [1, 2, 3])
    }

    private static func hour(_ number: Int) -> String { "01k2b3c4d5e6f7g8h9j0kmn" + String(format: "%03d", number) }

    @Test("has the hours of the station's way until the fleet has them, and none while there is no fleet")
    func tracks() throws {
        let body = Array(#"{"points":[]}"#.utf8)
        #expect(try !archives.outbox.addTrack(Self.hour(1), body))
        try archives.begin()
        #expect(try archives.outbox.addTrack(Self.hour(2), body))
        let entry = try #require(try archives.outbox.entries(limit: 10).first)
        #expect(entry.kind == .track && entry.id == Self.hour(2) && entry.rev == 1 && !entry.isDeleted)
        #expect(try archives.outbox.track(Self.hour(2)) == body)
        // Another log tells it again, and not as deleted.
        try archives.outbox.turn(false, log: "")
        try archives.begin("log-2")
        #expect(try archives.deliver().map(\.isDeleted) == [false])
        #expect(try archives.outbox.track(Self.hour(2)) == nil)
        #expect(try folder.sqlite("SELECT count(*) FROM forwarded") == ["0"])
    }

    @Test("lets every second hour go before hours take too much room, never a record, and leaves no number out")
    func thinned() throws {
        try archives.begin()
        let card = try archives.postcards.keep(draft("a")).id.description
        // Letters of two bytes: what counts is what they take.
        let body = Array(String(repeating: "é", count: 1 << 19).utf8)
        for number in 0..<3 { try archives.outbox.addTrack(Self.hour(number), body) }
        let claimed = try archives.outbox.entries(limit: 3)
        #expect(claimed.map(\.seq) == [1, 2, 3])
        for number in 3..<40 { try archives.outbox.addTrack(Self.hour(number), body) }
        #expect(try folder.sqlite("SELECT sum(length(CAST(body AS BLOB))) <= 8 << 20 FROM tracks_forwarded") == ["1"])
        let entries = try archives.deliver()
        #expect(entries.map(\.seq) == Array(1...Int64(entries.count)) && entries.count > 5)
        #expect(Set(claimed.map(\.id)).isSubset(of: entries.map(\.id)) && entries.contains { $0.id == card })
        // Something of the newest hours is left, too.
        #expect(entries.contains { $0.id >= Self.hour(38) })
    }

    @Test("whatever happens in whatever order, the fleet comes to know what the station has, and no number is left out")
    func scenes() throws {
        let seed = RandomTest.seed(of: "the fleet's outbox")
        var generator = SeededGenerator(seed: seed)
        try archives.begin()
        var cards: [PostcardID] = []
        var fleet: [String: (rev: Int64, isDeleted: Bool)] = [:]
        var numbers: Set<Int64> = []
        func exchange(_ share: Int) throws {
            for entry in try archives.outbox.entries(limit: Int.random(in: 1...5, using: &generator)) {
                // The message may be lost, and so may the receipt.
                guard Int.random(in: 0..<100, using: &generator) < share else { continue }
                numbers.insert(entry.seq)
                if entry.rev > fleet[entry.id]?.rev ?? 0 { fleet[entry.id] = (entry.rev, entry.isDeleted) }
                guard Int.random(in: 0..<100, using: &generator) < share else { continue }
                _ = try archives.outbox.confirm([ForwardingReceipt(id: entry.id, rev: entry.rev)])
            }
        }
        for step in 0..<120 {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0, 1: cards.append(try archives.postcards.keep(draft("\(step % 10)")).id)
            case 2 where !cards.isEmpty:
                _ = try archives.postcards.protect(
                    cards.randomElement(using: &generator) ?? cards[0], Bool.random(using: &generator))
            case 3 where !cards.isEmpty:
                let index = Int.random(in: cards.indices, using: &generator)
                try archives.postcards.delete(cards.remove(at: index))
            default: try exchange(70)
            }
        }
        while try archives.outbox.figures().waiting > 0 { try exchange(100) }
        let known = fleet.filter { !$0.value.isDeleted }.map(\.key)
        #expect(Set(known) == Set(cards.map(\.description)), "KONZA_SEED=\(seed)")
        let last = try archives.outbox.figures().lastSeq
        #expect(numbers == Set(1...last), "KONZA_SEED=\(seed)")
    }
}
