internal import Glibc

/// The Flint Hills: long level ridges behind one another, their limestone benches showing as lines along the slopes.
struct Hills {
    struct Ridge {
        /// The height of the crest at each column, pixels from the top.
        var crest: [Float]
        /// 0 at the horizon, 1 at the viewer.
        var nearness: Float
    }

    let ridges: [Ridge]
    private let width: Int
    private let height: Int
    private let light: Light
    private let season: Season

    init(_ light: Light, _ season: Season, width: Int, height: Int, horizon: Float) {
        self.width = width
        self.height = height
        self.light = light
        self.season = season
        let unit = Float(min(width, height))
        let span = Float(max(width, height))
        let table: [(rise: Float, swing: Float, wave: Float, nearness: Float, salt: UInt32)] = [
            (-0.004, 0.042, 2.3, 0.00, 3), (0.014, 0.075, 1.9, 0.15, 5), (0.046, 0.105, 1.6, 0.33, 9),
            (0.098, 0.120, 1.40, 0.56, 12), (0.180, 0.105, 1.15, 0.80, 21),
        ]
        ridges = table.map { layer in
            let crest = (0..<width).map { column in
                let x = (Float(column) - Float(width) / 2) / span
                let long = Noise.fractal(x * layer.wave * 2 + 20, 0.5, octaves: 3, layer.salt)
                // The hills are level on top: what rises high is flattened, smoothly.
                let high = long - 0.50
                let level = high / (1 + max(0, high) * 7)
                return horizon + unit * (layer.rise - level * layer.swing * 2)
            }
            return Ridge(crest: crest, nearness: layer.nearness)
        }
    }

    /// The crest of the nearest ridge at a column.
    func nearCrest(_ x: Float) -> Float {
        ridges.last?.crest[min(max(Int(x), 0), width - 1)] ?? Float(height)
    }

    func crest(_ ridge: Int, _ x: Float) -> Float { ridges[ridge].crest[min(max(Int(x), 0), width - 1)] }

    /// The air's colour over a distance.
    func haze(_ color: Tint, _ nearness: Float) -> Tint {
        let air = mix(light.horizon * 0.92, light.middle, 0.45)
        return mix(color, air, (1 - nearness) * (1 - nearness) * 0.80 * mix(1, 0.75, light.night))
    }

    func paint(on raster: inout Raster) {
        for (index, ridge) in ridges.enumerated() {
            let next = index + 1 < ridges.count ? ridges[index + 1] : nil
            paint(ridge, index, until: next, on: &raster)
            if index >= 1, index <= 3 { trees(along: ridge, index, on: &raster) }
        }
    }

    private func paint(_ ridge: Ridge, _ index: Int, until next: Ridge?, on raster: inout Raster) {
        let unit = Float(min(width, height))
        let side = light.side(from: 0.5)
        let low = max(step(32, 4, light.elevation) * (1 - light.night), light.night)
        let base = season.grass * light.ground
        let fine = mix(0.11, 0.035, ridge.nearness) * 1080 / unit
        for x in 0..<width {
            let crest = ridge.crest[x]
            let reach = max(6, Int(unit * 0.03))
            let slope = (ridge.crest[min(x + reach, width - 1)] - ridge.crest[max(x - reach, 0)]) / Float(2 * reach)
            let bottom = min(Float(height), (next?.crest[x] ?? Float(height)) + 3)
            let first = max(0, Int(crest.rounded(.down)))
            guard first < Int(bottom) else { continue }
            // A slope that falls towards the sun is lit by it.
            let facing = 1 + mix(0.35, 1, low) * min(max(side * slope * 2.2, -0.30), 0.22)
            for y in first..<Int(bottom) {
                let depth = (Float(y) - crest) / unit
                let patch = Noise.fractal(
                    Float(x) * fine * 0.22, Float(y) * fine * 0.9, octaves: 3, 50 &+ UInt32(index))
                let warp = Noise.value(Float(x) * 0.006 * 1080 / unit, Float(index) * 9, 61) * 0.016
                let bench = benchLine(depth + warp, ridge.nearness)
                var color = base * (facing * (0.80 + 0.40 * patch) * (1 - min(depth * 1.6, 0.28)))
                // Hollows are greener, heights are drier.
                color = mix(color, season.shade * light.ground * 1.9, step(0.52, 0.78, patch) * 0.42)
                color = mix(color, Tint(0.80, 0.76, 0.66) * light.ground, bench * 0.22)
                color = haze(color, ridge.nearness)
                let cover = min(1, Float(y) + 1 - crest)
                if cover < 1 { raster.blend(x, y, color, cover) } else { raster.set(x, y, color) }
            }
        }
    }

    /// How much of a limestone bench shows at a depth below the crest.
    @inline(__always)
    private func benchLine(_ depth: Float, _ nearness: Float) -> Float {
        let spacing = mix(0.011, 0.048, nearness)
        let phase = depth / spacing
        let part = phase - phase.rounded(.down)
        return step(0.10, 0.02, abs(part - 0.5)) * step(0.003, 0.012, depth) * step(0.9, 0.35, nearness)
    }

    /// Oaks along the draws: round crowns in dark rows where the land folds.
    private func trees(along ridge: Ridge, _ index: Int, on raster: inout Raster) {
        let unit = Float(min(width, height))
        let size = unit * mix(0.004, 0.021, ridge.nearness)
        var scatter = Scatter(UInt64(200 + index))
        let bare = Tint(0.30, 0.26, 0.22)
        let crown = mix(bare, season.leaves * 0.72, season.foliage) * light.ground
        let count = Int(Float(width) / size * 1.5)
        for _ in 0..<count {
            let x = scatter.next() * Float(width)
            let grove = Noise.fractal(x / Float(max(width, height)) * 7 + Float(index) * 13, 2.2, octaves: 2, 90)
            let reach = scatter.next()
            let tall = size * scatter.next(0.55, 1.25)
            let tone = scatter.next(0.72, 1.12)
            guard grove > 0.585, !(index == 3 && abs(x / Float(width) - 0.34) < 0.10) else { continue }
            let y = crest(index, x) + unit * (0.006 + 0.018 * reach) * mix(0.5, 1.5, ridge.nearness)
            let color = haze(crown * tone, ridge.nearness)
            raster.disc(
                x + tall * 0.12, y + tall * 0.45, tall * 0.85, tall * 0.20,
                haze(season.shade * light.ground, ridge.nearness), 0.5)
            raster.disc(x, y, tall * 0.62, tall * 0.52, color, mix(0.70, 0.95, season.foliage))
            raster.disc(
                x + 0.2 * light.side(from: x / Float(width)) * tall, y - tall * 0.16, tall * 0.36, tall * 0.28,
                color * 1.28, 0.55)
        }
    }
}
