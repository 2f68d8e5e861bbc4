import Foundation
import KonzaModel
import KonzaSystem
import KonzaTesting
import Synchronization
import Testing

@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

/// A folder for one test, removed with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("konza-archive-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// All files below, relative, sorted.
    func files(below relative: String = "") -> [String] {
        let root = relative.isEmpty ? path : "\(path)/\(relative)"
        guard let walker = FileManager.default.enumerator(atPath: root) else { return [] }
        return walker.compactMap { $0 as? String }.filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(root)/\(name)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    func contents(_ relative: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "\(path)/\(relative)").map(Array.init)
    }

    /// What the real `sqlite3` says to a question about the index, one line a row.
    func sqlite(_ sql: String) throws -> [String] {
        let run = try ProgramRun("/usr/bin/sqlite3", ["\(path)/konza.db", sql], errorsInOutput: true)
        return run.text.split(separator: "\n").map(String.init)
    }
}

let noon = UTCInstant(nanoseconds: 1_780_142_587_250_123_456)

/// A small postcard's draft whose picture can be told from others.
func draft(
    _ mark: String = "a", bytes: Int = 300, createdAt: UTCInstant? = nil, isProtected: Bool = false,
    key: IdempotencyKey? = nil, at coordinate: Coordinate? = Coordinate(latitude: 39.1069, longitude: -96.6091),
    exposedAt: UTCInstant = noon.advanced(bySeconds: 0.033_333_333)
) -> PostcardDraft {
    var picture = FileContent([0xFF, 0xD8])
    picture.append(FrameData(Array(repeating: mark.utf8.first ?? 0, count: max(1, bytes - 4))))
    picture.append([0xFF, 0xD9])
    return PostcardDraft(
        postcard: picture, original: FileContent(Array("original \(mark)".utf8)),
        thumbnail: FileContent(Array("thumbnail \(mark)".utf8)), createdAt: createdAt, requestedAt: noon,
        exposedAt: exposedAt, template: "vintage", message: "Grüße \u{1F33E} \(mark)",
        place: "Konza Prairie", width: 640, height: 480, stamping: "touched rows", cameraSource: .recorded,
        camera: "Field \"Cam\" 2", position: coordinate.map(position), timeSource: .gps, isProtected: isProtected,
        idempotency: key)
}

/// A position with every member set.
func position(_ coordinate: Coordinate) -> PositionAtInstant {
    var position = PositionAtInstant(
        time: noon.advanced(bySeconds: 0.033_333_333), coordinate: coordinate, mode: .threeDimensional,
        status: .rtkFloat, method: .interpolated, gapSeconds: 0.999_999_9, source: .recorded)
    position.altitudeHAE = 338.412_345_678
    position.altitudeMSL = 366.9
    position.geoidSeparation = -28.5
    position.speed = 1.25
    position.track = 271.125
    position.accuracy = Accuracy(metres: 0.9, source: .receiver, confidence: 0.95)
    position.verticalAccuracy = Accuracy(metres: 1.7, source: .model)
    position.dop = DilutionOfPrecision(
        horizontal: 0.8, vertical: 1.1, position: 1.4, time: 0.7, geometric: 1.6, x: 0.5, y: 0.6)
    position.satellitesUsed = 14
    return position
}

func openArchive(
    _ folder: TemporaryFolder, limits: RetentionLimits = RetentionLimits(spaceReserve: 0),
    clock: ManualClock = ManualClock(utc: noon), operations: any FileOperations = SystemFileOperations()
) throws -> PostcardArchive {
    try postcardArchive(folder: folder.path, limits: limits, clock: clock, operations: operations)
}

/// The postcards of a store that keeps specimens too, as the product's does.
func postcardArchive(
    folder: String, limits: RetentionLimits, clock: any StationClock,
    operations: any FileOperations = SystemFileOperations(), believedTime: (@Sendable () -> UTCInstant?)? = nil,
    opensAtOnce: Bool = true
) throws -> PostcardArchive {
    let store = try Store(
        folder: folder, clock: clock, spaceReserve: limits.spaceReserve, operations: operations,
        believedTime: believedTime)
    let archive = PostcardArchive(store: store, limits: limits)
    _ = SpecimenArchive(store: store)
    if opensAtOnce { store.refresh() }
    return archive
}

/// The specimens that are kept beside postcards.
func specimenArchive(_ postcards: PostcardArchive) -> SpecimenArchive {
    let found = postcards.store.kinds.compactMap { $0 as? SpecimenKind }
    precondition(found.count == 1)
    return SpecimenArchive(store: postcards.store, kind: found[0])
}

/// A clock whose every reading is a quarter of a second later: the patience of an opening is over at once, and most of
/// the comparison with the files is left for later.
final class HurriedClock: StationClock {
    private let start: UTCInstant
    private let readings = Mutex<Int64>(0)

    init(_ start: UTCInstant) { self.start = start }

    func utc() -> UTCInstant { start }

    func monotonic() -> MonotonicInstant {
        readings.withLock { count in
            count += 1
            return MonotonicInstant(nanoseconds: count * 250_000_000)
        }
    }

    func sleep(until deadline: MonotonicInstant) async throws {}
}

/// How many postcards there are, and how full their disk is.
@dynamicMemberLookup
struct Usage {
    let postcards: PostcardFigures
    let store: StoreFigures

    subscript<Value>(dynamicMember path: KeyPath<PostcardFigures, Value>) -> Value { postcards[keyPath: path] }
    subscript<Value>(dynamicMember path: KeyPath<StoreFigures, Value>) -> Value { store[keyPath: path] }
}

extension PostcardArchive {
    /// The figures after a look at the disk.
    func usage() -> Usage {
        store.refresh()
        return Usage(postcards: figures, store: store.figures)
    }
}

extension PostcardArchive {
    /// All postcards that the list gives, page by page.
    func all(pageSize: Int = 7) throws -> [PostcardRecord] {
        var found: [PostcardRecord] = []
        var cursor: PostcardCursor?
        repeat {
            let page = try list(PostcardQuery(limit: pageSize, cursor: cursor))
            found += page.postcards
            cursor = page.next
        } while cursor != nil
        return found
    }

    func bytes(_ picture: PostcardPicture, of id: PostcardID) throws -> [UInt8] {
        let stored = try openPicture(picture, of: id)
        return try Folder.read(stored.descriptor.number, at: 0, count: Int(stored.byteCount), path: "picture")
    }
}
