internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Storage
internal import Synchronization

/// The decks that the station has added: files of a folder, with their pictures beside them. They are read when they are asked for,
/// and again when they have changed.
public final class DeckFolder: Sendable {
    /// A deck, or what is wrong with it.
    struct Entry: Sendable {
        /// The file's name without its ending.
        let name: String
        let deck: Deck?
        let complaint: String?
    }

    private struct Known {
        let size: Int64
        let modified: Int64
        let entry: Entry
    }

    /// More are left out.
    static let mostDecks = 32

    /// Nil for none.
    private let folder: String?
    private let known = Mutex<[String: Known]>([:])

    /// - Parameter folder: its absolute path; nil for none. It need not be there.
    public init(_ folder: String?) { self.folder = folder }

    /// All decks, by name. Blocks.
    func list() -> [Entry] {
        guard let folder, Folder.status(folder)?.isLink != true, let entries = try? Folder.entries(folder) else {
            return []
        }
        let names = entries.map(\.name).filter(Deck.isDeck).sorted().prefix(Self.mostDecks)
        known.withLock { known in known = known.filter { names.contains($0.key) } }
        return names.map { entry($0, in: folder) }
    }

    /// What there is, and what is wrong with it, for people. Blocks.
    public func check() -> (lines: [String], faults: [String]) {
        if let folder, Folder.status(folder)?.isLink == true {
            return ([], ["\(folder): \(ContentError.isLink.detail)"])
        }
        let entries = list()
        return (
            entries.compactMap { entry in
                entry.deck.map { "deck \(entry.name): \(counted($0.items.count, "card"))" }
            },
            entries.compactMap { entry in entry.complaint.map { "\(folder ?? "")/\(entry.name): \($0)" } }
        )
    }

    /// A deck that can be used; nil for others. Blocks.
    func deck(_ name: String) -> Deck? { list().first { $0.name == name }?.deck }

    /// A picture that a card of a deck has. Blocks.
    func picture(_ file: String, of name: String) -> (bytes: [UInt8], type: String)? {
        guard let folder, let type = Deck.pictureType(file),
            deck(name)?.items.contains(where: { $0.picture == file }) == true,
            let bytes = try? Folder.contents("\(folder)/\(file)", limit: Deck.largestPicture),
            Deck.isPicture(bytes, type: type)
        else { return nil }
        return (bytes, type)
    }

    private func entry(_ file: String, in folder: String) -> Entry {
        let path = "\(folder)/\(file)"
        let status = Folder.status(path)
        let size = status?.byteCount ?? -1
        let modified = status?.modified.nanoseconds ?? -1
        if let found = known.withLock({ $0[file] }), found.size == size, found.modified == modified {
            return found.entry
        }
        let entry = Self.read(path, file)
        known.withLock { $0[file] = Known(size: size, modified: modified, entry: entry) }
        return entry
    }

    private static func read(_ path: String, _ file: String) -> Entry {
        let name = String(file.prefix { $0 != "." })
        if Folder.status(path)?.isLink == true {
            return Entry(name: name, deck: nil, complaint: ContentError.isLink.detail)
        }
        guard let bytes = try? Folder.contents(path, limit: Deck.largestFile) else {
            return Entry(
                name: name, deck: nil, complaint: "it cannot be read, or has more than \(Deck.largestFile >> 10) KiB")
        }
        do throws(Problem) {
            return Entry(name: name, deck: try Deck.read(bytes, name: file), complaint: nil)
        } catch {
            return Entry(name: name, deck: nil, complaint: String(error.detail.prefix(1000)))
        }
    }
}
