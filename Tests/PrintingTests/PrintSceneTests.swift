import Foundation
import KonzaModel
import KonzaTesting
import Storage
import Synchronization
import Testing

@testable import Printing

/// Wishes, sudden ends and printers' answers in random order.
@Suite("Printing, whatever happens")
struct PrintSceneTests {
    @Test("prints no card more often than allowed, one sheet at a time and none of an old wish, and comes to rest")
    func scenes() throws {
        let count = RandomTest.cases(25)
        let seed = RandomTest.seed(of: "prints")
        var outcome: [PrintRecord.State: Int] = [:]
        for number in 0..<UInt64(count) {
            let scene = try Scene(seed: seed &+ number)
            try scene.play(actions: 80)
            try scene.rest()
            for record in try scene.records() { outcome[record.state, default: 0] += 1 }
        }
        print("prints: \(outcome.map { "\($0.key.rawValue) \($0.value)" }.sorted().joined(separator: ", "))")
    }
}

/// What the printer's thread and the scene share.
private final class Notes: Sendable {
    struct State {
        var path: String
        /// When each wish was taken on, by its id.
        var asked: [String: MonotonicInstant] = [:]
        /// Documents that were sent too late.
        var late: [String] = []
    }

    let state: Mutex<State>

    init(path: String) { state = Mutex(State(path: path)) }

    /// What is on the disk at this moment is all that a sudden end leaves.
    func copyDatabase() {
        let path = state.withLock { $0.path }
        for suffix in ["", "-wal"] {
            try? FileManager.default.copyItem(atPath: path + suffix, toPath: "\(path).left\(suffix)")
        }
    }

    func noteDocument(_ name: String, at now: MonotonicInstant) {
        let id = name.split(separator: "-").dropFirst().first.map(String.init) ?? ""
        state.withLock { state in
            let age = state.asked[id].map { now.seconds(since: $0) }
            if age.map({ $0 > 600 }) ?? true { state.late.append(name) }
        }
    }
}

private final class Scene {
    static let cards = ["lily", "oak", "bison"]
    let folder: TemporaryFolder
    let clock = ManualClock()
    let notes: Notes
    let seed: UInt64
    let printer: FakePrinter
    var generator: SeededGenerator
    var queue: PrintQueue

    init(seed: UInt64) throws {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
        folder = try TemporaryFolder()
        let notes = Notes(path: "\(folder.path)/prints.db")
        self.notes = notes
        printer = FakePrinter(
            seed: seed &* 31, onDocument: { [clock] in notes.noteDocument($0, at: clock.monotonic()) },
            onCrash: { notes.copyDatabase() })
        queue = try Self.start(notes, printer, clock)
    }

    static func start(_ notes: Notes, _ printer: FakePrinter, _ clock: ManualClock) throws -> PrintQueue {
        let database = try Database(path: notes.state.withLock { $0.path }, migrations: PrintTable.migrations)
        return PrintQueue(database, printer: printer, clock: clock) { Array($0.utf8) }
    }

    func play(actions: Int) throws {
        for _ in 0..<actions {
            try act()
            if printer.state.withLock({ $0.isCrashed }) {
                notes.state.withLock { $0.path += ".left" }
                try restart()
            }
            check()
        }
    }

    private func restart() throws {
        printer.state.withLock { $0.isCrashed = false }
        queue = try Self.start(notes, printer, clock)
    }

    private func chance(_ part: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < part }

    private func act() throws {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<3:
            let card = Self.cards.randomElement(using: &generator) ?? ""
            let key = chance(0.8) ? "\(card)-\(Int.random(in: 0..<3, using: &generator))" : nil
            let answer = try? queue.ask(postcard: card, copies: .random(in: 1...2, using: &generator), key: key)
            if let answer, answer.isNew {
                notes.state.withLock { $0.asked[answer.record.id.description] = clock.monotonic() }
            }
        case 3..<11: _ = try? queue.step()
        case 11..<15: printer.work(completes: chance(0.85))
        case 15: clock.advance(bySeconds: .random(in: 1...250, using: &generator))
        case 16:
            let known = try queue.open()
            if let one = known.randomElement(using: &generator) { _ = try queue.cancel(one.id) }
        case 17:
            let (isReachable, loss, isAtWork) = (chance(0.8), chance(0.3) ? 0.3 : 0, chance(0.5))
            printer.state.withLock { state in
                state.isReachable = isReachable
                state.loss = loss
                state.isAtWork = isAtWork
            }
        case 18:
            let isOut = chance(0.4)
            let forgets = chance(0.3)
            printer.state.withLock { state in
                state.attributes.reasons = isOut ? ["media-empty-error"] : []
                if forgets { state.jobs = state.jobs.filter { $0.value.isOpen } }
            }
        default:
            let count = Int.random(in: 0..<6, using: &generator)
            printer.state.withLock { $0.crashAt = count }
        }
    }

    private func check() {
        printer.state.withLock { state in
            for (card, count) in state.printed { #expect(count <= 2, "\(card) came out \(count) times, seed \(seed)") }
            let under = state.jobs.values.filter { $0.isOpen && $0.card != nil }.count
            #expect(under <= 1, "\(under) sheets at once, seed \(seed)")
        }
        #expect(notes.state.withLock { $0.late }.isEmpty, "seed \(seed)")
    }

    /// All is well again: everything ends by itself.
    func rest() throws {
        printer.state.withLock { state in
            state.isReachable = true
            state.loss = 0
            state.crashAt = nil
            state.attributes.reasons = []
        }
        try restart()
        var steps = 0
        while try queue.step(), steps < 200 {
            printer.work()
            check()
            steps += 1
        }
        #expect(steps < 200, "does not come to rest, seed \(seed)")
        for card in Self.cards {
            let own = try records().filter { $0.postcard == card }
            let sure = own.reduce(0) { $0 + $1.printed }
            let possible = own.reduce(sure) { $0 + $1.doubtful }
            let count = printer.state.withLock { $0.printed[card] ?? 0 }
            #expect((sure...possible).contains(count), "\(card): \(count) of \(sure)...\(possible), seed \(seed)")
            for record in own where record.state == .done { #expect(record.printed == record.copies) }
        }
    }

    func records() throws -> [PrintRecord] {
        try notes.state.withLock { Array($0.asked.keys) }.compactMap { try queue.record($0) }
    }
}
