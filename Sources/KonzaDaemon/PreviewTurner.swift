internal import JPEGCoding
internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// Turns and mirrors frames for the viewers of the preview, away from the camera's thread: only frames that some viewer
/// is due for, each once for all of them, and only the newest where there is no time for all.
final class PreviewTurner: Sendable {
    private struct Order {
        let frame: Frame
        let isMirrored: Bool
        var viewers: [ObjectIdentifier: @Sendable (Frame) -> Void]
    }

    private struct State {
        var next: Order?
        var isRunning = false
    }

    private let turner: FrameTurner
    private let onRefusal: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - memory: whom to ask for memory.
    ///   - onRefusal: called for a frame that is too damaged to be turned.
    init(memory: PictureMemory, onRefusal: @escaping @Sendable () -> Void) {
        turner = FrameTurner(memory: memory)
        self.onRefusal = onRefusal
    }

    /// Has a frame turned for a viewer; one that still waits for an older frame gets this one.
    ///
    /// - Parameters:
    ///   - frame: as the hub gives it.
    ///   - isMirrored: whether left and right are exchanged.
    ///   - viewer: who asks.
    ///   - show: gets the turned frame, on another thread; not called if there is no memory or no thread for it now.
    func submit(
        _ frame: Frame, isMirrored: Bool, for viewer: ObjectIdentifier, _ show: @escaping @Sendable (Frame) -> Void
    ) {
        let starts = state.withLock { state in
            var viewers = state.next?.viewers ?? [:]
            viewers[viewer] = show
            state.next = Order(frame: frame, isMirrored: isMirrored, viewers: viewers)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard starts else { return }
        do throws(SystemError) {
            try startThread(named: "preview") { [self] in run() }
        } catch {
            // The next frame tries again.
            state.withLock { state in
                state.isRunning = false
                state.next = nil
            }
        }
    }

    private func run() {
        var last: (order: Order, turned: Frame?)?
        while let order = take() {
            if let known = last, known.order.frame.data === order.frame.data,
                known.order.isMirrored == order.isMirrored
            {
                deliver(known.turned, order)
                continue
            }
            let turned = turn(order)
            last = (order, turned)
            deliver(turned, order)
        }
    }

    private func take() -> Order? {
        state.withLock { state in
            defer { state.next = nil }
            if state.next == nil { state.isRunning = false }
            return state.next
        }
    }

    private func turn(_ order: Order) -> Frame? {
        do throws(JPEGCodingError) {
            return try turner.upright(order.frame, isMirrored: order.isMirrored).frame
        } catch {
            if error.cause == .refused { onRefusal() }
            return nil
        }
    }

    private func deliver(_ turned: Frame?, _ order: Order) {
        guard let turned else { return }
        for show in order.viewers.values { show(turned) }
    }
}
