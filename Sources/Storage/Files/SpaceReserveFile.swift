/// Space reserved so that deletions can be recorded on a full disk: a file that is removed when the disk has not one
/// free byte left, whatever `SpaceReserve=` says. The deletion then gives back more.
package struct SpaceReserveFile: Sendable {
    /// Bytes; what a deletion adds to the index's log, before that is written over, is a fifth of it at most.
    package static let size: Int64 = 262_144
    /// Less is of no use, bytes.
    private static let leastSize: Int64 = 16_384
    /// What disks give out at a time, and what a name may take, bytes.
    private static let block: Int64 = 4096
    package static let name = "konza.reserve"
    /// The name that earlier versions gave it.
    private static let earlierName = "konza.ballast"

    package let folder: String
    package let files: DurableFiles

    private var path: String { "\(folder)/\(Self.name)" }

    /// Makes the file, or a larger one where the disk had less room the last time. On a disk with little room it is
    /// as large as there is room for.
    package func fill() {
        let earlier = "\(folder)/\(Self.earlierName)"
        if Folder.exists(earlier) { try? files.operations.remove(earlier) }
        let present = Folder.status(path)?.byteCount ?? 0
        var size = Self.size
        while size > present, size >= Self.leastSize {
            // Not zeros, which some file systems store as nothing.
            let bytes = [UInt8](repeating: 0xA5, count: Int(size))
            let item = DurableFiles.Item(name: Self.name, content: FileContent(bytes))
            do throws(FileError) {
                return try files.replace(item, in: folder)
            } catch {
                guard error.isDiskFull else { return }
                // All that is left, for the next deletion needs it, or somewhat less where others were faster.
                let free = (try? files.operations.space(ofFolder: folder).free) ?? size
                size = min(free - Self.block, size - size / 8) / Self.block * Self.block
            }
        }
    }

    /// Gives its space to others.
    ///
    /// - Returns: whether there was any to give.
    package func release() -> Bool {
        guard Folder.exists(path) else { return false }
        return (try? files.operations.remove(path)) != nil
    }
}
