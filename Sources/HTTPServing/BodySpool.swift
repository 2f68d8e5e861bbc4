internal import Glibc
internal import KonzaModel
public import KonzaSystem
internal import Synchronization

/// Where bodies go that are too large for memory.
public protocol UploadStore: Sendable {
    /// Makes an empty file. Called on a thread that may wait for the disk.
    ///
    /// - Parameter limit: the most bytes that will be written.
    /// - Returns: the file.
    /// - Throws: a `Problem` for the client, or any other error for a 503.
    func makeFile(limit: Int) throws -> any UploadFile
}

/// A file of an ``UploadStore``, gone with its last descriptor.
public protocol UploadFile: Sendable {
    /// Adds bytes at the end. May wait for the disk.
    func write(_ bytes: [UInt8]) throws
    /// A descriptor to read it by.
    func reader() throws -> FileDescriptor
}

/// A body on its way to a file. The server's thread hands over pieces and never waits: when two pieces are full and the
/// first is not written yet, the connection is suspended until it is.
final class BodySpool: Sendable {
    /// Bytes of a piece. Two are held: one that is being written and one that fills.
    static let pieceBytes = 256 << 10

    private struct State {
        var filling: [UInt8] = []
        var count = 0
        var isWriting = false
        var file: (any UploadFile)?
        var failure: (any Error)?
        var suspended: SuspendedConnection?
        var waiting: CheckedContinuation<Void, Never>?
        /// Disk space taken from the shares.
        var taken = 0
    }

    private let store: any UploadStore
    private let limit: Int
    private let threads: BlockingThreads
    private let space: DiskShares
    private let account: Account?
    private let reservation: MemoryReservation
    private let pieceBytes: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - store: makes the file when the first piece is full.
    ///   - limit: bytes of the body at the most.
    ///   - threads: what waits for the disk.
    ///   - space: the disk space of all uploads.
    ///   - account: in whose name; nil for one who is not held to a share.
    ///   - reservation: of the memory of the pieces.
    ///   - pieceBytes: of a piece.
    init(
        store: any UploadStore, limit: Int, threads: BlockingThreads, space: DiskShares, account: Account?,
        reservation: MemoryReservation, pieceBytes: Int = BodySpool.pieceBytes
    ) {
        self.store = store
        self.limit = limit
        self.threads = threads
        self.space = space
        self.account = account
        self.reservation = reservation
        self.pieceBytes = pieceBytes
    }

    deinit { space.giveBack(state.withLock { $0.taken }, of: account) }

    /// Bytes that came so far.
    var count: Int { state.withLock { $0.count } }

    /// Why the body cannot be taken, once something went wrong.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Takes what came before the first part; less than a piece.
    func begin(with bytes: [UInt8]) {
        state.withLock { state in
            state.filling = bytes
            state.count = bytes.count
            // If there is no room, the next part is refused: it takes what is missing, too.
            if space.take(bytes.count, for: account) { state.taken = bytes.count }
        }
    }

    /// Adds a part; on the server's thread.
    ///
    /// - Parameters:
    ///   - part: the bytes.
    ///   - suspend: puts the connection to sleep if the disk does not keep up.
    /// - Returns: false if there is no disk space left for the account.
    func append(_ part: UnsafeRawBufferPointer, suspend: () -> SuspendedConnection) -> Bool {
        state.withLock { state in
            guard state.failure == nil else { return true }
            let count = state.count + part.count
            guard space.take(count - state.taken, for: account) else { return false }
            state.taken = count
            state.count = count
            unsafe state.filling.append(contentsOf: part)
            guard state.filling.count >= pieceBytes else { return true }
            if !state.isWriting {
                writeNext(&state)
            } else if state.suspended == nil {
                state.suspended = suspend()
            }
            return true
        }
    }

    /// Has what is filled written, under the lock.
    private func writeNext(_ state: inout State) {
        let piece = state.filling
        state.filling = []
        state.filling.reserveCapacity(pieceBytes + 32_768)
        state.isWriting = true
        Task(executorPreference: threads) { self.write(piece) }
    }

    private func write(_ piece: [UInt8]) {
        let failure: (any Error)?
        do {
            try put(piece)
            failure = nil
        } catch {
            failure = error
        }
        let waiting = state.withLock { state in
            state.isWriting = false
            if let failure {
                state.failure = failure
                state.filling = []
            } else if state.filling.count >= pieceBytes {
                writeNext(&state)
            }
            state.suspended?.resume()
            state.suspended = nil
            guard !state.isWriting else { return nil as CheckedContinuation<Void, Never>? }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    private func put(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        let file: any UploadFile
        if let known = state.withLock({ $0.file }) {
            file = known
        } else {
            file = try store.makeFile(limit: limit)
            state.withLock { $0.file = file }
        }
        try file.write(bytes)
    }

    /// The server stops, or the connection ends: it must not sleep any longer, and nobody waits for what is not written.
    func giveUp() {
        state.withLock { state in
            state.failure = state.failure ?? CancellationError()
            state.filling = []
            state.suspended?.resume()
            state.suspended = nil
        }
    }

    /// Writes the rest of a body that is whole. On a thread that may wait for the disk.
    ///
    /// - Returns: the body; its file stays for as long as it.
    func finish() async throws -> Upload {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.isWriting { state.waiting = continuation }
                return !state.isWriting
            }
            if isReady { continuation.resume() }
        }
        if let failure { throw failure }
        let rest = state.withLock { state in
            defer { state.filling = [] }
            return state.filling
        }
        try put(rest)
        reservation.release()
        guard let file = state.withLock({ $0.file }) else { throw SystemError(code: EIO, action: "find the upload") }
        // Its disk space is given back with the body.
        return try Upload(reading: file, count: count, keeping: self)
    }
}

/// The disk space of all uploads under way, shared like everything else that users take from one another.
final class DiskShares: Sendable {
    private let shares: Mutex<FairShares>
    private static let unbound = Account(user: .max)

    init(bytes: Int) { shares = Mutex(FairShares(capacity: bytes)) }

    /// Bytes that are taken.
    var taken: Int { shares.withLock { $0.taken } }

    func take(_ bytes: Int, for account: Account?) -> Bool {
        shares.withLock { shares in
            guard let account else { return shares.take(bytes, for: Self.unbound, upTo: shares.capacity) }
            return shares.takeFairly(bytes, for: account)
        }
    }

    func giveBack(_ bytes: Int, of account: Account?) {
        shares.withLock { $0.giveBack(bytes, of: account ?? Self.unbound) }
    }
}
