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
        let folder = folderAndName(of: path).folder
        guard unsafe access(folder, F_OK) == 0 else { throw failure("there is no folder \(folder)", .cannotCreate) }
        guard unsafe access(folder, W_OK) == 0 else {
            throw failure("you may not write to the folder \(folder); choose another with -o", .permission)
        }
    }

    var isStandardOutput: Bool { path == "-" }

    /// Writes the bytes (``DeliveredFile``).
    func write(_ bytes: [UInt8], console: any Console) throws(CommandFailure) {
        if isStandardOutput { return try console.write(bytes) }
        let place = folderAndName(of: path)
        do throws(DeliveryError) {
            let file = try DeliveredFile(place.name, in: place.folder, replacing: replaces, mode: 0o666)
            try file.write(bytes)
            try file.finish()
        } catch {
            if error.reason == .exists { throw existing }
            throw Delivery.failure(error, isBeginning: false)
        }
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
