internal import Glibc
internal import KonzaSystem

/// Where a file goes that may be large, or go to a stick: the standard output, a file, or a folder, in which a name is
/// chosen for it.
struct Destination: Sendable, Equatable {
    let folder: String
    let name: String
    let replaces: Bool
    let isStandardOutput: Bool

    var path: String { folder == "." ? name : folder == "/" ? "/\(name)" : "\(folder)/\(name)" }

    /// - Parameters:
    ///   - invocation: with `--output` and `--force`.
    ///   - standard: the name that is chosen; another number is added to it where it is taken.
    /// - Throws: if no name is free.
    init(_ invocation: Invocation, standard: String) throws(CommandFailure) {
        let given = invocation.text("output")
        replaces = invocation.has("force")
        isStandardOutput = given == "-"
        if let given, given != "-", !Self.isFolder(given) {
            (folder, name) = folderAndName(of: given)
            return
        }
        var folder = given ?? "."
        while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
        self.folder = isStandardOutput ? "." : folder
        name = replaces || isStandardOutput ? standard : try Self.free(standard, in: folder)
    }

    private static func isFolder(_ path: String) -> Bool {
        if path.hasSuffix("/") { return true }
        var facts = stat()
        return unsafe stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    private static func free(_ name: String, in folder: String) throws(CommandFailure) -> String {
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        for number in 1...999 {
            let candidate = number == 1 ? name : "\(name[..<dot])-\(number)\(name[dot...])"
            if unsafe access("\(folder)/\(candidate)", F_OK) != 0 { return candidate }
        }
        throw CommandFailure("cannot write into \(folder): no name is free; remove some files", .cannotCreate)
    }

    /// A text as the name of a file on any file system, FAT among them.
    static func safe(_ text: String) -> String {
        let name = text.unicodeScalars.map { scalar -> Character in
            switch scalar.value {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: Character(scalar)
            case 0x80...: TextSafety.isDangerous(scalar) ? "_" : Character(scalar)
            default: "_"
            }
        }
        let joined = String(name)
        return joined.hasPrefix(".") || joined.hasPrefix("-") ? "_\(joined.dropFirst())" : joined
    }
}

/// Bytes on their way to a destination. Without ``finish()`` there is no file.
final class Delivery {
    private var file: DeliveredFile?
    private let console: any Console
    private let destination: Destination
    private var failure: CommandFailure?
    private var count = 0
    /// What a terminal has not got yet of a line, which is made safe as a whole.
    private var line: [UInt8] = []
    private static let longestLine = 1 << 20

    /// - Parameters:
    ///   - destination: where to.
    ///   - isText: whether a terminal can show it.
    ///   - console: for the standard output.
    /// - Throws: if the file cannot be made; before anything is asked of the station.
    init(_ destination: Destination, isText: Bool, console: any Console) throws(CommandFailure) {
        self.destination = destination
        self.console = console
        guard !destination.isStandardOutput else {
            guard isText || !console.isTerminal else {
                throw CommandFailure(
                    "cannot show this on a terminal: it is no text; name a file with -o, or lead the output into one",
                    .usage)
            }
            return
        }
        do throws(DeliveryError) {
            file = try DeliveredFile(
                destination.name, in: destination.folder, replacing: destination.replaces)
        } catch {
            throw Self.failure(error, isBeginning: true)
        }
    }

    /// Takes the next bytes.
    ///
    /// - Returns: false if no more are of use, because they cannot be written or an interrupt came.
    @discardableResult
    func take(_ bytes: [UInt8]) -> Bool {
        guard failure == nil, !console.wasInterrupted else { return false }
        do throws(CommandFailure) {
            try write(bytes)
            count += bytes.count
        } catch {
            failure = error
        }
        return failure == nil
    }

    private func write(_ bytes: [UInt8]) throws(CommandFailure) {
        guard file != nil else { return try show(bytes) }
        do throws(DeliveryError) {
            try file?.write(bytes)
        } catch {
            throw Self.failure(error, isBeginning: false)
        }
    }

    private func show(_ bytes: [UInt8]) throws(CommandFailure) {
        guard console.isTerminal else { return try console.write(bytes) }
        // Of the line end CR LF a terminal needs the second half.
        line += bytes.filter { $0 != 0x0D }
        guard let end = line.lastIndex(of: 0x0A).map({ $0 + 1 }) ?? (line.count > Self.longestLine ? line.count : nil)
        else { return }
        try console.write(TextSafety.cleanedLines(String(decoding: line[..<end], as: UTF8.self)))
        line.removeSubrange(..<end)
    }

    /// Returns when the file is on the disk under its name.
    ///
    /// - Returns: the bytes in it.
    func finish() throws(CommandFailure) -> Int {
        if let failure { throw failure }
        guard !console.wasInterrupted else {
            throw CommandFailure("cannot write \(destination.path): interrupted; nothing was left behind", .temporary)
        }
        guard let file = file.take() else {
            if !line.isEmpty { try console.write(TextSafety.cleanedLines(String(decoding: line, as: UTF8.self))) }
            return count
        }
        do throws(DeliveryError) {
            try file.finish()
        } catch {
            throw Self.failure(error, isBeginning: false)
        }
        return count
    }

    static func failure(_ error: DeliveryError, isBeginning: Bool) -> CommandFailure {
        switch error.reason {
        case .exists: CommandFailure("\(error), with --force", .cannotCreate)
        case .vanished: CommandFailure("\(error)", isBeginning ? .cannotCreate : .io)
        case .readOnly: CommandFailure("\(error)", .permission)
        case .full, .failed: CommandFailure("\(error)", .io)
        }
    }
}
