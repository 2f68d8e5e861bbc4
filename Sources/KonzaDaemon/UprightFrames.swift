internal import JPEGCoding
internal import KonzaModel
internal import Synchronization

/// Single frames as clients pull them, upright: those who pull the same frame share one that is turned once.
final class UprightFrames: Sendable {
    private struct Newest {
        weak var original: FrameData?
        weak var turned: FrameData?
        var width = 0
        var height = 0
    }

    private let turner: FrameTurner
    private let newest = Mutex(Newest())

    /// - Parameter memory: whom to ask for memory.
    init(memory: PictureMemory) {
        turner = FrameTurner(memory: memory)
    }

    /// Turns a frame, or waits for whoever is turning it: not on a thread that others wait for.
    ///
    /// - Parameter frame: as the hub gives it.
    /// - Returns: the frame itself if it is upright.
    /// - Throws: `JPEGCodingError`.
    func upright(_ frame: Frame) throws(JPEGCodingError) -> Frame {
        guard FrameTurner.isNeeded(for: frame) else { return frame }
        return try newest.withLock { newest throws(JPEGCodingError) in
            if newest.original === frame.data, let turned = newest.turned {
                return frame.turned(turned, width: newest.width, height: newest.height)
            }
            let upright = try turner.upright(frame).frame
            newest = Newest(
                original: frame.data, turned: upright.data, width: upright.width, height: upright.height)
            return upright
        }
    }
}
