internal import Animating
internal import Capture
internal import Drawing
internal import JPEGCoding
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Mounting
internal import Postcards
internal import Stamping
internal import Storage

/// The frames of a burst as the camera gave them: copies, so that the camera gets its buffers back.
struct Burst: Sendable {
    /// Frames a second, at the most.
    static let rate = 10.0
    /// The longest edge of the animated picture, pixels.
    static let edge = 640
    /// The largest animated picture, bytes.
    static let largestFile = 6 << 20

    /// In the order of their exposure; the first is the postcard's own.
    var frames: [Frame]
    /// What they take.
    let memory: MemoryReservation?
}

extension PostcardMaker {
    /// Takes the frames of an order's burst: from the postcard's own exposure on, as many as come, a tenth of a second apart.
    ///
    /// - Returns: nil if the order has none.
    func burst(_ order: PostcardOrder, after exposure: Exposure) async throws(Problem) -> Burst? {
        guard order.burstSeconds > 0 else { return nil }
        let first = exposure.frame
        let count = Int(Double(order.burstSeconds) * Burst.rate)
        let memory: MemoryReservation?
        do throws(JPEGCodingError) {
            memory = try parts.pictureMemory.reserve((count + 1) * first.data.count, to: "hold the burst")
        } catch {
            throw Problem(StampingError.coding(error))
        }
        var burst = Burst(frames: [first.with(FrameData(first.data.array))], memory: memory)
        var bytes = first.data.count
        let end = first.exposedAt.advanced(bySeconds: Double(order.burstSeconds))
        var next = first.exposedAt.advanced(bySeconds: 1 / Burst.rate)
        while next < end, burst.frames.count <= count {
            guard let frame = try? await parts.hub.shot(exposedNotBefore: next, timeoutSeconds: 1) else { break }
            bytes += frame.data.count
            // Frames that have grown so much that they were not reckoned with end the burst.
            guard memory?.grow(to: bytes) ?? true else { break }
            burst.frames.append(frame.with(FrameData(frame.data.array)))
            // By the first frame's clock, so that a camera of 30 frames a second gives ten, not seven.
            let due = first.exposedAt.advanced(bySeconds: Double(burst.frames.count) / Burst.rate)
            next = max(due, frame.exposedAt.advanced(bySeconds: 0.5 / Burst.rate))
        }
        return burst
    }

    /// The burst as an animated picture with the postcard's lettering on every frame. Frames that cannot be decoded are left
    /// out.
    func animation(of burst: Burst, _ order: PostcardOrder, _ exposure: Exposure) throws(Problem) -> FileContent {
        let (width, height) = Self.animationSize(exposure.frame)
        let overlay: Overlay
        let facts = try facts(order, exposure, size: (width, height))
        do throws(DrawingError) {
            overlay = try parts.artist.overlay(
                template: try parts.library.template(named: order.template), width: width, height: height,
                facts: facts)
        } catch {
            throw Problem(error)
        }
        let memory: MemoryReservation?
        do throws(JPEGCodingError) {
            memory = try parts.pictureMemory.reserve(
                (burst.frames.count * 3 + 24) * width * height + Burst.largestFile, to: "animate the burst")
        } catch {
            throw Problem(StampingError.coding(error))
        }
        defer { memory?.release() }
        var pictures: [AnimationEncoder.Picture] = []
        var last = -1
        for frame in burst.frames {
            guard let image = small(frame, width, height) else { continue }
            let passed = Int((frame.exposedAt.seconds(since: exposure.frame.exposedAt) * 1000).rounded())
            last = max(passed, last + 1)
            pictures.append(.init(overlay.laid(over: image), at: pictures.isEmpty ? 0 : last))
        }
        do throws(AnimationError) {
            let end = max(order.burstSeconds * 1000, last + 100)
            return FileContent(try AnimationEncoder(limit: Burst.largestFile).encode(pictures, end: end))
        } catch {
            throw Problem(.cannotStamp, "\(error)")
        }
    }

    /// Even numbers of pixels, in the frame's proportions.
    private static func animationSize(_ frame: Frame) -> (Int, Int) {
        let long = max(frame.width, frame.height)
        guard long > Burst.edge else { return (frame.width, frame.height) }
        return (max(64, frame.width * Burst.edge / long / 2 * 2), max(64, frame.height * Burst.edge / long / 2 * 2))
    }

    /// A frame upright and small; nil if it is damaged.
    private func small(_ frame: Frame, _ width: Int, _ height: Int) -> RGBImage? {
        guard let upright = try? FrameTurner(memory: parts.pictureMemory).upright(frame), !upright.isDamaged else {
            return nil
        }
        let scale =
            [JPEGDecoder.Scale.eighth, .quarter, .half].first {
                upright.frame.width / $0.rawValue >= width && upright.frame.height / $0.rawValue >= height
            } ?? .full
        let decoder = JPEGDecoder(limits: CoefficientEngine.defaultLimits, memory: parts.pictureMemory)
        guard let decoded = try? decoder.decode(upright.frame.data, scale: scale), !decoded.isDamaged else {
            return nil
        }
        let image = decoded.image
        let whole = PixelArea(x: 0, y: 0, width: image.width, height: image.height)
        return image.averaged(whole, width: width, height: height)
    }
}

extension Overlay {
    /// A picture of the overlay's size with it on top: premultiplied, over opaque pixels, rounded to the nearest value.
    fileprivate func laid(over image: RGBImage) -> RGBImage {
        var pixels = image.pixels
        var target = pixels.mutableSpan
        for patch in patches {
            let source = patch.pixels.span
            for y in 0..<patch.height {
                var from = y * patch.width * 4
                var to = ((patch.y + y) * width + patch.x) * 3
                for _ in 0..<patch.width {
                    let rest = 255 - Int(source[from + 3])
                    for channel in 0..<3 {
                        let value = Int(source[from + channel]) + (Int(target[to + channel]) * rest + 127) / 255
                        target[to + channel] = UInt8(min(255, value))
                    }
                    from += 4
                    to += 3
                }
            }
        }
        return RGBImage(width: width, height: height, pixels: pixels)
    }
}
