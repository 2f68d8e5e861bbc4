public import HTTPServing
internal import KonzaModel
internal import KonzaSystem
public import Storage
internal import Synchronization

/// Devices that ask to be let in, by letters on their screen.
extension DeviceRegister {
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
    /// - Parameters:
    ///   - secret: of its request.
    ///   - replaced: the id of what the same browser was before, which is forgotten.
    /// - Returns: the device, and the secret for its cookie.
    /// - Throws: `PairingError`, `StorageError`.
    public func collect(
        _ secret: String, replacing replaced: String? = nil
    ) throws -> (device: Device, secret: String) {
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
        return try pair(replacing: replaced) { connection throws(DatabaseError) in
            let found = try connection.rows(
                "DELETE FROM pairing_requests WHERE secret = ? RETURNING decision, name", [.text(hash)]
            ) { row in (row.text(0), row.text(1)) }
            return found.first.flatMap { found in
                Role(rawValue: found.0).map { NewDevice(id: Secret.deviceID(), name: found.1, role: $0) }
            }
        }
    }
}
