internal import Announcements
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import People
internal import Storage
internal import Synchronization

/// The announcements in the portal's database, and the files of the content folder.
struct PortalAnnouncements: Sendable {
    private static let lookSeconds = 4.0

    let register: AnnouncementRegister
    let routes: [Route]
    let files: AnnouncementFiles
    private let clock: any StationClock
    private let changed: @Sendable () -> Void
    private let log: Log

    /// - Parameters:
    ///   - database: with ``AnnouncementRegister/migrations``.
    ///   - content: the folder of what the keeper writes.
    ///   - people: says who signed in.
    ///   - clock: the time.
    ///   - changed: told when the time of an announcement has come or is over, which nobody writes down.
    ///   - log: takes who wrote what.
    init(
        _ database: Database, content: String, people: PeopleGate, clock: any StationClock,
        changed: @escaping @Sendable () -> Void, log: Log
    ) {
        self.clock = clock
        self.changed = changed
        self.log = log
        register = AnnouncementRegister(database, clock: clock)
        files = AnnouncementFiles("\(content)/announcements", register: register)
        routes =
            AnnouncementRoutes(
                register, files: files, reader: { Self.reader($0, people) },
                writer: { try Self.writer($0, people) }, note: { log(.notice, $0) }
            ).routes
    }

    /// Under what a person's reading is kept, by which the muster looks for it.
    static func key(ofPerson number: Int64) -> String { "person-\(number)" }

    /// Whose reading is kept: that of whoever signed in, else that of people of the station, by their devices.
    private static func reader(_ request: Request, _ people: PeopleGate) -> AnnouncementRoutes.Reader {
        let principal = request.principal
        if let person = (try? people.caller(of: request))?.person {
            return AnnouncementRoutes.Reader(key: key(ofPerson: person.number), name: person.name, isCrew: true)
        }
        let role = Rights.role(of: principal)
        let isCrew = role != .visitor && role != .kiosk
        let name = principal.client ?? "user-\(principal.peer.userID)"
        return AnnouncementRoutes.Reader(key: isCrew ? name : nil, name: name, isCrew: isCrew)
    }

    /// Who writes: whoever signed in as an officer, wherever that is, and else rangers and keepers by their devices.
    ///
    /// - Throws: a problem (403) for anybody else.
    private static func writer(_ request: Request, _ people: PeopleGate) throws(Problem) -> String {
        let role = Rights.role(of: request.principal)
        if role != .ranger, role != .keeper { _ = try people.require(.officer, request) }
        return reader(request, people).name
    }

    /// Takes up changed files, and tells when the time of an announcement has come or is over, until the task is cancelled.
    func tend() async {
        let known = Mutex((faults: [String](), looked: clock.utc()))
        await onTicks(named: "announcements", of: clock, everySeconds: Self.lookSeconds) { [self] in
            known.withLock { known in
                refresh(&known.faults)
                let now = clock.utc()
                if (try? register.turns(after: known.looked, through: now)) == true { changed() }
                known.looked = now
            }
        }
    }

    private func refresh(_ faults: inout [String]) {
        do {
            guard try files.refresh() else { return }
            for fault in files.faults where !faults.contains(fault) { log(.warning, "announcements: \(fault)") }
            faults = files.faults
        } catch {
            log(.warning, "cannot take up the announcements in \(files.folder): \(error), ignoring")
        }
    }
}
