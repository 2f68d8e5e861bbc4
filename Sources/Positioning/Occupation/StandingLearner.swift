internal import Geodesy
internal import Glibc
public import KonzaModel

/// Learns from the fixes of a station that stands still how its receiver wanders.
///
/// It is a value without a clock. A move or another receiver begins a new summary. A half hour unlike those before takes the
/// knowledge away until two half hours in a row are like them again; if that takes six hours, a new summary is begun.
public struct StandingLearner: Sendable {
    /// What became of the summary, for a log.
    public enum Event: Sendable, Equatable {
        /// There is knowledge, after so many hours.
        case known(hours: Double)
        /// The receiver is not as it was.
        case changed
        /// It was unlike the summary for too long, the station moved, or another receiver came.
        case beganAnew(Reason)

        public enum Reason: String, Sendable {
            case moved, otherReceiver, changed
        }
    }

    /// The level of the windows by which a change is noticed: 80 s.
    private static let watched = 3
    private static let halfHour = 1800.0
    /// Half hours that tell what is usual.
    private static let leastHalfHours = 12
    /// Unlike half hours after which the summary is given up.
    private static let mostUnlike = 12
    /// Knowledge is worked out anew after so many half hours.
    private static let renewal = 6
    /// The level of the windows whose place alone tells a change: 320 s.
    private static let placed = 5
    /// Seconds between two fixes whose distance is taken.
    private static let step = 10.0

    /// What was learned so far, to be kept.
    public private(set) var summary: StandingSummary?
    /// What an occupation may use now; nil while it is not enough, or in doubt.
    public var knowledge: StandingKnowledge? { isInDoubt ? nil : learned }

    /// What the summary is worth, whether it holds now or not.
    private var learned: StandingKnowledge?
    private let systematic: SystematicError
    private var frame: LocalFrame?
    private var collectors = Self.freshCollectors
    private var newest: MonotonicInstant?
    private var lastKept: MonotonicInstant?
    private var halfHourBegan: MonotonicInstant?
    private var watchedWindows: [StandingWindow] = []
    private var steps: [Double] = []
    private var stepFrom: StandingPoint?
    /// Windows in a row that were elsewhere.
    private var away = 0
    /// Half hours in a row that were unlike, and that were alike since.
    private var unlike = 0
    private var alike = 0
    private var isInDoubt: Bool
    private var sinceRenewal = 0

    /// - Parameters:
    ///   - summary: what was learned earlier. It is in doubt until a half hour has confirmed it.
    ///   - systematic: what averaging cannot remove.
    public init(summary: StandingSummary? = nil, systematic: SystematicError = SystematicError()) {
        self.summary = summary
        self.systematic = systematic
        frame = summary.map { LocalFrame(at: $0.anchor, height: $0.height) }
        isInDoubt = summary != nil
        alike = 1
        learned = summary.flatMap { StandingKnowledge($0, systematic: systematic) }
    }

    /// Takes an epoch. Only live 3D fixes that tell the time are learned from.
    ///
    /// - Returns: what that led to.
    @discardableResult
    public mutating func take(_ fix: Fix) -> Event? {
        guard fix.source == .live, fix.mode == .threeDimensional, let place = fix.coordinate, let time = fix.time,
            ![.simulated, .timeOnly, .deadReckoning].contains(fix.status)
        else { return nil }
        if let newest, fix.arrival <= newest { return nil }
        if let newest, fix.arrival.seconds(since: newest) > Self.halfHour / 3 { interrupted() }
        newest = fix.arrival
        var event: Event?
        if let known = summary, !known.isOfReceiver(device: fix.device, driver: fix.driver) {
            summary = nil
            event = .beganAnew(.otherReceiver)
        }
        if summary == nil { begin(at: fix, place) }
        if let device = fix.device { summary?.device = device }
        if let driver = fix.driver { summary?.driver = driver }
        guard let frame else { return event }
        let height = fix.altitudeHAE?.finite
        let local = frame.local(
            direction: WGS84.earthCentred(place, height: height ?? summary?.height ?? 0) - frame.origin)
        let point = StandingPoint(
            arrival: fix.arrival, hour: Int(time.nanoseconds / 3_600_000_000_000), east: local.x, north: local.y,
            up: height.map { _ in local.z }, statedSigma: StatedError.horizontal(fix)?.sigma,
            verticalSigma: StatedError.vertical(fix), satellites: fix.satellitesUsed,
            dilution: fix.dop.horizontal?.finite, status: fix.status)
        measureStep(to: point)
        for level in collectors.indices {
            guard let window = collectors[level].take(point) else { continue }
            if level == Self.placed, let learned, !learned.reaches(window, level: level) {
                event = isInDoubt ? event : .changed
                (isInDoubt, alike) = (true, 0)
            }
            if level == Self.watched {
                if isElsewhere(window) {
                    begin(at: fix, place)
                    return .beganAnew(.moved)
                }
                event = watch(window, fix, place) ?? event
                if let lastKept, fix.arrival.seconds(since: lastKept) < WindowCollector.leastSpacing { continue }
                lastKept = fix.arrival
            }
            if !isInDoubt { summary?.add(window, level: level) }
        }
        return event
    }

    // MARK: Beginnings

    private static var freshCollectors: [WindowCollector] {
        StandingWindow.durations.enumerated().map { level, duration in
            WindowCollector(
                duration: duration, spacing: level == watched ? duration : max(duration, WindowCollector.leastSpacing))
        }
    }

    private mutating func begin(at fix: Fix, _ place: Coordinate) {
        let height = fix.altitudeHAE?.finite ?? 0
        summary = StandingSummary(anchor: place, height: height, device: fix.device, driver: fix.driver)
        frame = LocalFrame(at: place, height: height)
        learned = nil
        (away, unlike, sinceRenewal) = (0, 0, 0)
        interrupted()
    }

    /// Nothing was seen for a while: whatever went on then, the next half hour has to confirm.
    private mutating func interrupted() {
        collectors = Self.freshCollectors
        (watchedWindows, steps, stepFrom) = ([], [], nil)
        (halfHourBegan, lastKept) = (nil, nil)
        isInDoubt = summary.map { !$0.halfHours.isEmpty } ?? false
        alike = 1
    }

    // MARK: Changes

    /// Whether the receiver was elsewhere twice in a row, farther than it wanders.
    private mutating func isElsewhere(_ window: StandingWindow) -> Bool {
        let middle = learned.map { ($0.east, $0.north) } ?? (0, 0)
        let distance = hypot(Double(window.east) - middle.0, Double(window.north) - middle.1)
        away = distance > max(20, min(60, 8 * Double(window.stated))) ? away + 1 : 0
        return away > 1
    }

    private mutating func watch(_ window: StandingWindow, _ fix: Fix, _ place: Coordinate) -> Event? {
        watchedWindows.append(window)
        let began = halfHourBegan ?? fix.arrival.advanced(bySeconds: -StandingWindow.durations[Self.watched])
        halfHourBegan = began
        guard fix.arrival.seconds(since: began) >= Self.halfHour else { return nil }
        defer {
            (watchedWindows, steps) = ([], [])
            halfHourBegan = fix.arrival
        }
        guard watchedWindows.count >= 10, steps.count >= 60 else { return nil }
        let halfHour = StandingHalfHour(
            scatter: Float(log(max(Median.of(watchedWindows.map { Double($0.scatter) }), 0.001))),
            step: Float(log(max(Median.of(steps), 0.001))),
            spread: StandingHalfHour.spread(of: watchedWindows))
        let wasInDoubt = isInDoubt
        guard isUsual(halfHour) else {
            (isInDoubt, alike) = (true, 0)
            unlike += 1
            guard unlike >= Self.mostUnlike else { return wasInDoubt ? nil : .changed }
            begin(at: fix, place)
            return .beganAnew(.changed)
        }
        alike += 1
        if isInDoubt, alike < 2 { return nil }
        (isInDoubt, unlike) = (false, 0)
        summary?.add(halfHour)
        return renew()
    }

    private mutating func renew() -> Event? {
        sinceRenewal += 1
        guard learned == nil || sinceRenewal >= Self.renewal, let summary else { return nil }
        let had = learned != nil
        sinceRenewal = 0
        learned = StandingKnowledge(summary, systematic: systematic)
        return !had && learned != nil ? .known(hours: summary.hours) : nil
    }

    /// Whether a half hour is like those before, by how it went and by where it was.
    private func isUsual(_ halfHour: StandingHalfHour) -> Bool {
        guard let known = summary, known.halfHours.count >= Self.leastHalfHours else { return true }
        guard halfHour.isLike(known.halfHours) else { return false }
        guard let learned else { return true }
        let count = Double(watchedWindows.count)
        return learned.reaches(
            east: watchedWindows.reduce(0) { $0 + Double($1.east) } / count,
            north: watchedWindows.reduce(0) { $0 + Double($1.north) } / count)
    }

    private mutating func measureStep(to point: StandingPoint) {
        if let from = stepFrom {
            // Half a second for receivers that are not quite regular.
            let seconds = point.arrival.seconds(since: from.arrival) - Self.step
            guard seconds > -0.5 else { return }
            if seconds < 1.5, steps.count < 400 {
                steps.append(hypot(point.east - from.east, point.north - from.north))
            }
        }
        stepFrom = point
    }
}
