internal import Foundation
internal import KonzaTesting

/// The kernel's own test camera in the lab's machine, and all that can be wrong with it (the kernel's vivid driver
/// documents its controls).
public final class VividCamera: Sendable {
    private let controls: LockedValue<[String: UInt32]>

    /// As after power-on: bound to its driver, every control at its default.
    ///
    /// - Throws: ``Complaint`` if it is not there.
    public init() throws {
        controls = LockedValue([:])
        try? unbind()
        try bind()
    }

    /// The device node at present: the number may change when it is bound again.
    ///
    /// - Throws: ``Complaint`` if there is none.
    public var path: String {
        get throws {
            let folder = "/sys/class/video4linux"
            let nodes = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            let node = nodes.first { node in
                (try? String(contentsOfFile: "\(folder)/\(node)/name", encoding: .utf8))?.hasPrefix("vivid") == true
            }
            guard let node else { throw Complaint("the vivid camera is not there") }
            return "/dev/\(node)"
        }
    }

    /// Takes the device away as a pulled plug does: its node goes, and udev hears of it.
    ///
    /// - Throws: ``Complaint`` if it is away already.
    public func unbind() throws { try write("vivid.0", into: "/sys/bus/platform/drivers/vivid/unbind") }

    /// Keeps the node open, as another program would: its number is not free for a device that comes.
    ///
    /// - Parameter body: what happens meanwhile.
    /// - Throws: what the body throws.
    public func holdingNode(_ body: () throws -> Void) throws {
        let node = try VideoNode(path)
        try body()
        _ = consume node
    }

    /// Brings the device back, every control at its default.
    ///
    /// - Throws: ``Complaint`` if it is there already.
    public func bind() throws {
        try write("vivid.0", into: "/sys/bus/platform/drivers/vivid/bind")
        _ = try Program("udevadm", "settle", "--timeout=20").run()
        controls.set([:])
    }

    /// Sets a control, or presses a button.
    ///
    /// - Parameters:
    ///   - name: as `v4l2-ctl --list-ctrls` prints it.
    ///   - value: anything for a button.
    /// - Throws: ``Complaint`` if there is no such control, or it is refused.
    public func set(_ name: String, _ value: Int32 = 1) throws {
        try VideoNode(path).set(control: try identifier(of: name), to: value)
    }

    /// Presses a button again and again while the body runs.
    ///
    /// - Parameters:
    ///   - name: as `v4l2-ctl --list-ctrls` prints it.
    ///   - seconds: between two presses.
    ///   - body: what happens meanwhile.
    /// - Throws: what the body throws.
    public func pressing(_ name: String, every seconds: Double, _ body: () throws -> Void) throws {
        let node = try VideoNode(path)
        let control = try identifier(of: name)
        let isDone = LockedValue(false)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            // The driver marks the next frame alone: before anybody else has a turn, on a machine with much to do.
            var priority = sched_param(sched_priority: 1)
            _ = unsafe pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority)
            while !isDone.value {
                try? node.set(control: control, to: 1)
                usleep(UInt32(seconds * 1_000_000))
            }
            ended.signal()
        }
        defer {
            isDone.set(true)
            ended.wait()
        }
        try body()
    }

    private func identifier(of name: String) throws -> UInt32 {
        if controls.value.isEmpty {
            let lines = try Program("v4l2-ctl", "-d", path, "--list-ctrls").succeed().text.split(separator: "\n")
            var found: [String: UInt32] = [:]
            for line in lines {
                let words = line.split(separator: " ")
                guard words.count > 2, words[1].hasPrefix("0x") else { continue }
                found[String(words[0])] = UInt32(words[1].dropFirst(2), radix: 16)
            }
            controls.set(found)
        }
        guard let identifier = controls.value[name] else { throw Complaint("vivid has no control \(name)") }
        return identifier
    }

    private func write(_ text: String, into path: String) throws {
        let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        let count = unsafe bytes.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw Complaint("cannot write \(text) into \(path): error \(errno)") }
    }
}
