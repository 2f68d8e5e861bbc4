internal import KonzaModel
internal import KonzaSystem
internal import Postcards
internal import Settings
internal import Storage
internal import Synchronization

/// Opens the archive, looks at its disk once a second, and opens it again where that failed: on a thread that may wait, so
/// that nobody who asks for the archive's figures waits for the disk.
final class ArchiveWatch: Service {
    let name = "archive"

    /// Seconds between two looks.
    private static let period = 1.0
    /// How long the start waits for the archive, seconds. One that takes longer, since its index has to be made anew,
    /// is opened while everything else is served.
    private static let startPatience = 10.0
    private static let pollInterval = 0.005

    private let parts: StationParts
    private let isOpen = Mutex(false)

    init(parts: StationParts) {
        self.parts = parts
    }

    func run() async throws {
        await onTicks(named: "archive", of: parts.clock, everySeconds: Self.period) { [self] in look() }
    }

    /// Waits until the archive is open, or is known not to open, at most for the start's patience.
    func openArchive() async {
        Task {
            await onBlockingThread { [parts] in
                parts.store.open()
                parts.setArchiveLimits()
            }
            isOpen.withLock { $0 = true }
            // What is left of the comparison with the files goes on while everything is served.
            await onBlockingThread { look() }
        }
        let deadline = parts.clock.monotonic().advanced(bySeconds: Self.startPatience)
        while !isOpen.withLock({ $0 }), parts.clock.monotonic() < deadline {
            try? await parts.clock.sleep(until: parts.clock.monotonic().advanced(bySeconds: Self.pollInterval))
        }
    }

    private func look() {
        parts.store.refresh()
        parts.setArchiveLimits()
    }
}

extension StationParts {
    /// Gives the archive the limits of the settings, some of which are shares of the disk.
    func setArchiveLimits() {
        let capacity = store.capacityBytes ?? 0
        archive.setLimits(RetentionLimits(settings.current.postcards, capacity: capacity))
    }
}
