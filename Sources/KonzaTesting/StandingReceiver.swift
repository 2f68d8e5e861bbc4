internal import Glibc
public import KonzaModel

/// A made-up receiver that stands at a known place, and errs as real ones do: each axis is off by a sum of first-order
/// Gauss-Markov processes (multipath, atmosphere), white noise, a constant, and now and then a burst of nonsense. Everything
/// comes from the seed.
public struct StandingReceiver: Sendable {
    /// One first-order Gauss-Markov process.
    public struct Wander: Sendable, Equatable {
        /// The correlation time in seconds and the standard deviation on a horizontal axis in metres.
        public var time: Double
        public var sigma: Double

        public init(time: Double, sigma: Double) {
            self.time = time
            self.sigma = sigma
        }
    }

    /// What the receiver says of its error.
    public enum Word: Sendable, Equatable {
        /// Its own estimate, meant as 68 % or 95 %, and off by a factor drawn once (a logarithmic standard deviation of 0.3).
        case own(confidence: Double)
        /// gpsd's model: 19 times the HDOP and 23 times the VDOP, whatever the truth.
        case model
    }

    /// Where and how the receiver errs. Lengths are standard deviations on a horizontal axis, in metres.
    public struct Conditions: Sendable {
        public var name: String
        public var wanders: [Wander]
        public var white: Double
        /// Stays the same for an occupation.
        public var bias: Double
        /// Outlier bursts: how many an hour, how many seconds at most, and how far off at most, metres.
        public var burstsPerHour: Double
        public var burstSeconds: Double
        public var burstMetres: Double
        /// The receiver smooths its solutions over so many seconds.
        public var smoothing: Double
        public var word: Word
        public var status: FixStatus
        /// Errors grow and shrink by this share within a day.
        public var daily = 0.0

        public init(
            name: String, wanders: [Wander], white: Double, bias: Double = 0.4, burstsPerHour: Double = 0,
            burstSeconds: Double = 15, burstMetres: Double = 40, smoothing: Double = 0,
            word: Word = .own(confidence: 0.68), status: FixStatus = .unknown
        ) {
            self.name = name
            self.wanders = wanders
            self.white = white
            self.bias = bias
            self.burstsPerHour = burstsPerHour
            self.burstSeconds = burstSeconds
            self.burstMetres = burstMetres
            self.smoothing = smoothing
            self.word = word
            self.status = status
        }

        /// The standard deviation of a single fix on a horizontal axis, without bursts.
        public var sigma: Double {
            (wanders.reduce(white * white + bias * bias) { $0 + $1.sigma * $1.sigma }).squareRoot()
        }
    }

    /// Vertical errors are so many times the horizontal ones.
    public static let verticalFactor = 1.6

    public let truth: Coordinate
    public let height: Double
    public let conditions: Conditions

    public init(_ conditions: Conditions, at truth: Coordinate, height: Double = 350) {
        self.conditions = conditions
        self.truth = truth
        self.height = height
    }

    /// The fixes of an occupation, one a second from second 0.
    ///
    /// - Parameters:
    ///   - seconds: how many.
    ///   - seed: everything comes from it.
    ///   - wordFactor: by how much this receiver's word is off; nil draws it.
    ///   - start: the second of the first fix.
    /// - Returns: as many fixes as asked for.
    public func fixes(seconds: Int, seed: UInt64, wordFactor: Double? = nil, start: Int = 0) -> [Fix] {
        var fixes: [Fix] = []
        fixes.reserveCapacity(seconds)
        stand(seconds: seconds, seed: seed, wordFactor: wordFactor, start: start) { fixes.append($0) }
        return fixes
    }

    /// The same for days, one fix after the other, or only every so many-th.
    public func stand(
        seconds: Int, seed: UInt64, wordFactor: Double? = nil, start: Int = 0, every step: Int = 1,
        _ body: (Fix) -> Void
    ) {
        var generator = Normal(seed: seed)
        var errors = ErrorState(conditions, &generator)
        let drawn = exp(0.3 * generator.next())
        let words = word(factor: wordFactor ?? drawn)
        let begin: Int64 = 1_780_149_600_000_000_000
        let meridian = MetresPerDegree(at: truth)
        for second in start..<start + seconds {
            let error = errors.step(conditions, &generator)
            guard second % step == 0 else { continue }
            let daily = 1 + conditions.daily * sin(2 * .pi * Double(second) / 86_400)
            let monotonic = MonotonicInstant(nanoseconds: Int64(second) * 1_000_000_000 + 200_000_000)
            var fix = Fix(
                time: UTCInstant(nanoseconds: begin + Int64(second) * 1_000_000_000), arrival: monotonic,
                mode: .threeDimensional, status: conditions.status,
                coordinate: meridian.moved(truth, east: daily * error.east, north: daily * error.north), source: .live,
                sequence: UInt64(second + 1))
            fix.altitudeHAE = height + daily * error.up
            fix.geoidSeparation = -28
            fix.altitudeMSL = height + daily * error.up + 28
            fix.satellitesUsed = 9
            fix.dop.horizontal = 0.9
            fix.dop.vertical = 1.4
            (fix.horizontalAccuracy, fix.verticalAccuracy) = words
            body(fix)
        }
    }

    /// The interval in standard deviations for the three confidences that are used: 25 %, 68 %, 95 %.
    private static func interval(within confidence: Double) -> Double {
        confidence > 0.9 ? 1.96 : confidence > 0.5 ? 1 : 0.32
    }

    private func word(factor: Double) -> (Accuracy, Accuracy) {
        switch conditions.word {
        case .model: (Accuracy(metres: 0.9 * 19, source: .model), Accuracy(metres: 1.4 * 23, source: .model))
        case .own(let confidence):
            (
                Accuracy(
                    metres: conditions.sigma * factor * (-2 * log(1 - confidence)).squareRoot(), source: .receiver),
                Accuracy(
                    metres: conditions.sigma * factor * Self.verticalFactor * Self.interval(within: confidence),
                    source: .receiver)
            )
        }
    }
}

/// The errors as they go from second to second.
private struct ErrorState {
    private var bias: [Double]
    private var wanders: [[Double]]
    private var smoothed: [Double]?
    private var burstLeft = 0.0
    private var burst = (east: 0.0, north: 0.0, up: 0.0)

    init(_ conditions: StandingReceiver.Conditions, _ normal: inout Normal) {
        bias = Self.axes(&normal, conditions.bias)
        wanders = []
        for wander in conditions.wanders { wanders.append(Self.axes(&normal, wander.sigma)) }
    }

    private static func axes(_ normal: inout Normal, _ sigma: Double) -> [Double] {
        [sigma * normal.next(), sigma * normal.next(), sigma * StandingReceiver.verticalFactor * normal.next()]
    }

    mutating func step(
        _ conditions: StandingReceiver.Conditions, _ normal: inout Normal
    ) -> (east: Double, north: Double, up: Double) {
        var sum = bias
        let white = Self.axes(&normal, conditions.white)
        for axis in 0..<3 { sum[axis] += white[axis] }
        for (index, wander) in conditions.wanders.enumerated() {
            let decay = exp(-1 / wander.time)
            let drive = Self.axes(&normal, wander.sigma * (1 - decay * decay).squareRoot())
            for axis in 0..<3 {
                sum[axis] += wanders[index][axis]
                wanders[index][axis] = decay * wanders[index][axis] + drive[axis]
            }
        }
        if conditions.smoothing > 0 {
            let share = 1 - exp(-1 / conditions.smoothing)
            let known = smoothed ?? sum
            for axis in 0..<3 { sum[axis] = known[axis] + share * (sum[axis] - known[axis]) }
            smoothed = sum
        }
        return addBurst(sum, conditions, &normal)
    }

    private mutating func addBurst(
        _ sum: [Double], _ conditions: StandingReceiver.Conditions, _ normal: inout Normal
    ) -> (east: Double, north: Double, up: Double) {
        if burstLeft <= 0, normal.uniform() < conditions.burstsPerHour / 3600 {
            burstLeft = 1 + normal.uniform() * (conditions.burstSeconds - 1)
            let angle = 2 * Double.pi * normal.uniform()
            let distance = conditions.burstMetres * (0.25 + 0.75 * normal.uniform())
            burst = (distance * cos(angle), distance * sin(angle), distance * normal.next())
        }
        burstLeft -= 1
        guard burstLeft >= 0 else { return (sum[0], sum[1], sum[2]) }
        return (sum[0] + burst.east, sum[1] + burst.north, sum[2] + burst.up)
    }
}

/// Normal numbers from a seed, by Box and Muller's way.
private struct Normal {
    private var generator: SeededGenerator
    private var spare: Double?

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// From 0 up to 1.
    mutating func uniform() -> Double { Double(generator.next() >> 11) / 9_007_199_254_740_992 }

    mutating func next() -> Double {
        if let known = spare {
            spare = nil
            return known
        }
        let radius = (-2 * log(1 - uniform())).squareRoot()
        let angle = 2 * Double.pi * uniform()
        spare = radius * sin(angle)
        return radius * cos(angle)
    }
}

/// A degree in metres at a place, good to a part in a million for the few metres of an error. Independent of `Positioning`, so that its
/// geodesy is proved by other means. Not for poles.
private struct MetresPerDegree {
    private let latitude: Double
    private let longitude: Double

    init(at place: Coordinate) {
        let angle = place.latitude * .pi / 180
        let squared = 0.006_694_379_990_14
        let bend = 1 - squared * sin(angle) * sin(angle)
        latitude = 6_378_137 * (1 - squared) / (bend * bend.squareRoot()) * .pi / 180
        longitude = 6_378_137 / bend.squareRoot() * cos(angle) * .pi / 180
    }

    func moved(_ place: Coordinate, east: Double, north: Double) -> Coordinate? {
        var degrees = place.longitude + east / longitude
        if degrees > 180 { degrees -= 360 }
        if degrees < -180 { degrees += 360 }
        return Coordinate(latitude: place.latitude + north / latitude, longitude: degrees)
    }
}

extension StandingReceiver {
    /// By how much the word of a receiver is off.
    public static func wordFactor(seed: UInt64) -> Double {
        var generator = Normal(seed: seed)
        return exp(0.3 * generator.next())
    }
}
