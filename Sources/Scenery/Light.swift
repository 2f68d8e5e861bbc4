internal import Glibc

/// The moment that a scene shows.
public struct SceneMoment: Hashable, Sendable {
    /// The civil hour at the station, 0 up to 24.
    public var hour: Double
    /// 1 to 366.
    public var dayOfYear: Int

    public init(hour: Double, dayOfYear: Int) {
        self.hour = hour.isFinite ? min(max(hour, 0), 24) : 12
        self.dayOfYear = min(max(dayOfYear, 1), 366)
    }
}

/// Where the sun stands and what its light does.
struct Light {
    /// Degrees above the horizon.
    let elevation: Float
    /// Degrees from the middle of the view, right positive.
    let bearing: Float
    let zenith: Tint
    let middle: Tint
    let horizon: Tint
    /// What the ground's own colour is multiplied with.
    let ground: Tint
    let sun: Tint
    /// 0 by day, 1 in full night.
    let night: Float
    /// How much the tips of the grass shine, against a low sun or in the moonlight, 0 to 1.
    let rim: Float

    /// Where the moon stands, a share of the picture's width.
    static let moonAcross: Float = 0.76

    /// The latitude of the Konza Prairie, degrees; its longitude gives solar noon 26 minutes after the zone's.
    private static let latitude = 39.1 * Double.pi / 180

    /// The camera looks west.
    static let viewAzimuth = 268.0

    init(_ moment: SceneMoment) {
        let day = Double(moment.dayOfYear)
        // Daylight saving time is taken to last from day 70 to day 307, as in the United States, give or take a week.
        let noon = 12.44 + (day >= 70 && day < 307 ? 1 : 0)
        let hourAngle = (moment.hour - noon) * 15 * .pi / 180
        let declination = -23.44 * .pi / 180 * cos(2 * .pi * (day + 10) / 365)
        let sine =
            sin(Self.latitude) * sin(declination) + cos(Self.latitude) * cos(declination) * cos(hourAngle)
        let height = asin(min(max(sine, -1), 1))
        let azimuth =
            atan2(
                sin(hourAngle), cos(hourAngle) * sin(Self.latitude) - tan(declination) * cos(Self.latitude))
            * 180 / .pi + 180
        elevation = Float(height * 180 / .pi)
        bearing = Float((azimuth - Self.viewAzimuth + 540).truncatingRemainder(dividingBy: 360) - 180)
        zenith = Self.zenithScale.color(elevation)
        middle = Self.middleScale.color(elevation)
        // Opposite the sun the low sky is rosy and grey, not fiery.
        let facing = step(150, 60, abs(bearing))
        let warm = Self.horizonScale.color(elevation)
        let opposite = Self.oppositeScale.color(elevation)
        horizon = mix(opposite, warm, facing)
        ground = Self.groundScale.color(elevation)
        sun = Self.sunScale.color(elevation)
        night = step(-6, -15, elevation)
        rim = min(1, step(18, 3, elevation) * step(-2, 2, elevation) + 0.9 * night)
    }

    /// An object's own colour as it looks in this light.
    func lit(_ own: Tint) -> Tint { Self.moonlit(own, night) * ground }

    /// A colour as the eye has it by moonlight: most of its hue is lost, and what remains is cool.
    static func moonlit(_ own: Tint, _ night: Float) -> Tint {
        let bright = (own * Tint(0.30, 0.55, 0.15)).sum()
        return mix(own, Tint(0.93, 1.0, 1.08) * bright, night * 0.68)
    }

    /// The side that the light comes from, seen from a place at a share of the picture's width: right 1, left -1.
    func side(from across: Float) -> Float {
        let luminary = night > 0.5 ? Self.moonAcross : 0.5 + bearing / 74
        return luminary > across ? 1 : -1
    }

    private static let zenithScale = ColorScale([
        (-18, Tint(0.026, 0.056, 0.150)), (-10, Tint(0.038, 0.075, 0.190)), (-5, Tint(0.085, 0.140, 0.300)),
        (-1, Tint(0.170, 0.260, 0.460)), (4, Tint(0.230, 0.380, 0.610)), (12, Tint(0.210, 0.430, 0.730)),
        (35, Tint(0.140, 0.360, 0.700)), (70, Tint(0.120, 0.330, 0.680)),
    ])
    private static let middleScale = ColorScale([
        (-18, Tint(0.072, 0.130, 0.270)), (-10, Tint(0.105, 0.150, 0.300)), (-5, Tint(0.270, 0.250, 0.390)),
        (-1, Tint(0.560, 0.450, 0.510)), (4, Tint(0.700, 0.630, 0.620)), (12, Tint(0.540, 0.680, 0.820)),
        (35, Tint(0.390, 0.600, 0.850)), (70, Tint(0.370, 0.580, 0.840)),
    ])
    private static let horizonScale = ColorScale([
        (-18, Tint(0.285, 0.385, 0.520)), (-10, Tint(0.350, 0.350, 0.440)), (-5, Tint(0.760, 0.400, 0.260)),
        (-1, Tint(0.980, 0.560, 0.290)), (4, Tint(1.000, 0.740, 0.440)), (12, Tint(0.950, 0.860, 0.720)),
        (35, Tint(0.780, 0.870, 0.930)), (70, Tint(0.760, 0.860, 0.930)),
    ])
    private static let oppositeScale = ColorScale([
        (-18, Tint(0.275, 0.375, 0.510)), (-10, Tint(0.260, 0.330, 0.460)), (-5, Tint(0.360, 0.330, 0.430)),
        (-1, Tint(0.640, 0.500, 0.560)), (4, Tint(0.830, 0.660, 0.640)), (12, Tint(0.850, 0.830, 0.820)),
        (35, Tint(0.780, 0.870, 0.930)), (70, Tint(0.760, 0.860, 0.930)),
    ])
    private static let groundScale = ColorScale([
        (-18, Tint(0.390, 0.490, 0.640)), (-10, Tint(0.410, 0.465, 0.575)), (-5, Tint(0.410, 0.390, 0.450)),
        (-1, Tint(0.480, 0.390, 0.370)), (4, Tint(0.900, 0.690, 0.500)), (12, Tint(1.050, 0.920, 0.740)),
        (35, Tint(1.060, 1.030, 0.960)), (70, Tint(1.060, 1.040, 1.000)),
    ])
    private static let sunScale = ColorScale([
        (-6, Tint(1.0, 0.36, 0.16)), (0, Tint(1.0, 0.58, 0.26)), (6, Tint(1.0, 0.80, 0.50)),
        (20, Tint(1.0, 0.95, 0.84)), (60, Tint(1.0, 0.99, 0.95)),
    ])
}

/// The colours of the prairie through the year.
struct Season {
    /// The grass of the hills, of the foreground's shade and of its tips.
    private(set) var grass: Tint
    private(set) var shade: Tint
    private(set) var tip: Tint
    private(set) var seedHead: Tint
    private(set) var leaves: Tint
    /// How many leaves the cottonwood carries, 0 to 1.
    let foliage: Float
    /// How tall the grass stands, 0 to 1.
    let growth: Float
    /// How many flowers stand in it, 0 to 1.
    let flowers: Float

    init(dayOfYear: Int) {
        let day = Float(dayOfYear)
        grass = Self.grassScale.color(day)
        shade = Self.shadeScale.color(day)
        tip = Self.tipScale.color(day)
        seedHead = mix(Tint(0.40, 0.26, 0.25), Tint(0.46, 0.27, 0.19), step(200, 280, day))
        leaves = Self.leafScale.color(day)
        foliage = step(105, 140, day) * step(320, 270, day)
        growth = 0.45 + 0.55 * step(110, 230, day) + (day < 100 ? 0.42 : 0)
        flowers = step(120, 160, day) * step(285, 250, day)
    }

    /// The same colours by moonlight.
    func moonlit(_ night: Float) -> Season {
        var season = self
        for color in [\Season.grass, \.shade, \.tip, \.seedHead, \.leaves] {
            season[keyPath: color] = Light.moonlit(self[keyPath: color], night)
        }
        return season
    }

    private static let grassScale = ColorScale([
        (1, Tint(0.640, 0.520, 0.360)), (85, Tint(0.580, 0.500, 0.320)), (120, Tint(0.440, 0.520, 0.240)),
        (155, Tint(0.370, 0.510, 0.210)), (215, Tint(0.430, 0.520, 0.240)), (255, Tint(0.580, 0.510, 0.270)),
        (290, Tint(0.660, 0.440, 0.250)), (325, Tint(0.650, 0.480, 0.320)), (366, Tint(0.640, 0.520, 0.360)),
    ])
    private static let shadeScale = ColorScale([
        (1, Tint(0.280, 0.205, 0.125)), (85, Tint(0.230, 0.195, 0.100)), (120, Tint(0.140, 0.205, 0.065)),
        (215, Tint(0.145, 0.205, 0.070)), (255, Tint(0.230, 0.190, 0.075)), (290, Tint(0.270, 0.135, 0.070)),
        (366, Tint(0.280, 0.205, 0.125)),
    ])
    private static let tipScale = ColorScale([
        (1, Tint(0.830, 0.690, 0.460)), (85, Tint(0.750, 0.660, 0.390)), (120, Tint(0.580, 0.680, 0.290)),
        (215, Tint(0.640, 0.670, 0.310)), (255, Tint(0.790, 0.650, 0.330)), (290, Tint(0.830, 0.530, 0.280)),
        (366, Tint(0.830, 0.690, 0.460)),
    ])
    private static let leafScale = ColorScale([
        (105, Tint(0.460, 0.560, 0.220)), (150, Tint(0.250, 0.380, 0.140)), (245, Tint(0.270, 0.370, 0.130)),
        (280, Tint(0.760, 0.600, 0.130)), (310, Tint(0.720, 0.510, 0.150)),
    ])
}
