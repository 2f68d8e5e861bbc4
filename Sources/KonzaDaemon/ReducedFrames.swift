internal import JPEGCoding
internal import KonzaModel
internal import Stamping
internal import Synchronization

/// Smaller versions of single frames, for screens that need no more and for slow networks: a frame is reduced once for all
/// who ask for that size, and one that was just made serves whoever has an older one.
final class ReducedFrames: Sendable {
    /// How long a reduced frame is given to those who have an older one, seconds.
    static let freshness = 0.1
    /// For pictures that are looked at for a moment.
    private static let quality = 80

    /// The newest frame of one size. The lock is held while it is made: whoever wants the same one waits.
    private final class Slot: Sendable {
        struct Newest {
            let original: FrameData
            let originalWidth: Int
            let reduced: Frame
            let madeAt: MonotonicInstant
        }

        let scale: JPEGDecoder.Scale
        let newest = Mutex<Newest?>(nil)

        init(_ scale: JPEGDecoder.Scale) { self.scale = scale }
    }

    private let slots = [JPEGDecoder.Scale.half, .quarter, .eighth].map { Slot($0) }
    private let decoder: JPEGDecoder
    private let clock: any StationClock

    /// - Parameters:
    ///   - memory: whom to ask for memory.
    ///   - clock: tells how old a frame is.
    init(memory: PictureMemory, clock: any StationClock) {
        decoder = JPEGDecoder(limits: CoefficientEngine.defaultLimits, memory: memory)
        self.clock = clock
    }

    /// The smallest of libjpeg's sizes that is no narrower than wanted.
    ///
    /// - Parameters:
    ///   - width: what is wanted, pixels.
    ///   - original: the frame's own width, pixels.
    /// - Returns: the whole size where no other is wide enough.
    static func scale(forWidth width: Int, of original: Int) -> JPEGDecoder.Scale {
        [JPEGDecoder.Scale.eighth, .quarter, .half].first { reduced(original, $0) >= width } ?? .full
    }

    /// libjpeg rounds up.
    private static func reduced(_ width: Int, _ scale: JPEGDecoder.Scale) -> Int {
        (width + scale.rawValue - 1) / scale.rawValue
    }

    /// A reduced frame that was made a moment ago.
    ///
    /// - Parameters:
    ///   - width: pixels that are wanted.
    ///   - known: it was exposed at this instant or later.
    /// - Returns: nil if there is none.
    func fresh(width: Int, exposedNotBefore known: MonotonicInstant?) -> Frame? {
        let now = clock.monotonic()
        for slot in slots {
            let newest = slot.newest.withLock { $0 }
            guard let newest, Self.scale(forWidth: width, of: newest.originalWidth) == slot.scale,
                now.seconds(since: newest.madeAt) <= Self.freshness
            else { continue }
            if let known, newest.reduced.exposedAt < known { continue }
            return newest.reduced
        }
        return nil
    }

    /// Reduces an upright frame, or waits for whoever is reducing it, which takes milliseconds: not on a thread that others
    /// wait for.
    ///
    /// - Returns: the frame itself if it is as small as wanted.
    /// - Throws: `JPEGCodingError`.
    func reduced(_ frame: Frame, width: Int) throws(JPEGCodingError) -> Frame {
        let scale = Self.scale(forWidth: width, of: frame.width)
        guard let slot = slots.first(where: { $0.scale == scale }) else { return frame }
        return try slot.newest.withLock { newest throws(JPEGCodingError) in
            let small: Frame
            if let newest, newest.original === frame.data {
                // A recorded picture may be exposed again.
                if newest.reduced.exposedAt == frame.exposedAt { return newest.reduced }
                small = frame.turned(newest.reduced.data, width: newest.reduced.width, height: newest.reduced.height)
            } else {
                small = try make(frame, scale)
            }
            newest = Slot.Newest(
                original: frame.data, originalWidth: frame.width, reduced: small, madeAt: clock.monotonic())
            return small
        }
    }

    private func make(_ frame: Frame, _ scale: JPEGDecoder.Scale) throws(JPEGCodingError) -> Frame {
        let decoded = try decoder.decode(frame.data, scale: scale)
        defer { withExtendedLifetime(decoded.memory) {} }
        let compressor = JPEGCompressor(quality: Self.quality, subsampling: .halfWidthAndHeight, restarts: .none)
        return frame.turned(
            try compressor.compress(decoded.image), width: decoded.image.width, height: decoded.image.height)
    }
}
