internal import Capture
internal import JPEGCoding
internal import KonzaAPI
internal import KonzaModel
internal import Stamping

/// Turns the frames that are used upright, and mirrors those of the live preview.
struct FrameTurner: Sendable {
    private let turner: JPEGTurner

    /// - Parameter memory: whom to ask for memory.
    init(memory: PictureMemory) {
        turner = JPEGTurner(limits: CoefficientEngine.defaultLimits, memory: memory)
    }

    /// An upright frame, and whether its scan was damaged, which the turned one no longer shows.
    struct Upright: Sendable {
        let frame: Frame
        let isDamaged: Bool
    }

    /// Whether there is anything to be done.
    static func isNeeded(for frame: Frame, isMirrored: Bool = false) -> Bool { isMirrored || frame.turn != .none }

    /// Turns a frame, which takes milliseconds: not on a thread that others wait for.
    ///
    /// - Parameters:
    ///   - frame: as the hub gives it.
    ///   - isMirrored: whether left and right are exchanged then.
    /// - Returns: the frame itself if there is nothing to be done.
    /// - Throws: `JPEGCodingError`.
    func upright(_ frame: Frame, isMirrored: Bool = false) throws(JPEGCodingError) -> Upright {
        guard Self.isNeeded(for: frame, isMirrored: isMirrored) else { return Upright(frame: frame, isDamaged: false) }
        var turn = frame.turn
        turn.isMirrored = isMirrored
        let turned = try turner.turn(frame.data, by: turn)
        return Upright(
            frame: frame.turned(turned.data, width: turned.width, height: turned.height), isDamaged: turned.isDamaged)
    }
}

extension Problem {
    /// Why a frame could not be turned.
    init(turning error: JPEGCodingError) {
        switch error.cause {
        case .memoryBusy, .outOfMemory: self.init(.unavailable, "\(error); try again in a moment")
        default: self.init(.cameraUnavailable, "\(error)")
        }
    }
}
