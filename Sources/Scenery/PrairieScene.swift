public import KonzaModel
internal import Synchronization

/// A view over the Flint Hills that never was and always could be: what a station without a camera shows. The same
/// size, moment and frame always give the same picture. May be used from any thread.
public final class PrairieScene: Sendable {
    /// How many frames a second the wind is drawn for.
    public static let framesPerSecond = 15.0
    /// The backdrop is drawn anew each time this much of the day has passed, hours.
    private static let step = 1.0 / 30

    public let width: Int
    public let height: Int

    private struct Backdrop {
        let moment: SceneMoment
        /// The last frame.
        var raster: Raster
        /// Its lower rows without the grass that moves, which stands nowhere else.
        let still: [UInt8]
        let foreground: Foreground
    }

    private let backdrop = Mutex<Backdrop?>(nil)

    /// - Returns: nil unless both edges have 64 to 8192 pixels.
    public init?(width: Int, height: Int) {
        guard (64...8192).contains(width), (64...8192).contains(height) else { return nil }
        self.width = width
        self.height = height
    }

    /// The picture of a frame at a moment. The sky and the land of the last moment are kept, so that a stream of frames
    /// costs only the grass that moves.
    public func frame(index: UInt64, at moment: SceneMoment) -> RGBImage {
        let steps = (moment.hour / Self.step).rounded(.down)
        let settled = SceneMoment(hour: steps * Self.step, dayOfYear: moment.dayOfYear)
        // The wind's period is long against a film's loop: an hour.
        let frames = UInt64(Self.framesPerSecond) * 3600
        return backdrop.withLock { kept in
            // Taken out, so that it is painted on where it is: a copy is made only if somebody still has the frame before.
            var drawn = kept.take().flatMap { $0.moment == settled ? $0 : nil } ?? paint(settled)
            drawn.raster.replaceLast(with: drawn.still)
            drawn.foreground.sway(on: &drawn.raster, seconds: Float(Double(index % frames) / Self.framesPerSecond))
            defer { kept = drawn }
            return RGBImage(width: width, height: height, pixels: drawn.raster.pixels)
        }
    }

    /// Lets go of the kept backdrop; the next frame draws it again.
    public func releaseMemory() {
        backdrop.withLock { $0 = nil }
    }

    /// How many bytes are kept between frames.
    public var keptBytes: Int { backdrop.withLock { $0.map { $0.raster.pixels.count + $0.still.count } ?? 0 } }

    private func paint(_ moment: SceneMoment) -> Backdrop {
        let light = Light(moment)
        let season = Season(dayOfYear: moment.dayOfYear).moonlit(light.night)
        let horizon = Float(height) * (width >= height ? 0.50 : 0.53)
        var raster = Raster(width: width, height: height)
        let hills = Hills(light, season, width: width, height: height, horizon: horizon)
        let sky = Sky(
            light, width: width, height: height, horizon: horizon, minutes: Float(moment.hour * 60),
            dayOfYear: moment.dayOfYear)
        sky.paint(on: &raster, rows: min(height, Int(horizon + Float(min(width, height)) * 0.06)))
        hills.paint(on: &raster)
        let foreground = Foreground(light, season, hills, width: width, height: height)
        foreground.paint(on: &raster)
        raster.top = height - foreground.reach
        return Backdrop(
            moment: moment, raster: raster, still: Array(raster.pixels[(raster.top * width * 3)...]),
            foreground: foreground)
    }
}
