internal import HTTPServing
internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// The memory of the frames that viewers of the preview hold: each frame is counted once, however many hold it, until the
/// last of them lets go.
final class PreviewFrames: Sendable {
    /// A frame as the hub has it, and as viewers get it.
    private struct Newest {
        weak var original: FrameData?
        weak var counted: FrameData?
    }

    private struct State {
        var newest = Newest()
        var streams: [ObjectIdentifier: ResponseStream] = [:]
    }

    private let memory: MemoryBudget
    private let state = Mutex(State())

    init(_ memory: MemoryBudget) {
        self.memory = memory
    }

    func add(_ stream: ResponseStream) { state.withLock { $0.streams[ObjectIdentifier(stream)] = stream } }

    func remove(_ stream: ResponseStream) { state.withLock { $0.streams[ObjectIdentifier(stream)] = nil } }

    /// The bytes of a frame for a viewer.
    ///
    /// - Returns: nil if there is no memory for it now: leave the frame out, and call ``dropSlowest(beyond:)``.
    func take(_ original: FrameData) -> FrameData? {
        state.withLock { state in
            if state.newest.original === original, let counted = state.newest.counted { return counted }
            guard let reservation = memory.reserve(original.count, for: .answers, account: nil) else { return nil }
            let counted = Self.lend(original, reservation)
            state.newest = Newest(original: original, counted: counted)
            return counted
        }
    }

    /// Drops the viewer that most bytes wait for, if these are more than a frame has: one that keeps up has fewer.
    func dropSlowest(beyond frame: Int) {
        let streams = state.withLock { Array($0.streams.values) }
        let slow = streams.map { ($0.pendingBytes, $0) }.filter { $0.0 > frame }
        slow.max { $0.0 < $1.0 }?.1.drop()
    }

    private static func lend(_ original: FrameData, _ reservation: MemoryReservation) -> FrameData {
        unsafe original.withBytes { bytes in
            unsafe FrameData(lending: bytes) {
                withExtendedLifetime(original) { reservation.release() }
            }
        }
    }
}
