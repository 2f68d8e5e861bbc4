/// Pixels to paint on: sRGB, one byte a channel, with a film-like grain laid in as they are written.
struct Raster {
    let width: Int
    let height: Int
    var pixels: [UInt8]
    /// Above this row nothing is laid over what is there.
    var top = 0

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        pixels = [UInt8](repeating: 0, count: width * height * 3)
    }

    init(width: Int, height: Int, pixels: [UInt8]) {
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// Puts rows in place of as many at the bottom.
    mutating func replaceLast(with rows: [UInt8]) {
        let start = pixels.count - rows.count
        unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            _ = unsafe UnsafeMutableBufferPointer(rebasing: pixels[start...]).update(fromContentsOf: rows)
        }
    }

    /// Writes one pixel with a grain of about a level and a half, which also hides the steps of smooth gradients.
    @inline(__always)
    mutating func set(_ x: Int, _ y: Int, _ color: Tint) {
        let grain = (Noise.hash(Int32(truncatingIfNeeded: x), Int32(truncatingIfNeeded: y), 77) - 0.5) * 3.2
        let levels = color * 255 + (grain + 0.5)
        let offset = (y &* width &+ x) &* 3
        pixels[offset] = UInt8(min(max(levels.x, 0), 255))
        pixels[offset &+ 1] = UInt8(min(max(levels.y, 0), 255))
        pixels[offset &+ 2] = UInt8(min(max(levels.z, 0), 255))
    }

    /// Lays a colour over a pixel.
    @inline(__always)
    mutating func blend(_ x: Int, _ y: Int, _ color: Tint, _ alpha: Float) {
        guard x >= 0, y >= top, x < width, y < height else { return }
        let offset = (y &* width &+ x) &* 3
        let share = min(max(alpha, 0), 1)
        for channel in 0..<3 {
            let under = Float(pixels[offset &+ channel])
            let over = min(max(color[channel], 0), 1) * 255
            pixels[offset &+ channel] = UInt8(under + (over - under) * share + 0.5)
        }
    }

    /// A part of a row, its ends soft.
    @inline(__always)
    mutating func span(_ left: Float, _ right: Float, _ y: Int, _ color: Tint, _ alpha: Float) {
        guard y >= 0, y < height, right > 0, left < Float(width), right > left else { return }
        let first = max(0, Int(left.rounded(.down)))
        let last = min(width - 1, Int(right.rounded(.down)))
        guard first <= last else { return }
        for x in first...last {
            let cover = min(right, Float(x) + 1) - max(left, Float(x))
            if cover > 0 { blend(x, y, color, alpha * cover) }
        }
    }

    /// A soft-edged disc, or an ellipse.
    mutating func disc(_ x: Float, _ y: Float, _ radiusX: Float, _ radiusY: Float, _ color: Tint, _ alpha: Float) {
        let top = max(0, Int((y - radiusY).rounded(.down)))
        let bottom = min(height - 1, Int((y + radiusY).rounded(.up)))
        guard top <= bottom, radiusX > 0, radiusY > 0 else { return }
        for row in top...bottom {
            let v = (Float(row) + 0.5 - y) / radiusY
            let rest = 1 - v * v
            guard rest > 0 else { continue }
            let half = radiusX * rest.squareRoot()
            span(x - half, x + half, row, color, alpha)
        }
    }

    /// A blade or stem: it rises from its root, leans, bends towards its tip and tapers.
    mutating func blade(
        x: Float, y: Float, height length: Float, lean: Float, bend: Float, width thickness: Float, taper: Float = 1,
        root: Tint, tip: Tint, alpha: Float
    ) {
        let top = max(0, Int((y - length).rounded(.down)))
        let bottom = min(height - 1, Int(y.rounded(.down)))
        guard top <= bottom, length > 0 else { return }
        for row in top...bottom {
            let t = min(max((y - Float(row)) / length, 0), 1)
            let center = x + lean * t + bend * t * t
            let half = thickness * 0.5 * (1 - taper * t * t)
            guard half > 0.04 else { continue }
            // A blade thinner than a pixel is paler, not broken.
            let wide = max(half, 0.5)
            span(center - wide, center + wide, row, mix(root, tip, t), alpha * min(1, half / wide))
        }
    }

    /// A piece of a limb: round in section, so lit on the side towards the light, a unit vector, and dark on the
    /// other; and tapering.
    mutating func limb(
        from: (x: Float, y: Float), to: (x: Float, y: Float), radii: (first: Float, last: Float),
        light: (x: Float, y: Float), lit: Tint, shaded: Tint
    ) {
        let wide = max(radii.first, radii.last, 0.5) + 0.5
        let top = max(0, Int((min(from.y, to.y) - wide).rounded(.down)))
        let bottom = min(height - 1, Int((max(from.y, to.y) + wide).rounded(.down)))
        let left = max(0, Int((min(from.x, to.x) - wide).rounded(.down)))
        let right = min(width - 1, Int((max(from.x, to.x) + wide).rounded(.down)))
        let (alongX, alongY) = (to.x - from.x, to.y - from.y)
        let squared = alongX * alongX + alongY * alongY
        guard top <= bottom, left <= right, squared > 0 else { return }
        // How much the side to the right of the way turns to the light.
        let turn = (light.y * alongX - light.x * alongY) / squared
        for y in top...bottom {
            for x in left...right {
                let (dx, dy) = (Float(x) + 0.5 - from.x, Float(y) + 0.5 - from.y)
                let place = (dx * alongX + dy * alongY) / squared
                let t = min(max(place, 0), 1)
                let radius = mix(radii.first, radii.last, t)
                // Only thick limbs have round ends: the joints of twigs, thinner than a pixel, would show as knots.
                guard radius >= 0.9 || (place >= 0 && place < 1) else { continue }
                let (offX, offY) = (dx - alongX * t, dy - alongY * t)
                let drawn = max(radius, 0.5)
                let cover = min(1, drawn + 0.5 - (offX * offX + offY * offY).squareRoot())
                guard cover > 0 else { continue }
                let facing = turn * (dy * alongX - dx * alongY) / (drawn + 0.5)
                blend(x, y, mix(shaded, lit, 0.5 + 0.5 * min(max(facing, -1), 1)), cover * radius / drawn)
            }
        }
    }
}
