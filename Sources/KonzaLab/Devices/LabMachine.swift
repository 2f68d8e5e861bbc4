internal import Foundation

/// A machine that a scenario on the build machine boots for itself: konza installed, systemd, cameras, disks of its own.
///
/// What runs in it is a command line, best `konza-lab run --out /lab/results NAME` of a scenario with the extent
/// `.part`. The folder is shared: what the machine writes into `/lab` is there at once and survives a cut.
public final class LabMachine: Sendable {
    /// `/lab` in the machine.
    public let folder: String
    private let process: Process

    /// Switches a machine on.
    ///
    /// - Parameters:
    ///   - folder: shared with the machine as `/lab`; made if it is not there.
    ///   - root: a raw image with ext4 that takes what is written, `/dev/vda`; nil for the machine's memory. What is
    ///     installed on it stays installed.
    ///   - disks: further raw images, `/dev/vdb` and on, `/dev/vda` without a root.
    ///   - command: run by bash as root; the machine is off when it ends.
    ///   - isPlain: whether it does without cameras and without dpkg's word that konza is installed.
    ///   - hasScreen: whether it has one, for ``LabScreen``, and the kiosk's package on it.
    ///   - seconds: the machine is ended after so long.
    /// - Throws: if it cannot be started.
    public init(
        folder: String, root: String? = nil, disks: [String] = [], command: String, isPlain: Bool = false,
        hasScreen: Bool = false, seconds: Int = 300
    ) throws {
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let log = try FileHandle.made(at: "\(folder)/boot.log")
        process = Process()
        process.executableURL = URL(fileURLWithPath: "\(LabMachine.tree)/Tests/Lab/boot")
        var words = [folder, "--seconds", "\(seconds)"]
        if let root { words += ["--root", root] }
        for disk in disks { words += ["--disk", disk] }
        if isPlain { words.append("--unpacked") }
        if hasScreen { words.append("--screen") }
        process.arguments = words + ["--", command]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = log
        process.standardError = log
        try process.run()
    }

    /// The source tree, the same path here and in the machine.
    public static var tree: String {
        ProcessInfo.processInfo.environment["KONZA_LAB_TREE"] ?? FileManager.default.currentDirectoryPath
    }

    /// The command that runs a scenario in a machine.
    ///
    /// - Parameter name: the scenario, whole.
    /// - Returns: the words for `command`.
    /// - Throws: ``Complaint`` if konza-lab is not built.
    public static func running(_ name: String) throws -> String {
        "\(try Program.built("konza-lab")) run --out /lab/results \(name)"
    }

    /// Whether it is on.
    public var isOn: Bool { process.isRunning }

    /// Cuts the power: qemu is killed, and what the machine had not put on its disks is lost.
    public func cut() {
        // The script, timeout and qemu: all of them in the script's process group, which is its own.
        kill(-process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Waits until the machine is off.
    ///
    /// - Returns: the command's exit status; 124 if it hung, 125 if the machine ended before its command.
    public func waitUntilOff() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}
