import Glibc
import KonzaModel
import KonzaSystem
import Synchronization

// A libFuzzer target over large bodies on their way to the disk: arbitrary parts, a disk that writes, is late or fails, a
// server that stops, against plain sums. Its sources are compiled beside it, for they are internal to their module; the
// executor and the suspended connection here take the places of KonzaSystem's and libmicrohttpd's.

/// Runs jobs when the input says so, in order.
final class BlockingThreads: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// - Returns: false if there is none.
    func runOne() -> Bool {
        guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }
}

/// Notes that libmicrohttpd would hold the connection.
struct SuspendedConnection: Sendable {
    let disk: Disk

    func resume() {
        let wasSuspended = disk.state.withLock { state in
            defer { state.isSuspended = false }
            return state.isSuspended
        }
        if !wasSuspended { fail("a connection is resumed that is not suspended") }
    }
}

private struct DiskError: Error {}

/// What all files hold, one after the other.
private let contents: Int32 = {
    var path = Array("/dev/shm/konza-fuzz-XXXXXX".utf8CString)
    let number = mkstemp(&path)
    unlink(path)
    return number
}()

/// A disk whose operation of one number fails.
final class Disk: UploadStore {
    struct State {
        var isSuspended = false
        var operations = 0
        var files = 0
        var largestPiece = 0
        var written = 0
    }

    let state = Mutex(State())
    fileprivate let failing: Int

    init(failing: Int) { self.failing = failing }

    func step() throws {
        let number = state.withLock { state in
            state.operations += 1
            return state.operations
        }
        if number == failing { throw DiskError() }
    }

    func makeFile(limit: Int) throws -> any UploadFile {
        try step()
        return File(disk: self)
    }
}

private final class File: UploadFile {
    private let disk: Disk
    private let descriptor: FileDescriptor

    init(disk: Disk) {
        self.disk = disk
        descriptor = FileDescriptor(owning: dup(contents))
        guard ftruncate(contents, 0) == 0, lseek(contents, 0, SEEK_SET) == 0 else { fail("there is no file") }
        disk.state.withLock { $0.files += 1 }
    }

    deinit { disk.state.withLock { $0.files -= 1 } }

    func write(_ bytes: [UInt8]) throws {
        try disk.step()
        guard Glibc.write(descriptor.number, bytes, bytes.count) == bytes.count else { fail("memory is full") }
        disk.state.withLock { state in
            state.written += bytes.count
            state.largestPiece = max(state.largestPiece, bytes.count)
        }
    }

    func reader() throws -> FileDescriptor {
        try disk.step()
        return FileDescriptor(owning: dup(descriptor.number))
    }
}

/// One upload and what must come of it.
private final class Scene {
    static let piece = 16
    static let account: Account = 4_000_000_000
    let threads = BlockingThreads()
    let memory = MemoryBudget(bytes: 8 * Scene.piece)
    let space: DiskShares
    let room: Int
    let disk: Disk
    var spool: BodySpool?
    var expected: [UInt8] = []
    var largestPart = 0
    /// Bytes that the disk shares hold for it.
    var held = 0
    var isRefused = false
    var isGivenUp = false

    /// - Parameters:
    ///   - room: bytes that the disk shares have for the account.
    ///   - isBound: whether the account is held to a share, which is half of all.
    ///   - failing: the number of the disk's operation that fails; 0 for none.
    init(room: Int, isBound: Bool, failing: Int) {
        self.room = room
        space = DiskShares(bytes: isBound ? 2 * room : room)
        disk = Disk(failing: failing)
        guard let reservation = memory.reserve(2 * Self.piece, for: .bodies, account: Self.account) else {
            fail("there is no memory for the pieces")
        }
        spool = BodySpool(
            store: disk, limit: 4096, threads: threads, space: space, account: isBound ? Self.account : nil,
            reservation: reservation, pieceBytes: Self.piece)
    }

    func bytes(_ count: Int, _ seed: UInt8) -> [UInt8] {
        (0..<count).map { seed ^ UInt8(truncatingIfNeeded: (expected.count + $0) &* 7) }
    }

    func begin(_ part: [UInt8]) {
        expected += part
        largestPart = part.count
        spool?.begin(with: part)
        if part.count <= room { held = part.count }
        check()
    }

    /// As libmicrohttpd does: a suspended connection brings nothing, a refused body is dropped.
    func append(_ part: [UInt8]) {
        while disk.state.withLock({ $0.isSuspended }) {
            guard threads.runOne() else { fail("a connection sleeps for ever") }
        }
        guard let spool, spool.failure == nil, !isRefused else { return }
        let isTaken = unsafe part.withUnsafeBytes { bytes in
            unsafe spool.append(bytes) {
                disk.state.withLock { state in
                    if state.isSuspended { fail("a connection is suspended twice") }
                    state.isSuspended = true
                }
                return SuspendedConnection(disk: disk)
            }
        }
        guard isTaken == (expected.count + part.count <= room) else { fail("another share of the disk") }
        if isTaken {
            expected += part
            held = expected.count
            largestPart = max(largestPart, part.count)
        } else {
            isRefused = true
        }
        check()
    }

    func check() {
        guard let spool else { return }
        guard spool.count == expected.count else { fail("another count") }
        guard space.taken == held else { fail("\(space.taken) bytes of the disk are held instead of \(held)") }
        let (largest, written) = disk.state.withLock { ($0.largestPiece, $0.written) }
        guard largest <= Self.piece - 1 + largestPart else { fail("a piece of \(largest) bytes") }
        guard written <= expected.count else { fail("more is written than came") }
    }

    private enum End: Sendable {
        case upload(Upload)
        case failure(any Error)
    }

    /// The body is whole: the same bytes come out, or the failure does.
    func finish() {
        guard !isRefused, spool?.failure == nil else { return }
        let ended = Ended()
        start(ended)
        while threads.runOne() {}
        let operations = disk.state.withLock { $0.operations }
        switch ended.end.withLock({ $0.take() }) {
        case nil: fail("the body never ends")
        case .upload(let upload):
            guard !isGivenUp, !expected.isEmpty, !disk.fails(within: operations) else { fail("a failure is lost") }
            guard memory.figures.total == 0 else { fail("the memory of the pieces is held") }
            guard space.taken == expected.count else { fail("the disk is free before its bytes are") }
            read(upload)
        case .failure:
            guard isGivenUp || expected.isEmpty || disk.fails(within: operations) else { fail("a body is lost") }
        }
    }

    private final class Ended: Sendable { let end = Mutex<End?>(nil) }

    private func start(_ ended: Ended) {
        guard let spool = spool.take() else { return }
        Task(executorPreference: threads) {
            do {
                let upload = try await spool.finish()
                ended.end.withLock { $0 = .upload(upload) }
            } catch {
                ended.end.withLock { $0 = .failure(error) }
            }
        }
    }

    private func read(_ upload: Upload) {
        guard upload.count == expected.count else { fail("an upload of another length") }
        let held = memory.reserve(8 * Self.piece, for: .pictures, account: 0)
        guard held != nil, let contents = try? upload.contents(in: held) else { fail("an upload cannot be read") }
        guard contents.array == expected else { fail("other bytes come out") }
        guard memory.figures.total == 8 * Self.piece else { fail("the memory of the contents is given back early") }
    }
}

extension Disk {
    fileprivate func fails(within operations: Int) -> Bool {
        (1...max(1, operations)).contains(failing) && operations > 0
    }
}

private func run(_ steps: [UInt8]) -> Scene {
    let scene = Scene(room: Int(steps[0]) * 2, isBound: steps[1] & 1 == 0, failing: Int(steps[1] >> 1) % 16)
    let seed = steps[2]
    var place = 3
    func next() -> Int {
        defer { place += 1 }
        return place < steps.count ? Int(steps[place]) : 0
    }
    scene.begin(scene.bytes(next() % Scene.piece, seed))
    // The server begins with what it has when a part comes.
    scene.append(scene.bytes(next(), seed))
    while place < steps.count {
        let step = next()
        switch step % 8 {
        case 0...3: scene.append(scene.bytes(step / 8, seed))
        case 4: scene.append(scene.bytes(next(), seed))
        case 5, 6: _ = scene.threads.runOne()
        default:
            guard step > 240 else { continue }
            scene.isGivenUp = true
            scene.spool?.giveUp()
            guard !scene.disk.state.withLock({ $0.isSuspended }) else { fail("the server cannot stop") }
        }
    }
    scene.finish()
    return scene
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let steps = unsafe input(bytes, count)
    guard steps.count >= 4 else { return 0 }
    let scene = run(steps)
    scene.spool = nil
    while scene.threads.runOne() {}
    guard scene.space.taken == 0 else { fail("\(scene.space.taken) bytes of the disk are never given back") }
    guard scene.memory.figures.total == 0 else { fail("memory is never given back") }
    guard scene.disk.state.withLock({ $0.files }) == 0 else { fail("a file is left") }
    return 0
}
