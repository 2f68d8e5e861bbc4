internal import JSONCoding
internal import KonzaModel
internal import Storage
internal import Synchronization

/// Keeps a recording in the state folder while it is walked: a head, and the items in files of 512 each, of which only the last is
/// written anew. Each file is replaced as a whole, so that after a power cut a recording is as it was when it was last saved.
public final class RecordingArchive: Sendable {
    static let headName = "trail-recording.json"
    private static let version = 1
    private static let itemsPerFile = 512
    private static let mostBytes = 1 << 18

    private struct StoredHead: Codable {
        var version: Int
        var head: TrailRecording.Head
    }

    private struct StoredItems: Codable {
        /// The recording that they are of: other files are left from an earlier one.
        var startedAt: UTCInstant
        var items: [StoredItem]
    }

    /// One of its members; none of them is a gap.
    private struct StoredItem: Codable {
        var point: [Double]?
        var mark: TrailRecording.Mark?
    }

    private let folder: String
    /// How many items of which recording are on the disk. Held by whoever writes: one at a time.
    private let saved = Mutex<(startedAt: UTCInstant?, count: Int, ended: UTCInstant?)>((nil, 0, nil))

    /// - Parameter folder: the state folder.
    public init(folder: String) { self.folder = folder }

    private var headFile: StateFile { StateFile(Self.headName, in: folder) }

    private func itemsFile(_ index: Int) -> StateFile { StateFile("trail-recording-\(index).json", in: folder) }

    /// The recording that was under way. May wait for the disk.
    ///
    /// - Returns: nil if there was none.
    /// - Throws: ``TrailError/cannotKeep(_:isDiskFull:)`` if what is there cannot be used.
    public func load() throws(TrailError) -> TrailRecording? {
        guard let stored: StoredHead = try read(headFile) else { return nil }
        guard stored.version <= Self.version else {
            throw .cannotKeep(
                "cannot go on with the recorded trail: a newer konzad wrote \(headFile.path); install that, or move the file away",
                isDiskFull: false)
        }
        var items: [TrailRecording.Item] = []
        var index = 0
        while items.count < TrailRecording.mostItems {
            guard let part: StoredItems = try read(itemsFile(index)), part.startedAt == stored.head.startedAt else {
                break
            }
            items += part.items.prefix(Self.itemsPerFile).compactMap(Self.item)
            guard part.items.count == Self.itemsPerFile else { break }
            index += 1
        }
        // A gap is put behind them: the last file is written anew.
        saved.withLock { $0 = (stored.head.startedAt, items.count / Self.itemsPerFile * Self.itemsPerFile, nil) }
        return TrailRecording(stored.head, resuming: items)
    }

    /// Saves what is new; nothing of a recording that was cleared. May wait for the disk; what returned is on it.
    ///
    /// - Throws: ``TrailError/cannotKeep(_:isDiskFull:)``.
    public func save(_ recording: TrailRecording) throws(TrailError) {
        try saved.withLock { saved throws(TrailError) in
            let head = recording.head
            guard saved.ended != head.startedAt else { return }
            var count = saved.startedAt == head.startedAt ? saved.count : 0
            while count < recording.items.count {
                let index = count / Self.itemsPerFile
                let end = min((index + 1) * Self.itemsPerFile, recording.items.count)
                let part = recording.items[(index * Self.itemsPerFile)..<end]
                try write(
                    StoredItems(startedAt: head.startedAt, items: part.map(Self.stored)), to: itemsFile(index))
                count = end
                if saved.startedAt == head.startedAt { saved.count = count }
            }
            guard saved.startedAt != head.startedAt else { return }
            try write(StoredHead(version: Self.version, head: head), to: headFile)
            saved = (head.startedAt, count, saved.ended)
        }
    }

    /// Forgets the recording. May wait for the disk.
    ///
    /// - Throws: ``TrailError/cannotKeep(_:isDiskFull:)``.
    public func clear() throws(TrailError) {
        try saved.withLock { saved throws(TrailError) in
            let files = (saved.count + Self.itemsPerFile - 1) / Self.itemsPerFile
            do throws(FileError) {
                // Without a head the others are nothing; the next recording writes over what is left of them.
                try headFile.remove()
                for index in 0..<files { try itemsFile(index).remove() }
            } catch {
                throw .cannotKeep("cannot forget the recorded trail: \(error)", isDiskFull: error.isDiskFull)
            }
            saved = (nil, 0, saved.startedAt)
        }
    }

    private static func item(_ stored: StoredItem) -> TrailRecording.Item? {
        if let mark = stored.mark { return mark.place == nil ? nil : .mark(mark) }
        guard let point = stored.point else { return .gap }
        guard point.count == 2 else { return nil }
        return Coordinate(latitude: point[0], longitude: point[1]).map { .point($0) }
    }

    private static func stored(_ item: TrailRecording.Item) -> StoredItem {
        switch item {
        case .gap: StoredItem()
        case .mark(let mark): StoredItem(mark: mark)
        case .point(let place):
            // A ten-millionth of a degree is a centimetre.
            StoredItem(point: [place.latitude, place.longitude].map { ($0 * 1e7).rounded() / 1e7 })
        }
    }

    private func read<Content: Decodable>(_ file: StateFile) throws(TrailError) -> Content? {
        let bytes: [UInt8]?
        do throws(FileError) {
            bytes = try file.read(most: Self.mostBytes)
        } catch {
            throw .cannotKeep("cannot go on with the recorded trail: \(error)", isDiskFull: false)
        }
        guard let bytes else { return nil }
        do {
            return try JSONText.decode(Content.self, from: bytes)
        } catch {
            throw .cannotKeep(
                "cannot go on with the recorded trail: \(file.path) is damaged; move it away and record the trail anew",
                isDiskFull: false)
        }
    }

    private func write(_ content: some Encodable, to file: StateFile) throws(TrailError) {
        let bytes: [UInt8]
        do {
            bytes = try JSONText.encode(content)
        } catch {
            throw .cannotKeep("cannot save the recorded trail: \(error)", isDiskFull: false)
        }
        do throws(FileError) {
            try file.replace(with: bytes)
        } catch {
            throw .cannotKeep("cannot save the recorded trail: \(error)", isDiskFull: error.isDiskFull)
        }
    }
}
