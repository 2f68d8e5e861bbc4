public import KonzaModel
internal import KonzaSystem
public import Storage
internal import Synchronization

/// Prints cards, one sheet after another: each copy is a job of its own, begun only while the printer is idle.
///
/// What is to happen at the printer is on the disk first, so that after a sudden end it is known what may have happened. A
/// sheet is begun again only if it is certain that none came out (``PrintRecord/Stage``).
public final class PrintQueue: Sendable {
    public struct Limits: Sendable {
        /// Copies of one card, ever.
        public var copies = 2
        /// Wishes that are open at one time.
        public var open = 8
        /// Seconds until a wish is cancelled.
        public var lifetime = 600.0
        /// Times that a printer that refuses a sheet is asked again.
        var attempts = 3

        public init(copies: Int = 2) { self.copies = copies }
    }

    /// Why there is no picture.
    public struct PictureError: Error, Sendable {
        public let reason: String
        /// Whether there will be none later either.
        public let isLasting: Bool

        public init(_ reason: String, isLasting: Bool) {
            self.reason = reason
            self.isLasting = isLasting
        }
    }

    private struct Look {
        var condition = PrinterCondition.checking
        var attributes = PrinterAttributes()
        var at: MonotonicInstant?
        /// All that would change if the printer worked, and since when it has not.
        var sign = ""
        var since: MonotonicInstant
        /// Whether it was stuck with a job and has not been idle or done with a sheet since: one that was cancelled is no sign
        /// that it works.
        var isStuck = false
    }

    /// Seconds for which a look at the printer tells whether a wish can be taken on.
    private static let freshSeconds = 4.0

    private static let deleted = "the postcard was deleted"

    public let limits: Limits
    private let table: PrintTable
    private let printer: any Printer
    private let clock: any StationClock
    private let isDeleted: @Sendable (String) -> Bool?
    private let picture: @Sendable (String) throws(PictureError) -> [UInt8]
    private let run: String
    private let ids = Mutex(RecordIDSource<PrintRecord>())
    private let look: Mutex<Look>

    /// - Parameters:
    ///   - database: has ``PrintTable/migrations`` behind it.
    ///   - printer: where to print.
    ///   - limits: how much.
    ///   - clock: by which wishes grow old.
    ///   - isDeleted: whether a postcard is there no longer; nil where nobody answers. Blocks.
    ///   - picture: gives the JPEG of a postcard; blocks.
    package init(
        _ database: Database, printer: any Printer, limits: Limits = Limits(), clock: any StationClock,
        isDeleted: @escaping @Sendable (String) -> Bool? = { _ in false },
        picture: @escaping @Sendable (String) throws(PictureError) -> [UInt8]
    ) {
        table = PrintTable(database)
        self.printer = printer
        self.limits = limits
        self.clock = clock
        self.isDeleted = isDeleted
        self.picture = picture
        run = String(UInt64.random(in: 0 ... .max), radix: 36)
        look = Mutex(Look(since: clock.monotonic()))
    }

    /// How the printer was at the last look.
    public var condition: PrinterCondition { look.withLock { $0.condition } }

    /// What the printer said of itself then.
    public var attributes: PrinterAttributes { look.withLock { $0.attributes } }

    // MARK: Wishes

    /// Takes a wish on; it is on the disk on return. Blocks.
    ///
    /// - Parameters:
    ///   - postcard: the id of the card.
    ///   - copies: how many.
    ///   - key: the request's own, the same for a repetition; nil without one.
    /// - Returns: the wish, and whether it is a new one.
    /// - Throws: ``PrintError``, or a `DatabaseError`.
    public func ask(
        postcard: String, copies: Int, key: String?
    ) throws -> (record: PrintRecord, isNew: Bool) {
        let now = clock.monotonic()
        let isFresh = look.withLock { look in look.at.map { now.seconds(since: $0) < Self.freshSeconds } ?? false }
        if !isFresh { lookAtPrinter(isAtWork: try table.open().first?.stage != nil) }
        let utc = clock.utc()
        let record = PrintRecord(
            id: ids.withLock { $0.next(at: utc) }, postcard: postcard, copies: max(1, copies), askedAt: utc,
            askedSteady: clock.monotonic(), run: run)
        let condition = condition
        // A repetition is answered however the printer is.
        let mostOpen = condition.takesJobs ? limits.open : 0
        switch try table.add(record, key: key, limit: limits.copies, mostOpen: mostOpen) {
        case .taken(let record): return (record, true)
        case .known(let record): return (record, false)
        case .refused(.waiting) where mostOpen == 0: throw PrintError.printer(condition)
        case .refused(let error): throw error
        }
    }

    /// Looks a wish up.
    ///
    /// - Throws: if the database cannot be read.
    public func record(_ id: String) throws(DatabaseError) -> PrintRecord? { try table.record(id) }

    /// How many copies of a card can still be asked for.
    ///
    /// - Throws: if the database cannot be read.
    public func copiesLeft(of postcard: String) throws(DatabaseError) -> Int {
        max(0, limits.copies - (try table.claimed(by: postcard)))
    }

    /// The open wishes, in the order in which they are printed.
    ///
    /// - Throws: if the database cannot be read.
    public func open() throws(DatabaseError) -> [PrintRecord] { try table.open() }

    /// Ends a wish: at once while nothing is at the printer, else as soon as the printer has said what became of the sheet.
    ///
    /// - Returns: the wish as it is then; nil if there is none.
    /// - Throws: if the database cannot be written.
    public func cancel(_ id: RecordID<PrintRecord>) throws(DatabaseError) -> PrintRecord? {
        let changed = try table.change(id) { $0.end(as: .cancelled, reason: "") }
        return if let changed { changed } else { try table.record(id.description) }
    }

    /// Ends all that is still to be printed of a postcard that was deleted.
    ///
    /// - Returns: how many wishes that were.
    /// - Throws: if the database cannot be written.
    public func cancel(postcard: String) throws(DatabaseError) -> Int {
        let wishes = try table.open().filter { $0.postcard == postcard }
        for record in wishes { try table.change(record.id) { $0.end(as: .cancelled, reason: Self.deleted) } }
        return wishes.count
    }

    /// Has the printer go on, and looks at it again. Blocks.
    ///
    /// - Throws: if it does not.
    public func resume() throws(PrinterError) {
        try printer.resume()
        look.withLock { look in
            look.since = clock.monotonic()
            look.isStuck = false
        }
        lookAtPrinter(isAtWork: (try? table.open().first?.stage != nil) ?? false)
    }

    // MARK: Work

    /// Looks at the printer and does the next thing for the first open wish. Blocks. Only one thread at a time may call it.
    ///
    /// - Returns: whether a wish is open.
    /// - Throws: if the database cannot be used; what was begun is taken up at the next call.
    @discardableResult
    public func step() throws(DatabaseError) -> Bool {
        for record in try table.open() where record.ending == nil && isTooOld(record) {
            let minutes = Int(limits.lifetime / 60)
            let reason = "it was not printed within \(minutes) minutes: \(condition.reason)"
            try table.change(record.id) { $0.end(as: .expired, reason: reason) }
        }
        // Whoever deleted the card, and in whatever way: no sheet of it waits for its turn.
        for record in try table.open() where record.ending == nil {
            guard let isDeleted = isDeleted(record.postcard) else { break }
            if isDeleted { try table.change(record.id) { $0.end(as: .cancelled, reason: Self.deleted) } }
        }
        let first = try table.open().first
        lookAtPrinter(isAtWork: first?.stage != nil)
        guard let first else { return false }
        do {
            try advance(first)
        } catch let error as DatabaseError {
            throw error
        } catch {
            // The printer did not answer, or refused: the next step finds out what it did.
        }
        return try !table.open().isEmpty
    }

    /// How long ago a wish was taken on. One of an earlier run of the program is too old as soon as either clock says so, or
    /// went backwards: the machine may have been off for any time.
    private func isTooOld(_ record: PrintRecord) -> Bool {
        let steady = clock.monotonic().seconds(since: record.askedSteady)
        guard record.run != run else { return steady > limits.lifetime }
        let wall = clock.utc().seconds(since: record.askedAt)
        return !(0...limits.lifetime).contains(steady) || !(0...limits.lifetime).contains(wall)
    }

    private func lookAtPrinter(isAtWork: Bool) {
        let answer = Result { () throws(PrinterError) in try printer.attributes() }
        let now = clock.monotonic()
        look.withLock { look in
            look.at = now
            switch answer {
            case .success(let attributes):
                if attributes != look.attributes || !isAtWork { look.since = now }
                look.attributes = attributes
                if attributes.activity != .processing { look.isStuck = false }
                let stall = isAtWork ? now.seconds(since: look.since) : nil
                look.condition = PrinterCondition(
                    attributes, stallSeconds: look.isStuck ? PrinterCondition.longestStall : stall)
                if look.condition.state == .noProgress { look.isStuck = true }
            case .failure(let error): look.condition = .unreachable(error.description)
            }
        }
    }

    private func advance(_ record: PrintRecord) throws {
        switch record.stage {
        case nil: try begin(record)
        case .creating:
            // Without a document it prints nothing, however far it came.
            for job in try printer.openJobs(named: record.jobName) { try printer.cancel(job.id) }
            try table.change(record.id) { $0.leaveSheet(attempts: limits.attempts) }
        case .sending, .sent, .stopping: try follow(record)
        }
    }

    private func begin(_ record: PrintRecord) throws {
        guard condition.state == .ready else { return }
        let document: [UInt8]
        do {
            document = try picture(record.postcard)
        } catch {
            if error.isLasting { try table.change(record.id) { $0.end(as: .failed, reason: error.reason) } }
            return
        }
        let begun = try table.change(record.id) { record in
            guard record.ending == nil else { return }
            record.sheet += 1
            record.stage = .creating
            record.state = .printing
        }
        guard let begun, begun.stage == .creating else { return }
        look.withLock { $0.since = clock.monotonic() }
        let job: Int
        do throws(PrinterError) {
            job = try printer.createJob(named: begun.jobName)
        } catch {
            if error.code == .refused {
                try table.change(record.id) { $0.leaveSheet(attempts: limits.attempts, reason: error.description) }
            }
            throw error
        }
        let numbered = try table.change(record.id) { record in
            record.job = job
            record.stage = .sending
        }
        guard numbered?.ending == nil else { return }
        try printer.send(document, to: job)
        try table.change(record.id) { $0.stage = .sent }
    }

    /// Finds out what became of a sheet whose document was sent, or may have been.
    private func follow(_ record: PrintRecord) throws {
        guard let id = record.job, let job = try printer.job(id) else {
            // It was printed and forgotten, or lost: nobody can tell.
            try table.change(record.id) { record in
                record.doubtful += 1
                record.stage = nil
                record.end(as: .unknown, reason: "the printer does not know the job; look whether the card came out")
            }
            return
        }
        note("\(job)")
        switch job.state {
        case .completed:
            look.withLock { $0.isStuck = false }
            try table.change(record.id) { record in
                record.printed += 1
                record.leaveSheet()
            }
        case .ended:
            try table.change(record.id) { record in
                let wasSent = record.stage != .sending
                if job.sheets > 0 {
                    record.printed += 1
                } else if record.stage == .stopping {
                    record.doubtful += 1
                }
                guard wasSent, job.sheets == 0, record.ending == nil else {
                    return record.leaveSheet(attempts: limits.attempts, reason: job.message)
                }
                record.stage = nil
                record.end(
                    as: .failed, reason: "the printer ended the job\(job.message.isEmpty ? "" : ": \(job.message)")")
            }
        case .incoming where record.stage == .sending: try printer.cancel(id)
        case .incoming, .open, .printing:
            if record.ending != nil {
                // One that a halted printer has prints nothing.
                if !condition.isHalted { try table.change(record.id) { $0.stage = .stopping } }
                try printer.cancel(id)
            } else if record.stage == .sending {
                try table.change(record.id) { $0.stage = .sent }
            }
        }
    }

    /// A sign of work at the printer.
    private func note(_ sign: String) {
        let now = clock.monotonic()
        look.withLock { look in
            if look.sign != sign { look.since = now }
            look.sign = sign
        }
    }
}
