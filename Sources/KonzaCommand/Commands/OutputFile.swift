internal import Glibc
internal import KonzaSystem

/// A file that a command leaves behind: whole or not at all, and never over another unless that is wished.
struct OutputFile: Sendable {
    let path: String
    let replaces: Bool

    /// The file that `--output` names, or the standard one.
    ///
    /// - Throws: when it could not be written; ask before anything that cannot be undone.
    init(_ invocation: Invocation, standard: String) throws(CommandFailure) {
        path = invocation.text("output") ?? standard
        replaces = invocation.has("force")
        guard !isStandardOutput else { return }
        if isDirectory { throw failure("it is a folder; name a file in it", .cannotCreate) }
        if !replaces, unsafe access(path, F_OK) == 0 { throw existing }
        guard unsafe access(folder, F_OK) == 0 else { throw failure("there is no folder \(folder)", .cannotCreate) }
        guard unsafe access(folder, W_OK) == 0 else {
            throw failure("you may not write to the folder \(folder); choose another with -o", .permission)
        }
    }

    var isStandardOutput: Bool { path == "-" }

    /// Writes the bytes: a temporary file beside the target, synced, then renamed.
    func write(_ bytes: [UInt8], console: any Console) throws(CommandFailure) {
        if isStandardOutput { return try console.write(bytes) }
        let temporary = "\(folder)/.konza-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).part"
        do throws(SystemError) {
            try fill(temporary, bytes)
            if replaces {
                guard unsafe rename(temporary, path) == 0 else { throw SystemError("rename") }
            } else {
                try placeNew(temporary)
            }
        } catch {
            unsafe unlink(temporary)
            if error.code == EEXIST { throw existing }
            throw failure(SystemError.text(error.code), error.code == EACCES ? .permission : .io)
        }
    }

    private func fill(_ temporary: String, _ bytes: [UInt8]) throws(SystemError) {
        let number = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard number >= 0 else { throw SystemError("open") }
        let file = FileDescriptor(owning: number)
        var offset = 0
        while offset < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(file.number, buffer.baseAddress.map { unsafe $0 + offset }, bytes.count - offset)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemError("write")
            }
            offset += count
        }
        guard fsync(file.number) == 0 else { throw SystemError("sync") }
    }

    /// A stick with FAT knows neither a rename that refuses nor a second name: there the check and the rename are two
    /// steps.
    private func placeNew(_ temporary: String) throws(SystemError) {
        do throws(SystemError) {
            try renameWithoutReplacing(temporary, to: path)
        } catch {
            guard error.code == EPERM || error.code == EOPNOTSUPP else { throw error }
            if unsafe access(path, F_OK) == 0 { throw SystemError(code: EEXIST, action: "rename") }
            guard unsafe rename(temporary, path) == 0 else { throw SystemError("rename") }
        }
    }

    private var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private var isDirectory: Bool {
        if path.hasSuffix("/") { return true }
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private var existing: CommandFailure {
        failure("there is such a file already; choose another name, or --force to replace it", .cannotCreate)
    }

    private func failure(_ why: String, _ code: ExitCode) -> CommandFailure {
        CommandFailure("cannot write \(path): \(why)", code)
    }
}
