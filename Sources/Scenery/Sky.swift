internal import Glibc

/// The sky over the horizon: gradient, sun or moon and stars, and clouds that drift.
struct Sky {
    private let light: Light
    private let width: Int
    private let horizon: Float
    /// Pixels per degree; the view is 74 degrees wide, or as much high where the picture is upright.
    private let scale: Float
    private let clouds: CloudField

    init(_ light: Light, width: Int, height: Int, horizon: Float, minutes: Float, dayOfYear: Int) {
        self.light = light
        self.width = width
        self.horizon = horizon
        scale = Float(max(width, height)) / 74
        clouds = CloudField(
            light: light, width: width, rows: Int(horizon) + 2, scale: scale, horizon: horizon, minutes: minutes,
            day: dayOfYear)
    }

    private var sunX: Float { Float(width) / 2 + light.bearing * scale }
    private var sunY: Float { horizon - light.elevation * scale }

    func paint(on raster: inout Raster, rows: Int) {
        for y in 0..<rows {
            let up = max(0, horizon - Float(y)) / (34 * scale)
            let clear = gradient(min(up, 1.4))
            for x in 0..<width {
                var color = clear
                if light.elevation > -11 { color += glow(Float(x), Float(y)) }
                let cloud = clouds.sample(x, y)
                if light.night > 0.02 {
                    let moon = moonGlow(Float(x), Float(y))
                    color += moon + milkyWay(Float(x), Float(y))
                    // Thin cloud takes the moon's light and carries it further.
                    color = mix(color, cloud.color + moon * 1.6, cloud.alpha * 0.85)
                } else {
                    color = mix(color, cloud.color, cloud.alpha)
                }
                raster.set(x, y, color)
            }
        }
        if light.night > 0.02 { stars(on: &raster, rows: rows) }
        if light.elevation > -1.5 { disc(on: &raster, rows: rows) } else { moon(on: &raster) }
    }

    private func gradient(_ up: Float) -> Tint {
        let low = mix(light.horizon, light.middle, step(0, 0.42, up))
        return mix(low, light.zenith, step(0.2, 1.15, up))
    }

    /// The light around the sun: wide and flat near the horizon, and close and bright by its disc.
    @inline(__always)
    private func glow(_ x: Float, _ y: Float) -> Tint {
        let dx = (x - sunX) / scale
        let dy = (y - sunY) / scale
        let distance = (dx * dx * 0.55 + dy * dy).squareRoot()
        let strength = step(-11, 2, light.elevation) * mix(0.35, 1, step(60, 8, light.elevation))
        guard distance < 90 else { return Tint(repeating: 0) }
        let wide = 1 / (1 + distance * distance * 0.010)
        let close = 1 / (1 + distance * distance * 0.30)
        return light.sun * (strength * (0.15 * wide + 0.34 * close * step(-3, 2, light.elevation)))
    }

    private var moonX: Float { Float(width) * Light.moonAcross }
    private var moonY: Float { horizon * 0.26 }

    @inline(__always)
    private func moonGlow(_ x: Float, _ y: Float) -> Tint {
        let dx = (x - moonX) / scale
        let dy = (y - moonY) / scale
        let squared = dx * dx + dy * dy
        let strength = 0.17 / (1 + squared * 0.006) + 0.26 / (1 + squared * 0.12)
        return Tint(0.52, 0.68, 0.95) * (strength * light.night)
    }

    /// Where the middle of the Milky Way is at a share of the width, a share of the height from the top to the horizon:
    /// it leans across the view, away from the moon.
    @inline(__always)
    private static func milkyWay(_ across: Float) -> Float { 0.02 + across * 0.88 }

    @inline(__always)
    private func milkyWay(_ x: Float, _ y: Float) -> Tint {
        let across = x / Float(width)
        let down = y / horizon
        let off = abs(down - Self.milkyWay(across)) / 0.24
        guard off < 1 else { return Tint(repeating: 0) }
        let cloud = Noise.fractal(across * 9, down * 5, octaves: 2, 83)
        // A lane of dust runs along its middle.
        let dust = 1 - 0.55 * step(0.30, 0.02, off + (cloud - 0.5) * 0.5)
        let soft = (1 - off * off) * (1 - off * off)
        let low = step(1, 0.70, down)
        return Tint(0.115, 0.130, 0.165) * (soft * step(0.22, 0.72, cloud) * dust * low * light.night)
    }

    private func disc(on raster: inout Raster, rows: Int) {
        let radius = scale * 0.62
        guard sunX > -radius, sunX < Float(width) + radius, sunY < horizon + radius, sunY > -radius else { return }
        let core = mix(light.sun, Tint(1, 0.99, 0.93), 0.86)
        for ring in 1...6 {
            let size = radius * (1 + 0.15 * Float(ring))
            raster.disc(sunX, sunY, size, size, core, 0.10)
        }
        raster.disc(sunX, sunY, radius, radius, core, 0.97)
    }

    private func moon(on raster: inout Raster) {
        let (x, y) = (moonX, moonY)
        let radius = scale * 0.62
        let alpha = step(-3, -9, light.elevation)
        for ring in stride(from: Float(3.4), through: 1.2, by: -0.2) {
            raster.disc(x, y, radius * ring, radius * ring, Tint(0.75, 0.80, 0.92), 0.016 * alpha)
        }
        raster.disc(x, y, radius, radius, Tint(0.95, 0.94, 0.87), alpha)
        raster.disc(
            x - radius * 0.3, y - radius * 0.2, radius * 0.3, radius * 0.25, Tint(0.82, 0.81, 0.76), alpha * 0.6)
        raster.disc(
            x + radius * 0.25, y + radius * 0.3, radius * 0.22, radius * 0.2, Tint(0.84, 0.83, 0.78), alpha * 0.6)
    }

    private func stars(on raster: inout Raster, rows: Int) {
        var scatter = Scatter(41)
        let unit = max(1, scale / 17)
        for _ in 0..<900 {
            let x = scatter.next() * Float(width)
            let across = x / Float(width)
            var down = scatter.next()
            let magnitude = scatter.next()
            let warmth = scatter.next()
            // A third of them crowd into the Milky Way, which leans across the view.
            if scatter.next() < 0.42 { down = Self.milkyWay(across) + (scatter.next() + scatter.next() - 1) * 0.22 }
            let y = down * horizon * 0.96
            guard y > 0, y < Float(rows) else { continue }
            let low = step(0, 0.25, (horizon - y) / horizon)
            let alpha = light.night * low * (0.16 + 0.84 * magnitude * magnitude * magnitude * magnitude)
            let color = mix(Tint(0.80, 0.87, 1), Tint(1, 0.90, 0.74), warmth)
            let size = unit * (0.45 + 0.65 * magnitude * magnitude * magnitude)
            raster.disc(x, y, size, size, color, alpha)
        }
    }
}

/// Clouds on a flat layer above the land, worked out on a coarse grid and read smoothly.
struct CloudField {
    private let columns: Int
    private let rows: Int
    private let cell: Float
    private var cover: [Float]
    private var shade: [Float]
    private let lit: Tint
    private let dark: Tint

    init(
        light: Light, width: Int, rows pixelRows: Int, scale: Float, horizon: Float, minutes: Float, day: Int
    ) {
        cell = max(1, Float(width) / 560)
        columns = Int(Float(width) / cell) + 2
        rows = Int(Float(pixelRows) / cell) + 2
        cover = [Float](repeating: 0, count: columns * rows)
        shade = [Float](repeating: 0, count: columns * rows)
        let glow = step(-9, 3, light.elevation) * step(22, 6, light.elevation)
        let bright = mix(Tint(repeating: 1), light.sun, glow * 0.85)
        let day1 = step(-8, 10, light.elevation)
        lit = mix(light.middle * 1.25 + 0.012, bright * mix(0.82, 1.0, day1), step(-9, 2, light.elevation))
        let cool = mix(light.middle, light.zenith, 0.30) * mix(0.85, 1.0, day1) + Tint(repeating: 0.12 * day1)
        let mauve = mix(light.horizon, light.zenith, 0.52) * 0.92
        dark = mix(cool, mauve, glow)
        let drift = minutes * 0.035
        let toSun = light.bearing > 0 ? Float(0.16) : -0.16
        for row in 0..<rows {
            let up = max(0.35, (horizon - Float(row) * cell) / scale)
            // A layer seen at this elevation is this far away; far clouds are small and close together.
            let far = 1 / tan(Float.pi / 180 * (up + 1.2))
            for column in 0..<columns {
                let degrees = (Float(column) * cell - Float(width) / 2) / scale
                let x = degrees * (Float.pi / 180) * (far + 1.4) * 1.9 + drift + Float(day % 7) * 5.7
                let y = far * 1.15
                let index = row * columns + column
                let heap = Noise.fractal(x * 0.85, y * 0.85, octaves: 5, 11)
                let field = Noise.value(x * 0.22 + 4, y * 0.22, 19)
                let edge = 0.60 - 0.15 * field
                let puffy = step(edge, edge + 0.17, heap)
                let veil = step(0.50, 0.95, Noise.fractal(x * 0.30 + 9, y * 1.05, octaves: 3, 31)) * 0.42
                let thin = step(0.4, 3.2, up)
                cover[index] = min(1, max(puffy * 0.94, veil)) * thin * mix(0.72, 1, step(1, 7, up))
                // Darker where the cloud is thick towards the sun.
                let beyond = Noise.fractal((x + toSun) * 0.85, (y - 0.14) * 0.85, octaves: 4, 11)
                shade[index] = min(1, max(0, 0.60 + (heap - beyond) * 3.6 - (heap - edge) * 0.7))
            }
        }
    }

    /// The cloud over a pixel.
    @inline(__always)
    func sample(_ x: Int, _ y: Int) -> (color: Tint, alpha: Float) {
        let column = Float(x) / cell
        let row = Float(y) / cell
        let left = Int(column)
        let top = Int(row)
        guard top + 1 < rows, left + 1 < columns else { return (lit, 0) }
        let u = column - Float(left)
        let v = row - Float(top)
        let index = top &* columns &+ left
        let alpha = mix(
            mix(cover[index], cover[index &+ 1], u), mix(cover[index &+ columns], cover[index &+ columns &+ 1], u), v)
        guard alpha > 0.004 else { return (lit, 0) }
        let tone = mix(
            mix(shade[index], shade[index &+ 1], u), mix(shade[index &+ columns], shade[index &+ columns &+ 1], u), v)
        return (mix(dark, lit, tone), alpha)
    }
}
