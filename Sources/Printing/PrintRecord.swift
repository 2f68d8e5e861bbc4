public import KonzaModel

/// A wish for copies of one card, and what became of it.
public struct PrintRecord: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        /// It was taken on; nothing is at the printer.
        case waiting
        case printing
        /// It is to end, and the printer has not said yet what became of its sheet.
        case cancelling
        case done
        case cancelled
        /// It was not printed within ten minutes.
        case expired
        case failed
        /// Nobody can tell whether its last sheet was printed; it is not printed again.
        case unknown
    }

    /// How far the sheet under way has come. Each is on the disk before the next step at the printer.
    enum Stage: String, Sendable {
        /// The printer may have made its job, which has no document and prints nothing.
        case creating
        /// The document may have been sent.
        case sending
        /// The document was sent.
        case sent
        /// The job is being cancelled, and its sheet may come out before.
        case stopping
    }

    public let id: RecordID<PrintRecord>
    public let postcard: String
    public let copies: Int
    /// Sheets that came out.
    public var printed = 0
    /// Sheets that may have come out.
    public var doubtful = 0
    public var state = State.waiting
    /// Why it ended as it did, for a ranger; empty where nothing is to be said.
    public var reason = ""
    public let askedAt: UTCInstant

    let askedSteady: MonotonicInstant
    /// The run of the program that took it on: steady clocks of two runs may not be compared.
    let run: String
    /// How many sheets were begun; part of the name of the printer's job.
    var sheet = 0
    var stage: Stage?
    /// The printer's number of the job.
    var job: Int?
    /// How it is to end: it was cancelled, or has become too old.
    var ending: State?

    /// Whether something may still be done for it.
    public var isOpen: Bool { state == .waiting || state == .printing || state == .cancelling }

    var remaining: Int { max(0, copies - printed - doubtful) }

    /// The sheets of its card that it has, or may still have: these count towards the limit.
    public var claimed: Int { isOpen && ending == nil ? copies : printed + doubtful + (stage == nil ? 0 : 1) }

    /// The name of the sheet's job at the printer; no other sheet ever has it.
    var jobName: String { "konza-\(id)-\(sheet)" }
}

extension PrintRecord {
    /// Ends it, or has it end when its sheet is over.
    mutating func end(as state: State, reason: String) {
        guard stage == nil else {
            if ending == nil {
                ending = state
                self.reason = reason
            }
            self.state = .cancelling
            return
        }
        self.state = ending ?? state
        if self.reason.isEmpty { self.reason = reason }
        ending = self.state
    }

    /// The sheet under way is over.
    ///
    /// - Parameters:
    ///   - attempts: how many sheets may be begun beyond those that are wanted.
    ///   - reason: why no sheet came out, if none did.
    mutating func leaveSheet(attempts: Int = .max, reason: String = "") {
        stage = nil
        job = nil
        if let ending {
            end(as: ending, reason: "")
        } else if remaining == 0 {
            state = .done
        } else if sheet - printed >= attempts {
            state = .failed
            self.reason = reason.isEmpty ? "the printer did not take the picture" : reason
        }
    }
}

/// Why a wish is not taken on.
public enum PrintError: Error, Sendable, Equatable {
    /// The printer cannot print now.
    case printer(PrinterCondition)
    /// The card has been printed, or is being printed, so often that no more than this is left.
    case copies(left: Int, limit: Int)
    /// The key was used for another wish.
    case keyConflict
    /// So many wishes wait.
    case waiting(Int)
}
