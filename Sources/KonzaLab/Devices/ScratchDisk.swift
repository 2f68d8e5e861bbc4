internal import Foundation
internal import KonzaTesting

/// A small ext4 disk under the folder of postcards of the lab's machine, and all that can be wrong with a disk. It is in
/// memory, behind the kernel's loop and delay drivers.
final class ScratchDisk: Sendable {
    private static let image = "/run/konza-lab.disk"
    private static let name = "konza-lab"
    private static let mountPoint = "/var/lib/konza"
    private static let filler = "\(mountPoint)/filler"
    private static let files = "\(mountPoint)/files"
    private let loop: String
    private let sectors: Int
    private let device: String

    /// Makes the disk and mounts it. konzad must not run.
    ///
    /// - Parameters:
    ///   - megabytes: its size.
    ///   - files: how many inodes it has; nil for as many as ext4 likes.
    /// - Throws: ``Complaint`` if the kernel refuses.
    init(megabytes: Int, files: Int? = nil) throws {
        Self.remove()
        try Program("modprobe", "-a", "loop", "dm_mod", "dm_delay", "ext4").succeed()
        try Program("truncate", "-s", "\(megabytes)M", Self.image).succeed()
        loop = try Program("losetup", "--find", "--show", Self.image).succeed().text
            .trimmingCharacters(in: .whitespacesAndNewlines)
        sectors = megabytes * 2048
        try Program(
            "dmsetup", "--noudevsync", "--noudevrules", "create", Self.name, "--table", Self.table(loop, sectors)
        ).succeed()
        // Without udev's word nobody makes the node with the name.
        device = try Program("dmsetup", "info", "-c", "--noheadings", "-o", "blkdevname", Self.name).succeed().text
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let count = files.map { ["-N", "\($0)"] } ?? []
        try Program(["mkfs.ext4", "-q", "-m", "0"] + count + ["/dev/\(device)"]).succeed()
        try mount()
    }

    /// The kernel's table (dm-delay): milliseconds for each read, and for each write or flush.
    private static func table(_ loop: String, _ sectors: Int, reads: Int = 0, writes: Int = 0) -> String {
        "0 \(sectors) delay \(loop) 0 \(reads) \(loop) 0 \(writes)"
    }

    /// Mounts the disk, as the start of the machine does.
    ///
    /// - Throws: ``Complaint`` if it cannot be.
    func mount() throws {
        try Program("mount", "-t", "ext4", "/dev/\(device)", Self.mountPoint).succeed()
        try Program("chown", "konza:konza", Self.mountPoint).succeed()
        try Program("chmod", "0750", Self.mountPoint).succeed()
    }

    /// Takes the disk away, repairs it and mounts it again, as an operator or the next start of the machine does.
    ///
    /// - Throws: ``Complaint`` if it cannot be repaired.
    func repair() throws {
        try Program("umount", Self.mountPoint).succeed()
        let outcome = try Program("e2fsck", "-f", "-y", "/dev/\(device)").run()
        guard outcome.status < 4 else { throw Complaint("e2fsck ended with \(outcome.status): \(outcome.text)") }
        try mount()
    }

    /// Fills the disk, and leaves a number of bytes free, rounded to blocks.
    ///
    /// - Parameter bytes: what stays free.
    /// - Throws: ``Complaint`` if it cannot be filled.
    func fill(leaving bytes: Int) throws {
        try? FileManager.default.removeItem(atPath: Self.filler)
        sync()
        let free = try freeBytes()
        guard free > bytes else { return }
        // The blocks that map so many others come on top.
        _ = try Program("fallocate", "-l", "\(free - bytes)", Self.filler).run()
        sync()
    }

    /// Makes room again, if it was taken.
    func makeRoom() {
        try? FileManager.default.removeItem(atPath: Self.filler)
        sync()
    }

    /// What an unprivileged writer finds free, bytes.
    func freeBytes() throws -> Int {
        let text = try Program("stat", "-f", "-c", "%a %S", Self.mountPoint).succeed().text
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard numbers.count == 2 else { throw Complaint("stat -f says \(text)") }
        return numbers[0] * numbers[1]
    }

    /// What a postcard's files take, bytes.
    func bytesOf(postcard id: String) throws -> Int {
        let text = try Program("find", Self.mountPoint, "-name", "\(id)*", "-printf", "%s\n").succeed().text
        return text.split(separator: "\n").compactMap { Int($0) }.reduce(0, +)
    }

    /// The folder that a postcard's files are in.
    func folder(of id: String) throws -> String {
        let text = try Program("find", Self.mountPoint, "-name", "\(id).jpg", "-printf", "%h").succeed().text
        guard !text.isEmpty else { throw Complaint("\(id) has no picture on the disk") }
        return text
    }

    /// How many steps a write of one postcard has here.
    ///
    /// - Parameters:
    ///   - folder: where its files come.
    ///   - write: what writes one postcard.
    /// - Returns: the steps (``WriteSteps``).
    /// - Throws: what the write throws, and ``Complaint`` if no step was seen.
    func stepsOfWriting(in folder: String, _ write: () throws -> Void) throws -> Int {
        let steps = try WriteSteps(in: folder)
        try write()
        let count = steps.next(milliseconds: 0)
        guard count > 0 else { throw Complaint("nobody wrote into \(folder)") }
        return count
    }

    /// Fills the disk in the middle of a write.
    ///
    /// - Parameters:
    ///   - bytes: what stays free.
    ///   - step: of the write, from 1; as soon as it is done.
    ///   - folder: where the postcard's files come.
    /// - Returns: what is going on; end it when the write is over.
    /// - Throws: ``Complaint`` if the folder cannot be watched.
    func fillUnderWay(leaving bytes: Int, after step: Int, in folder: String) throws -> Filling {
        Filling(steps: try WriteSteps(in: folder), after: step, filler: Self.filler, leaving: bytes)
    }

    /// Uses inodes up.
    ///
    /// - Parameter count: how many stay free.
    /// - Throws: ``Complaint`` if they cannot be used.
    func useFiles(leaving count: Int) throws {
        giveFilesBack()
        try FileManager.default.createDirectory(atPath: Self.files, withIntermediateDirectories: true)
        let free = try Program("stat", "-f", "-c", "%d", Self.mountPoint).succeed().text
        guard let free = Int(free.trimmingCharacters(in: .whitespacesAndNewlines)), free >= count else {
            throw Complaint("there are only \(free) inodes")
        }
        for number in 0..<(free - count) { try FileHandle.made(at: "\(Self.files)/\(number)").close() }
    }

    func giveFilesBack() { try? FileManager.default.removeItem(atPath: Self.files) }

    /// Every write takes so long from now on.
    ///
    /// - Parameter milliseconds: for each request that reaches the disk; 0 for a sound one.
    /// - Throws: ``Complaint`` if the kernel refuses.
    func delayWrites(milliseconds: Int) throws { try load(Self.table(loop, sectors, writes: milliseconds)) }

    /// Every read takes so long from now on.
    ///
    /// - Parameter milliseconds: for each request that reaches the disk; 0 for a sound one.
    /// - Throws: ``Complaint`` if the kernel refuses.
    func delayReads(milliseconds: Int) throws { try load(Self.table(loop, sectors, reads: milliseconds)) }

    /// What was read from any disk is read again (drop_caches).
    ///
    /// - Throws: if the kernel refuses.
    static func forgetCache() throws {
        sync()
        try "3".write(toFile: "/proc/sys/vm/drop_caches", atomically: false, encoding: .utf8)
    }

    private func load(_ table: String) throws {
        try Program("dmsetup", "--noudevsync", "reload", Self.name, "--table", table).succeed()
        try Program("dmsetup", "--noudevsync", "suspend", "--noflush", "--nolockfs", Self.name).succeed(seconds: 300)
        try Program("dmsetup", "--noudevsync", "resume", Self.name).succeed(seconds: 300)
    }

    /// Nothing is written and nobody is told, until ``thaw()``.
    func freeze() throws { try Program("fsfreeze", "-f", Self.mountPoint).succeed() }

    func thaw() throws { try Program("fsfreeze", "-u", Self.mountPoint).succeed() }

    /// The kernel makes every disk read-only, files that are open for writing or not (sysrq u).
    func makeReadOnly() throws {
        try "u".write(toFile: "/proc/sysrq-trigger", atomically: false, encoding: .utf8)
        let limit = ContinuousClock.now + .seconds(60)
        while try !mountOptions().contains("ro") {
            guard ContinuousClock.now < limit else { throw Complaint("the disk did not become read-only") }
            usleep(50_000)
        }
    }

    /// Ends ``makeReadOnly()``.
    func makeWritable() throws { try Program("mount", "-o", "remount,rw", Self.mountPoint).succeed() }

    /// ext4 gives the disk up, as it does when its journal cannot be written: read-only until it is repaired.
    func abort() throws { _ = try Program("mount", "-o", "remount,abort", Self.mountPoint).run() }

    private func mountOptions() throws -> [Substring] {
        let text = try Program("findmnt", "-n", "-o", "FS-OPTIONS", Self.mountPoint).succeed().text
        return text.trimmingCharacters(in: .whitespacesAndNewlines).split(separator: ",")
    }

    /// Lets go of those who wait for the disk of a scenario that has failed.
    static func release() {
        guard FileManager.default.fileExists(atPath: image) else { return }
        _ = try? Program("fsfreeze", "-u", mountPoint).run(seconds: 30)
    }

    /// Takes away what a scenario left, in whatever state it is. konzad must not run.
    static func remove() {
        guard FileManager.default.fileExists(atPath: image) else { return }
        for words in [
            ["umount", mountPoint], ["dmsetup", "--noudevsync", "remove", "--force", name],
        ] { _ = try? Program(words).run(seconds: 30) }
        let loops = (try? Program("losetup", "-n", "-O", "NAME", "-j", image).run().text) ?? ""
        for loop in loops.split(whereSeparator: \.isWhitespace) {
            _ = try? Program("losetup", "-d", String(loop)).run()
        }
        try? FileManager.default.removeItem(atPath: image)
    }
}
