internal import Access
internal import Announcements
internal import Gallery
internal import KonzaModel
internal import KonzaSystem
internal import Learning
internal import Muster
internal import People
internal import Printing
internal import StationPages
internal import Storage
internal import TakeHome

/// Everything that the portal keeps, in one database, which each feature brings its tables to.
struct PortalStore: Sendable {
    static let fileName = "portal.db"
    static let migrations =
        DeviceRegister.migrations + ShareRegister.migrations + PrintService.migrations + KioskRights.migrations
        + KioskDoor.migrations + GalleryRegister.migrations + PeopleRegister.migrations + MusterLedger.migrations
        + AnnouncementRegister.migrations + ProgressRegister.migrations + PortalTrips.migrations
        + KioskChoices.migrations + CalendarFeeds.migrations + UnseenCards.migrations
        + CollectorRights.migrations

    let database: Database
    /// What is wrong with it, for people; nil if nothing is.
    let complaint: String?
    /// Keeps a second portal away from the folder.
    private let lock: FolderLock?

    /// Opens the database. Where the folder cannot be used the kiosk goes on all the same, with one in memory: what is kept in
    /// that is lost at the next start.
    ///
    /// - Parameters:
    ///   - folder: its absolute path.
    ///   - now: for the name of a damaged one.
    /// - Throws: if another portal uses the folder, or there is no memory.
    init(folder: String, at now: UTCInstant) throws {
        do {
            self = try Self.onDisk(folder, at: now)
        } catch let error as SystemError where FolderLock.isHeldByAnother(error) {
            throw PortalStoreError(description: "cannot use \(folder): another konza-portal does; stop that one first")
        } catch {
            self.init(
                database: try Database(inMemory: 4 << 20, migrations: Self.migrations),
                complaint:
                    "cannot keep anything in \(folder): \(error); what is paired now is forgotten at the next start",
                lock: nil)
        }
    }

    private init(database: Database, complaint: String?, lock: FolderLock?) {
        self.database = database
        self.complaint = complaint
        self.lock = lock
    }

    private static func onDisk(_ folder: String, at now: UTCInstant) throws -> PortalStore {
        try makeFolders(folder)
        let lock = try FolderLock(folder: folder)
        let opened = try Database.open(in: folder, name: fileName, migrations: migrations, at: now)
        return PortalStore(
            database: opened.database,
            complaint: opened.complaint.map {
                "\(folder)/\(fileName) was damaged (\($0)) and is kept in \(folder)/lost+found: every device must be "
                    + "paired anew"
            }, lock: lock)
    }
}

struct PortalStoreError: Error, CustomStringConvertible {
    let description: String
}
