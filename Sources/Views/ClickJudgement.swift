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
            let without =
                clicks.count >= fewestForJudgement
                ? try? solve(
                    others, width: solved.pose.width, height: solved.pose.height, priors: priors, start: solved.pose)
                : nil
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

    private static func distance(_ pose: CameraPose, _ click: Click) -> Double? {
        pose.project(click.target).map {
            let (x, y) = (click.point.x - $0.x, click.point.y - $0.y)
            return (x * x + y * y).squareRoot()
        }
    }
}
