/// A file that is there to be thrown overboard: on a disk without one free byte, its space lets the index note a
/// deletion, and the deletion then gives back more.
struct Ballast: Sendable {
    /// Bytes; a deletion's share of the index's log is below a tenth of it.
    private static let size = 262_144
    private static let name = "konza.ballast"

    let folder: String
    let files: DurableFiles

    private var path: String { "\(folder)/\(Self.name)" }

    /// Puts the file there, if it is not and the disk has room.
    func load() {
        guard !Folder.exists(path) else { return }
        // Not zeros, which some file systems store as nothing.
        let bytes = [UInt8](repeating: 0xA5, count: Self.size)
        try? files.write([DurableFiles.Item(name: Self.name, content: FileContent(bytes))], in: folder)
    }

    /// Gives its space to others.
    ///
    /// - Returns: whether there was any to give.
    func drop() -> Bool {
        guard Folder.exists(path) else { return false }
        return (try? files.operations.remove(path)) != nil
    }
}
