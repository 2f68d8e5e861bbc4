internal import Glibc

/// From the offsets of windows to the radius that holds 95 % of such, and of the next one.
struct StandingSpread {
    /// Points of the offsets and of what averaging cannot remove, drawn evenly together.
    private static let draws = 4096
    /// By how much a claim grows since the wander was seen for some hours only.
    private let inflation: Double
    /// The variance of the middle itself on a horizontal axis, and of its height.
    private var variance = 0.0
    private var variance1 = 0.0

    /// - Parameters:
    ///   - hours: how long the receiver was seen to stand.
    ///   - reference: the longest windows, whose scatter tells how well their middle is known.
    ///   - east: of the middle, metres.
    ///   - north: the same.
    ///   - up: the same.
    init(hours: Double, reference: [StandingWindow], east: Double, north: Double, up: Double) {
        // Each hour counts as one independent observation of the variance: the quantile of Fisher's distribution with 2 and that
        // many degrees of freedom, over that with infinitely many.
        let freedom = max(hours, 2)
        inflation = (freedom / 2 * (pow(0.05, -2 / freedom) - 1) / -log(0.05)).squareRoot()
        guard reference.count > 1 else { return }
        let count = Double(reference.count)
        for window in reference {
            let (x, y) = (Double(window.east) - east, Double(window.north) - north)
            variance += (x * x + y * y) / 2
            if !window.up.isNaN { variance1 += (Double(window.up) - up) * (Double(window.up) - up) }
        }
        variance /= count * (count - 1)
        variance1 /= count * (count - 1)
    }

    /// The radius on the ground, metres.
    func radius(_ offsets: [(Double, Double)], _ scales: [Double], floor: Double) -> Double {
        let sigma = floor / StatedError.radius(within: 0.95)
        let kernel = (sigma * sigma + variance).squareRoot()
        let lengths = (0..<Self.draws).map { draw in
            let index = draw % offsets.count
            let (first, second) = Self.uniform(draw)
            let reach = kernel * (-2 * log(1 - first)).squareRoot()
            let angle = 2 * Double.pi * second
            return hypot(
                offsets[index].0 / scales[index] + reach * cos(angle),
                offsets[index].1 / scales[index] + reach * sin(angle))
        }
        return quantile(lengths, of: offsets.count)
    }

    /// Half the interval of the height, metres.
    func interval(_ offsets: [Double], _ scales: [Double], floor: Double) -> Double {
        let sigma = floor / StatedError.interval(within: 0.95)
        let kernel = (sigma * sigma + variance1).squareRoot()
        let lengths = (0..<Self.draws).map { draw in
            let index = draw % offsets.count
            let (first, second) = Self.uniform(draw)
            let normal = (-2 * log(1 - first)).squareRoot() * cos(2 * Double.pi * second)
            return abs(offsets[index] / scales[index] + kernel * normal)
        }
        return quantile(lengths, of: offsets.count)
    }

    /// The quantile that the next of so many exchangeable values is within with at least 95 % (conformal prediction: V. Vovk
    /// et al., "Algorithmic Learning in a Random World", 2005).
    private func quantile(_ values: [Double], of count: Int) -> Double {
        let share = min(0.95 * (1 + 1 / Double(count)), 1)
        let index = min(values.count - 1, Int((share * Double(values.count)).rounded(.up)) - 1)
        return inflation * values.sorted()[index]
    }

    /// A point of an evenly filled square (the additive recurrence of the plastic number).
    private static func uniform(_ index: Int) -> (Double, Double) {
        let (first, second) = (
            0.5 + 0.754_877_666_246_692_8 * Double(index), 0.5 + 0.569_840_290_998_053_3 * Double(index)
        )
        return (first - first.rounded(.down), second - second.rounded(.down))
    }
}

/// How the size of the errors goes with the HDOP, the satellites used and the hour of the day, as logarithms of a variance.
///
/// An effect is believed as far as its classes differ by more than hours of one class do: a receiver whose errors know no hour gets
/// no effect of the hour.
struct StandingEffects: Sendable, Equatable {
    private var byDilution: [Int: Double] = [:]
    private var bySatellites: [Int: Double] = [:]
    private var byHour: [Int: Double] = [:]
    private var mostDilution = 0.0
    private var leastSatellites = 0

    /// - Parameters:
    ///   - windows: short ones, spread over the day.
    ///   - east: of the middle of all, metres.
    ///   - north: the same.
    init(_ windows: [StandingWindow], east: Double, north: Double) {
        // Hours, each with its mean logarithm: windows of one hour resemble each other.
        var sums: [Int32: (sum: Double, count: Double, window: StandingWindow)] = [:]
        for window in windows {
            let (x, y) = (Double(window.east) - east, Double(window.north) - north)
            let known = sums[window.hour] ?? (0, 0, window)
            sums[window.hour] = (known.sum + log(x * x + y * y + 0.01), known.count + 1, known.window)
        }
        var hours = sums.keys.sorted().compactMap { key in
            sums[key].map { (window: $0.window, value: $0.sum / $0.count) }
        }
        byDilution = Self.effects(
            hours.compactMap { hour in
                Self.dilutionClass(Double(hour.window.dilution)).map { ($0, hour.value) }
            })
        for index in hours.indices {
            hours[index].value -=
                Self.dilutionClass(Double(hours[index].window.dilution)).flatMap { byDilution[$0] } ?? 0
        }
        bySatellites = Self.effects(
            hours.compactMap { hour in
                Self.satelliteClass(hour.window.satelliteCount).map { ($0, hour.value) }
            })
        for index in hours.indices {
            hours[index].value -=
                Self.satelliteClass(hours[index].window.satelliteCount).flatMap { bySatellites[$0] } ?? 0
        }
        byHour = Self.effects(hours.map { (Self.hourClass(Int($0.window.hour)), $0.value) })
        mostDilution = windows.map { Double($0.dilution) }.max() ?? 0
        leastSatellites = windows.compactMap { $0.satelliteCount.map { Int($0) } }.min() ?? 0
    }

    /// Errors are so many times the usual ones.
    func factor(hour: Int?, satellites: Double?, dilution: Double?) -> Double {
        var sum = dilution.flatMap(Self.dilutionClass).flatMap { byDilution[$0] } ?? 0
        sum += Self.satelliteClass(satellites).flatMap { bySatellites[$0] } ?? 0
        sum += hour.flatMap { byHour[Self.hourClass($0)] } ?? 0
        return exp(sum / 2)
    }

    func factor(_ window: StandingWindow) -> Double {
        factor(hour: Int(window.hour), satellites: window.satelliteCount, dilution: Double(window.dilution))
    }

    /// Whether there was such a sky, or one all but as poor.
    func hasSeen(satellites: Double?, dilution: Double?) -> Bool {
        if let satellites, leastSatellites > 0, satellites < Double(leastSatellites - 2) { return false }
        if let dilution, mostDilution > 0, dilution > 1.5 * mostDilution { return false }
        return true
    }

    /// Means of classes, drawn towards the mean of all as far as chance may have made them (empirical Bayes).
    private static func effects(_ values: [(Int, Double)]) -> [Int: Double] {
        let classes = Dictionary(grouping: values) { $0.0 }.mapValues { $0.map(\.1) }.filter { $0.value.count > 1 }
        guard classes.count > 1 else { return [:] }
        let all = classes.values.flatMap { $0 }
        let mean = all.reduce(0, +) / Double(all.count)
        let means = classes.mapValues { $0.reduce(0, +) / Double($0.count) }
        var within = 0.0
        for (key, list) in classes {
            for value in list { within += (value - (means[key] ?? 0)) * (value - (means[key] ?? 0)) }
        }
        within /= Double(max(1, all.count - classes.count))
        // Hours next to each other resemble each other: two count as one.
        func noise(_ count: Int) -> Double { 2 * within / Double(count) }
        var between = 0.0
        for (key, list) in classes {
            let off = (means[key] ?? 0) - mean
            between += (off * off - noise(list.count)) / Double(classes.count)
        }
        guard between > 0 else { return [:] }
        return classes.mapValues(\.count).reduce(into: [:]) { effects, entry in
            effects[entry.key] = between / (between + noise(entry.value)) * ((means[entry.key] ?? 0) - mean)
        }
    }

    private static func dilutionClass(_ value: Double) -> Int? {
        value > 0 && value < 1000 ? Int((2 * log2(value)).rounded()) : nil
    }

    private static func satelliteClass(_ value: Double?) -> Int? {
        value.flatMap { $0 >= 0 && $0 < 255 ? Int($0) / 3 : nil }
    }

    private static func hourClass(_ hour: Int) -> Int { hour % 24 / 2 }
}

extension StandingWindow {
    /// How many satellites were used, if that is known.
    var satelliteCount: Double? { satellites == Self.unknownSatellites ? nil : Double(satellites) }
}
