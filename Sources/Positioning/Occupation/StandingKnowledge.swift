internal import Geodesy
internal import Glibc
internal import KonzaModel

/// What a ``StandingSummary`` is worth to an occupation: how far the means of windows of each length were from the middle of
/// all of them.
public struct StandingKnowledge: Sendable, Equatable {
    /// Less standing than this gives no knowledge, hours: the ionosphere and the satellites take a day.
    public static let leastHours = 24.0
    /// Fewer windows of a length say nothing of one case in twenty.
    private static let leastWindows = 30
    /// What is this much beyond all that was seen is of another receiver, place or sky.
    private static let reserve = 1.25

    /// How long the receiver was seen to stand, hours.
    public let hours: Double
    let device: String?
    let driver: String?
    let status: UInt8
    /// The middle of all windows.
    let middle: Coordinate
    /// The same in the summary's plane.
    let east: Double
    let north: Double
    /// What the receiver said of its error, a standard deviation; 0 if nothing.
    let stated: Double
    let effects: StandingEffects
    private var levels: [Level] = []

    private struct Level: Equatable {
        var duration: Double
        /// The radius of 95 %, metres, and half the interval of the height.
        var horizontal: Double
        var vertical: Double?
        var mostScatter: Double
        var farthest: Double
    }

    /// - Returns: nil if the summary does not tell enough yet.
    init?(_ summary: StandingSummary, systematic: SystematicError) {
        guard summary.hours >= Self.leastHours else { return nil }
        let classes = summary.windows[3].map(\.statusClass)
        guard
            let status = Set(classes).max(by: { one, other in
                classes.count { $0 == one } < classes.count { $0 == other }
            })
        else { return nil }
        let windows = summary.windows.map { $0.filter { $0.statusClass == status } }
        let long = windows[8]
        guard long.count >= Self.leastWindows / 2 else { return nil }
        let middle = RobustCentre(
            [long.map { Double($0.east) }, long.map { Double($0.north) }], scales: long.map { _ in 1 }, statedSigma: 0)
        let (east, north) = (middle.centre[0], middle.centre[1])
        guard let place = LocalPlane(at: summary.anchor).place(east: east, north: north) else { return nil }
        hours = summary.hours
        (device, driver) = (summary.device, summary.driver)
        self.status = status
        (self.middle, self.east, self.north) = (place, east, north)
        stated = Median.ofAny(windows[3].map { Double($0.stated) }.filter { $0 > 0 }) ?? 0
        let effects = StandingEffects(windows[3], east: east, north: north)
        self.effects = effects
        let up = Median.of(long.map { Double($0.up) }.filter { !$0.isNaN })
        let floor = systematic.afterStanding(FixStatus(rawValue: Int(status)) ?? .unknown)
        let spread = StandingSpread(hours: hours, reference: windows[9], east: east, north: north, up: up)
        for (duration, list) in zip(StandingWindow.durations, windows) where list.count >= Self.leastWindows {
            let offsets = list.map { (Double($0.east) - east, Double($0.north) - north) }
            let scales = list.map { effects.factor($0) }
            let heights = list.map { Double($0.up) - up }
            let isWhole = !heights.contains { $0.isNaN }
            levels.append(
                Level(
                    duration: duration, horizontal: spread.radius(offsets, scales, floor: floor),
                    vertical: isWhole
                        ? spread.interval(heights, scales, floor: floor * systematic.verticalFactor) : nil,
                    mostScatter: list.map { Double($0.scatter) }.max() ?? 0,
                    farthest: (offsets.map { hypot($0.0, $0.1) }.max() ?? 0) + floor))
        }
        guard levels.count > 1 else { return nil }
    }

    /// What an occupation shows by itself.
    struct Evidence {
        /// Without holes, seconds.
        var duration: Double
        /// With them.
        var span: Double
        var centre: Coordinate
        /// Of both axes together, metres.
        var scatter: Double
        var scatterUp: Double?
        var stated: Double?
        var satellites: Double?
        var dilution: Double?
        var hour: Int?
        var status: FixStatus
        var device: String?
        var driver: String?
        var isModelled: Bool
        /// What would be claimed without the knowledge.
        var general: (horizontal: Double, vertical: Double?)
        var floor: Double
        var verticalFloor: Double
    }

    /// The claim for an occupation, metres; nil if it is not like what was seen, so that the general claim stands.
    func claim(_ seen: Evidence) -> (horizontal: Double, vertical: Double?)? {
        guard isAlike(seen), let (lower, upper, share) = bracket(seen.duration), let whole = bracket(seen.span) else {
            return nil
        }
        let reserve = Self.reserve
        guard seen.scatter <= reserve * max(whole.0.mostScatter, whole.1.mostScatter) + 0.05,
            WGS84.chord(seen.centre, middle) <= reserve * max(lower.farthest, upper.farthest)
        else { return nil }
        var factor = effects.factor(hour: seen.hour, satellites: seen.satellites, dilution: seen.dilution)
        if let now = seen.stated, stated > 0 {
            guard now <= 3 * stated else { return nil }
            factor *= max(1, now / stated)
        }
        let learned = factor * lower.horizontal * pow(upper.horizontal / lower.horizontal, share)
        let bound = OwnEvidence(seen)
        var vertical: Double?
        if let low = lower.vertical, let high = upper.vertical {
            vertical = max(factor * low * pow(high / low, share), bound.vertical)
        }
        return (max(learned, bound.horizontal), vertical)
    }

    /// Whether the mean of a window is where such windows were; the reserve is larger, since there are many.
    func reaches(_ window: StandingWindow, level: Int) -> Bool {
        let duration = StandingWindow.durations[level]
        guard let known = levels.first(where: { $0.duration == duration }) else { return true }
        return hypot(Double(window.east) - east, Double(window.north) - north) <= 1.4 * known.farthest
    }

    /// Whether the half hour's mean is where the receiver was seen.
    func reaches(east: Double, north: Double) -> Bool {
        guard let (lower, upper, _) = bracket(1800) else { return false }
        return hypot(east - self.east, north - self.north) <= Self.reserve * max(lower.farthest, upper.farthest)
    }

    private func isAlike(_ seen: Evidence) -> Bool {
        func agree(_ known: String?, _ seen: String?) -> Bool { known == nil || seen == nil || known == seen }
        return agree(device, seen.device) && agree(driver, seen.driver)
            && StandingWindow.statusClass(seen.status) == status
            && effects.hasSeen(satellites: seen.satellites, dilution: seen.dilution)
    }

    /// The levels below and above a duration, and where it lies between them on a logarithmic scale.
    private func bracket(_ duration: Double) -> (Level, Level, Double)? {
        guard let first = levels.first, let last = levels.last, duration >= first.duration * 0.9 else { return nil }
        if duration <= first.duration { return (first, first, 0) }
        for (lower, upper) in zip(levels, levels.dropFirst()) where duration < upper.duration {
            return (lower, upper, log(duration / lower.duration) / log(upper.duration / lower.duration))
        }
        return (last, last, 0)
    }
}

/// What no summary, however wrong, can make a claim smaller than.
///
/// - A quarter of the claim that the occupation and the receiver's word alone come to; of an occupation longer than two minutes, whose
///   fixes say more by themselves, less by the root of its duration, down to a tenth; a tenth where the word is gpsd's model.
/// - The error of the mean if the fixes became independent of each other within 10 s, quicker than any receiver's.
/// - What averaging cannot remove.
struct OwnEvidence {
    static let leastShare = 0.25
    static let leastShareOfAll = 0.1
    static let wordSeconds = 120.0
    static let leastCorrelationTime = 10.0

    let horizontal: Double
    let vertical: Double

    init(_ seen: StandingKnowledge.Evidence) {
        let share = Self.share(seen)
        let mean = min(1, 2 * Self.leastCorrelationTime / max(seen.duration, 1)).squareRoot()
        let radius = StatedError.radius(within: 0.95) / 2.0.squareRoot()
        horizontal = max(share * seen.general.horizontal, radius * mean * seen.scatter, seen.floor)
        vertical = max(
            share * (seen.general.vertical ?? 0),
            StatedError.interval(within: 0.95) * mean * (seen.scatterUp ?? 0), seen.verticalFloor)
    }

    private static func share(_ seen: StandingKnowledge.Evidence) -> Double {
        if seen.isModelled { return leastShareOfAll }
        return max(leastShareOfAll, leastShare * min(1, wordSeconds / max(seen.duration, 1)).squareRoot())
    }
}

extension StandingWindow {
    /// Ways to make a fix whose errors are of different sizes; plain ones are one way, however gpsd calls them.
    var statusClass: UInt8 { Self.statusClass(FixStatus(rawValue: Int(status)) ?? .unknown) }

    static func statusClass(_ status: FixStatus) -> UInt8 {
        switch status {
        case .differential, .rtkFixed, .rtkFloat: UInt8(status.rawValue)
        default: 0
        }
    }
}

extension SystematicError {
    /// What weeks of standing do not show. A day has shown what orbits, clocks and the ionosphere do, which a differential
    /// correction would have removed; so what is left is taken to be what is left with one.
    func afterStanding(_ status: FixStatus) -> Double { min(horizontal(status), max(differential, 0)) }
}
