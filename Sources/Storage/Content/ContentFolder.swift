internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// Which files of a folder are content, and how many there may be.
public struct ContentRule: Sendable {
    /// The endings of their names, in lower case, without the dot.
    public var endings: [String]
    /// The endings of what lies beside them, such as their pictures. All other names are faults.
    public var beside: [String]
    /// How deep they lie: 0 for the folder itself alone.
    public var depth: Int
    /// The most files.
    public var mostFiles: Int
    /// The most bytes of one file.
    public var mostBytes: Int

    public init(
        endings: [String], beside: [String] = [], depth: Int = 0, mostFiles: Int = 200, mostBytes: Int = 1 << 20
    ) {
        self.endings = endings
        self.beside = beside
        self.depth = depth
        self.mostFiles = mostFiles
        self.mostBytes = mostBytes
    }
}

/// Why a file of the content cannot be used.
public struct ContentError: Error, Sendable, Equatable {
    /// Counted from 1; nil where no line is to blame.
    public let line: Int?
    /// What is wrong, and what to do.
    public let detail: String

    public init(line: Int? = nil, _ detail: String) {
        self.line = line
        self.detail = detail
    }

    /// A link could lead to what is no content.
    package static let isLink = ContentError(
        "it is a symbolic link, which is not followed; put the file or the folder itself in its place")

    /// What has another name than those that are read, which are given as patterns.
    package static func isUnknown(as names: [String]) -> ContentError {
        ContentError(
            "it is not read, as its name is none of \(names.joined(separator: ", ")); rename it, or take it away")
    }

    package static let isFolder = ContentError(
        "it is a folder, in which nothing is looked for; move what it has to where it lies, or take it away")
}

/// A file that cannot be used as it is, for people.
public struct ContentFault: Sendable, Equatable, CustomStringConvertible {
    public let file: String
    public let error: ContentError
    /// Whether what was read of it before is used on.
    public let isKept: Bool

    public var description: String {
        "cannot use \(file)" + (error.line.map { " at line \($0)" } ?? "") + ": \(error.detail)"
            + (isKept ? "; what was read of it before is used on" : "")
    }
}

/// The files of a folder that an operator writes, each read into a value when it has changed. A file that cannot be read keeps the
/// value that it had, and is named with the reason; one that is gone is gone. A folder that is not there is empty.
///
/// Changes are found by size and time of change, at each ``refresh()``: that works on every file system, whatever
/// wrote the files.
public final class ContentFolder<Item: Sendable>: Sendable {
    /// Makes the value of a file of its name below the folder, its bytes, and the value that it had.
    public typealias Reader =
        @Sendable (_ name: String, _ bytes: [UInt8], _ before: Item?) throws(ContentError) -> Item

    /// What the folder has.
    public struct Contents: Sendable {
        /// By the file's name below the folder.
        public fileprivate(set) var items: [String: Item] = [:]
        /// Links, files that cannot be used, then what no file of the content is named like; each in the order of the names.
        public fileprivate(set) var faults: [ContentFault] = []
        /// Counts the changes.
        public fileprivate(set) var version = 0
    }

    private struct Known {
        let size: Int64
        let modified: UTCInstant
        let error: ContentError?
    }

    private let folder: String
    private let rule: ContentRule
    private let read: Reader
    private let restore: @Sendable (_ name: String) -> Item?
    private let state = Mutex(Contents())
    /// Held while the folder is looked at, which readers do not wait for.
    private let known = Mutex<[String: Known]>([:])

    /// - Parameters:
    ///   - folder: its path.
    ///   - rule: which files count.
    ///   - restore: what was read of a file before this program ran; nil for nothing. Asked when a file is read for the first time.
    ///   - read: makes the value of a file.
    public init(
        _ folder: String, _ rule: ContentRule, restore: @escaping @Sendable (_ name: String) -> Item? = { _ in nil },
        read: @escaping Reader
    ) {
        self.folder = folder
        self.rule = rule
        self.restore = restore
        self.read = read
    }

    /// What was found at the last look.
    public var contents: Contents { state.withLock { $0 } }

    /// Looks at the folder once more, and reads what has changed. Blocks.
    ///
    /// - Returns: whether anything has changed.
    @discardableResult
    public func refresh() -> Bool {
        known.withLock { known in
            var names: [String] = []
            var errors: [(name: String, error: ContentError)] = []
            var unknown: [(name: String, error: ContentError)] = []
            do throws(FileError) {
                if Folder.status(folder)?.isLink == true {
                    // What was there before is not gone either.
                    names = Array(known.keys)
                    errors.append(("", .isLink))
                } else {
                    try list("", depth: 0, &names, &unknown)
                    unknown.sort { $0.name < $1.name }
                    errors = unknown.filter { $0.error == .isLink }
                }
            } catch {
                // What cannot be listed is not gone.
                names = Array(known.keys)
                errors.append(("", ContentError("\(error); let the portal's user read the folder")))
            }
            names.sort()
            // Unicode has several spellings of one name.
            for (one, other) in zip(names, names.dropFirst()) where one == other {
                errors.append((one, ContentError("there are two files of this name; give one of them another")))
            }
            names = names.enumerated().filter { $0 == 0 || names[$0 - 1] != $1 }.map(\.element)
            if names.count > rule.mostFiles {
                errors.append(
                    ("", ContentError("it has more than \(rule.mostFiles) files, the others are not used; join some")))
                names.removeLast(names.count - rule.mostFiles)
            }
            var items: [String: Item] = [:]
            let before = state.withLock { $0 }
            var isChanged = false
            var found: [String: Known] = [:]
            for name in names {
                let restored = known[name] == nil && before.items[name] == nil ? restore(name) : nil
                let (fresh, entry) = look(name, known[name], before.items[name] ?? restored)
                found[name] = entry
                if fresh ?? restored != nil { isChanged = true }
                items[name] = fresh ?? before.items[name] ?? restored
                if let error = entry.error { errors.append((name, error)) }
            }
            // Those that are meant to be read come first.
            errors += unknown.filter { $0.error != .isLink }
            let faults = errors.map { name, error in
                ContentFault(
                    file: name.isEmpty ? folder : "\(folder)/\(name)", error: error,
                    isKept: !name.isEmpty && items[name] != nil)
            }
            known = found
            guard isChanged || faults != before.faults || Set(items.keys) != Set(before.items.keys) else {
                return false
            }
            state.withLock { state in
                state.items = items
                state.faults = faults
                state.version += 1
            }
            return true
        }
    }

    /// - Returns: a new value if the file has changed and can be read, and what is known of it then.
    private func look(_ name: String, _ known: Known?, _ before: Item?) -> (Item?, Known) {
        let path = "\(folder)/\(name)"
        guard let status = Folder.status(path) else {
            return (nil, Known(size: -1, modified: .earliest, error: ContentError("it cannot be looked at")))
        }
        if let known, known.size == status.byteCount, known.modified == status.modified { return (nil, known) }
        func failed(_ error: ContentError) -> (Item?, Known) {
            (nil, Known(size: status.byteCount, modified: status.modified, error: error))
        }
        guard !status.isLink else { return failed(ContentError.isLink) }
        do throws(FileError) {
            guard let bytes = try Folder.contents(path, limit: rule.mostBytes) else {
                return failed(
                    ContentError("it has \(status.byteCount) bytes, and \(rule.mostBytes) are the most; make two of it")
                )
            }
            do throws(ContentError) {
                let item = try read(name, bytes, before)
                return (item, Known(size: status.byteCount, modified: status.modified, error: nil))
            } catch {
                return failed(error)
            }
        } catch {
            return failed(ContentError("\(error); it must be a file that the portal's user can read"))
        }
    }

    /// Finds the files that count, and what cannot be read by its name or its kind.
    private func list(
        _ below: String, depth: Int, _ names: inout [String], _ unknown: inout [(name: String, error: ContentError)]
    ) throws(FileError) {
        let here = below.isEmpty ? folder : "\(folder)/\(below)"
        for entry in try Folder.entries(here) where !Folder.isBackup(entry.name) {
            // Beyond the bound it is enough to know that there are more.
            guard names.count <= rule.mostFiles else { return }
            let name = below.isEmpty ? entry.name : "\(below)/\(entry.name)"
            if entry.isFolder, depth < rule.depth {
                try list(name, depth: depth + 1, &names, &unknown)
            } else if !entry.isFolder, Self.ends(name, in: rule.endings) {
                names.append(name)
            } else if unknown.count < rule.mostFiles, let error = fault(name, entry) {
                unknown.append((name, error))
            }
        }
    }

    /// What is wrong with what is none of the files that count; nil for what lies beside them.
    private func fault(_ name: String, _ entry: FolderEntry) -> ContentError? {
        if Folder.status("\(folder)/\(name)")?.isLink == true { return .isLink }
        if entry.isFolder { return .isFolder }
        return Self.ends(name, in: rule.beside) ? nil : .isUnknown(as: rule.endings.map { "*.\($0)" })
    }

    private static func ends(_ name: String, in endings: [String]) -> Bool {
        endings.contains { name.lowercased().hasSuffix(".\($0)") }
    }
}
