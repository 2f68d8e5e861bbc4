internal import Geodesy

/// How well a click fits the pose that follows from all of them.
public struct ClickFit: Sendable, Equatable {
    public let name: String
    /// From where the pose has the landmark to the click, pixels.
    public let residual: Double
    /// The same for the pose that follows from the other clicks alone; nil where these do not tell one.
    public let residualWithout: Double?
}

extension PoseSolver {
    /// Fewer clicks do not tell which of them is wrong.
    static let fewestForJudgement = 4
    /// Chi squared with two degrees of freedom is above this by chance in 1 of 3000 clicks.
    private static let suspicious = 16.0

    /// Judges each click by the pose that follows from the others.
    ///
    /// - Parameters:
    ///   - clicks: as they were solved.
    ///   - solved: the pose of all of them.
    ///   - priors: as they were solved with.
    /// - Returns: a fit for each click, and the index of the one that is most likely wrong, if one is.
    public static func judge(
        _ clicks: [Click], _ solved: SolvedPose, priors: PosePriors
    ) -> (fits: [ClickFit], suspect: Int?) {
        var fits: [ClickFit] = []
        var worst: (index: Int, gain: Double)?
        for (index, click) in clicks.enumerated() {
            var others = clicks
            others.remove(at: index)
            let without = clicks.count >= fewestForJudgement ? best(others, solved, priors) : nil
            fits.append(
                ClickFit(
                    name: click.name, residual: distance(solved.pose, click) ?? .infinity,
                    residualWithout: without.flatMap { distance($0.pose, click) }))
            // What the click adds to the sum of squares follows chi squared with two degrees of freedom.
            let gain = without.map { solved.chiSquared - $0.chiSquared } ?? 0
            if gain > suspicious, gain > worst?.gain ?? 0 { worst = (index, gain) }
        }
        return (fits, worst?.index)
    }

    /// The better pose of those that are found from the one of all clicks, which a wrong one may have led astray, and from nothing.
    private static func best(_ clicks: [Click], _ solved: SolvedPose, _ priors: PosePriors) -> SolvedPose? {
        let (width, height) = (solved.pose.width, solved.pose.height)
        guard (try? check(clicks, width: width, clickError: priors.clickError)) != nil else { return nil }
        let near = try? fit(clicks, width, height, priors, solved.pose)
        if let near, near.chiSquared <= plausible(near.freedom) { return near }
        return [near, try? fit(clicks, width, height, priors)].compactMap { $0 }.min { $0.chiSquared < $1.chiSquared }
    }

    /// Chi squared is above this by chance in fewer than 1 of 3000 solutions.
    static func plausible(_ freedom: Int) -> Double {
        Double(freedom) + 3.5 * (2 * Double(freedom)).squareRoot() + 6
    }

    /// Of clicks from which no pose follows, the one without which the others agree on one; nil where that is so of none, or of
    /// several.
    static func outlier(_ clicks: [Click], width: Int, height: Int, priors: PosePriors) -> Int? {
        guard clicks.count > fewestForJudgement else { return nil }
        let agreed = clicks.indices.filter { index in
            var others = clicks
            others.remove(at: index)
            guard (try? check(others, width: width, clickError: priors.clickError)) != nil,
                let solved = try? fit(others, width, height, priors)
            else { return false }
            return solved.freedom > 0 && solved.chiSquared <= plausible(solved.freedom)
        }
        return agreed.count == 1 ? agreed[0] : nil
    }

    private static func distance(_ pose: CameraPose, _ click: Click) -> Double? {
        pose.project(click.target).map {
            let (x, y) = (click.point.x - $0.x, click.point.y - $0.y)
            return (x * x + y * y).squareRoot()
        }
    }
}
