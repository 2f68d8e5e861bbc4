import Foundation
import KonzaModel
import KonzaSystem
import KonzaTestTraits
import KonzaTesting
import Storage
import Testing

@testable import Printing

/// Against a `cupsd` whose queue is stopped by its backend, as those of real printers are.
@Suite("Printing by CUPS", .serialized, .offPool)
struct RealSpoolerTests {
    let clock = ManualClock()

    func queue(_ spooler: RealSpooler) throws -> PrintQueue {
        let database = try Database(path: "\(spooler.folder.path)/prints.db", migrations: PrintTable.migrations)
        return PrintQueue(
            database, printer: IPPPrinter(PrinterAddress(socket: spooler.socket, queue: "card")),
            limits: .init(copies: 2), clock: clock
        ) { _ in [UInt8](repeating: 0xA5, count: 70_000) }
    }

    func step(_ queue: PrintQueue, _ what: String, until condition: () throws -> Bool) throws {
        for _ in 0..<1000 {
            try queue.step()
            if try condition() { return }
            usleep(10_000)
        }
        Issue.record("not within ten seconds: \(what); the printer \(queue.condition)")
    }

    @Test("a stopped queue says so, goes on when it is resumed, and prints each sheet once")
    func resumed() throws {
        let spooler = try RealSpooler(.stops)
        let queue = try queue(spooler)
        let wish = try queue.ask(postcard: "a", copies: 2, key: nil).record
        try step(queue, "the queue is stopped") { queue.condition.state == .paused }
        #expect(queue.condition.isResumable && !queue.condition.takesJobs)
        #expect(spooler.printed.isEmpty)
        try spooler.set(.prints)
        try queue.resume()
        try step(queue, "both sheets are out") { try queue.record(wish.id.description)?.state == .done }
        #expect(spooler.printed == ["konza-\(wish.id)-1", "konza-\(wish.id)-2"])
    }

    @Test("a policy that asks for another user refuses the resumption in words, and one that asks for ours does not")
    func policy() throws {
        for (operators, mayResume) in [("Require user nobody-else", false), ("Require user \(NSUserName())", true)] {
            let spooler = try RealSpooler(.stops, operators: operators)
            let queue = try queue(spooler)
            _ = try queue.ask(postcard: "a", copies: 1, key: nil)
            try step(queue, "the queue is stopped") { queue.condition.isResumable }
            try spooler.set(.prints)
            if mayResume {
                try queue.resume()
                try step(queue, "the sheet is out") { spooler.printed.count == 1 }
            } else {
                let error = #expect(throws: PrinterError.self) { try queue.resume() }
                #expect(error?.description.contains("policy") == true, "\(String(describing: error))")
            }
        }
    }
}
