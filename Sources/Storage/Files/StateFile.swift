/// A small file of the state folder that is read at start and replaced now and then, each time wholly or not at all.
public struct StateFile: Sendable {
    private let folder: String
    private let name: String
    private let files: DurableFiles

    /// - Parameters:
    ///   - name: without a slash.
    ///   - folder: the state folder.
    public init(_ name: String, in folder: String) {
        self.init(name, in: folder, operations: SystemFileOperations())
    }

    init(_ name: String, in folder: String, operations: any FileOperations) {
        self.name = name
        self.folder = folder
        files = DurableFiles(operations: operations)
    }

    public var path: String { "\(folder)/\(name)" }

    /// The content.
    ///
    /// - Parameter most: bytes; a larger file is not read.
    /// - Returns: nil if there is no such file. Of a file that is too large `most + 1` zeros, which no format takes.
    /// - Throws: what keeps a file that is there from being read.
    public func read(most: Int) throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            return try Folder.contents(path, limit: most) ?? [UInt8](repeating: 0, count: most + 1)
        } catch {
            guard error.isAbsent else { throw error }
            return nil
        }
    }

    /// Replaces the content and returns when it is durable.
    public func replace(with bytes: [UInt8]) throws(FileError) {
        try files.replace(DurableFiles.Item(name: name, content: FileContent(bytes)), in: folder)
    }

    /// Removes the file and returns when that is durable. None that is there is none to remove.
    public func remove() throws(FileError) {
        try files.operations.remove(path)
        try files.operations.synchronizeFolder(folder)
    }
}
