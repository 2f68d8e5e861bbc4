import KonzaModel
import KonzaTesting
import Storage
import Synchronization
import Testing

@testable import Printing

@Suite("The wishes to print")
struct PrintQueueTests {
    let folder: TemporaryFolder
    let clock = ManualClock()
    let printer = FakePrinter()

    init() throws { folder = try TemporaryFolder() }

    func queue(copies: Int = 2, picture: PrintQueue.PictureError? = nil) throws -> PrintQueue {
        let database = try Database(path: "\(folder.path)/p.db", migrations: PrintTable.migrations)
        return PrintQueue(database, printer: printer, limits: .init(copies: copies), clock: clock) {
            id throws(PrintQueue.PictureError) in
            if let picture { throw picture }
            return Array(id.utf8)
        }
    }

    func run(_ queue: PrintQueue) throws {
        for _ in 0..<20 where try queue.step() { printer.work() }
    }

    @Test("a key is for one request, and its repetition is answered even while the printer stands still")
    func keys() throws {
        let queue = try queue()
        let first = try queue.ask(postcard: "a", copies: 1, key: "k")
        printer.state.withLock { $0.isReachable = false }
        clock.advance(bySeconds: 60)
        let again = try queue.ask(postcard: "a", copies: 1, key: "k")
        #expect(first.isNew && !again.isNew && first.record.id == again.record.id)
        for other in [("b", 1), ("a", 2)] {
            #expect(throws: PrintError.keyConflict) { try queue.ask(postcard: other.0, copies: other.1, key: "k") }
        }
    }

    @Test("what did not come out does not count towards the copies, what is under way does")
    func limit() throws {
        let queue = try queue()
        let first = try queue.ask(postcard: "a", copies: 1, key: nil).record
        #expect(throws: PrintError.copies(left: 1, limit: 2)) { try queue.ask(postcard: "a", copies: 2, key: nil) }
        #expect(try queue.copiesLeft(of: "a") == 1)
        _ = try queue.cancel(first.id)
        #expect(try queue.copiesLeft(of: "a") == 2)
        _ = try queue.ask(postcard: "a", copies: 2, key: nil)
        try run(queue)
        #expect(printer.state.withLock { $0.printed } == ["a": 2])
        #expect(throws: PrintError.copies(left: 0, limit: 2)) { try queue.ask(postcard: "a", copies: 1, key: nil) }
        // Also for the next run of the program.
        #expect(throws: PrintError.copies(left: 0, limit: 2)) {
            try self.queue().ask(postcard: "a", copies: 1, key: nil)
        }
    }

    @Test("a bounded number of wishes waits")
    func bound() throws {
        let queue = try queue()
        for number in 0..<8 { _ = try queue.ask(postcard: "\(number)", copies: 1, key: nil) }
        #expect(throws: PrintError.waiting(8)) { try queue.ask(postcard: "x", copies: 1, key: nil) }
    }

    @Test("of a card that was deleted nothing waits: it is told at once, or found out at the next look")
    func deleted() throws {
        let gone = Mutex<Set<String>>([])
        let isSilent = Mutex(false)
        let database = try Database(path: "\(folder.path)/p.db", migrations: PrintTable.migrations)
        let queue = PrintQueue(
            database, printer: printer, clock: clock,
            isDeleted: { card in isSilent.withLock { $0 } ? nil : gone.withLock { $0.contains(card) } }
        ) { id throws(PrintQueue.PictureError) in Array(id.utf8) }
        func ask(_ card: String) throws -> String {
            try queue.ask(postcard: card, copies: 1, key: nil).record.id.description
        }
        let wishes = try [ask("a"), ask("a"), ask("b"), ask("c")]
        printer.state.withLock { $0.attributes.reasons = ["media-empty"] }
        #expect(try queue.cancel(postcard: "a") == 2)
        #expect(try queue.open().map(\.postcard) == ["b", "c"])
        gone.withLock { $0 = ["b"] }
        // Who does not answer says nothing.
        isSilent.withLock { $0 = true }
        try queue.step()
        #expect(try queue.open().map(\.postcard) == ["b", "c"])
        isSilent.withLock { $0 = false }
        try queue.step()
        #expect(try queue.open().map(\.postcard) == ["c"])
        for wish in wishes[..<3] {
            let record = try #require(try queue.record(wish))
            #expect(record.state == .cancelled && record.reason == "the postcard was deleted")
        }
    }

    @Test("what waited for ten minutes is not printed when paper comes, by either clock and after a restart")
    func tooOld() throws {
        var queue = try queue()
        let ids = try ["a", "b"].map { try queue.ask(postcard: $0, copies: 1, key: nil).record.id.description }
        printer.state.withLock { $0.attributes.reasons = ["media-empty"] }
        clock.advance(bySeconds: 599)
        try queue.step()
        #expect(try queue.open().count == 2)
        // The machine was off: its steady clock begins anew, the other one is behind.
        clock.setUTC(clock.utc().advanced(bySeconds: -86_400))
        queue = try self.queue()
        printer.state.withLock { $0.attributes.reasons = [] }
        try run(queue)
        for id in ids { #expect(try queue.record(id)?.state == .expired) }
        #expect(printer.state.withLock { $0.printed }.isEmpty)
    }

    @Test("a picture that is gone ends the wish, and one that is late does not")
    func pictures() throws {
        let late = try queue(picture: .init("konzad starts", isLasting: false))
        let id = try late.ask(postcard: "a", copies: 1, key: nil).record.id.description
        try run(late)
        #expect(try late.record(id)?.state == .waiting)
        let gone = try queue(picture: .init("the postcard was deleted", isLasting: true))
        try run(gone)
        let record = try gone.record(id)
        #expect(record?.state == .failed && record?.reason == "the postcard was deleted")
        #expect(printer.state.withLock { $0.jobs }.isEmpty)
    }

    @Test("a job that the printer has forgotten is neither printed again nor called printed")
    func forgotten() throws {
        let queue = try queue(copies: 1)
        let id = try queue.ask(postcard: "a", copies: 1, key: nil).record.id.description
        try queue.step()
        printer.state.withLock { $0.jobs = [:] }
        try run(queue)
        let record = try queue.record(id)
        #expect(record?.state == .unknown && record?.printed == 0 && record?.doubtful == 1)
        #expect(throws: PrintError.copies(left: 0, limit: 1)) { try queue.ask(postcard: "a", copies: 1, key: nil) }
    }

    @Test("nothing is begun while the printer prints for somebody else")
    func others() throws {
        let queue = try queue()
        printer.state.withLock { $0.attributes.activity = .processing }
        _ = try queue.ask(postcard: "a", copies: 1, key: nil)
        try queue.step()
        #expect(printer.state.withLock { $0.jobs }.isEmpty)
        printer.state.withLock { $0.attributes.activity = .idle }
        try run(queue)
        #expect(printer.state.withLock { $0.printed } == ["a": 1])
    }

    @Test("a stopped printer is resumed, and what waits is printed")
    func resumed() throws {
        let queue = try queue()
        _ = try queue.ask(postcard: "a", copies: 1, key: nil)
        printer.state.withLock { $0.attributes.activity = .stopped }
        try queue.step()
        #expect(queue.condition.state == .paused && queue.condition.isResumable)
        #expect(throws: PrintError.printer(queue.condition)) { try queue.ask(postcard: "b", copies: 1, key: nil) }
        try queue.resume()
        #expect(queue.condition.state == .ready)
        try run(queue)
        #expect(printer.state.withLock { $0.printed } == ["a": 1])
    }
}

@Suite("Printing in the background")
struct PrintServiceTests {
    @Test("works while a wish is open or somebody is interested, rests after that, and says each trouble once")
    func background() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let printer = FakePrinter()
        let database = try Database(path: "\(folder.path)/p.db", migrations: PrintService.migrations)
        let queue = PrintQueue(database, printer: printer, clock: clock) { Array($0.utf8) }
        let told = Told()
        let service = PrintService(queue, clock: clock) { told.add($0) }
        service.need()
        let id = try queue.ask(postcard: "a", copies: 2, key: nil).record.id.description
        let isDone = try await eventually {
            printer.work()
            if clock.sleeperCount > 0 { clock.advance(bySeconds: 1) }
            return try queue.record(id)?.state == .done
        }
        #expect(isDone)
        printer.state.withLock { $0.attributes.reasons = ["media-empty"] }
        let isSaid = await eventually {
            if clock.sleeperCount > 0 { clock.advance(bySeconds: 1) }
            return queue.condition.state == .paperOut
        }
        #expect(isSaid)
        for _ in 0..<3 {
            _ = await eventually { clock.sleeperCount > 0 }
            clock.advance(bySeconds: 1)
        }
        _ = await eventually { clock.sleeperCount > 0 }
        #expect(told.all.count == 1 && told.all.first?.contains("out of paper; put in paper") == true)
        // Nobody asks any more.
        clock.advance(bySeconds: 20)
        #expect(await eventually { !service.isAtWork })
        printer.state.withLock { $0.attributes.reasons = [] }
        service.need()
        #expect(await eventually { queue.condition.state == .ready })
        await service.stop()
        #expect(!service.isAtWork)
        service.need()
        #expect(!service.isAtWork)
    }
}

private final class Told: Sendable {
    private let texts = Mutex<[String]>([])
    func add(_ text: String) { texts.withLock { $0.append(text) } }
    var all: [String] { texts.withLock { $0 } }
}
