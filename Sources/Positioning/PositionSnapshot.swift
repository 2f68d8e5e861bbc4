public import KonzaModel

/// What was counted since the start.
public struct PositionCounters: Sendable, Equatable {
    /// Lines that came, good or bad.
    public var lines: UInt64 = 0
    /// Reports of a position (TPV) and of the sky (SKY).
    public var fixReports: UInt64 = 0
    public var skyReports: UInt64 = 0
    /// Epochs, and the further reports that were merged into one.
    public var epochs: UInt64 = 0
    public var mergedReports: UInt64 = 0
    /// Reports without a time.
    public var reportsWithoutTime: UInt64 = 0
    /// Reports a little older than the newest, ignored.
    public var lateReports: UInt64 = 0
    /// Fixes whose time did not follow from those before, ignored unless the next one confirmed it.
    public var heldReports: UInt64 = 0
    /// Reports of a receiver that the station's position does not come from, ignored.
    public var otherReceiverReports: UInt64 = 0
    /// How often the receiver's time went back or jumped, so that the track was begun anew.
    public var trackRestarts: UInt64 = 0
    /// How often the position moved faster than anything at a field station does; such fixes are kept.
    public var positionJumps: UInt64 = 0
    /// Reports whose date was 1024 weeks or more behind and was corrected (IS-GPS-200, 20.3.3.3.1.1).
    public var weekRollovers: UInt64 = 0
    /// Connections that gpsd answered, and how many of them followed a lost one.
    public var connections: UInt64 = 0
    public var reconnections: UInt64 = 0
    /// Lines passed over because gpsd sent too many.
    public var skippedLines: UInt64 = 0
    /// Errors that gpsd reported.
    public var gpsdErrors: UInt64 = 0
    /// Lines that were not used, by cause.
    public var rejectedLines: [LineRejection: UInt64] = [:]

    public init() {}
}

/// All that is known of the position at one moment.
public struct PositionSnapshot: Sendable, Equatable {
    /// Rises with everything that came in. Two snapshots of one version differ in their age only, and in what the
    /// age makes of them.
    public var version: UInt64
    public var takenAt: MonotonicInstant
    public var state: PositionState
    /// The last fix with a place, fresh or not: `state` and `ageSeconds` say which.
    public var fix: Fix?
    /// Since the fix arrived.
    public var ageSeconds: Double?
    /// What the newest report said, fix or none.
    public var newestMode: FixMode
    public var sky: Sky?
    /// Since the list of satellites arrived.
    public var skyAgeSeconds: Double?
    /// Whether fix and sky are of the same receiver.
    public var skyIsOfFix: Bool
    public var source: SourceKind
    public var health: PartHealth
    /// Why the accuracy of this fix looks worse than it is, if so.
    public var accuracyNote: String?
    /// What is odd about a position that is good, for people.
    public var notes: [String]
    /// How many weeks the receiver's date is behind; it was corrected by them.
    public var correctedWeeks: Int
    public var receivers: [Receiver]
    /// gpsd's release, while connected.
    public var gpsdRelease: String?
    public var trackCount: Int
    public var counters: PositionCounters
}

/// What happened on the board.
public enum PositionChange: Sendable {
    /// The first report of a new epoch, with or without a fix.
    case epoch(Fix)
    /// A further report made the current epoch richer.
    case enriched(Fix)
    case sky(Sky)
    /// The state or the kind of health changed.
    case state(PositionState, PartHealth)
}

/// What two snapshots of one version may differ in.
public struct PositionReading: Sendable {
    public let version: UInt64
    public let state: PositionState
    /// Since the fix arrived; nil without one.
    public let ageSeconds: Double?
}
