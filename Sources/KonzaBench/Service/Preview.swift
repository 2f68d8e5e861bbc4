internal import KonzaSystem
internal import Synchronization

/// Clients that watch the camera's preview and drop what they get.
final class Preview {
    private final class Counter: Sendable {
        let frames = Atomic(0)
    }

    private let counter = Counter()
    private let flag = StopFlag()
    private let watching: [Task<Void, any Error>]

    init(socket: String, clients: Int) {
        let (counter, flag) = (counter, flag)
        watching = (0..<clients).map { _ in
            Task {
                try await onDedicatedThread(named: "preview") {
                    let request = UnixHTTPConnection.request("GET", "/v1/camera/preview")
                    var finder = PictureFinder()
                    try UnixHTTPConnection(socket).stream(request) { bytes in
                        counter.frames.add(finder.count(bytes), ordering: .relaxed)
                        return !flag.isSet
                    }
                }
            }
        }
    }

    deinit { flag.raise() }

    /// Frames that have begun, of all clients together.
    var frames: Int { counter.frames.load(ordering: .relaxed) }

    /// Ends the watching.
    ///
    /// - Throws: what went wrong with a client meanwhile.
    func stop() async throws {
        flag.raise()
        for task in watching { try await task.value }
    }
}

/// Counts the beginnings of JPEG pictures in a stream: FF D8 FF, which entropy-coded data cannot hold (T.81 B.1.1.5).
struct PictureFinder {
    /// How much of the beginning ends what has come so far.
    private var matched = 0

    mutating func count(_ bytes: some Sequence<UInt8>) -> Int {
        var count = 0
        for byte in bytes {
            switch (matched, byte) {
            case (1, 0xD8): matched = 2
            case (2, 0xFF):
                count += 1
                matched = 1
            case (_, 0xFF): matched = 1
            default: matched = 0
            }
        }
        return count
    }
}
