internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Trails

/// A trail that is recorded, with the epoch that may still be told more of and the junction that is occupied.
struct RunningRecording: Sendable {
    /// An epoch that is not told more of for so long is complete, seconds.
    private static let epochSeconds = 0.25

    private(set) var recording: TrailRecording
    private(set) var standing: StandingAtJunction?
    private var epoch: Fix?
    private(set) var accuracy: Double?
    /// What keeps it from going on, or a junction from being kept.
    var problem: Problem?
    var savedAt: UTCInstant?
    /// How many items are on the disk, and when to look again.
    var savedCount: Int
    var nextSave: MonotonicInstant

    init(_ recording: TrailRecording, savedCount: Int, savedAt: UTCInstant?, nextSave: MonotonicInstant) {
        self.recording = recording
        self.savedCount = savedCount
        self.savedAt = savedAt
        self.nextSave = nextSave
    }

    /// Whether a fix is of a replay or of a simulation.
    static func isMadeUp(_ fix: Fix) -> Bool { fix.source != .live || fix.status == .simulated }

    /// Takes a report. An epoch comes as several, each richer; it counts once, when the next one begins.
    mutating func take(_ fix: Fix) {
        if let epoch, epoch.sequence != fix.sequence { use(epoch) }
        epoch = fix
    }

    /// Tells the present.
    mutating func tick(_ now: MonotonicInstant) {
        if let epoch, now.seconds(since: epoch.arrival) > Self.epochSeconds {
            use(epoch)
            self.epoch = nil
        }
        guard var standing else { return }
        standing.tick(now)
        self.standing = standing
        if standing.isOver { endJunction() }
    }

    /// Takes what has come so far, and ends the occupation.
    mutating func settle() {
        if let epoch { use(epoch) }
        epoch = nil
        endJunction()
    }

    mutating func begin(_ standing: StandingAtJunction) {
        problem = nil
        self.standing = standing
    }

    /// Ends the occupation; its mean becomes a place of the line.
    mutating func endJunction() {
        guard var standing else { return }
        self.standing = nil
        guard let mark = standing.end() else {
            problem = Problem(
                .noPosition,
                "cannot keep the junction: nobody stood there, or no fix could be used; stand still and occupy it again"
            )
            return
        }
        guard recording.take(mark) else {
            problem = Problem(
                .conflict,
                "cannot keep the junction: the recording has \(TrailRecording.mostMarks) places, or is full; end it")
            return
        }
        // It is saved at once.
        nextSave = MonotonicInstant(nanoseconds: 0)
    }

    private mutating func use(_ fix: Fix) {
        guard Self.isMadeUp(fix) == recording.head.isMadeUp else {
            problem = Problem(
                .conflict,
                "cannot go on: the trail was begun with \(recording.head.isMadeUp ? "a replay or a simulation" : "a live receiver"), "
                    + "and the position is \(fix.source.rawValue) now; end it, or set [Position] Source= back")
            return
        }
        if standing != nil {
            standing?.take(fix)
            if standing?.isOver == true { endJunction() }
        } else if let fix = TrailFix(fix) {
            accuracy = fix.accuracy
            recording.take(fix)
        }
    }
}

/// An occupation at a junction, which ends when one walks on.
struct StandingAtJunction: Sendable {
    /// Who is as fast, m/s, or has come so far, metres, has gone on; that many fixes in a row say so.
    private static let goneSpeed = 0.7
    private static let goneMetres = 20.0
    private static let goneFixes = 3

    let name: String?
    let kind: TrailPlace.Kind
    private(set) var occupation: Occupation
    private var first: Coordinate?
    private var gone = 0

    init(name: String?, kind: TrailPlace.Kind, _ occupation: Occupation) {
        self.name = name
        self.kind = kind
        self.occupation = occupation
    }

    var isOver: Bool { occupation.state != .running }

    mutating func take(_ fix: Fix) {
        let isFar = first.flatMap { first in fix.coordinate.map { $0.distance(to: first) > Self.goneMetres } } ?? false
        guard (fix.speed ?? 0) > Self.goneSpeed || isFar else {
            gone = 0
            if occupation.add(fix) == nil, first == nil { first = fix.coordinate }
            return
        }
        gone += 1
        if first != nil, gone >= Self.goneFixes { occupation.end() }
    }

    mutating func tick(_ now: MonotonicInstant) { occupation.tick(now) }

    /// - Returns: nil without a fix that could be used.
    mutating func end() -> TrailRecording.Mark? {
        occupation.end()
        return occupation.estimate.map { result in
            TrailRecording.Mark(
                name: name, kind: kind, at: result.coordinate,
                accuracy: (result.horizontalError * 100).rounded(.up) / 100, fixes: result.fixesUsed)
        }
    }
}
