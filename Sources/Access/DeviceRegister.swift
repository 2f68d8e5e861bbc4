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
                """),
        // A link of the kiosk's own browser, whose device takes the place of the one before.
        Migration(name: "access-2", sql: "ALTER TABLE invitations ADD COLUMN device TEXT"),
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
    /// What the id of each visit by the kiosk's door begins with; alone, it stands for all of them.
    public static let visitID = "kiosk-door"
    /// The id of the kiosk's own browser, which proved itself over the portal's socket.
    public static let kioskID = "kiosk-screen"
    static let mostVisits = 8
    /// How often the time when a device was last heard of is written down, seconds.
    private static let seenInterval = 3600.0

    struct Visit {
        let device: Device
        var until: MonotonicInstant
        /// The cookie that the browser had before, and gets back; in memory alone.
        let before: String?
    }

    struct State {
        /// By the hashes of their secrets.
        var devices: [String: Device] = [:]
        /// Browsers that are somebody else's for a while, by the hashes of their secrets. The portal's end ends them.
        var visits: [String: Visit] = [:]
        /// When each request was asked about last, by the hash of its secret.
        var polls: [String: MonotonicInstant] = [:]
    }

    let database: Database
    let clock: any StationClock
    let state: Mutex<State>

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

    var deadline: Int64 { clock.monotonic().advanced(bySeconds: Self.patience).nanoseconds }

    // MARK: - Devices

    /// The device that a secret is of. It waits for nothing.
    ///
    /// - Returns: nil if it is not known, was revoked, or was not heard of for too long.
    public func device(secret: String) -> Device? {
        guard secret.utf8.count == 64 else { return nil }
        let hash = Secret.hash(secret)
        let now = clock.utc()
        return state.withLock { state in
            var hash = hash
            if let visit = state.visits[hash] {
                let now = clock.monotonic()
                if now < visit.until {
                    state.visits[hash]?.until = now.advanced(bySeconds: Self.visitLifetime)
                    return visit.device
                }
                // It is again what it was before the door was opened.
                guard let before = visit.before else { return nil }
                hash = Secret.hash(before)
            }
            guard let device = state.devices[hash], now.seconds(since: device.seenAt) < Self.lifetime else {
                return nil
            }
            return device
        }
    }

    /// Makes a browser a ranger's until it was silent for ten minutes, or the portal ends; nothing of it is kept.
    ///
    /// - Parameters:
    ///   - name: what it is called in the log.
    ///   - before: the cookie that the browser has, which it gets back afterwards.
    /// - Returns: the device, the secret for its cookie, and the ids of visits that ended to make room.
    public func visit(_ name: String, before: String? = nil) -> (device: Device, secret: String, dropped: [String]) {
        let secret = Secret.make()
        let now = clock.monotonic()
        let time = clock.utc()
        let device = Device(
            id: "\(Self.visitID)-\(Secret.deviceID())", name: name, role: .ranger, createdAt: time, seenAt: time)
        let isPaired = before.map { self.device(secret: $0)?.role == .kiosk } ?? false
        let dropped = state.withLock { state in
            // Those that are over stand for the kiosk behind them, as long as there is room. The first to go is over, or is the one
            // that was silent for longest.
            var dropped: [String] = []
            while state.visits.count >= Self.mostVisits,
                let oldest = state.visits.min(by: { $0.value.until < $1.value.until })
            {
                state.visits[oldest.key] = nil
                dropped.append(oldest.value.device.id)
            }
            state.visits[Secret.hash(secret)] = Visit(
                device: device, until: now.advanced(bySeconds: Self.visitLifetime), before: isPaired ? before : nil)
            return dropped
        }
        return (device, secret, dropped)
    }

    /// Whether an id is of a visit by the kiosk's door.
    public static func isVisit(_ id: String) -> Bool { id == visitID || id.hasPrefix("\(visitID)-") }

    /// Whether a visit lasts still. To ask does not prolong it.
    func isVisiting(_ secret: String) -> Bool {
        let now = clock.monotonic()
        return state.withLock { state in state.visits[Secret.hash(secret)].map { now < $0.until } ?? false }
    }

    /// Ends what a browser is for a while.
    ///
    /// - Parameter secret: of its cookie.
    /// - Returns: the cookie that it had before; nil without one.
    func endVisit(_ secret: String) -> String? {
        state.withLock { $0.visits.removeValue(forKey: Secret.hash(secret)) }?.before
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

    /// The browsers at the kiosk that are a ranger's for a while, by the PIN of its door.
    public var visiting: [Device] {
        let now = clock.monotonic()
        return state.withLock { state in state.visits.values.filter { now < $0.until }.map(\.device) }
            .sorted { ($1.createdAt, $0.id) < ($0.createdAt, $1.id) }
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
    /// - Parameter id: of the device or the visit; ``visitID`` for all visits.
    /// - Returns: the ids of those that are forgotten.
    /// - Throws: `PairingError`, `StorageError`.
    @discardableResult
    public func revoke(_ id: String) throws -> [String] {
        // Visits are in memory alone, and end whatever the disk does.
        let visits = state.withLock { state in
            let over = state.visits.filter { $0.value.device.id == id || id == Self.visitID }
            for secret in over.keys { state.visits[secret] = nil }
            return over.values.map(\.device.id)
        }
        if !visits.isEmpty { return visits }
        let count = try database.write { connection throws(DatabaseError) in
            try connection.run("DELETE FROM devices WHERE id = ?", [.text(id)])
            return connection.changes
        }
        state.withLock { state in state.devices = state.devices.filter { $0.value.id != id } }
        guard count > 0 else { throw PairingError.unknown }
        return [id]
    }

    static func checked(_ name: String) throws(PairingError) -> String {
        guard let name = Device.checkedName(name) else {
            throw .invalid("a name has 1 to \(Device.longestName) characters")
        }
        return name
    }
}
