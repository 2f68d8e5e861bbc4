internal import Glibc

/// What is near: the trail, a ledge of limestone, the cottonwood, bison at a distance, and the tall grass.
struct Foreground {
    private let width: Int
    private let height: Int
    private let light: Light
    private let season: Season
    private let hills: Hills
    private let unit: Float

    init(_ light: Light, _ season: Season, _ hills: Hills, width: Int, height: Int) {
        self.light = light
        self.season = season
        self.hills = hills
        self.width = width
        self.height = height
        unit = Float(min(width, height))
    }

    func paint(on raster: inout Raster) {
        bison(on: &raster)
        trail(on: &raster)
        ledge(on: &raster)
        cottonwood(on: &raster)
        meadow(on: &raster)
    }

    // MARK: The middle ground

    private func trail(on raster: inout Raster) {
        let sand = light.lit(Tint(0.80, 0.71, 0.56)) * (1 + 0.55 * light.night)
        let right = 0.60 * Float(width)
        let top = hills.nearCrest(right) + unit * 0.002
        let bottom = Float(height)
        for y in Int(top)..<height {
            let t = (Float(y) - top) / (bottom - top)
            let center =
                Float(width) * (0.60 - 0.20 * t * t) + unit * 0.115 * sin(t.squareRoot() * 7.2) * (0.25 + t)
            let half = unit * (0.003 + 0.060 * pow(t, 1.35))
            let rough = (Noise.value(Float(y) * 0.3, 3, 8) - 0.5) * half * 0.22
            raster.span(
                center - half + rough, center + half + rough, y,
                hills.haze(sand * (0.86 + 0.2 * Noise.value(Float(y) * 0.11, 0, 4)), 0.92), 0.88)
            raster.span(center + half * 0.55, center + half, y, season.shade * light.ground, 0.30)
        }
    }

    /// A bench of weathered limestone that comes out of the slope on the left.
    private func ledge(on raster: inout Raster) {
        var scatter = Scatter(63)
        let stone = light.lit(Tint(0.70, 0.66, 0.56)) * (1 + 0.55 * light.night)
        let dark = light.lit(Tint(0.20, 0.18, 0.14))
        var x = -unit * 0.02
        let end = Float(width) * 0.30
        while x < end {
            let fade = 1 - x / end
            let block = unit * scatter.next(0.014, 0.055) * (0.5 + 0.6 * fade)
            let line = hills.nearCrest(x) + unit * (0.058 + 0.010 * sin(x / unit * 5) + 0.012 * fade)
            let thick = unit * scatter.next(0.016, 0.034) * (0.30 + 0.8 * fade)
            let tone = scatter.next(0.80, 1.06)
            let drop = scatter.next(-0.004, 0.004) * unit
            let isCovered = scatter.next() < 0.24
            if !isCovered, thick >= 1 {
                for y in Int(line + drop)...Int(line + drop + thick) {
                    let t = (Float(y) - line - drop) / thick
                    let rough = (Noise.value(Float(y) * 0.35, x, 14) - 0.5) * unit * 0.012
                    let inset = unit * 0.004 * abs(t - 0.4)
                    let seam = step(0.35, 0.6, Noise.value(x * 0.13, Float(y) * 30 / unit * 9, 15))
                    let color = t < 0.30 ? stone * 1.15 : t < 0.72 ? stone * mix(0.58, 0.84, seam) : dark
                    raster.span(
                        x + rough + inset, x + block - inset + rough * 0.6, y, color * tone,
                        t < 0.72 ? 0.92 : 1.6 * (1 - t))
                }
            }
            x += block * 0.92
        }
    }

    private func bison(on raster: inout Raster) {
        var scatter = Scatter(29)
        let hide = hills.haze(Light.moonlit(Tint(0.17, 0.115, 0.08), light.night) * (light.ground * 0.8 + 0.2), 0.72)
        for index in 0..<7 {
            let x = Float(width) * (0.30 + 0.022 * Float(index) + scatter.next(-0.008, 0.008))
            let size = unit * scatter.next(0.0075, 0.0110)
            let y = hills.crest(3, x) + unit * (0.020 + scatter.next(0, 0.026))
            let side: Float = scatter.next() < 0.65 ? 1 : -1
            raster.disc(x, y + size * 0.62, size * 1.25, size * 0.16, season.shade * light.ground, 0.5)
            raster.disc(x, y, size * 1.0, size * 0.46, hide, 0.95)
            raster.disc(x + side * size * 0.45, y - size * 0.22, size * 0.56, size * 0.52, hide, 0.95)
            raster.disc(x + side * size * 1.02, y + size * 0.22, size * 0.30, size * 0.32, hide * 0.8, 0.95)
            for leg in [-0.72, -0.48, 0.38, 0.62] as [Float] {
                raster.blade(
                    x: x + leg * size, y: y + size * 0.82, height: size * 0.6, lean: 0, bend: 0, width: size * 0.17,
                    taper: 0, root: hide, tip: hide, alpha: 0.9)
            }
        }
    }

    private func cottonwood(on raster: inout Raster) {
        let across: Float = width >= height ? 0.845 : 0.80
        let x = Float(width) * across
        let foot = hills.nearCrest(x) + unit * 0.034
        let tall = unit * 0.285
        let side = light.side(from: across)
        // A bare tree throws little shade.
        let dark = mix(0.09, 0.16, season.foliage)
        for ring in 0..<6 {
            let size = 1 - Float(ring) * 0.15
            raster.disc(
                x - side * tall * 0.1, foot, tall * 0.46 * size, tall * 0.045 * size,
                season.shade * light.ground * 0.75, dark)
        }
        let tree = Cottonwood(
            x: x, foot: foot, tall: tall, side: side, skyline: hills.crest(0, x), light, season)
        tree.paint(on: &raster)
    }

    // MARK: Grass

    /// Rows of grass from the far edge of the meadow to the camera's feet.
    private func meadow(on raster: inout Raster) {
        var scatter = Scatter(1234)
        // As dense in an upright picture, where the meadow is deep.
        let depth = (Float(height) - hills.nearCrest(Float(width) / 2)) / (0.32 * unit)
        let rows = Int(46 * max(1, depth))
        for row in 0..<rows {
            let t = Float(row) / Float(rows - 1)
            let near = t * t
            let tall = unit * mix(0.012, 0.150, near) * season.growth
            let gap = unit * mix(0.0042, 0.0125, t)
            let count = Int(Float(width) / gap)
            for _ in 0..<count {
                let x = scatter.next() * Float(width)
                let crest = hills.nearCrest(x)
                let start = crest + unit * 0.030
                let y = start + (Float(height) * 1.03 - start) * mix(t, near, 0.35) + scatter.next(-1, 1) * tall * 0.18
                let clump = Noise.value(x / unit * 9, t * 12, 71)
                let drift = Noise.fractal(x / unit * 2.2, t * 4.2, octaves: 2, 73)
                let size = tall * scatter.next(0.45, 1.05) * (0.70 + 0.6 * clump)
                let draw = scatter.next()
                let lean = scatter.next(-0.28, 0.40)
                let tone = scatter.next(0.76, 1.16) * (0.82 + 0.36 * clump) * (0.72 + 0.56 * drift)
                let flower = scatter.next()
                guard !isTrail(x, y, size) else { continue }
                paintBlade(on: &raster, x, y, size, lean, tone, near, draw)
                if flower < 0.012 * season.flowers, near > 0.04 {
                    blossom(on: &raster, x + lean * size, y - size * 1.02, unit * mix(0.0016, 0.0075, near), draw)
                }
            }
        }
    }

    /// Whether a blade of a height would hide the trail.
    private func isTrail(_ x: Float, _ y: Float, _ size: Float) -> Bool {
        let top = hills.nearCrest(0.60 * Float(width)) + unit * 0.002
        let t = (y - size * 0.45 - top) / (Float(height) - top)
        guard t > 0, t < 1 else { return false }
        let center = Float(width) * (0.60 - 0.20 * t * t) + unit * 0.115 * sin(t.squareRoot() * 7.2) * (0.25 + t)
        let half = unit * (0.003 + 0.060 * pow(t, 1.35))
        return abs(x - center) < half * 0.80
    }

    private func paintBlade(
        on raster: inout Raster, _ x: Float, _ y: Float, _ size: Float, _ lean: Float, _ tone: Float, _ near: Float,
        _ draw: Float
    ) {
        let root = hills.haze(season.shade * light.ground * tone, mix(0.86, 1, near))
        let shine = 1 + 0.35 * light.rim
        let tip = hills.haze(mix(season.grass, season.tip, draw) * light.ground * (tone * shine), mix(0.86, 1, near))
        let thick = unit * mix(0.0013, 0.0042, near) * (0.7 + draw * 0.6)
        raster.blade(
            x: x, y: y, height: size, lean: lean * size * 0.5, bend: lean * size * 0.5, width: thick, root: root,
            tip: tip, alpha: 0.93)
    }

    private func blossom(on raster: inout Raster, _ x: Float, _ y: Float, _ size: Float, _ draw: Float) {
        let violet = Tint(0.62, 0.36, 0.70)
        let yellow = Tint(0.95, 0.78, 0.18)
        let white = Tint(0.93, 0.90, 0.84)
        let own = Light.moonlit(draw < 0.40 ? yellow : draw < 0.75 ? violet : white, light.night)
        let color = own * (light.ground * 0.9 + 0.05)
        if draw >= 0.40, draw < 0.75 {
            // Blazing star: a spike of small flowers.
            for bead in 0..<6 {
                raster.disc(
                    x, y - Float(bead) * size * 0.75, size * (0.75 - Float(bead) * 0.07), size * 0.5,
                    color * (0.9 + 0.04 * Float(bead)), 0.9)
            }
        } else {
            raster.disc(x, y, size, size * 0.72, color, 0.92)
            raster.disc(x, y, size * 0.36, size * 0.30, Tint(0.30, 0.19, 0.08) * light.ground, draw < 0.40 ? 0.9 : 0.3)
        }
    }

    // MARK: What the wind moves

    /// How many rows from the bottom the grass that moves can reach: the highest stem has 0.38 of the picture's shorter side, and its seed
    /// head another 0.24 of that.
    var reach: Int { Int(unit * 0.5) }

    /// The tall stems of big bluestem in front, as they stand at a time. Painted anew for each frame.
    func sway(on raster: inout Raster, seconds: Float) {
        var scatter = Scatter(555)
        let count = Int(Float(width) / unit * 105)
        for index in 0..<count {
            let x = scatter.next(-0.04, 1.04) * Float(width)
            let side = min(1, abs(x / Float(width) - 0.46) * 2.1)
            let near = Float(index) / Float(count)
            let base = Float(height) + unit * scatter.next(0.0, 0.06)
            let kind = scatter.next()
            let tall =
                unit * scatter.next(0.13, 0.25) * (0.55 + 0.62 * side * side) * season.growth * (kind < 0.34 ? 1.3 : 1)
            let lean = scatter.next(-0.20, 0.26)
            let phase = scatter.next() * 6.28
            let tone = scatter.next(0.78, 1.15) * mix(0.8, 1.1, near)
            // A gust runs over the meadow from the left; every stem answers in its own time.
            let gust = 0.65 + 0.35 * sin(seconds * 0.55 - x / unit * 2.6)
            let wind = 0.045 * gust * sin(seconds * 1.5 + phase) + 0.05 * gust
            let bend = (lean * 0.6 + wind) * tall
            stem(on: &raster, x, base, tall, lean * tall * 0.4, bend, tone, kind)
        }
    }

    private func stem(
        on raster: inout Raster, _ x: Float, _ y: Float, _ tall: Float, _ lean: Float, _ bend: Float, _ tone: Float,
        _ kind: Float
    ) {
        let shine = 1 + 0.45 * light.rim
        let root = season.shade * light.ground * tone
        let tip = mix(season.grass, season.tip, kind) * light.ground * (tone * shine)
        let isSeeding = kind < 0.34 && season.growth > 0.8
        raster.blade(
            x: x, y: y, height: tall, lean: lean, bend: bend, width: unit * (isSeeding ? 0.0032 : 0.0060),
            taper: isSeeding ? 0.5 : 1, root: root, tip: tip, alpha: 0.96)
        guard isSeeding else { return }
        let head = season.seedHead * light.ground * (tone * shine)
        let edge = head + Tint(0.30, 0.36, 0.46) * light.night
        let side = light.side(from: x / Float(width))
        let topX = x + lean + bend
        let topY = y - tall
        // The turkey's foot: three spikes from one point.
        for toe in [-1, 0.18, 1] as [Float] {
            let long = tall * (0.24 - 0.045 * abs(toe))
            for bead in 0..<14 {
                let t = Float(bead) / 13
                let size = unit * 0.0021 * (1 - 0.45 * t)
                let beadX = topX + toe * long * 0.36 * t * (1.25 - 0.35 * t) + (lean + bend) / tall * long * t * 0.7
                let beadY = topY - long * t * (1 - 0.18 * abs(toe))
                raster.disc(beadX, beadY, size * 0.72, size * 1.9, head * (0.80 + 0.3 * t), 0.9)
                if light.night > 0.05 {
                    raster.disc(beadX + side * size * 0.4, beadY, size * 0.36, size * 1.5, edge, 0.8 * light.night)
                }
            }
        }
    }
}
