internal import Glibc

/// Why a file cannot be put into a folder that somebody may pull out, such as a USB stick's.
public struct DeliveryError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: Sendable, Equatable {
        /// A file of that name is there.
        case exists
        /// No room is left, or the file is larger than the file system takes.
        case full
        /// The folder, or the disk it is on, is not there, or not any more.
        case vanished
        /// The folder may not be written to.
        case readOnly
        /// Anything else.
        case failed
    }

    public let reason: Reason
    public let description: String
}

/// A file on its way into a folder. Under its name it is there wholly or not at all, also if the disk is pulled out or
/// the power fails: it is written under another name, flushed, given its name, and the folder is flushed. Without
/// ``finish()`` nothing is left of it.
public struct DeliveredFile: ~Copyable {
    private let folder: String
    private let name: String
    private let isReplacing: Bool
    private let temporary: String
    private let descriptor: Int32

    /// - Parameters:
    ///   - name: of the file, without a slash.
    ///   - folder: where it goes; it must be there, so that nothing is written beside a disk that is not mounted.
    ///   - replacing: whether a file of that name may be replaced.
    ///   - mode: of the file, before the umask.
    /// - Throws: ``DeliveryError/Reason/exists`` before a byte is written, and what the folder refuses.
    public init(
        _ name: String, in folder: String, replacing: Bool = false, mode: UInt32 = 0o644
    ) throws(DeliveryError) {
        self.name = name
        self.folder = folder
        isReplacing = replacing
        temporary = "\(folder)/.konza-\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
        guard !name.isEmpty, !name.contains("/"), name != ".", name != ".." else {
            throw DeliveryError(reason: .failed, description: "cannot write a file of the name \(name)")
        }
        if !replacing, Self.isThere("\(folder)/\(name)") { throw Self.taken(name, folder) }
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw Self.failure("write into", folder, name) }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
        unsafe unlink(temporary)
    }

    /// Adds bytes.
    ///
    /// - Throws: ``DeliveryError/Reason/full`` and ``DeliveryError/Reason/vanished`` above all.
    public borrowing func write(_ bytes: [UInt8]) throws(DeliveryError) {
        do throws(SystemError) {
            try writeAll(bytes, to: descriptor)
        } catch {
            throw Self.error(error.code, "write to", folder, name)
        }
    }

    /// Returns when the file is on the disk under its name.
    public consuming func finish() throws(DeliveryError) {
        guard fsync(descriptor) == 0 else { throw Self.failure("flush", folder, name) }
        try giveName()
        let handle = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { throw Self.failure("flush", folder, name) }
        defer { close(handle) }
        // Some file systems in user space know no flushing of folders.
        guard fsync(handle) == 0 || errno == EINVAL || errno == ENOSYS else {
            throw Self.failure("flush", folder, name)
        }
    }

    /// Gives the file its name without waiting for the disk: for what need not outlive a power cut.
    public consuming func finishWithoutFlush() throws(DeliveryError) { try giveName() }

    private borrowing func giveName() throws(DeliveryError) {
        let target = "\(folder)/\(name)"
        if isReplacing {
            guard unsafe rename(temporary, target) == 0 else { throw Self.failure("name a file in", folder, name) }
            return
        }
        do throws(SystemError) {
            try renameWithoutReplacing(temporary, to: target)
        } catch {
            guard error.code == EPERM || error.code == EOPNOTSUPP || error.code == EMLINK else {
                throw Self.error(error.code, "name a file in", folder, name)
            }
            // A file system without links and without a rename that refuses: the name is taken first.
            let place = unsafe open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
            guard place >= 0 else { throw Self.failure("name a file in", folder, name) }
            close(place)
            guard unsafe rename(temporary, target) == 0 else {
                let failure = Self.failure("name a file in", folder, name)
                unsafe unlink(target)
                throw failure
            }
        }
    }

    private static func isThere(_ path: String) -> Bool {
        var facts = stat()
        return unsafe lstat(path, &facts) == 0
    }

    private static func taken(_ name: String, _ folder: String) -> DeliveryError {
        DeliveryError(
            reason: .exists,
            description: "cannot write \(name) into \(folder): it is there already; remove it or replace it")
    }

    private static func failure(_ action: String, _ folder: String, _ name: String) -> DeliveryError {
        error(errno, action, folder, name)
    }

    private static func error(_ code: Int32, _ action: String, _ folder: String, _ name: String) -> DeliveryError {
        let (reason, why): (DeliveryError.Reason, String) =
            switch code {
            case EEXIST: (.exists, "")
            case ENOSPC, EDQUOT: (.full, "no room is left; make room or take another disk")
            case EFBIG: (.full, "the file is too large for it (FAT ends at 4 GiB); export fewer specimens")
            case ENOENT, ENOTDIR, ENODEV, ENXIO, EIO, ESTALE, ENOTCONN:
                (.vanished, "it is not there or not any more (\(SystemError.text(code))); was it pulled out?")
            case EROFS, EACCES, EPERM: (.readOnly, "it may not be written to (\(SystemError.text(code)))")
            default: (.failed, SystemError.text(code))
            }
        guard reason != .exists else { return taken(name, folder) }
        return DeliveryError(reason: reason, description: "cannot \(action) \(folder): \(why)")
    }
}
