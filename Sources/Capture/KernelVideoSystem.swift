internal import Glibc
internal import KonzaSystem
internal import Synchronization

/// The video devices of this machine.
final class KernelVideoSystem: VideoSystem {
    /// The monitor, made at the first wait.
    private struct Listening: ~Copyable {
        var monitor: UdevMonitor?
        var wasTried = false
    }

    private let root: String
    private let listening = Mutex(Listening())

    /// - Parameter root: the folder that holds the device nodes.
    init(root: String = "/dev") { self.root = root }

    func candidates() -> [String] {
        let stable = entries(of: "\(root)/v4l/by-id").sorted().map { "\(root)/v4l/by-id/\($0)" }
        let numbered = entries(of: root).compactMap { name -> Int? in
            guard name.hasPrefix("video") else { return nil }
            return Int(name.dropFirst(5))
        }
        let known = Set(stable.map(node(of:)))
        return stable + numbered.sorted().map { "\(root)/video\($0)" }.filter { !known.contains($0) }
    }

    func node(of path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    func open(_ path: String, converting: Bool) throws(SystemError) -> any VideoDevice {
        try KernelVideoDevice(path: path, converting: converting)
    }

    func waitForChange(milliseconds: Int32, wakeup: Wakeup) -> DeviceChange {
        let monitor = listening.withLock { listening in
            if !listening.wasTried {
                listening.wasTried = true
                listening.monitor = UdevMonitor()
            }
            return listening.monitor?.descriptor
        }
        var interests: [(descriptor: Int32, events: PollEvents)] = [(wakeup.descriptor, .readable)]
        if let monitor { interests.append((monitor, .readable)) }
        guard let events = try? waitForEvents(on: interests, milliseconds: milliseconds) else { return .timedOut }
        if events.count > 1, !events[1].isEmpty, let change = listening.withLock({ $0.monitor?.next() }) {
            return change
        }
        if events[0].contains(.readable) {
            wakeup.clear()
            return .woken
        }
        return .timedOut
    }

    private func entries(of folder: String) -> [String] {
        ((try? folderEntries(of: folder)) ?? []).map(\.name).filter { !$0.hasPrefix(".") }
    }
}
