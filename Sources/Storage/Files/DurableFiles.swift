internal import Synchronization

/// Writes files so that each is either wholly there after a power cut or not at all: a temporary file in the same
/// folder, write, fsync, rename, and fsync of the folder.
package final class DurableFiles: Sendable {
    /// Where temporary files begin their names; what begins so is swept at start.
    package static let temporaryPrefix = ".konza-"
    package static let temporarySuffix = ".tmp"

    package let operations: any FileOperations
    /// Folders whose own names are known to be on the disk.
    private let durableFolders = Mutex(Set<String>())

    package init(operations: any FileOperations) { self.operations = operations }

    /// One file of a set that is written together.
    package struct Item {
        let name: String
        let content: FileContent

        package init(name: String, content: FileContent) {
            self.name = name
            self.content = content
        }
    }

    /// Writes new files into one folder and returns when all are durable under their names, which must be free. The
    /// files get their names in the order given. After a failure none of them is left, as far as the disk obeys.
    package func write(_ items: [Item], in folder: String) throws(FileError) {
        var temporaries: [String] = []
        var named: [String] = []
        do throws(FileError) {
            try writeTemporaries(items, in: folder, &temporaries)
            for (item, temporary) in zip(items, temporaries) {
                let path = "\(folder)/\(item.name)"
                try operations.renameNew(temporary, to: path)
                named.append(path)
            }
            try operations.synchronizeFolder(folder)
        } catch {
            // The last to be named goes first, so that what announces the set is gone before its parts.
            for path in named.reversed() { try? operations.remove(path) }
            for path in temporaries.dropFirst(named.count) { try? operations.remove(path) }
            throw error
        }
    }

    /// Puts new content under a name that may be in use, at once for every reader.
    package func replace(_ item: Item, in folder: String) throws(FileError) {
        var temporaries: [String] = []
        do throws(FileError) {
            try writeTemporaries([item], in: folder, &temporaries)
            for temporary in temporaries {
                try operations.renameReplacing(temporary, to: "\(folder)/\(item.name)")
            }
            try operations.synchronizeFolder(folder)
        } catch {
            for temporary in temporaries { try? operations.remove(temporary) }
            throw error
        }
    }

    /// Makes a folder and those above it, below `root`, each durable in the one above. A folder that is there already
    /// may be so new that its maker has not flushed its name yet: the first use flushes it too.
    package func makeFolders(_ relative: String, below root: String) throws(FileError) {
        var path = root
        for component in relative.split(separator: "/") {
            let parent = path
            path += "/\(component)"
            let isDurable = durableFolders.withLock { $0.contains(path) } && Folder.exists(path)
            guard !isDurable else { continue }
            try operations.makeFolder(path)
            try operations.synchronizeFolder(parent)
            durableFolders.withLock { _ = $0.insert(path) }
        }
    }

    /// Takes a folder away if nothing is in it.
    package func removeEmptyFolder(_ path: String) {
        durableFolders.withLock { _ = $0.remove(path) }
        operations.removeEmptyFolder(path)
        durableFolders.withLock { _ = $0.remove(path) }
    }

    /// All are written before the first is waited for: the disk takes them together, and a journal commits them at once.
    private func writeTemporaries(
        _ items: [Item], in folder: String, _ paths: inout [String]
    ) throws(FileError) {
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { operations.close(descriptor) } }
        for item in items {
            let path = Self.temporaryPath(for: item.name, in: folder)
            descriptors.append(try operations.create(path))
            paths.append(path)
            try operations.write(item.content, to: descriptors[descriptors.count - 1], path: path)
        }
        for (descriptor, path) in zip(descriptors, paths) { try operations.synchronize(descriptor, path: path) }
    }

    package static func temporaryPath(for name: String, in folder: String) -> String {
        let tag = String(UInt32.random(in: .min ... .max), radix: 36)
        return "\(folder)/\(temporaryPrefix)\(name)-\(tag)\(temporarySuffix)"
    }

    package static func isTemporary(_ name: String) -> Bool {
        name.hasPrefix(temporaryPrefix) && name.hasSuffix(temporarySuffix)
    }
}
