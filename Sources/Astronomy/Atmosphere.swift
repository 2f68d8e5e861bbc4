internal import Glibc

/// What the atmosphere adds to the elevation of a body (Saemundsson, as Meeus 16.4 has it).
public struct Atmosphere: Sendable, Equatable {
    /// Hectopascal.
    public var pressure: Double
    /// Degrees Celsius.
    public var temperature: Double

    /// 1010 hPa and 10 °C unless said otherwise.
    public init(pressure: Double = 1010, temperature: Double = 10) {
        self.pressure = pressure
        self.temperature = temperature
    }

    /// How much higher than it is a body appears.
    ///
    /// - Parameter elevation: without an atmosphere, degrees.
    /// - Returns: degrees; what is more than a degree below the horizontal is not seen, and not raised.
    public func refraction(elevation: Double) -> Double {
        guard elevation > -1 else { return 0 }
        return 1.02 / tan((elevation + 10.3 / (elevation + 5.11)) * .pi / 180) / 60 * (pressure / 1010)
            * (283 / (273 + temperature))
    }
}
