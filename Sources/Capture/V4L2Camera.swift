internal import Glibc
internal import KonzaModel
public import KonzaSystem
internal import Synchronization

/// A real camera: finds it, streams from it on demand, and gets it back whenever it goes away.
public final class V4L2Camera: Service {
    public let name = "camera"

    private let settings: CameraSettings
    private let hub: FrameHub
    private let system: any VideoSystem
    private let wakeup: Wakeup
    private let isStopping = Atomic(false)

    /// - Parameters:
    ///   - settings: what to open and how.
    ///   - hub: where the frames go; `settings.idleSeconds` is the hub's.
    /// - Throws: `SystemError` if the process is out of descriptors.
    public convenience init(settings: CameraSettings, hub: FrameHub) throws(SystemError) {
        try self.init(settings: settings, hub: hub, system: KernelVideoSystem())
    }

    init(settings: CameraSettings, hub: FrameHub, system: any VideoSystem) throws(SystemError) {
        self.settings = settings
        self.hub = hub
        self.system = system
        wakeup = try Wakeup()
    }

    /// Runs the camera on a thread of its own until the task is cancelled. A missing or failing camera is a state of
    /// the hub's status, never an error thrown here.
    public func run() async throws {
        try await onDedicatedThread(named: name, onCancel: { [self] in stop() }) { [self] in
            runOnThisThread()
        }
    }

    /// Ends the loop soon.
    func stop() {
        isStopping.store(true, ordering: .releasing)
        wakeup.signal()
    }

    func runOnThisThread() {
        let wakeup = wakeup
        hub.attach(.live) { wakeup.signal() }
        var runner = CameraRunner(settings: settings, hub: hub, system: system, wakeup: wakeup)
        while !isStopping.load(ordering: .acquiring) { runner.turn() }
        runner.end()
        hub.detach()
    }
}
