internal import Glibc

/// What a receiver's errors are like before any fix is seen: how large beside what it says of itself, and how slow.
///
/// The slow part is the one that a short occupation cannot see; the receiver's word is all there is for it. Published
/// correlation times are 10 s to 15 min for code multipath and 15 to 45 min for the troposphere (M. Joerger, B. Pervan,
/// Navigation 67, 2020); horizontal errors of a handheld receiver showed a bend at 1 min and a remainder beyond 70 min (D.
/// Wilson, "Correlation of Errors", 2001). The sizes and spreads were chosen so that the claim covers the truth in each of the
/// simulated conditions of `OccupationCoverageTests`, smooth and slow ones too, which a short occupation flatters.
struct WanderPrior {
    /// The slow part's median and logarithmic spread, in units of the stated standard deviation.
    var slowShare = 0.95
    var slowSpread = 0.45
    /// The same for the fast part, of which the fixes tell more.
    var fastShare = 0.2
    var fastSpread = 1.0
    /// Correlation times, seconds, each as likely.
    var fastTimes = [0.0, 20, 60, 180]
    var slowTimes = [900.0, 2700, 9000]
    /// The steps of the ratio of both, and of the slow part's size.
    var steps = 16

    /// For gpsd's model, which knows the geometry and not the receiver: mostly far too large, so the fixes are given more
    /// say.
    static var modelled: WanderPrior {
        var prior = WanderPrior()
        prior.slowShare = 0.6
        prior.slowSpread = 0.7
        return prior
    }
}

/// The error of a mean, as a mixture of normal distributions: one for each hypothesis of how the receiver wanders, weighted by
/// what it was worth beforehand and how well it explains the batches (Bayesian model averaging).
struct MeanError {
    /// Variances on one axis and their probabilities, gathered into classes so that a radius is found soon.
    private var classes: [(variance: Double, probability: Double)] = []
    /// The expected variance of a single fix's error and of the mean's, without the systematic part, on one axis.
    private(set) var fixVariance = 0.0
    private(set) var meanVariance = 0.0

    /// - Parameters:
    ///   - batches: the fixes in order of time.
    ///   - statedSigma: what the receiver says of its error, a standard deviation on one axis, metres.
    ///   - systematicSigma: what averaging cannot remove, the same way.
    ///   - prior: what is assumed beforehand.
    init(
        _ batches: OccupationBatches, statedSigma: Double, systematicSigma: Double,
        prior: WanderPrior = WanderPrior()
    ) {
        let hypotheses = Self.hypotheses(batches, statedSigma, prior)
        let best = hypotheses.reduce(-Double.infinity) { max($0, $1.logWeight) }
        var gathered: [Int: (variance: Double, probability: Double)] = [:]
        var total = 0.0
        for hypothesis in hypotheses {
            let weight = exp(hypothesis.logWeight - best)
            guard weight > 1e-12 else { continue }
            total += weight
            fixVariance += weight * hypothesis.fixVariance
            meanVariance += weight * hypothesis.meanVariance
            let variance = hypothesis.meanVariance + systematicSigma * systematicSigma
            // Classes of 2 %: the radius is right to 1 %.
            let key = Int((log(variance) * 50).rounded())
            let known = gathered[key] ?? (0, 0)
            gathered[key] = (known.variance + weight * variance, known.probability + weight)
        }
        fixVariance /= total
        meanVariance /= total
        classes = gathered.keys.sorted().map { key in
            let known = gathered[key] ?? (0, 0)
            return (known.variance / known.probability, known.probability / total)
        }
    }

    /// The radius around the mean that holds the true place with a probability, metres; with one axis, half the
    /// interval.
    func radius(within probability: Double, axes: Int) -> Double {
        var (low, high) = (0.0, 10 * ((classes.map(\.variance).max() ?? 0).squareRoot()))
        for _ in 0..<40 {
            let middle = (low + high) / 2
            let outside = classes.reduce(0.0) { sum, part in
                let squared = middle * middle / (2 * part.variance)
                return sum + part.probability * (axes == 2 ? exp(-squared) : erfc(squared.squareRoot()))
            }
            if outside > 1 - probability { low = middle } else { high = middle }
        }
        return high
    }

    private struct Hypothesis {
        var logWeight: Double
        var fixVariance: Double
        var meanVariance: Double
    }

    private static func hypotheses(
        _ batches: OccupationBatches, _ statedSigma: Double, _ prior: WanderPrior
    ) -> [Hypothesis] {
        let slowSteps = (0..<prior.steps).map { step -> Double in
            // From -2.5 to 2.5 standard deviations of the prior.
            5 * (Double(step) + 0.5) / Double(prior.steps) - 2.5
        }
        var hypotheses: [Hypothesis] = []
        hypotheses.reserveCapacity(prior.fastTimes.count * prior.slowTimes.count * prior.steps * prior.steps)
        for fastTime in prior.fastTimes {
            let fastMean = batches.varianceOfMean(correlationTime: fastTime)
            for slowTime in prior.slowTimes {
                let slowMean = batches.varianceOfMean(correlationTime: slowTime)
                for step in 0..<prior.steps {
                    // From 1/10 to 100.
                    let ratio = exp((3 * (Double(step) + 0.5) / Double(prior.steps) - 1) * log(10.0))
                    let model = WanderModel(fastTime: fastTime, slowTime: slowTime, ratio: ratio)
                    let evidence = model.evidence(batches)
                    for slow in slowSteps {
                        let slowSigma = statedSigma * prior.slowShare * exp(slow * prior.slowSpread)
                        let fastSigma = slowSigma / ratio
                        let fast = log(fastSigma / (statedSigma * prior.fastShare)) / prior.fastSpread
                        let logPrior = -(slow * slow + fast * fast) / 2
                        let fastVariance = fastSigma * fastSigma
                        let slowVariance = slowSigma * slowSigma
                        hypotheses.append(
                            Hypothesis(
                                logWeight: logPrior + evidence.logLikelihood(fastSigma: fastSigma),
                                fixVariance: fastVariance + slowVariance,
                                meanVariance: fastVariance * fastMean + slowVariance * slowMean))
                    }
                }
            }
        }
        return hypotheses
    }
}
