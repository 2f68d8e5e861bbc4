/// How the printer is, with one reason and what to do about it.
public struct PrinterCondition: Sendable, Equatable {
    /// The states that are shown to people.
    public enum State: String, Sendable, CaseIterable {
        /// It was not asked yet.
        case checking
        case ready
        case printing
        case paperOut = "paper-out"
        case inkOut = "ink-out"
        case doorOpen = "door-open"
        case jam
        /// It was stopped, by a person or after an error, and waits to be resumed.
        case paused
        /// It takes no jobs at present.
        case rejecting
        /// It has a job and shows no sign of work.
        case noProgress = "no-progress"
        case unreachable
        /// Something else is wrong, or it cannot print pictures.
        case fault
    }

    public var state: State
    /// What is wrong and why; for a ranger.
    public var reason: String
    /// What to do; empty where nothing is to be done.
    public var remedy: String
    /// Whether `Resume-Printer` is what it waits for, once the cause is gone.
    public var isResumable = false

    /// Whether a new job is taken on.
    public var takesJobs: Bool { state == .ready || state == .printing }

    /// Whether no sheet comes out until a person has done something.
    var isHalted: Bool { [.paperOut, .inkOut, .doorOpen, .jam, .paused].contains(state) }

    /// The keywords of RFC 8011 section 5.4.12, PWG 5100.9 and CUPS, without their severities, in the order of what a person
    /// has to do first. A printer says "media-empty-report" while it idles and prints nothing nevertheless: the severity does
    /// not matter.
    private static let causes: [(state: State, keywords: Set<String>)] = [
        (.unreachable, ["offline", "shutdown"]),
        (.doorOpen, ["cover-open", "door-open", "interlock-open"]),
        (.jam, ["media-jam", "input-media-feed-error"]),
        (.paperOut, ["media-empty", "media-needed", "input-tray-missing", "input-media-supply-empty"]),
        (
            .inkOut,
            [
                "marker-supply-empty", "marker-supply-missing", "toner-empty", "toner-missing", "marker-waste-full",
                "marker-ink-empty", "marker-print-ribbon-empty",
            ]
        ),
        (.paused, ["paused", "moving-to-paused"]),
        (.fault, ["spool-area-full", "output-area-full", "output-tray-missing", "fuser-over-temp", "timed-out"]),
    ]

    /// Tells how a printer is from what it says of itself.
    ///
    /// - Parameters:
    ///   - attributes: the printer's answer.
    ///   - stallSeconds: since when it has a job and nothing about it has changed; nil without one. Some drivers never say
    ///     what is wrong (https://github.com/apple/cups/issues/5864).
    public init(_ attributes: PrinterAttributes, stallSeconds: Double? = nil) {
        let found = Self.cause(attributes.reasons)
        let isStopped = attributes.activity == .stopped
        if let found {
            state = found.state
        } else if isStopped {
            state = .paused
        } else if !attributes.takesJPEG {
            state = .fault
        } else if !attributes.isAccepting {
            state = .rejecting
        } else if let stallSeconds, stallSeconds >= Self.longestStall {
            state = .noProgress
        } else {
            state = attributes.activity == .processing ? .printing : .ready
        }
        (reason, remedy) = Self.words(state)
        if state == .fault, !attributes.takesJPEG {
            reason = "the printer takes no JPEG"
            remedy = "make a CUPS queue for it and name that in [Printing] Printer="
        } else if state == .fault, let keyword = found?.keyword {
            reason = "the printer reports \(keyword)"
        }
        // The printer's own words, where the state says little.
        if [.paused, .fault, .rejecting].contains(state), !attributes.message.isEmpty {
            reason += " (\(attributes.message))"
        }
        isResumable = isStopped
    }

    /// Seconds without a change after which a job is stuck: the slowest photo printers take 120 for a card.
    public static let longestStall = 180.0

    private init(_ state: State, _ reason: String? = nil) {
        self.state = state
        let words = Self.words(state)
        self.reason = reason ?? words.reason
        remedy = words.remedy
    }

    static let checking = PrinterCondition(.checking)

    static func unreachable(_ reason: String) -> PrinterCondition { PrinterCondition(.unreachable, reason) }

    private static func cause(_ reasons: [String]) -> (state: State, keyword: String)? {
        let plain = reasons.map { reason in
            let severity = ["-report", "-warning", "-error"].first { reason.hasSuffix($0) }
            return severity.map { String(reason.dropLast($0.count)) } ?? reason
        }
        for cause in causes {
            if let keyword = plain.first(where: cause.keywords.contains) { return (cause.state, keyword) }
        }
        return reasons.first { $0.hasSuffix("-error") && !$0.hasPrefix("cups-") }.map { (.fault, $0) }
    }

    private static func words(_ state: State) -> (reason: String, remedy: String) {
        switch state {
        case .checking: ("the printer is being asked", "")
        case .ready: ("the printer is ready", "")
        case .printing: ("the printer is printing", "")
        case .paperOut:
            (
                "the printer is out of paper",
                "put in paper, and a ribbon if it has one; resume the printer if it does not go on by itself"
            )
        case .inkOut: ("an ink, toner or ribbon is used up", "put in a new one")
        case .doorOpen: ("a door or cover of the printer is open", "close it")
        case .jam: ("paper is jammed in the printer", "open the printer and take the paper out")
        case .paused: ("the printer is stopped", "remove the cause that its display names, then resume it")
        case .rejecting:
            ("the printer takes no jobs", "wait until it has started, or have it accept jobs (cupsaccept(8))")
        case .noProgress:
            (
                "the printer has a job and nothing about it has changed for three minutes",
                "look at the printer's display; switch it off and on again"
            )
        case .unreachable: ("the printer does not answer", "switch it on, and look at its cable or network")
        case .fault: ("the printer reports a fault", "look at the printer's display")
        }
    }
}
