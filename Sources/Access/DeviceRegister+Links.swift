public import HTTPServing
internal import KonzaModel
internal import KonzaSystem
internal import Storage
internal import Synchronization

/// Links that pair one device each.
extension DeviceRegister {
    /// Makes a link's secret, with which one device can be paired within five minutes.
    ///
    /// - Parameters:
    ///   - role: what the device will be.
    ///   - name: nil for one that its user chooses.
    /// - Returns: the secret.
    /// - Throws: `PairingError`, `StorageError`.
    public func invite(_ role: Role, name: String?) throws -> String {
        try invite(role, name: name, device: nil)
    }

    /// Makes the secret by which the kiosk's own browser proves itself. Its device takes the place of the one before, whose
    /// browser has ended.
    ///
    /// - Returns: the secret, good for five minutes and once.
    /// - Throws: `StorageError`.
    package func admitKiosk() throws -> String { try invite(.kiosk, name: "Kiosk", device: Self.kioskID) }

    private func invite(_ role: Role, name: String?, device: String?) throws -> String {
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
                "INSERT INTO invitations (secret, role, name, deadline, device) VALUES (?, ?, ?, ?, ?)",
                [
                    .text(Secret.hash(secret)), .text(role.rawValue), SQLValue(name), .integer(deadline),
                    SQLValue(device),
                ])
        }
        return secret
    }

    /// Pairs the device that has a link's secret, which is good for no other afterwards.
    ///
    /// - Parameters:
    ///   - secret: of the link.
    ///   - name: what its user calls it, where the keeper did not name it.
    ///   - replaced: the id of what the same browser was before, which is forgotten.
    /// - Returns: the device, and the secret for its cookie.
    /// - Throws: `PairingError`, `StorageError`.
    public func accept(
        _ secret: String, name: String?, replacing replaced: String? = nil
    ) throws -> (device: Device, secret: String) {
        let hash = Secret.hash(secret)
        let now = clock.monotonic().nanoseconds
        return try pair(replacing: replaced) { connection throws(DatabaseError) in
            let found = try connection.rows(
                "DELETE FROM invitations WHERE secret = ? AND deadline >= ? RETURNING role, name, device",
                [.text(hash), .integer(now)]
            ) { row in (row.text(0), row.isNull(1) ? nil : row.text(1), row.isNull(2) ? nil : row.text(2)) }
            guard let (role, given, id) = found.first, let role = Role(rawValue: role) else { return nil }
            return NewDevice(
                id: id ?? Secret.deviceID(), name: given ?? name.flatMap(Device.checkedName) ?? role.rawValue,
                role: role)
        }
    }

    struct NewDevice {
        let id: String
        let name: String
        let role: Role
    }

    /// Adds a device in the transaction that takes away what it is paired by.
    ///
    /// - Parameters:
    ///   - replaced: the id of a device that is forgotten with it.
    ///   - take: gives what it is to be; nil if there is nothing to take.
    /// - Returns: the device, and the secret for its cookie.
    /// - Throws: `PairingError`, `StorageError`.
    func pair(
        replacing replaced: String?, _ take: (inout Connection) throws(DatabaseError) -> NewDevice?
    ) throws -> (device: Device, secret: String) {
        guard devices.count < Self.mostDevices else {
            throw PairingError.tooMany(what: "devices", limit: Self.mostDevices)
        }
        let secret = Secret.make()
        let hash = Secret.hash(secret)
        let now = clock.utc()
        let device = try database.write { connection throws(DatabaseError) -> Device? in
            guard let new = try take(&connection) else { return nil }
            try connection.run("DELETE FROM devices WHERE id IN (?, ?)", [.text(new.id), SQLValue(replaced)])
            try connection.run(
                "INSERT INTO devices VALUES (?, ?, ?, ?, ?, ?)",
                [
                    .text(new.id), .text(new.name), .text(new.role.rawValue), .text(hash), .integer(now.nanoseconds),
                    .integer(now.nanoseconds),
                ])
            return Device(id: new.id, name: new.name, role: new.role, createdAt: now, seenAt: now)
        }
        guard let device else { throw PairingError.unknown }
        state.withLock { state in
            state.devices = state.devices.filter { $0.value.id != device.id && $0.value.id != replaced }
            state.devices[hash] = device
        }
        return (device, secret)
    }
}
