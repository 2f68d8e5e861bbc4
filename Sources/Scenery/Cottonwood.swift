internal import Glibc

/// The cottonwood by the trail: a trunk that forks into limbs, branches and twigs, and the leaves of the season on them.
/// All lengths in it are shares of its height.
struct Cottonwood {
    /// Twigs end here. In full leaf only the limbs can be seen.
    private static let levels = 6

    let x: Float
    let foot: Float
    let tall: Float
    private let season: Season
    private let leaf: Tint
    private let lit: Tint
    private let shaded: Tint
    /// Where the light comes from: right 1, left -1.
    private let side: Float
    private let levels: Int
    /// The height of the skyline behind the tree, pixels from the top.
    private let skyline: Float
    private let night: Float

    init(
        x: Float, foot: Float, tall: Float, side: Float, skyline: Float, _ light: Light, _ season: Season
    ) {
        self.x = x
        self.foot = foot
        self.tall = tall
        self.side = side
        self.skyline = skyline
        night = light.night
        self.season = season
        leaf = season.leaves * light.ground * (1 + 0.55 * light.night)
        let bark = light.lit(mix(Tint(0.36, 0.31, 0.26), Tint(0.44, 0.385, 0.32), 1 - season.foliage))
        lit = bark * (1.25 + 1.45 * light.night)
        shaded = bark * mix(0.40, 0.24, light.night)
        levels = season.foliage > 0.98 ? 3 : Self.levels
    }

    func paint(on raster: inout Raster) {
        let leaves = Int(5200 * pow(season.foliage, 1.25))
        // Where the crown is thin, some leaves are seen behind the branches.
        let behind = Int(Float(leaves) * 0.55 * (1 - season.foliage))
        var scatter = Scatter(17)
        let clumps = Self.clumps(&scatter)
        for index in 0..<behind { paintLeaf(index, of: leaves, clumps, &scatter, on: &raster) }
        paintTrunk(on: &raster)
        for index in behind..<leaves { paintLeaf(index, of: leaves, clumps, &scatter, on: &raster) }
    }

    // MARK: Wood

    private struct Branch {
        var x: Float
        var y: Float
        /// Radians from upright, right positive.
        var angle: Float
        var length: Float
        var radius: Float
        var level: Int
    }

    private func paintTrunk(on raster: inout Raster) {
        var scatter = Scatter(29)
        // The roots flare.
        line(on: &raster, (0, -0.012), (0.002, 0.05), 0.050, 0.034)
        grow(
            Branch(x: 0.002, y: 0.04, angle: 0.05, length: 0.19, radius: 0.0345, level: 0), &scatter, on: &raster)
    }

    /// Draws a branch and all that springs from it.
    private func grow(_ branch: Branch, _ scatter: inout Scatter, on raster: inout Raster) {
        let isTwig = branch.level + 1 >= levels
        let steps = branch.level < 3 ? 5 : 3
        let curve = scatter.next(-0.75, 0.75) * (branch.level == 0 ? 0.25 : 1)
        let ending: Float = isTwig ? 0.35 : 0.66
        var side: Float = scatter.next() < 0.5 ? 1 : -1
        var (x, y, angle) = (branch.x, branch.y, branch.angle)
        for step in 1...steps {
            let share = Float(step) / Float(steps)
            let stride = branch.length / Float(steps)
            let (nextX, nextY) = (x + sin(angle) * stride, y + cos(angle) * stride)
            let first = branch.radius * mix(1, ending, share - 1 / Float(steps))
            // What would leave the crown ends in a point there.
            let isWithin = isInside(nextX, nextY, scatter.next(0.86, 1.04))
            let radius = isWithin ? branch.radius * mix(1, ending, share) : first * 0.3
            line(on: &raster, (x, y), (nextX, nextY), first, radius)
            (x, y) = (nextX, nextY)
            // Limbs seek the light; twigs wander.
            angle += curve / Float(steps) + scatter.next(-0.13, 0.13) - angle * (branch.level < 3 ? 0.06 : 0.02)
            guard isWithin else { break }
            guard !isTwig else { continue }
            if step >= (branch.level == 0 ? 4 : branch.level == 1 ? 2 : 1), step < steps {
                side = -side
                grow(
                    Branch(
                        x: x, y: y, angle: angle + side * scatter.next(0.55, 1.0),
                        length: branch.length * scatter.next(0.50, 0.78) * (branch.level == 0 ? 1.6 : 1),
                        radius: radius * scatter.next(0.48, 0.62), level: branch.level + 1), &scatter, on: &raster)
            }
            if step == steps { fork(branch, x, y, angle, radius, &scatter, on: &raster) }
        }
    }

    /// The end of a branch: two or, at the trunk, three that go on.
    private func fork(
        _ branch: Branch, _ x: Float, _ y: Float, _ angle: Float, _ radius: Float, _ scatter: inout Scatter,
        on raster: inout Raster
    ) {
        let ways: [Float] = branch.level == 0 ? [-0.62, 0.04, 0.66] : [-0.34, 0.38]
        for way in ways {
            grow(
                Branch(
                    x: x, y: y, angle: angle + way * scatter.next(0.75, 1.25),
                    length: branch.length * scatter.next(0.66, 0.88) * (branch.level == 0 ? 1.75 : 1),
                    radius: radius * scatter.next(0.68, 0.82), level: branch.level + 1), &scatter, on: &raster)
        }
    }

    /// Whether a point is within the round of the crown, made a little larger or smaller, or still on the trunk.
    private func isInside(_ x: Float, _ y: Float, _ size: Float) -> Bool {
        let across = (x - 0.01) / (0.395 * size)
        let up = (y - 0.61) / (0.40 * size)
        return across * across + up * up < 1 || (abs(x) < 0.12 && y > 0 && y < 0.4)
    }

    private func line(
        on raster: inout Raster, _ from: (Float, Float), _ to: (Float, Float), _ first: Float, _ last: Float
    ) {
        // At night the twigs are dark against the sky and pale against the land.
        let sky = step(-0.14, 0.10, (skyline - foot) / tall + from.1)
        let dim = 1 - 0.66 * night * sky * step(0.022, 0.006, first)
        raster.limb(
            from: (x + from.0 * tall, foot - from.1 * tall), to: (x + to.0 * tall, foot - to.1 * tall),
            radii: (first * tall, last * tall), light: (side * 0.86, -0.51), lit: lit * dim, shaded: shaded)
    }

    // MARK: Leaves

    private typealias Clump = (x: Float, y: Float, size: Float)

    private static func clumps(_ scatter: inout Scatter) -> [Clump] {
        (0..<30).map { index in
            let angle = Float(index) * 2.39996
            let reach = (Float(index) / 30).squareRoot()
            return (
                cos(angle) * reach * 0.33 + scatter.next(-0.03, 0.03),
                0.63 + sin(angle) * reach * 0.31 + scatter.next(-0.03, 0.03), scatter.next(0.065, 0.12)
            )
        }
    }

    /// Leaves come in clumps: those in the shade first, then those towards the light.
    private func paintLeaf(
        _ index: Int, of count: Int, _ clumps: [Clump], _ scatter: inout Scatter, on raster: inout Raster
    ) {
        let clump = clumps[index % clumps.count]
        let angle = scatter.next() * 2 * Float.pi
        let reach = scatter.next().squareRoot() * clump.size * scatter.next(0.75, 1.15)
        let dx = cos(angle) * reach
        let dy = sin(angle) * reach * 0.78
        let depth = Float(index) / Float(count)
        let own = (dx * side * 0.6 - dy * -0.9) / clump.size
        let whole = (clump.x * side * 0.8 + (clump.y - 0.60)) * 0.85
        let shine = 0.44 + 0.36 * depth + 0.22 * own * depth + 0.30 * whole + scatter.next(-0.09, 0.11)
        let size = max(0.6, tall * scatter.next(0.0055, 0.0125))
        raster.disc(
            x + (clump.x + dx) * tall, foot - (clump.y + dy) * tall, size * 1.2, size * 0.8, leaf * max(0.3, shine),
            0.80)
    }
}
