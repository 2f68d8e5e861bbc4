/// Repeatable noise: the same place always gives the same value.
enum Noise {
    /// A value of 0 to 1 for a lattice point.
    @inline(__always)
    static func hash(_ x: Int32, _ y: Int32, _ salt: UInt32) -> Float {
        var mixed = UInt32(bitPattern: x) &* 0x8DA6_B343
        mixed = mixed &+ (UInt32(bitPattern: y) &* 0xD816_3841)
        mixed = mixed ^ (salt &* 0xCB1A_B31F)
        mixed = (mixed ^ (mixed >> 15)) &* 0x2C1B_3C6D
        mixed = (mixed ^ (mixed >> 12)) &* 0x297A_2D39
        mixed ^= mixed >> 15
        return Float(mixed >> 8) * (1 / 16_777_216)
    }

    /// Smooth noise of 0 to 1.
    @inline(__always)
    static func value(_ x: Float, _ y: Float, _ salt: UInt32) -> Float {
        let left = x.rounded(.down)
        let top = y.rounded(.down)
        let column = Int32(left)
        let row = Int32(top)
        let u = smooth(x - left)
        let v = smooth(y - top)
        let first = mix(hash(column, row, salt), hash(column &+ 1, row, salt), u)
        let second = mix(hash(column, row &+ 1, salt), hash(column &+ 1, row &+ 1, salt), u)
        return mix(first, second, v)
    }

    /// Several octaves of noise, 0 to 1.
    static func fractal(_ x: Float, _ y: Float, octaves: Int, _ salt: UInt32) -> Float {
        var sum: Float = 0
        var weight: Float = 0.5
        var total: Float = 0
        var x = x
        var y = y
        for octave in 0..<octaves {
            sum += weight * value(x, y, salt &+ UInt32(truncatingIfNeeded: octave))
            total += weight
            weight *= 0.5
            // Turned a little at each octave, so that the lattice does not show.
            (x, y) = (x * 1.62 + y * 1.17 + 7.3, y * 1.62 - x * 1.17 + 3.1)
        }
        return sum / total
    }
}

@inline(__always)
func mix(_ from: Float, _ to: Float, _ share: Float) -> Float { from + (to - from) * share }

@inline(__always)
func smooth(_ t: Float) -> Float { t * t * t * (t * (t * 6 - 15) + 10) }

/// 0 below the first edge, 1 above the second, smooth between.
@inline(__always)
func step(_ first: Float, _ second: Float, _ value: Float) -> Float {
    let t = min(max((value - first) / (second - first), 0), 1)
    return t * t * (3 - 2 * t)
}

/// Repeatable random numbers for scattering things.
struct Scatter {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    /// 0 up to 1.
    mutating func next() -> Float {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Float(state >> 40) * (1 / 16_777_216)
    }

    mutating func next(_ low: Float, _ high: Float) -> Float { low + (high - low) * next() }
}

/// A colour, each channel 0 to 1 and for a moment perhaps beyond.
typealias Tint = SIMD3<Float>

@inline(__always)
func mix(_ from: Tint, _ to: Tint, _ share: Float) -> Tint { from + (to - from) * share }

/// Colours at points of a scale, blended between.
struct ColorScale {
    private let stops: [(at: Float, color: Tint)]

    init(_ stops: [(at: Float, color: Tint)]) { self.stops = stops }

    func color(_ at: Float) -> Tint {
        guard let first = stops.first, let last = stops.last else { return Tint(repeating: 0) }
        if at <= first.at { return first.color }
        for (low, high) in zip(stops, stops.dropFirst()) where at <= high.at {
            return mix(low.color, high.color, (at - low.at) / (high.at - low.at))
        }
        return last.color
    }
}
