import Foundation
import KonzaModel
import KonzaTestTraits
import KonzaTesting
import Storage
import Testing

@testable import Printing

/// Against `ippeveprinter`, whose command fails in each way that printers do.
@Suite("Printing by IPP", .serialized, .offPool)
struct RealPrinterTests {
    static let picture = [UInt8](repeating: 0xA5, count: 700_000)
    let clock = ManualClock()

    func queue(_ printer: RealPrinter, copies: Int = 2) throws -> PrintQueue {
        let database = try Database(path: "\(printer.folder.path)/prints.db", migrations: PrintTable.migrations)
        return PrintQueue(
            database, printer: try ipp(printer), limits: .init(copies: copies), clock: clock
        ) { _ in Self.picture }
    }

    func ipp(_ printer: RealPrinter) throws -> IPPPrinter { IPPPrinter(try #require(PrinterAddress(printer.uri))) }

    /// Steps until the wish is in a state.
    func step(_ queue: PrintQueue, _ id: RecordID<PrintRecord>, until state: PrintRecord.State) throws -> PrintRecord {
        var last: PrintRecord?
        do {
            try wait("the print is \(state)", seconds: 10) {
                try queue.step()
                last = try queue.record(id.description)
                return last?.state == state
            }
        } catch {
            Issue.record("it is \(String(describing: last)), the printer \(queue.condition)")
        }
        return try #require(last)
    }

    @Test("prints each copy as a job of its own, and the picture as it is")
    func prints() throws {
        let printer = try RealPrinter(.prints)
        let queue = try queue(printer)
        let wish = try queue.ask(postcard: "a", copies: 2, key: "1").record
        #expect(queue.condition.state == .ready)
        let done = try step(queue, wish.id, until: .done)
        #expect(done.printed == 2 && done.doubtful == 0)
        #expect(printer.printed == ["konza-\(wish.id)-1", "konza-\(wish.id)-2"])
        #expect(printer.picture == Self.picture)
        #expect(queue.attributes.makeAndModel == "Example Printer")
        #expect(queue.attributes.supplies == [.init(name: "Black Toner", level: 75)])
        // The same request again, and another for the same card.
        #expect(try queue.ask(postcard: "a", copies: 2, key: "1") == (done, false))
        #expect(throws: PrintError.copies(left: 0, limit: 2)) { try queue.ask(postcard: "a", copies: 1, key: "2") }
        try queue.step()
        #expect(printer.printed.count == 2)
        #expect(throws: PrinterError.self) { try queue.resume() }
    }

    @Test("a command that fails or crashes ends the wish, which may be repeated", arguments: ["fails", "crashes"])
    func fails(way: String) throws {
        let printer = try RealPrinter(way == "fails" ? .fails : .crashes)
        let queue = try queue(printer, copies: 1)
        let wish = try queue.ask(postcard: "a", copies: 1, key: nil).record
        let failed = try step(queue, wish.id, until: .failed)
        #expect(failed.printed == 0 && failed.reason.hasPrefix("the printer ended the job"))
        try printer.set(.prints)
        let again = try queue.ask(postcard: "a", copies: 1, key: nil).record
        #expect(try step(queue, again.id, until: .done).printed == 1)
        #expect(printer.printed.count == 1)
    }

    @Test(
        "what a person has to see to is said, nothing new is taken on, and after ten minutes the job is cancelled",
        arguments: [
            ("paper", PrinterCondition.State.paperOut), ("ink", .inkOut), ("cover", .doorOpen),
        ])
    func halted(what: String, state: PrinterCondition.State) throws {
        let printer = try RealPrinter(what == "paper" ? .isOutOfPaper : what == "ink" ? .isOutOfInk : .isOpen)
        let queue = try queue(printer)
        let wish = try queue.ask(postcard: "a", copies: 1, key: nil).record
        try wait("the printer says what is wrong") {
            try queue.step()
            return queue.condition.state == state
        }
        #expect(!queue.condition.remedy.isEmpty)
        #expect(throws: PrintError.printer(queue.condition)) { try queue.ask(postcard: "b", copies: 1, key: nil) }
        clock.advance(bySeconds: 601)
        try queue.step()
        #expect(try queue.record(wish.id.description)?.state == .cancelling)
        printer.endCommands()
        let expired = try step(queue, wish.id, until: .expired)
        #expect(expired.printed == 0 && expired.reason.contains("10 minutes"))
        #expect(try ipp(printer).openJobs(named: "konza-\(wish.id)-1").isEmpty)
        #expect(printer.printed.isEmpty)
    }

    @Test("a printer that does nothing is reported after three minutes")
    func hangs() throws {
        let printer = try RealPrinter(.hangs)
        let queue = try queue(printer)
        let wish = try queue.ask(postcard: "a", copies: 1, key: nil).record
        try wait("it is printing") {
            try queue.step()
            return queue.condition.state == .printing
        }
        clock.advance(bySeconds: 100)
        try queue.step()
        #expect(queue.condition.state == .printing)
        clock.advance(bySeconds: 100)
        try queue.step()
        #expect(queue.condition.state == .noProgress)
        _ = try queue.cancel(wish.id)
        for _ in 0..<3 { try queue.step() }
        #expect(queue.condition.state == .noProgress, "a cancelled job is no sign that the printer works")
        #expect(throws: PrintError.printer(queue.condition)) { try queue.ask(postcard: "b", copies: 1, key: nil) }
        printer.endCommands()
        #expect(try step(queue, wish.id, until: .cancelled).doubtful == 1)
        try wait("it works again") {
            try queue.step()
            return queue.condition.takesJobs
        }
    }

    @Test("after a sudden end the job at the printer is found, and nothing is printed twice")
    func suddenEnd() throws {
        let printer = try RealPrinter(.hangs)
        var queue: PrintQueue? = try queue(printer)
        let wish = try #require(try queue?.ask(postcard: "a", copies: 1, key: nil)).record
        try queue?.step()
        try printer.waitForCommand()
        // The program ended while it sent the picture.
        queue = nil
        let database = try Database(path: "\(printer.folder.path)/prints.db", migrations: PrintTable.migrations)
        try PrintTable(database).change(wish.id) { $0.stage = .sending }
        try printer.set(.prints)
        let next = try self.queue(printer)
        try next.step()
        #expect(try next.record(wish.id.description)?.stage == .sent)
        #expect(try ipp(printer).openJobs(named: "konza-\(wish.id)-1").count == 1)
        #expect(printer.printed.isEmpty)
    }

    @Test("a job without its picture is cancelled and made anew")
    func emptyJob() throws {
        let printer = try RealPrinter(.prints)
        let queue = try queue(printer)
        let wish = try queue.ask(postcard: "a", copies: 1, key: nil).record
        let database = try Database(path: "\(printer.folder.path)/prints.db", migrations: PrintTable.migrations)
        let job = try ipp(printer).createJob(named: "konza-\(wish.id)-1")
        try PrintTable(database).change(wish.id) { record in
            record.state = .printing
            record.sheet = 1
            record.stage = .sending
            record.job = job
        }
        #expect(try step(queue, wish.id, until: .done).printed == 1)
        #expect(printer.printed == ["konza-\(wish.id)-2"])
        #expect(try ipp(printer).openJobs(named: "konza-\(wish.id)-1").isEmpty)
    }

    @Test("a printer that is not there is unreachable, and takes nothing on")
    func unreachable() throws {
        let printer = try RealPrinter(.prints)
        printer.end()
        let queue = try queue(printer)
        try queue.step()
        #expect(queue.condition.state == .unreachable)
        #expect(throws: PrintError.printer(queue.condition)) { try queue.ask(postcard: "a", copies: 1, key: nil) }
    }
}

/// Waits for what another program does.
private func wait(_ what: String, seconds: Double = 20, _ condition: () throws -> Bool) throws {
    let end = Date(timeIntervalSinceNow: seconds)
    while try !condition() {
        guard Date() < end else { throw Overdue(what: what) }
        usleep(10_000)
    }
}

private struct Overdue: Error { let what: String }
