public import HTTPServing
package import KonzaModel
internal import KonzaSystem
public import Storage
internal import Synchronization

/// The devices that were paired with the station, and who is about to be. What a call returned is on the disk.
///
/// A device is known by a secret in a cookie, of which the hash is kept here. All of them are in memory too: to know a
/// device waits for nothing. Whatever changes waits for the disk.
public final class DeviceRegister: Sendable {
    /// Steps of the schema, oldest first.
    public static let migrations = [
        Migration(
            name: "access-1",
            sql: """
                CREATE TABLE devices (
                    id TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, secret TEXT NOT NULL UNIQUE,
                    created_at INTEGER NOT NULL, seen_at INTEGER NOT NULL
                ) STRICT;
                -- By the steady clock, nanoseconds: those of another boot are swept at the start.
                CREATE TABLE invitations (
                    secret TEXT PRIMARY KEY, role TEXT NOT NULL, name TEXT, deadline INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE pairing_requests (
                    secret TEXT PRIMARY KEY, letters TEXT NOT NULL UNIQUE, name TEXT NOT NULL, address TEXT NOT NULL,
                    decision TEXT, deadline INTEGER NOT NULL
                ) STRICT;
                """)
    ]

    /// How long a link or a request is good for, seconds.
    public static let patience = 300.0
    /// How long a device is known after it was last heard of, seconds.
    public static let lifetime = 90 * 86_400.0
    public static let mostDevices = 200
    /// Links that are open at one time; a further one takes the place of the oldest.
    public static let mostInvitations = 5
    /// Requests that wait for a decision at one time.
    public static let mostRequests = 5
    /// How long a device waits between two questions whether it was let in, seconds (RFC 8628 section 3.5).
    public static let pollSeconds = 5.0
    /// How long the kiosk's browser stays a ranger's after its last request, seconds.
    public static let visitLifetime = 600.0
    /// The id of whoever came in by the kiosk's door.
    public static let visitID = "kiosk-door"
    private static let mostVisits = 8
    /// How often the time when a device was last heard of is written down, seconds.
    private static let seenInterval = 3600.0

    private struct State {
        /// By the hashes of their secrets.
        var devices: [String: Device] = [:]
        /// Browsers that are somebody else's for a while, by the hashes of their secrets. The portal's end ends them.
        var visits: [String: (device: Device, until: MonotonicInstant)] = [:]
        /// When each request was asked about last, by the hash of its secret.
        var polls: [String: MonotonicInstant] = [:]
    }

    private let database: Database
    private let clock: any StationClock
    private let state: Mutex<State>

    /// - Parameters:
    ///   - database: with the register's migrations.
    ///   - clock: the time.
    /// - Throws: what keeps it from being read.
    package init(_ database: Database, clock: any StationClock) throws(StorageError) {
        self.database = database
        self.clock = clock
        let now = clock.monotonic().nanoseconds
        let latest = clock.monotonic().advanced(bySeconds: Self.patience).nanoseconds
        let rows = try database.write { connection throws(DatabaseError) in
            for table in ["invitations", "pairing_requests"] {
                try connection.run(
                    "DELETE FROM \(table) WHERE deadline NOT BETWEEN ? AND ?", [.integer(now), .integer(latest)])
            }
            return try connection.rows("SELECT secret, id, name, role, created_at, seen_at FROM devices") { row in
                Role(rawValue: row.text(3)).map { role in
                    (
                        row.text(0),
                        Device(
                            id: row.text(1), name: row.text(2), role: role,
                            createdAt: UTCInstant(nanoseconds: row.integer(4)),
                            seenAt: UTCInstant(nanoseconds: row.integer(5)))
                    )
                }
            }
        }
        state = Mutex(State(devices: Dictionary(rows.compactMap { $0 }, uniquingKeysWith: { first, _ in first })))
    }

    private var deadline: Int64 { clock.monotonic().advanced(bySeconds: Self.patience).nanoseconds }

    // MARK: - Devices

    /// The device that a secret is of. It waits for nothing.
    ///
    /// - Returns: nil if it is not known, was revoked, or was not heard of for too long.
    public func device(secret: String) -> Device? {
        guard secret.utf8.count == 64 else { return nil }
        let hash = Secret.hash(secret)
        let now = clock.utc()
        return state.withLock { state in
            if let visit = state.visits[hash] {
                let now = clock.monotonic()
                guard now < visit.until else { return nil }
                state.visits[hash]?.until = now.advanced(bySeconds: Self.visitLifetime)
                return visit.device
            }
            guard let device = state.devices[hash], now.seconds(since: device.seenAt) < Self.lifetime else {
                return nil
            }
            return device
        }
    }

    /// Makes a browser a ranger's until it was silent for ten minutes, or the portal ends; nothing of it is kept.
    ///
    /// - Parameter name: what it is called in the log.
    /// - Returns: the device, and the secret for its cookie.
    public func visit(_ name: String) -> (device: Device, secret: String) {
        let secret = Secret.make()
        let now = clock.monotonic()
        let time = clock.utc()
        let device = Device(id: Self.visitID, name: name, role: .ranger, createdAt: time, seenAt: time)
        state.withLock { state in
            state.visits = state.visits.filter { now < $0.value.until }
            if state.visits.count >= Self.mostVisits { state.visits.removeAll() }
            state.visits[Secret.hash(secret)] = (device, now.advanced(bySeconds: Self.visitLifetime))
        }
        return (device, secret)
    }

    /// Writes down that a device was heard of, at most once in an hour.
    ///
    /// - Returns: whether its cookie should be renewed: half of its time is over.
    public func noteSeen(_ device: Device) throws(StorageError) -> Bool {
        let now = clock.utc()
        let age = now.seconds(since: device.seenAt)
        guard age >= Self.seenInterval || age < 0 else { return false }
        try database.write { connection throws(DatabaseError) in
            try connection.run(
                "UPDATE devices SET seen_at = ? WHERE id = ?", [.integer(now.nanoseconds), .text(device.id)])
        }
        change(device.id) { $0.seenAt = now }
        return age > Self.lifetime / 2
    }

    private func change(_ id: String, _ change: (inout Device) -> Void) {
        state.withLock { state in
            guard let key = state.devices.first(where: { $0.value.id == id })?.key else { return }
            if var device = state.devices[key] {
                change(&device)
                state.devices[key] = device
            }
        }
    }

    /// All devices, those that were heard of last first.
    public var devices: [Device] {
        state.withLock { Array($0.devices.values) }.sorted { ($1.seenAt, $0.id) < ($0.seenAt, $1.id) }
    }

    /// Gives a device another name or role; its next request has it.
    ///
    /// - Returns: the device as it is now.
    /// - Throws: `PairingError`, `StorageError`.
    public func change(_ id: String, name: String?, role: Role?) throws -> Device {
        let name = try name.map(Self.checked)
        if let role, !Device.roles.contains(role) { throw PairingError.invalid("no device can be a \(role.rawValue)") }
        let count = try database.write { connection throws(DatabaseError) in
            try connection.run(
                "UPDATE devices SET name = ifnull(?, name), role = ifnull(?, role) WHERE id = ?",
                [SQLValue(name), SQLValue(role?.rawValue), .text(id)])
            return connection.changes
        }
        guard count > 0 else { throw PairingError.unknown }
        change(id) { device in
            device.name = name ?? device.name
            device.role = role ?? device.role
        }
        guard let device = devices.first(where: { $0.id == id }) else { throw PairingError.unknown }
        return device
    }

    /// Forgets a device: its next request is a visitor's.
    ///
    /// - Throws: `PairingError`, `StorageError`.
    public func revoke(_ id: String) throws {
        // Visits are in memory alone, and end whatever the disk does.
        let visits = state.withLock { state in
            defer { state.visits = state.visits.filter { $0.value.device.id != id } }
            return state.visits.count { $0.value.device.id == id }
        }
        if visits > 0 { return }
        let count = try database.write { connection throws(DatabaseError) in
            try connection.run("DELETE FROM devices WHERE id = ?", [.text(id)])
            return connection.changes
        }
        state.withLock { state in state.devices = state.devices.filter { $0.value.id != id } }
        guard count > 0 else { throw PairingError.unknown }
    }

    private static func checked(_ name: String) throws(PairingError) -> String {
        guard let name = Device.checkedName(name) else {
            throw .invalid("a name has 1 to \(Device.longestName) characters")
        }
        return name
    }

    // MARK: - Links

    /// Makes a link's secret, with which one device can be paired within five minutes.
    ///
    /// - Parameters:
    ///   - role: what the device will be.
    ///   - name: nil for one that its user chooses.
    /// - Returns: the secret.
    /// - Throws: `PairingError`, `StorageError`.
    public func invite(_ role: Role, name: String?) throws -> String {
        guard Device.roles.contains(role) else { throw PairingError.invalid("no device can be a \(role.rawValue)") }
        let name = try name.map(Self.checked)
        let secret = Secret.make()
        let deadline = deadline
        let now = clock.monotonic().nanoseconds
        try database.write { connection throws(DatabaseError) in
            try connection.run("DELETE FROM invitations WHERE deadline < ?", [.integer(now)])
            try connection.run(
                """
                DELETE FROM invitations WHERE secret NOT IN (
                    SELECT secret FROM invitations ORDER BY deadline DESC LIMIT \(Self.mostInvitations - 1))
                """)
            try connection.run(
                "INSERT INTO invitations VALUES (?, ?, ?, ?)",
                [.text(Secret.hash(secret)), .text(role.rawValue), SQLValue(name), .integer(deadline)])
        }
        return secret
    }

    /// Pairs the device that has a link's secret, which is good for no other afterwards.
    ///
    /// - Parameters:
    ///   - secret: of the link.
    ///   - name: what its user calls it, where the keeper did not name it.
    /// - Returns: the device, and the secret for its cookie.
    /// - Throws: `PairingError`, `StorageError`.
    public func accept(_ secret: String, name: String?) throws -> (device: Device, secret: String) {
        let hash = Secret.hash(secret)
        let now = clock.monotonic().nanoseconds
        return try pair { connection throws(DatabaseError) in
            let found = try connection.rows(
                "DELETE FROM invitations WHERE secret = ? AND deadline >= ? RETURNING role, name",
                [.text(hash), .integer(now)]
            ) { row in (row.text(0), row.isNull(1) ? nil : row.text(1)) }
            guard let (role, given) = found.first, let role = Role(rawValue: role) else { return nil }
            return (role, given ?? name.flatMap(Device.checkedName) ?? role.rawValue)
        }
    }

    /// Adds a device in the transaction that takes away what it is paired by.
    ///
    /// - Parameter take: gives its role and its name; nil if there is nothing to take.
    /// - Returns: the device, and the secret for its cookie.
    /// - Throws: `PairingError`, `StorageError`.
    private func pair(
        _ take: (inout Connection) throws(DatabaseError) -> (Role, String)?
    ) throws -> (device: Device, secret: String) {
        guard devices.count < Self.mostDevices else {
            throw PairingError.tooMany(what: "devices", limit: Self.mostDevices)
        }
        let secret = Secret.make()
        let hash = Secret.hash(secret)
        let now = clock.utc()
        let device = try database.write { connection throws(DatabaseError) -> Device? in
            guard let (role, name) = try take(&connection) else { return nil }
            let device = Device(id: Secret.deviceID(), name: name, role: role, createdAt: now, seenAt: now)
            try connection.run(
                "INSERT INTO devices VALUES (?, ?, ?, ?, ?, ?)",
                [
                    .text(device.id), .text(name), .text(role.rawValue), .text(hash), .integer(now.nanoseconds),
                    .integer(now.nanoseconds),
                ])
            return device
        }
        guard let device else { throw PairingError.unknown }
        state.withLock { $0.devices[hash] = device }
        return (device, secret)
    }

    // MARK: - Letters

    /// A device without a camera asks to be let in (the shape of RFC 8628).
    ///
    /// - Parameters:
    ///   - name: what its user calls it.
    ///   - address: where it comes from, which the keeper is shown.
    /// - Returns: the letters for its screen, and the secret by which it asks whether it was let in.
    /// - Throws: `PairingError`, `StorageError`.
    public func request(name: String, from address: String) throws -> (letters: String, secret: String) {
        let name = try Self.checked(name)
        let letters = Secret.pairingLetters()
        let secret = Secret.make()
        let now = clock.monotonic().nanoseconds
        let deadline = deadline
        let isTaken = try database.write { connection throws(DatabaseError) in
            try connection.run("DELETE FROM pairing_requests WHERE deadline < ?", [.integer(now)])
            // Nobody keeps others out: an address has one request, the newest, and what was decided counts no more.
            if !address.isEmpty {
                try connection.run(
                    "DELETE FROM pairing_requests WHERE address = ? AND decision IS NULL", [.text(address)])
            }
            try connection.run(
                """
                DELETE FROM pairing_requests WHERE decision IS NOT NULL AND secret NOT IN (
                    SELECT secret FROM pairing_requests WHERE decision IS NOT NULL ORDER BY deadline DESC LIMIT 20)
                """)
            let count =
                try connection.rows("SELECT count(*) FROM pairing_requests WHERE decision IS NULL") { $0.integer(0) }
                .first ?? 0
            guard count < Self.mostRequests else { return false }
            try connection.run(
                "INSERT INTO pairing_requests VALUES (?, ?, ?, ?, NULL, ?)",
                [.text(Secret.hash(secret)), .text(letters), .text(name), .text(address), .integer(deadline)])
            return true
        }
        guard isTaken else { throw PairingError.tooMany(what: "devices ask to be let in", limit: Self.mostRequests) }
        return (letters, secret)
    }

    /// The devices that ask to be let in.
    public func requests() throws(StorageError) -> [PairingRequest] {
        let now = clock.monotonic().nanoseconds
        do throws(DatabaseError) {
            return try database.read { connection throws(DatabaseError) in
                try connection.rows(
                    """
                    SELECT letters, name, address, decision, deadline FROM pairing_requests WHERE deadline >= ?
                    ORDER BY deadline
                    """, [.integer(now)]
                ) { row in
                    PairingRequest(
                        letters: row.text(0), name: row.text(1), address: row.text(2),
                        state: row.isNull(3)
                            ? .waiting : Role(rawValue: row.text(3)).map(PairingRequest.State.approved) ?? .denied,
                        secondsLeft: Double(row.integer(4) - now) / 1e9)
                }
            }
        } catch {
            throw .database(error)
        }
    }

    /// Decides about a device that asks to be let in.
    ///
    /// - Parameters:
    ///   - letters: that its screen shows, as somebody typed them.
    ///   - role: what it will be; nil to turn it away.
    /// - Throws: `PairingError`, `StorageError`.
    public func decide(_ letters: String, _ role: Role?) throws {
        guard let letters = Secret.pairingLetters(typed: letters) else {
            throw PairingError.invalid("the letters are eight, such as BCDF-GHJK, without vowels")
        }
        if let role, !Device.roles.contains(role) { throw PairingError.invalid("no device can be a \(role.rawValue)") }
        let now = clock.monotonic().nanoseconds
        let count = try database.write { connection throws(DatabaseError) in
            try connection.run(
                "UPDATE pairing_requests SET decision = ? WHERE letters = ? AND deadline >= ? AND decision IS NULL",
                [.text(role?.rawValue ?? "denied"), .text(letters), .integer(now)])
            return connection.changes
        }
        guard count > 0 else { throw PairingError.unknown }
    }

    /// A device asks whether it was let in.
    ///
    /// - Parameter secret: of its request.
    /// - Returns: the device, and the secret for its cookie.
    /// - Throws: `PairingError`, `StorageError`.
    public func collect(_ secret: String) throws -> (device: Device, secret: String) {
        let hash = Secret.hash(secret)
        let now = clock.monotonic()
        let isTooSoon = state.withLock { state in
            state.polls = state.polls.filter { now.seconds(since: $0.value) < Self.patience }
            guard let last = state.polls[hash] else { return false }
            return now.seconds(since: last) < Self.pollSeconds - 0.5
        }
        if isTooSoon { throw PairingError.tooSoon }
        let decision = try database.write { connection throws(DatabaseError) in
            try connection.rows(
                "SELECT decision FROM pairing_requests WHERE secret = ? AND deadline >= ?",
                [.text(hash), .integer(now.nanoseconds)]
            ) { row in row.isNull(0) ? nil : row.text(0) }
        }
        guard let known = decision.first else { throw PairingError.unknown }
        guard let known else {
            state.withLock { $0.polls[hash] = now }
            throw PairingError.undecided
        }
        guard Role(rawValue: known) != nil else { throw PairingError.denied }
        return try pair { connection throws(DatabaseError) in
            let found = try connection.rows(
                "DELETE FROM pairing_requests WHERE secret = ? RETURNING decision, name", [.text(hash)]
            ) { row in (row.text(0), row.text(1)) }
            return found.first.flatMap { found in Role(rawValue: found.0).map { ($0, found.1) } }
        }
    }
}
