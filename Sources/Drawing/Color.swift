/// A colour in sRGB, each channel 0 to 1, not premultiplied.
struct Color: Equatable, Hashable, Sendable {
    var red: Double
    var green: Double
    var blue: Double
    var alpha: Double

    init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Reads `#rgb`, `#rrggbb` or `#rrggbbaa`.
    init?(hex text: some StringProtocol) {
        let digits = text.utf8.dropFirst().map { UInt8($0) }
        guard text.utf8.first == UInt8(ascii: "#"), digits.allSatisfy({ Self.value($0) != nil }) else { return nil }
        let values = digits.compactMap(Self.value)
        func channel(_ index: Int) -> Double { Double(values[index * 2] * 16 + values[index * 2 + 1]) / 255 }
        switch values.count {
        case 3: self.init(red: Double(values[0]) / 15, green: Double(values[1]) / 15, blue: Double(values[2]) / 15)
        case 6: self.init(red: channel(0), green: channel(1), blue: channel(2))
        case 8: self.init(red: channel(0), green: channel(1), blue: channel(2), alpha: channel(3))
        default: return nil
        }
    }

    private static func value(_ digit: UInt8) -> Int? { Character(Unicode.Scalar(digit)).hexDigitValue }

    func mixed(with other: Color, _ share: Double) -> Color {
        let share = min(max(share, 0), 1)
        func mix(_ from: Double, _ to: Double) -> Double { from + (to - from) * share }
        return Color(
            red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue),
            alpha: mix(alpha, other.alpha))
    }
}

/// What a shape is filled with.
enum Paint: Equatable, Hashable, Sendable {
    struct Stop: Equatable, Hashable, Sendable {
        /// 0 to 1 along the gradient.
        var position: Double
        var color: Color
    }

    case color(Color)
    /// A straight gradient over the shape's box; the angle is in degrees clockwise from left-to-right.
    case gradient(angle: Double, stops: [Stop])

    var isOpaque: Bool {
        switch self {
        case .color(let color): color.alpha >= 1
        case .gradient(_, let stops): stops.allSatisfy { $0.color.alpha >= 1 }
        }
    }
}
