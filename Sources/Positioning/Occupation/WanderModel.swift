internal import Glibc

/// One hypothesis of how a receiver's error moves: a fast and a slow first-order Gauss-Markov process, independent of each
/// other. Variances are in units of the fast one's.
struct WanderModel {
    /// Seconds; 0 for a fast part that is independent from one batch to the next.
    var fastTime: Double
    var slowTime: Double
    /// The slow part's standard deviation in units of the fast one's.
    var ratio: Double

    /// What the batches say about the hypothesis.
    struct Evidence {
        /// The sum of the squared innovations over their variances, the mean taken out.
        var squares = 0.0
        /// Minus twice the part of the restricted log likelihood that does not depend on the fast part's size.
        var constant = 0.0
        /// The number of independent differences.
        var freedom = 0

        /// The restricted log likelihood with a standard deviation of the fast part.
        func logLikelihood(fastSigma: Double) -> Double {
            -Double(freedom) * log(fastSigma) - squares / (2 * fastSigma * fastSigma) - constant / 2
        }
    }

    /// The restricted likelihood by a Kalman filter with two states, run on each axis and on the constant that the mean
    /// multiplies: the mean's generalised least squares fall out (A. Harvey, "Forecasting, Structural Time Series Models and the
    /// Kalman Filter", 1989, 3.4.3).
    func evidence(_ batches: OccupationBatches) -> Evidence {
        var filter = Filter(axes: batches.axes.count, slowVariance: ratio * ratio)
        for index in 0..<batches.count {
            if index > 0 {
                let gap = batches.seconds[index] - batches.seconds[index - 1]
                filter.predict(
                    fastDecay: fastTime > 0 ? exp(-gap / fastTime) : 0, slowDecay: exp(-gap / slowTime),
                    slowVariance: ratio * ratio)
            }
            filter.update(batches, index)
        }
        return filter.evidence(count: batches.count)
    }
}

/// The filter's states: [fast, slow] of the first axis, the second if there is one, and the constant.
private struct Filter {
    let axes: Int
    private var fast = (0.0, 0.0, 0.0)
    private var slow = (0.0, 0.0, 0.0)
    private var fastVariance = 1.0
    private var covariance = 0.0
    private var slowVariance: Double
    private var logDeterminant = 0.0
    /// Sums of products of innovations over their variance.
    private var firstFirst = 0.0
    private var firstOne = 0.0
    private var secondSecond = 0.0
    private var secondOne = 0.0
    private var oneOne = 0.0

    init(axes: Int, slowVariance: Double) {
        self.axes = axes
        self.slowVariance = slowVariance
    }

    mutating func predict(fastDecay: Double, slowDecay: Double, slowVariance stationary: Double) {
        fast = (fast.0 * fastDecay, fast.1 * fastDecay, fast.2 * fastDecay)
        slow = (slow.0 * slowDecay, slow.1 * slowDecay, slow.2 * slowDecay)
        fastVariance = 1 + fastDecay * fastDecay * (fastVariance - 1)
        slowVariance = stationary + slowDecay * slowDecay * (slowVariance - stationary)
        covariance *= fastDecay * slowDecay
    }

    mutating func update(_ batches: OccupationBatches, _ index: Int) {
        let scale = batches.scales[index]
        let first = batches.axes[0][index] - scale * (fast.0 + slow.0)
        let second = axes > 1 ? batches.axes[1][index] - scale * (fast.1 + slow.1) : 0
        let one = 1 - scale * (fast.2 + slow.2)
        let fastGain = scale * (fastVariance + covariance)
        let slowGain = scale * (slowVariance + covariance)
        // The least noise keeps the filter well-conditioned where two batches all but coincide.
        let variance = scale * (fastGain + slowGain) + 1e-6
        logDeterminant += log(variance)
        firstFirst += first * first / variance
        firstOne += first * one / variance
        secondSecond += second * second / variance
        secondOne += second * one / variance
        oneOne += one * one / variance
        let (fastShare, slowShare) = (fastGain / variance, slowGain / variance)
        fast = (fast.0 + fastShare * first, fast.1 + fastShare * second, fast.2 + fastShare * one)
        slow = (slow.0 + slowShare * first, slow.1 + slowShare * second, slow.2 + slowShare * one)
        fastVariance -= fastShare * fastGain
        slowVariance -= slowShare * slowGain
        covariance -= fastShare * slowGain
    }

    func evidence(count: Int) -> WanderModel.Evidence {
        var squares = firstFirst - firstOne * firstOne / oneOne
        if axes > 1 { squares += secondSecond - secondOne * secondOne / oneOne }
        return WanderModel.Evidence(
            squares: max(0, squares), constant: Double(axes) * (logDeterminant + log(oneOne)),
            freedom: axes * (count - 1))
    }
}

/// The fixes of an occupation gathered into a few batches of equal duration: what is left of their order in time.
struct OccupationBatches {
    /// More would only weigh the model's finest steps, where receivers filter and no Gauss-Markov process describes them.
    static let most = 12
    /// Seconds; shorter ones would see the receiver's own filter.
    static let shortest = 20.0

    /// The middle of each batch's fixes in time, seconds.
    private(set) var seconds: [Double] = []
    /// The batch's mean on each axis, metres.
    private(set) var axes: [[Double]]
    /// The batch's weight in the whole mean; their sum is 1.
    private(set) var weights: [Double] = []
    /// The error that the batch's fixes state, in units of the median one.
    private(set) var scales: [Double] = []

    var count: Int { seconds.count }

    /// - Parameters:
    ///   - times: seconds, rising.
    ///   - coordinates: one or two lists, metres.
    ///   - pointWeights: each point's weight, 0 to leave it out; their sum is 1.
    ///   - pointScales: the error that each point states, in units of the median one.
    init(times: [Double], coordinates: [[Double]], pointWeights: [Double], pointScales: [Double]) {
        axes = coordinates.map { _ in [] }
        guard let first = times.first, let last = times.last else { return }
        let isHeld = Self.isHeld(coordinates)
        let batches = isHeld ? 1 : min(Self.most, max(1, Int((last - first) / Self.shortest)))
        let width = (last - first) / Double(batches)
        var start = 0
        for batch in 1...batches {
            let limit = first + width * Double(batch)
            var end = start
            while end < times.count, batch == batches || times[end] < limit { end += 1 }
            gather(start..<end, times, coordinates, pointWeights, pointScales)
            start = end
        }
    }

    /// Whether the receiver holds its place by itself ("static navigation"): nearly all its fixes repeat the one before.
    /// That they agree then proves nothing, and they make one batch.
    private static func isHeld(_ coordinates: [[Double]]) -> Bool {
        guard let count = coordinates.first?.count, count > 10 else { return false }
        let repeats = (1..<count).count { index in coordinates.allSatisfy { $0[index] == $0[index - 1] } }
        return Double(repeats) > 0.9 * Double(count)
    }

    private mutating func gather(
        _ range: Range<Int>, _ times: [Double], _ coordinates: [[Double]], _ pointWeights: [Double],
        _ pointScales: [Double]
    ) {
        var (weight, time, scale) = (0.0, 0.0, 0.0)
        for index in range {
            weight += pointWeights[index]
            time += pointWeights[index] * times[index]
            scale += pointWeights[index] * pointScales[index]
        }
        guard weight > 0 else { return }
        seconds.append(time / weight)
        weights.append(weight)
        scales.append(scale / weight)
        for axis in axes.indices {
            var sum = 0.0
            for index in range { sum += pointWeights[index] * coordinates[axis][index] }
            axes[axis].append(sum / weight)
        }
    }

    /// How a Gauss-Markov process of variance 1, times each batch's scale, goes into the whole mean.
    ///
    /// - Parameter time: the correlation time in seconds; 0 if batches are independent.
    /// - Returns: the mean's variance on one axis.
    func varianceOfMean(correlationTime time: Double) -> Double {
        var (sum, carried) = (0.0, 0.0)
        for index in 0..<count {
            if index > 0 { carried *= time > 0 ? exp(-(seconds[index] - seconds[index - 1]) / time) : 0 }
            let share = weights[index] * scales[index]
            sum += share * share + 2 * share * carried
            carried += share
        }
        return sum
    }
}
