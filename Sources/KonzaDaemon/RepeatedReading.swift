internal import KonzaSystem
internal import Synchronization

/// Reads something from a disk whenever it is asked to, on a thread of its own: whoever asks never waits for the disk.
/// One reading runs at a time, so that an older one never replaces what a newer one found; requests that come meanwhile
/// are coalesced into one more.
final class RepeatedReading: Sendable {
    private enum State {
        case idle
        case reading
        /// Something may have changed since the reading began.
        case askedAgain
    }

    /// As the threads that may wait have: what is read is parsed, too.
    private static let stackBytes = 8 << 20

    private let name: String
    private let read: @Sendable () -> Void
    private let state = Mutex(State.idle)

    /// - Parameters:
    ///   - name: of the thread, at most 15 bytes of it.
    ///   - read: what is read; it may block.
    init(named name: String, _ read: @escaping @Sendable () -> Void) {
        self.name = name
        self.read = read
    }

    /// Has it read again, and returns at once.
    ///
    /// - Returns: false if the system has no thread for it: it is read at the next request.
    @discardableResult
    func ask() -> Bool {
        let isFirst = state.withLock { state in
            defer { state = state == .idle ? .reading : .askedAgain }
            return state == .idle
        }
        guard isFirst else { return true }
        do throws(SystemError) {
            try startThread(named: name, stackBytes: Self.stackBytes) { [self] in
                repeat { read() } while !isDone()
            }
            return true
        } catch {
            state.withLock { $0 = .idle }
            return false
        }
    }

    /// Whether nobody has asked since the last reading began.
    private func isDone() -> Bool {
        state.withLock { state in
            state = state == .askedAgain ? .reading : .idle
            return state == .idle
        }
    }
}
